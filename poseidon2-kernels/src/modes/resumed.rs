//! Modes that continue from a given state.

use core::fmt;

use super::{Lengths, Mode, Order, States};
use crate::field::Field;

/// A whole state to start from: a capacity that separates domains, or the state after words that many messages
/// share.
pub struct State<F: Field, const W: usize> {
    /// As kernels accept them.
    words: [F::Word; W],
}

impl<F: Field, const W: usize> State<F, W> {
    /// A state from residues, which may be any words.
    #[must_use]
    pub fn new(residues: [F::Word; W]) -> Self {
        Self::of_words(residues.map(F::from_residue))
    }

    /// The residues of the state.
    #[must_use]
    pub fn residues(&self) -> [F::Word; W] {
        self.words.map(F::to_residue)
    }

    /// Of words that kernels accept.
    pub(crate) const fn of_words(words: [F::Word; W]) -> Self {
        Self { words }
    }

    /// Words that kernels accept.
    pub(crate) const fn words(&self) -> &[F::Word; W] {
        &self.words
    }
}

impl<F: Field, const W: usize> Clone for State<F, W> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F: Field, const W: usize> Copy for State<F, W> {}

impl<F: Field, const W: usize> PartialEq for State<F, W> {
    fn eq(&self, other: &Self) -> bool {
        self.residues() == other.residues()
    }
}

impl<F: Field, const W: usize> Eq for State<F, W> {}

impl<F: Field, const W: usize> fmt::Debug for State<F, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("State").field(&self.residues()).finish()
    }
}

/// A mode that starts from a given state instead of zeros.
#[derive(Clone, Copy, Debug)]
pub struct Resumed<F: Field, M, const W: usize> {
    pub(crate) state: State<F, W>,
    pub(crate) mode: M,
}

impl<F: Field, M: Mode<F, W>, const W: usize> Mode<F, W> for Resumed<F, M, W> {
    const ORDER: Order = M::ORDER;
    const LENGTHS: Lengths = M::MORE;
    const BLOCK: usize = M::BLOCK;
    const READABLE: usize = M::READABLE;

    fn start(&self, states: &mut impl States<F, W>) {
        states.set(&self.state);
    }

    fn absorb(&self, states: &mut impl States<F, W>) {
        self.mode.absorb(states);
    }
}
