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
/// Modes have names of their own for it, such as [`Sponge`](crate::Sponge). With the feature `plonky3`
/// it is Plonky3's `CryptographicHasher`, which panics where these functions return an error.
#[derive(Clone, Copy, Debug)]
pub struct Hasher<P, M, const W: usize, const OUT: usize> {
    permutation: P,
    mode: M,
}

impl<P, M: Default, const W: usize, const OUT: usize> Hasher<P, M, W, OUT> {
    /// A hasher on that permutation.
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

    /// The same, starting from that state in place of zeros.
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
    /// Hashes one row, in a mode that takes rows of any length; in another one it does not compile. To
    /// hash many, use [`hash_rows_into`](Self::hash_rows_into).
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
    /// If the mode takes no row of that length.
    pub fn try_hash_row(&self, row: &[F::Word]) -> Result<[F::Word; OUT], LengthMismatch> {
        let mut digest = [F::Word::default(); OUT];
        self.hash_rows_into(row, core::slice::from_mut(&mut digest))?;
        Ok(digest)
    }

    /// Hashes rows that lie back to back, all of one length: one row for each digest.
    ///
    /// The length of a row is not an argument. It is `rows.len() / digests.len()`.
    ///
    /// # Warning
    /// A `digests` slice of the wrong length is an error only if it does not divide the number of words.
    /// Otherwise the words are split into rows of another length than intended, and the digests are those of
    /// other rows. With 1,000 words, 50 digests in place of 100 mean rows of 20 words, not of 10. If the length of
    /// a row is known, check that `rows.len() == length * digests.len()`, or call `hash_rows`, which takes it.
    ///
    /// # Errors
    /// If the words do not divide evenly among the digests, or the mode takes no rows of that length.
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
    /// If the words do not divide into such rows, or the mode takes no rows of that length.
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

    /// The state that these words lead to: of a message's first ones, or, in a mode that reads from the
    /// right, of its last ones. Rows that have them in common need them hashed once; what is left of each
    /// is hashed [from that state on](Self::starting_from). In a mode that takes one block alone, such as
    /// [`Truncated`](crate::modes::Truncated), nothing goes on, and this does not compile:
    ///
    /// ```compile_fail
    /// use poseidon2_kernels::{Poseidon2KoalaBear, modes::{Hasher, Truncated}};
    ///
    /// let hasher = Hasher::<_, Truncated, 16, 8>::new(Poseidon2KoalaBear::<16>::plonky3());
    /// let _ = hasher.state_after(&[]);
    /// ```
    ///
    /// # Errors
    /// If another block would have to be begun for them, or the mode takes no message of that length.
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
