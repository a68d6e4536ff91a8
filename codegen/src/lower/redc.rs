//! Strategy `redc`: `columns`, with products that are reduced from below.
//!
//! A machine with a product of two words in two words has its low half first, and its high half
//! needs but one subtraction of what the low half stands for, divided by `2^64`. That is an
//! instruction or two less than folding the high half, with one flag to mend in place of two.
//! `ops/redc.rs` has the arithmetic: ranges in are any words, ranges out any word, or columns of
//! 33 bits; the share of a low half is below p, which is what `sub` asks for. The factors `2^-64`
//! of all products of an S-box multiply to one, so that nothing else differs from `columns`:
//! neither linear layers, nor constants, nor the words of the state.

use super::columns::lower_with;
use super::parts::{NoRuns, Products};
use crate::arith::Program;
use crate::ir;

/// Why a permutation has no kernel by this strategy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoRedc {
    /// A power of two is left.
    #[error(
        "strategy `redc` is not for x^{0}: the powers of two that its products leave do not cancel"
    )]
    Sbox(u64),
    /// Columns overflow.
    #[error(transparent)]
    Overflow(#[from] NoRuns),
}

/// Lowers a field-level program.
///
/// # Errors
/// If the powers of two that products leave do not cancel in the S-box, or columns overflow however
/// often they are normalised.
pub fn lower(program: &ir::Program) -> Result<Program, NoRedc> {
    let instance = &program.instance;
    if instance.field.pow(2, 64 * (instance.alpha - 1)) != 1 {
        return Err(NoRedc::Sbox(instance.alpha));
    }
    Ok(lower_with(program, Products::Redc)?)
}
