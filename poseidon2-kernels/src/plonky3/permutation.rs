//! Permutations of Plonky3's states: single ones, and those that lie across its packed values.

use super::p3_field::PackedValue;
use super::p3_symmetric::{CryptographicPermutation, Permutation};
use super::words::{Element, elements_mut, kernel_words};
use crate::field::Field;
use crate::parameters::ParameterSet;
use crate::poseidon2::Poseidon2;

/// Each lane of a vector holds a state; an element is a vector of one lane.
impl<V, F, S, const W: usize> Permutation<[V; W]> for Poseidon2<F, W, S>
where
    V: PackedValue<Value: Element<Field = F>>,
    F: Field,
    S: ParameterSet<F, W>,
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
    S: ParameterSet<F, W>,
{
}
