//! All lemmas of a set of templates.

use crate::arith::{Contract, MacroOp};
use crate::isa::Target;
use crate::names::Part;
use crate::params::Field;
use crate::params::{Balance, Offset};
use crate::template::TemplateSet;

/// Every macro-op that has a template: the lemmas that a complete ledger holds.
#[must_use]
pub fn all(templates: &TemplateSet) -> Vec<(Target, &'static Field, MacroOp)> {
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
    let ops: Vec<MacroOp> = simple
        .into_iter()
        .chain((1..=32).map(MacroOp::Div2Exp))
        .chain(offsets)
        .chain((1..=5).map(MacroOp::ShiftLeft))
        .chain((1..=32).map(MacroOp::Div2ExpColumns))
        .chain((1..=32).map(MacroOp::Div2ExpSigned))
        .collect();
    let mut all = Vec::new();
    for &target in Target::all() {
        for &field in Field::all() {
            let written = |op: &&MacroOp| {
                let name = TemplateSet::name(target, field, **op);
                Contract::of(field, **op).is_some() && templates.names().any(|n| n == name)
            };
            all.extend(ops.iter().filter(written).map(|&op| (target, field, op)));
        }
    }
    all
}
