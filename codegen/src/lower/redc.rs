//! Strategy `redc`: `columns`, with products that are reduced from below.
//!
//! A machine with a product of two words in two words has its low half first, and its high half
//! needs but one subtraction of what the low half stands for, divided by `2^64`. That is an
//! instruction or two less than folding the high half, with one flag to mend in place of two.
//! `arith/redc.rs` has the arithmetic: ranges in are any words, ranges out any word, or columns of
//! 33 bits; the share of a low half is below p, which is what `sub` asks for. The factors `2^-64`
//! of all products of an S-box multiply to one, so that nothing else differs from `columns`:
//! neither linear layers, nor constants, nor the words of the state.

use super::parts::Products;
use super::{Unsuited, columns};
use crate::arith::Program;
use crate::ir;

/// Lowers a field-level program.
///
/// # Errors
/// If the powers of two that products leave do not cancel in the S-box, or columns overflow however
/// often they are normalised.
pub(super) fn lower(program: &ir::Program) -> Result<Program, Unsuited> {
    let instance = &program.instance;
    if instance.field.pow(2, 64 * (instance.alpha - 1)) != 1 {
        return Err(Unsuited::RedcSbox(instance.alpha));
    }
    columns::lower(program, Products::Redc)
}
