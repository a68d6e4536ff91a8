//! Digests of rows, many at a time.

#[cfg(feature = "alloc")]
use alloc::{vec, vec::Vec};

use poseidon2_generated::Shape;

use crate::field::Field;
use crate::length::LengthMismatch;
use crate::modes::{Lengths, Mode, Resumed, State};
use crate::poseidon2::Poseidon2;

/// Hashes rows of words to digests of `OUT` words, in the mode `M` on a permutation of `W` elements.
///
/// Modes have type aliases for it, such as [`Sponge`](crate::Sponge). With the feature `plonky3` it implements
/// Plonky3's `CryptographicHasher`, whose functions panic where these return an error.
#[derive(Clone, Copy, Debug)]
pub struct Hasher<P, M, const W: usize, const OUT: usize> {
    permutation: P,
    mode: M,
}

impl<P, M: Default, const W: usize, const OUT: usize> Hasher<P, M, W, OUT> {
    /// A hasher on `permutation`.
    #[must_use]
    pub fn new(permutation: P) -> Self {
        let mode = M::default();
        Self { permutation, mode }
    }
}

impl<P, M, const W: usize, const OUT: usize> Hasher<P, M, W, OUT> {
    /// The permutation.
    #[must_use]
    pub const fn permutation(&self) -> &P {
        &self.permutation
    }

    /// The mode.
    #[must_use]
    pub const fn mode(&self) -> &M {
        &self.mode
    }

    /// The same hasher, starting from `state` instead of zeros.
    #[must_use]
    pub fn starting_from<F: Field>(
        self,
        state: State<F, W>,
    ) -> Hasher<P, Resumed<F, M, W>, W, OUT> {
        let Self { permutation, mode } = self;
        let mode = Resumed { state, mode };
        Hasher { permutation, mode }
    }
}

impl<F: Field, S, M: Mode<F, W>, const W: usize, const OUT: usize>
    Hasher<Poseidon2<F, W, S>, M, W, OUT>
{
    /// Hashes one row. This compiles only in a mode that takes rows of any length. To hash many rows, use
    /// [`hash_rows_into`](Self::hash_rows_into).
    #[must_use]
    pub fn hash_row(&self, row: &[F::Word]) -> [F::Word; OUT] {
        const {
            assert!(
                M::LENGTHS.are(Lengths::ANY),
                "this mode does not take rows of every length: use `try_hash_row`"
            );
        };
        let mut digest = [F::Word::default(); OUT];
        self.hash(row, core::slice::from_mut(&mut digest));
        digest
    }

    /// Hashes one row.
    ///
    /// # Errors
    /// If the mode does not take a row of that length.
    pub fn try_hash_row(&self, row: &[F::Word]) -> Result<[F::Word; OUT], LengthMismatch> {
        let mut digest = [F::Word::default(); OUT];
        self.hash_rows_into(row, core::slice::from_mut(&mut digest))?;
        Ok(digest)
    }

    /// Hashes rows of equal length that lie back to back, one for each digest.
    ///
    /// The length of a row is `rows.len() / digests.len()`, not an argument.
    ///
    /// # Warning
    /// A `digests` slice of the wrong length is an error only if it does not divide the number of words.
    /// Otherwise this function splits the words into rows of another length than intended, and returns the
    /// digests of those. With 1,000 words, 50 digests in place of 100 mean rows of 20 words, not of 10. If the
    /// length of a row is known, check that `rows.len() == length * digests.len()`, or call `hash_rows`, which
    /// takes it.
    ///
    /// # Errors
    /// If the words do not divide evenly among the digests, or the mode does not take rows of that length.
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
        if let Some(length) = words.checked_div(count) {
            M::LENGTHS.check(length)?;
        }
        self.hash(rows, digests);
        Ok(())
    }

    /// Hashes rows of `columns` words that lie back to back.
    ///
    /// # Errors
    /// If the words do not divide into such rows, or the mode does not take rows of that length.
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
        M::LENGTHS.check(columns)?;
        let mut digests = vec![[F::Word::default(); OUT]; words / columns];
        self.hash(rows, &mut digests);
        Ok(digests)
    }

    /// The state after these words, which are the first words of a message, or the last ones in a mode that
    /// reads from the right. If many rows have these words in common, hash them once, and hash the rest of each
    /// row [from that state on](Self::starting_from). In a mode that takes only one block, such as
    /// [`Truncated`](crate::modes::Truncated), nothing can follow, and this does not compile:
    ///
    /// ```compile_fail
    /// use poseidon2_kernels::{Poseidon2KoalaBear, modes::{Hasher, Truncated}};
    ///
    /// let hasher = Hasher::<_, Truncated, 16, 8>::new(Poseidon2KoalaBear::<16>::plonky3());
    /// let _ = hasher.state_after(&[]);
    /// ```
    ///
    /// # Errors
    /// If the words do not fill whole blocks, or the mode does not take a message of that length.
    pub fn state_after(&self, words: &[F::Word]) -> Result<State<F, W>, LengthMismatch> {
        const {
            assert!(
                M::LENGTHS.most > M::BLOCK,
                "this mode takes one block alone: no message goes on from a state"
            );
        };
        let takes = Lengths {
            step: M::BLOCK,
            ..M::LENGTHS
        };
        M::LENGTHS.check(words.len())?;
        takes.check(words.len())?;
        let engine = self.permutation.engine();
        Ok(engine.state_after(&self.mode, words, F::from_residue))
    }

    /// The lengths are checked.
    fn hash(&self, rows: &[F::Word], digests: &mut [[F::Word; OUT]]) {
        let engine = self.permutation.engine();
        let (load, store) = (F::from_residue, F::to_residue);
        engine.digest(&self.mode, Shape::Chain, rows, digests, load, store);
    }
}
