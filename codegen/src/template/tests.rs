use std::path::{Path, PathBuf};

use super::TemplateSet;
use crate::arith::{Contract, MacroOp};
use crate::isa::Target;
use crate::params::{Field, GOLDILOCKS, KOALA_BEAR};

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../templates")
}

const OPS: [MacroOp; 12] = [
    MacroOp::Add,
    MacroOp::Sub,
    MacroOp::Canonicalise,
    MacroOp::Halve,
    MacroOp::Mul,
    MacroOp::Square,
    MacroOp::Div2Exp(1),
    MacroOp::Div2Exp(2),
    MacroOp::Div2Exp(8),
    MacroOp::Div2Exp(24),
    MacroOp::Div2Exp(31),
    MacroOp::Div2Exp(32),
];

/// Every target and field that has templates.
fn kernels() -> impl Iterator<Item = (Target, &'static Field)> {
    let goldilocks = Target::all().iter().map(|&target| (target, &GOLDILOCKS));
    goldilocks.chain([(Target::Scalar, &KOALA_BEAR), (Target::Avx2, &KOALA_BEAR)])
}

#[test]
fn every_template_is_read() {
    let templates = TemplateSet::load(&directory()).unwrap_or_else(|e| panic!("{e}"));
    for (target, field) in kernels() {
        for op in OPS {
            if Contract::of(field, op).is_some() {
                let rendered = templates.render_body(target, field, op);
                let rendered = rendered.unwrap_or_else(|e| panic!("{e}"));
                println!(
                    "{:16} {:10} {:12} {}",
                    target.folder(),
                    field.name,
                    op.to_string(),
                    rendered.body.instructions.len()
                );
            }
        }
    }
}
