//! Round constants that kernels may be given.

#[cfg(feature = "alloc")]
use alloc::vec;

// Where there are no atomic instructions, there is one thread.
#[cfg(all(feature = "alloc", not(target_has_atomic = "ptr")))]
use alloc::rc::Rc as Arc;
#[cfg(all(feature = "alloc", target_has_atomic = "ptr"))]
use alloc::sync::Arc;
use core::fmt;
use core::marker::PhantomData;

use crate::field::Field;
use crate::parameters::{ParameterSet, Plonky3};

/// Round constants, each below p, for a permutation over `F` of width `W` with the rounds and linear layers of
/// the parameter set `S`.
///
/// Kernels leave out every reduction that is provably unnecessary, and some are unnecessary only because round
/// constants are below p. Every constructor of this type ensures that, so the precondition holds wherever a
/// kernel is called.
///
/// A value also holds the forms in which kernels read the constants, which are computed once. Copies share all
/// of them.
///
/// ```
/// # #[cfg(feature = "alloc")] {
/// use poseidon2_kernels::{GoldilocksConstants, Poseidon2Goldilocks};
///
/// // Any word may stand for a constant; here each stands for 2^64 − 1 mod p.
/// let row = [u64::MAX; 8];
/// let constants = GoldilocksConstants::new(&[row; 4], &[u64::MAX; 22], &[row; 4]);
/// assert_eq!(constants.external()[0][0], 0xffff_fffe);
/// let poseidon2 = Poseidon2Goldilocks::with_constants(constants);
/// # let _ = poseidon2;
/// # }
/// ```
pub struct CanonicalConstants<F: Field, const W: usize, S = Plonky3> {
    table: Table<F::Word>,
    set: PhantomData<fn() -> S>,
}

/// As [`poseidon2_generated::Tables`] has it.
#[derive(Clone)]
enum Table<T: 'static> {
    Static(&'static [T]),
    #[cfg(feature = "alloc")]
    Shared(Arc<[T]>),
}

impl<F: Field, const W: usize, S: ParameterSet<F, W>> CanonicalConstants<F, W, S> {
    const EXTERNAL: usize = S::INSTANCE.external_rounds * W;
    const ALL: usize = Self::EXTERNAL + S::INSTANCE.internal_rounds;

    /// The number of words that [`new_in`](Self::new_in) needs.
    pub const WORDS: usize = Self::ALL * F::TABLES.words();

    /// Constants from residues, which may be any words: those of the external rounds before the internal ones, of
    /// the internal rounds, and of the external rounds after them.
    ///
    /// These are not the words that [`external`](Self::external) and [`internal`](Self::internal) return, which for
    /// 31-bit fields are in Montgomery form.
    ///
    /// The numbers of rounds must be those of the parameter set; others do not compile.
    #[cfg(feature = "alloc")]
    #[must_use]
    pub fn new<const HALF: usize, const INTERNAL: usize>(
        external_initial: &[[F::Word; W]; HALF],
        internal: &[F::Word; INTERNAL],
        external_terminal: &[[F::Word; W]; HALF],
    ) -> Self {
        const { Self::assert_rounds(HALF, INTERNAL) };
        let given = words::<F, W>(external_initial, internal, external_terminal);
        Self::shared(given)
    }

    /// Like `new`, also from residues, but without an allocator, in memory that lives for the rest of the program.
    ///
    /// # Panics
    /// If `memory` does not have [`WORDS`](Self::WORDS) words.
    #[must_use]
    pub fn new_in<const HALF: usize, const INTERNAL: usize>(
        memory: &'static mut [F::Word],
        external_initial: &[[F::Word; W]; HALF],
        internal: &[F::Word; INTERNAL],
        external_terminal: &[[F::Word; W]; HALF],
    ) -> Self {
        const { Self::assert_rounds(HALF, INTERNAL) };
        let given = words::<F, W>(external_initial, internal, external_terminal);
        Self::fill(memory, given);
        Self::of(Table::Static(memory))
    }

    /// The constants of the parameter set.
    #[must_use]
    pub const fn standard() -> Self {
        // Below p and of the right number: asserted where the set is declared.
        Self::of(Table::Static(S::INSTANCE.table))
    }

    const fn of(table: Table<F::Word>) -> Self {
        let set = PhantomData;
        Self { table, set }
    }

    const fn assert_rounds(half: usize, internal: usize) {
        assert!(
            2 * half == S::INSTANCE.external_rounds,
            "half of the external rounds go first"
        );
        assert!(internal == S::INSTANCE.internal_rounds);
    }

    /// Of words that are congruent to what kernels read, as many as there are constants, in order.
    #[cfg(feature = "alloc")]
    pub(crate) fn shared(words: impl Iterator<Item = F::Word>) -> Self {
        let mut table = vec![F::Word::default(); Self::WORDS];
        Self::fill(&mut table, words);
        Self::of(Table::Shared(table.into()))
    }

    fn fill(table: &mut [F::Word], words: impl Iterator<Item = F::Word>) {
        assert_eq!(table.len(), Self::WORDS, "words for the constants");
        for (constant, word) in table[..Self::ALL].iter_mut().zip(words) {
            *constant = F::reduce(word);
        }
        (F::TABLES.prepare)(Self::ALL, table);
    }

    /// Constants of the external rounds, in the words that kernels read, each below p: residues for Goldilocks,
    /// and for 31-bit fields Montgomery words, whose residues [`Field::to_residue`] gives.
    #[must_use]
    pub fn external(&self) -> &[[F::Word; W]] {
        self.table()[..Self::EXTERNAL].as_chunks().0
    }

    /// Constants of the internal rounds, in the same words.
    #[must_use]
    pub fn internal(&self) -> &[F::Word] {
        &self.table()[Self::EXTERNAL..Self::ALL]
    }
}

impl<F: Field, const W: usize> CanonicalConstants<F, W>
where
    Plonky3: ParameterSet<F, W>,
{
    /// The constants of the parameter set `plonky3`, which Plonky3's `default_*` constructors use.
    #[must_use]
    pub const fn plonky3() -> Self {
        Self::standard()
    }
}

impl<F: Field, const W: usize, S> CanonicalConstants<F, W, S> {
    /// The constants, and behind them the forms that [`Field::TABLES`] names.
    #[inline]
    pub(crate) fn table(&self) -> &[F::Word] {
        match &self.table {
            Table::Static(table) => table,
            #[cfg(feature = "alloc")]
            Table::Shared(table) => table,
        }
    }
}

impl<F: Field, const W: usize, S> Clone for CanonicalConstants<F, W, S> {
    fn clone(&self) -> Self {
        let (table, set) = (self.table.clone(), PhantomData);
        Self { table, set }
    }
}

impl<F: Field, const W: usize, S> PartialEq for CanonicalConstants<F, W, S> {
    fn eq(&self, other: &Self) -> bool {
        self.table() == other.table()
    }
}

impl<F: Field, const W: usize, S> Eq for CanonicalConstants<F, W, S> {}

/// In the words that kernels read, like [`external`](CanonicalConstants::external).
impl<F: Field, const W: usize, S: ParameterSet<F, W>> fmt::Debug for CanonicalConstants<F, W, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CanonicalConstants")
            .field("external", &self.external())
            .field("internal", &self.internal())
            .finish()
    }
}

/// Residues as words that kernels accept, in the order of tables.
fn words<'a, F: Field, const W: usize>(
    external_initial: &'a [[F::Word; W]],
    internal: &'a [F::Word],
    external_terminal: &'a [[F::Word; W]],
) -> impl Iterator<Item = F::Word> + 'a {
    let external = external_initial.iter().chain(external_terminal);
    let residues = external.flatten().chain(internal);
    residues.copied().map(F::from_residue)
}

#[cfg(all(test, feature = "alloc"))]
mod tests {
    use super::*;
    use crate::field::{Goldilocks, KoalaBear};
    use std::boxed::Box;
    use std::vec::Vec;

    #[test]
    fn residues_become_the_words_that_kernels_read() {
        let row = [[1; 16]; 4];
        let constants = CanonicalConstants::<KoalaBear, 16>::new(&row, &[1; 20], &row);
        assert_eq!(constants.external()[0][0], KoalaBear::from_residue(1));
        assert_eq!(constants.internal()[0], KoalaBear::from_residue(1));
    }

    /// Tables that are made when the crate is compiled, by those that are made when it runs.
    fn the_same_table<F: Field, const W: usize>()
    where
        Plonky3: ParameterSet<F, W>,
    {
        type Constants<F, const W: usize> = CanonicalConstants<F, W>;
        let standard = Constants::<F, W>::plonky3();
        let plain = &standard.table()[..Constants::<F, W>::ALL];
        let made = Constants::<F, W>::shared(plain.iter().copied());
        assert_eq!(made.table(), standard.table());
        assert_eq!(made.table().len(), Constants::<F, W>::WORDS);
        // Every form by every strategy, as kernels have it.
        let mut first = plain.len();
        for (strategy, parts) in F::TABLES.prepared {
            let of_strategy =
                |kernel: &&poseidon2_generated::Kernel<_>| kernel.strategy == *strategy;
            let words = &standard.table()[first..][..parts * plain.len()];
            let mut prepared: Vec<_> = words.to_vec();
            prepared.fill(F::Word::default());
            if let Some(prepare) = F::KERNELS.iter().find(of_strategy).and_then(|k| k.prepare) {
                prepare(plain, &mut prepared);
                assert_eq!(words, prepared, "{strategy}");
            }
            first += words.len();
        }
        assert_eq!(first, standard.table().len());
    }

    #[test]
    fn tables_are_the_same_whenever_they_are_made() {
        the_same_table::<Goldilocks, 8>();
        the_same_table::<Goldilocks, 12>();
        the_same_table::<Goldilocks, 16>();
        the_same_table::<KoalaBear, 16>();
    }

    #[test]
    fn copies_share() {
        type Constants = CanonicalConstants<Goldilocks, 8>;
        let row = [[u64::MAX; 8]; 4];
        let constants = Constants::new(&row, &[7; 22], &row);
        let copy = constants.clone();
        assert!(core::ptr::eq(constants.table(), copy.table()));
        let standard = [Constants::plonky3(), Constants::plonky3()];
        assert!(core::ptr::eq(standard[0].table(), standard[1].table()));

        let memory = Box::leak(Box::new([0; Constants::WORDS]));
        let address = memory.as_ptr();
        let in_place = Constants::new_in(memory, &row, &[7; 22], &row);
        assert_eq!(in_place, constants);
        assert_eq!(in_place.table().as_ptr(), address);
        assert_ne!(in_place, standard[0]);
    }

    #[test]
    #[should_panic(expected = "words for the constants")]
    fn too_little_memory_is_refused() {
        let row = [[1; 16]; 4];
        let memory = Box::leak(Box::new([0; 17]));
        let _ = CanonicalConstants::<KoalaBear, 16>::new_in(memory, &row, &[1; 20], &row);
    }
}
