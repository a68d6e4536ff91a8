//! A sponge over rows.

#[cfg(feature = "alloc")]
use alloc::{vec, vec::Vec};

use crate::field::Field;
use crate::length::LengthMismatch;
use crate::poseidon2::Poseidon2;

/// Hashes rows of words to digests of `OUT` words, many rows at a time.
///
/// It is the overwrite-mode sponge without padding, Plonky3's `PaddingFreeSponge` with the same
/// parameters in the same order: the state is zero; `RATE` words overwrite its front, the last ones
/// may be fewer, and it is permuted; the digest is its first `OUT` words. Rows of different lengths
/// can collide (one may end in the words that the other one leaves as they are), so a row's length
/// must be fixed by what surrounds it, as a matrix fixes it.
///
/// ```
/// use poseidon2_kernels::{Poseidon2Goldilocks, Sponge};
///
/// // Width 8: four words are absorbed at a time, four are the digest.
/// let sponge = Sponge::<_, 8, 4, 4>::new(Poseidon2Goldilocks::<8>::plonky3());
///
/// let matrix: Vec<u64> = (0..1000).collect();
/// let digests = sponge.hash_rows(&matrix, 10)?;
/// assert_eq!(digests.len(), 100);
/// assert_eq!(digests[99], sponge.hash_row(&matrix[990..]));
///
/// let refusal = sponge.hash_rows(&matrix, 7).unwrap_err();
/// assert_eq!(refusal.to_string(), "1000 words are no whole number of rows of 7");
/// # Ok::<(), poseidon2_kernels::LengthMismatch>(())
/// ```
///
/// With the feature `plonky3` it is Plonky3's `CryptographicHasher`, too.
#[derive(Clone, Copy, Debug)]
pub struct Sponge<P, const W: usize, const RATE: usize, const OUT: usize> {
    permutation: P,
}

impl<P, const W: usize, const RATE: usize, const OUT: usize> Sponge<P, W, RATE, OUT> {
    /// A sponge on that permutation.
    ///
    /// `OUT` must not be more than `RATE`, nor `RATE` as much as `W`; anything else does not compile.
    #[must_use]
    pub const fn new(permutation: P) -> Self {
        const { assert!(0 < OUT && OUT <= RATE && RATE < W) };
        Self { permutation }
    }

    /// The permutation.
    #[must_use]
    pub const fn permutation(&self) -> &P {
        &self.permutation
    }
}

impl<F: Field, S, const W: usize, const RATE: usize, const OUT: usize>
    Sponge<Poseidon2<F, W, S>, W, RATE, OUT>
{
    /// Hashes one row. To hash many, use [`hash_rows_into`](Self::hash_rows_into).
    #[must_use]
    pub fn hash_row(&self, row: &[F::Word]) -> [F::Word; OUT] {
        let mut digest = [F::Word::default(); OUT];
        let digests = core::slice::from_mut(&mut digest);
        self.sponge(row, digests);
        digest
    }

    /// Hashes rows that lie back to back, as many as there are digests, all of one length.
    ///
    /// # Errors
    /// If the words cannot be shared out evenly among the digests.
    pub fn hash_rows_into(
        &self,
        rows: &[F::Word],
        digests: &mut [[F::Word; OUT]],
    ) -> Result<(), LengthMismatch> {
        let (words, count) = (rows.len(), digests.len());
        // Zero digests take zero words, and no others.
        if !words.is_multiple_of(count) {
            return Err(LengthMismatch::Digests {
                words,
                digests: count,
            });
        }
        self.sponge(rows, digests);
        Ok(())
    }

    /// Hashes rows of `columns` words that lie back to back.
    ///
    /// # Errors
    /// If the words are no whole number of such rows.
    #[cfg(feature = "alloc")]
    pub fn hash_rows(
        &self,
        rows: &[F::Word],
        columns: usize,
    ) -> Result<Vec<[F::Word; OUT]>, LengthMismatch> {
        let words = rows.len();
        if columns == 0 || !words.is_multiple_of(columns) {
            return Err(LengthMismatch::Columns { words, columns });
        }
        let mut digests = vec![[F::Word::default(); OUT]; words / columns];
        self.sponge(rows, &mut digests);
        Ok(digests)
    }

    /// The lengths are checked.
    fn sponge(&self, rows: &[F::Word], digests: &mut [[F::Word; OUT]]) {
        let engine = self.permutation.engine();
        engine.sponge::<RATE, OUT>(rows, digests, F::from_residue, F::to_residue);
    }
}
