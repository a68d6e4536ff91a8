//! Sums of words.

use crate::features::compiled_for;
use crate::field::Field;
use crate::plan::Step;

/// Adds to each word. Both are words that kernels accept.
#[inline]
pub(super) fn add<F: Field>(step: &Step<F::Word>, words: &mut [F::Word], more: &[F::Word]) {
    compiled_for(step, || {
        for (word, more) in words.iter_mut().zip(more) {
            *word = F::add(*word, *more);
        }
    });
}
