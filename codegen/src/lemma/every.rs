//! All lemmas of a set of templates.

use crate::arith::{Contract, MacroOp};
use crate::isa::Target;
use crate::params::Field;
use crate::template::{TemplateSet, ops};

/// Every macro-op that has a template: the lemmas that a complete ledger holds.
#[must_use]
pub fn all(templates: &TemplateSet) -> Vec<(Target, &'static Field, MacroOp)> {
    let mut all = Vec::new();
    for &target in Target::all() {
        for &field in Field::all() {
            let written = |op: &MacroOp| {
                let name = TemplateSet::name(target, field, *op);
                Contract::of(field, *op).is_some() && templates.names().any(|n| n == name)
            };
            all.extend(ops::all().filter(written).map(|op| (target, field, op)));
        }
    }
    all
}
