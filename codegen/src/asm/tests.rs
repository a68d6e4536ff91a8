use super::*;
use crate::ir::{BlockKind, Value};
use crate::isa::Target;
use crate::params::Field;
use crate::spec::Spec;
use crate::template::TemplateSet;
use std::collections::BTreeSet;

/// The internal round of width 8, its S-box on general registers.
fn internal_round() -> Mixed {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let spec = Spec::load(root.join("specs/goldilocks-w8.toml")).unwrap();
    let kernel = spec.kernels.iter().find(|k| k.order.is_some()).unwrap();
    let proved = crate::pipeline::prove_program(&spec, kernel).unwrap();
    let program = proved.program();
    let block = &program.blocks[program.block(BlockKind::InternalRound).unwrap()];
    let templates = TemplateSet::load(&root.join("../templates")).unwrap();
    let bodies = |target: Target| -> Bodies {
        let field: &'static Field = program.instance.field;
        let ops = block.operations.iter().map(|operation| operation.op);
        let rendered =
            ops.filter_map(|op| Some((op, templates.render_body(target, field, op).ok()?.body)));
        rendered.collect()
    };
    let products = ["mul", "square", "mul-columns"];
    let words = block
        .operations
        .iter()
        .filter(|o| products.contains(&o.op.template()));
    let words: BTreeSet<Value> = words.flat_map(|o| o.results()).collect();
    mixed(Recipe {
        block,
        vectors: &bodies(Target::Neon),
        words: &bodies(Target::Aarch64),
        placed: &[words],
        constants: &[0],
        held: true,
    })
}

#[test]
fn flags_stay_inside_of_a_piece() {
    let code = internal_round();
    let flags = |reg: &Reg| code.registers[reg.0 as usize].1 == Kind::Flags;
    for piece in &code.pieces {
        assert!(!piece.reads().any(|reg| flags(&reg)), "{piece:?}");
        assert!(!piece.results.iter().any(flags), "{piece:?}");
    }
    let together = |piece: &&Piece| matches!(&piece.work, Work::Rows { body, .. } if body.instructions.len() > 1);
    assert!(code.pieces.iter().filter(together).count() > 0);
}

#[test]
fn values_cross_once() {
    let code = internal_round();
    let takes = code.pieces.iter().filter_map(|piece| match piece.work {
        Work::Take(lane) => Some((piece.reads().next(), lane)),
        _ => None,
    });
    let takes: Vec<_> = takes.collect();
    assert_eq!(takes.len(), LANES, "one element, each lane");
    let distinct: BTreeSet<_> = takes.iter().copied().collect();
    assert_eq!(distinct.len(), takes.len());
    let joins = code.pieces.iter().filter(|p| matches!(p.work, Work::Join));
    assert_eq!(joins.count(), 2, "both parts of what leaves the S-box");
}

#[test]
fn every_value_is_written_once_and_before_it_is_read() {
    let code = internal_round();
    let order: Vec<usize> = (0..code.pieces.len()).collect();
    assert!(crate::schedule::is_order(&code, &order));
    assert_eq!(code.carried.len(), code.outputs.len());
}
