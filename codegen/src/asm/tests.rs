use super::*;
use crate::ir::{BlockKind, Input, Value};
use crate::isa::Target;
use crate::params::Field;
use crate::spec::Spec;
use crate::template::TemplateSet;
use std::collections::BTreeSet;

/// The internal round of width 8, its S-box on general registers.
fn internal_round() -> Mixed {
    internal_rounds(1)
}

/// So many of them, one after the other.
fn internal_rounds(rounds: usize) -> Mixed {
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
    let recipe = Recipe {
        block,
        vectors: &bodies(Target::Neon),
        words: &bodies(Target::Aarch64),
        placed: &[words],
        constants: &[0],
        held: true,
    };
    mixed(&vec![recipe; rounds])
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
    for code in [1, 2].map(internal_rounds) {
        let order: Vec<usize> = (0..code.pieces.len()).collect();
        assert!(crate::schedule::is_order(&code, &order));
        assert_eq!(code.carried.len(), code.outputs.len());
    }
}

/// What one round leaves, the next one takes from registers.
#[test]
fn rounds_in_a_row_read_nothing_but_constants_of_their_own() {
    let loads = |code: &Mixed| {
        let pieces = code.pieces.iter();
        let loads = pieces.filter_map(|piece| match piece.work {
            Work::Load(stream, input) => Some((stream, input)),
            _ => None,
        });
        loads.collect::<BTreeSet<_>>()
    };
    let [one, two] = [1, 2].map(internal_rounds);
    let of_constants = |(_, input): &(usize, Input)| matches!(input, Input::ConstantPart(_));
    assert!(loads(&two).iter().all(of_constants));
    assert_eq!(loads(&two).len(), 2 * loads(&one).len());
    assert_eq!(two.entries.len(), one.entries.len());
    assert_eq!(two.outputs.len(), one.outputs.len());
}

/// An external round of KoalaBear 16, for cores that multiply in one pipe.
#[test]
fn each_s_box_stands_before_the_sums_that_want_it() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let spec = Spec::load(root.join("specs/koala-bear-w16.toml")).unwrap();
    let kernel = spec.kernels.iter().find(|k| k.order.is_some()).unwrap();
    let proved = crate::pipeline::prove_program(&spec, kernel).unwrap();
    let program = proved.program();
    let templates = TemplateSet::load(&root.join("../templates")).unwrap();
    let blocks = [BlockKind::ExternalSbox, BlockKind::ExternalLinear];
    let blocks = blocks.map(|kind| &program.blocks[program.block(kind).unwrap()]);
    let operations = blocks.iter().flat_map(|block| &block.operations);
    let vectors: Bodies = operations
        .filter_map(|o| {
            let rendered = templates.render_body(Target::Neon, program.words, o.op);
            Some((o.op, rendered.ok()?.body))
        })
        .collect();
    let width = program.instance.width;
    let (placed, constants) = (vec![BTreeSet::new(); width], Vec::from_iter(0..width));
    let recipe = |block: usize, streams: usize| Recipe {
        block: blocks[block],
        vectors: &vectors,
        words: &vectors,
        placed: &placed[..streams],
        constants: &constants[..streams],
        held: false,
    };
    let code = mixed(&[recipe(0, width), recipe(1, 1)]);
    let order: Vec<usize> = (0..code.pieces.len()).collect();
    assert!(crate::schedule::is_order(&code, &order));
    let place = |wanted: &dyn Fn(&Work) -> bool| code.pieces.iter().position(|p| wanted(&p.work));
    let first_sum = place(&|work| match work {
        Work::Rows { operation, .. } => *operation >= blocks[0].operations.len(),
        _ => false,
    });
    let last_load =
        place(&|work| matches!(work, Work::Load(stream, Input::Inner(_)) if *stream == width - 1));
    assert!(
        first_sum.unwrap() < last_load.unwrap(),
        "the first sum wants two S-boxes, not all"
    );
    let stores = code
        .pieces
        .iter()
        .filter(|p| matches!(p.work, Work::Store(stream, _) if stream == width));
    assert_eq!(stores.count(), width);
}
