//! The macro-ops that templates are written for.

use crate::arith::MacroOp;
use crate::names::Part;
use crate::params::{Balance, Offset};

/// Every macro-op with code of its own, with every parameter that a template may see.
pub fn all() -> impl Iterator<Item = MacroOp> {
    let simple = [
        MacroOp::Add,
        MacroOp::Sub,
        MacroOp::Canonicalise,
        MacroOp::Halve,
        MacroOp::Mul,
        MacroOp::Square,
        MacroOp::Plus,
        MacroOp::Minus,
        MacroOp::Split,
        MacroOp::Pack,
        MacroOp::MulColumns,
        MacroOp::MulWide,
        MacroOp::Share,
        MacroOp::MulColumnsRedc,
        MacroOp::Carry,
        MacroOp::Preshift,
        MacroOp::MulLimbs(None),
        MacroOp::MulLimbs(Some(Balance::Cube)),
        MacroOp::SquareLimbs(Balance::Square),
        MacroOp::SquareLimbs(Balance::Fourth),
    ];
    let offsets = Offset::ALL
        .into_iter()
        .flat_map(|offset| Part::BOTH.map(|part| MacroOp::Offset(offset, part)));
    simple
        .into_iter()
        .chain((1..=32).map(MacroOp::Div2Exp))
        .chain(offsets)
        .chain((1..=5).map(MacroOp::ShiftLeft))
        .chain((1..=32).map(MacroOp::Div2ExpColumns))
        .chain((1..=32).map(MacroOp::Div2ExpSigned))
}
