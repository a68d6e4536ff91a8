//! Permutations of Plonky3's states: single ones, and those that lie across its packed values.

use super::Plonky3;
use super::p3_field::PackedValue;
use super::p3_symmetric::{CryptographicPermutation, Permutation};
use super::words::{Element, elements_mut, kernel_words};
use crate::field::Field;
use crate::parameters::ParameterSet;
use crate::parameters::sealed::Own;
use crate::poseidon2::Poseidon2;

/// A parameter set for this version's elements: that of the version's own constructors, which may differ from
/// other versions, or one of your own.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no permutation over `{F}` of width {W} for this version of Plonky3",
    note = "the documentation of a parameter set has a table of its permutations",
    note = "each version's permutations are in its own module: those of 0.8 in `poseidon2_kernels`, those of 0.6 \
            in `poseidon2_kernels::plonky3_0_6`"
)]
pub trait Set<F: Field, const W: usize>: ParameterSet<F, W> {}

impl<F: Field, const W: usize> Set<F, W> for Plonky3 where Self: ParameterSet<F, W> {}
impl<F: Field, const W: usize, S: Own + ParameterSet<F, W>> Set<F, W> for S {}

/// Each lane of a vector holds a state. A single element counts as a vector of one lane.
impl<V, F, S, const W: usize> Permutation<[V; W]> for Poseidon2<F, W, S>
where
    V: PackedValue<Value: Element<Field = F>>,
    F: Field,
    S: Set<F, W>,
{
    #[inline]
    fn permute_mut(&self, state: &mut [V; W]) {
        let words = kernel_words(elements_mut(state));
        self.engine().permute_across(words, V::WIDTH);
    }
}

impl<V, F, S, const W: usize> CryptographicPermutation<[V; W]> for Poseidon2<F, W, S>
where
    V: PackedValue<Value: Element<Field = F>>,
    F: Field,
    S: Set<F, W>,
{
}
