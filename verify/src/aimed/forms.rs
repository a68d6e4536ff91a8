//! What the operands of each site are: linear forms in the state before the layer.

use codegen::ir::{Block, BlockKind, FieldOp, Input, Program};

use crate::oracle::{Layer, Poseidon2};

/// A linear form: one coefficient for each state element.
pub(super) type Form = Vec<u64>;

/// A site, and how its operands come about.
#[derive(Clone, Debug)]
pub(super) struct Site {
    /// The name that specs, certificates and messages know it by.
    pub(super) name: String,
    /// The operands.
    pub(super) operands: Operands,
}

/// The operands of a site.
#[derive(Clone, Debug)]
pub(super) enum Operands {
    /// One or two linear forms in the state before a linear layer.
    Linear {
        layer: Layer,
        a: Form,
        b: Option<Form>,
    },
    /// Any element and its constant, before the constants of an external round are added.
    ExternalConstant,
    /// Element 0 and its constant, before the constant of an internal round is added.
    InternalConstant,
}

/// All sites of a permutation: its additions, subtractions and halvings.
pub(super) fn sites(program: &Program, p2: &Poseidon2) -> Vec<Site> {
    program
        .blocks
        .iter()
        .flat_map(|block| block_sites(block, p2))
        .collect()
}

fn block_sites(block: &Block, p2: &Poseidon2) -> Vec<Site> {
    let unit = |i: usize| -> Form { (0..p2.width()).map(|j| u64::from(i == j)).collect() };
    // Nothing: the value is not linear in the state before a linear layer.
    let mut forms: Vec<Option<Form>> = block
        .inputs
        .iter()
        .map(|input| match (input, block.kind) {
            (_, BlockKind::ExternalSbox) => None,
            (Input::State(0), BlockKind::InternalRound) => None,
            (Input::State(i), _) => Some(unit(*i)),
            _ => None,
        })
        .collect();
    let mut sites = Vec::new();
    for operation in &block.operations {
        let form = |value: codegen::ir::Value| forms[value.index()].clone();
        let scaled = |form: Form, scale: u64| -> Form {
            form.into_iter().map(|x| p2.mul(x, scale)).collect()
        };
        let sum =
            |a: &Form, b: &Form| -> Form { a.iter().zip(b).map(|(x, y)| p2.add(*x, *y)).collect() };
        let (operands, result) = match operation.op {
            FieldOp::Add(a, b) => (Some((form(a), Some(form(b)))), {
                form(a).zip(form(b)).map(|(a, b)| sum(&a, &b))
            }),
            FieldOp::Sub(a, b) => (Some((form(a), Some(form(b)))), {
                let minus = |b| scaled(b, p2.modulus - 1);
                form(a).zip(form(b)).map(|(a, b)| sum(&a, &minus(b)))
            }),
            FieldOp::Div2Exp(a, k) => (Some((form(a), None)), {
                let scale = p2.pow(p2.modulus.div_ceil(2), u64::from(k));
                form(a).map(|a| scaled(a, scale))
            }),
            // In an internal round the last power is what the linear layer has as element 0.
            FieldOp::Mul(..) | FieldOp::Square(_) if block.kind == BlockKind::InternalRound => {
                (None, Some(unit(0)))
            }
            FieldOp::Mul(..) | FieldOp::Square(_) => (None, None),
        };
        if let Some(operands) = operands.and_then(|operands| classify(block.kind, operands)) {
            sites.push(Site {
                name: operation.name.clone(),
                operands,
            });
        }
        forms.push(result);
    }
    sites
}

fn classify(kind: BlockKind, operands: (Option<Form>, Option<Option<Form>>)) -> Option<Operands> {
    let layer = match kind {
        BlockKind::ExternalLinear => Layer::ExternalLinear,
        BlockKind::ExternalSbox => return Some(Operands::ExternalConstant),
        BlockKind::InternalRound => Layer::InternalLinear,
        _ => return None,
    };
    match operands {
        (Some(a), None) => Some(Operands::Linear { layer, a, b: None }),
        (Some(a), Some(Some(b))) => Some(Operands::Linear {
            layer,
            a,
            b: Some(b),
        }),
        _ => Some(Operands::InternalConstant),
    }
}
