//! What could go wrong at each site if a canonicalisation, or the claim in its place, were missing.

use codegen::arith::{Block, Operation, Program, Treatment};
use codegen::ir::{BlockKind, Input, Value};
use codegen::ops::{Contract, MacroOp, Need, NeedLeft, Range, Reading};
use codegen::params::Field;

use super::machine::other_word;
use super::word;

/// One site and what a vector must do there to be worth its while.
#[derive(Clone, Debug)]
pub(super) struct Threat {
    pub(super) site: String,
    /// Index of its block.
    pub(super) block: usize,
    pub(super) operands: Vec<Value>,
    /// How it reads them.
    pub(super) reads: Reading,
    pub(super) kind: Kind,
}

/// The ways in which a site can be threatened.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// The precondition breaks if these operands come as they were before their last
    /// canonicalisation (or, for round constants, not canonicalised at construction).
    Missing(Vec<bool>, Need),
    /// No missing canonicalisation of an operand breaks it, by the ranges: a vector can only come
    /// near to the greatest value that its left side takes.
    Nearest(Need, i128),
    /// An output that is canonicalised on its way out.
    Returned,
    /// An output that is below p by itself.
    Below,
}

/// How near is near: twice what a residue and its other 64-bit word leave between them, and as
/// large a part of a 31-bit word.
fn slack(field: &Field) -> i128 {
    if field.is_montgomery() {
        1 << 26
    } else {
        1 << 33
    }
}

/// A product is near its greatest value where both factors are.
fn near(field: &Field, need: &Need, reached: i128) -> i128 {
    match need.left {
        NeedLeft::Linear(_) => slack(field),
        NeedLeft::Product | NeedLeft::Magnitude(_) | NeedLeft::Carry => reached >> 4,
    }
}

/// Every site's threat, in program order.
pub(super) fn threats(program: &Program) -> Vec<Threat> {
    let mut threats = Vec::new();
    let inputs = program.input_ranges();
    let blocks = program.blocks.iter().enumerate();
    // What prepares constants is no part of an execution.
    for (index, block) in blocks.filter(|(_, block)| block.kind != BlockKind::Constant) {
        let (ranges, _) = block.ranges(program.instance.field, &inputs[index]);
        for operation in block.operations.iter().filter(|o| o.site.is_some()) {
            let contract = program.contract(block.kind, operation.op);
            // No state leads to other constants.
            if !operation.operands.iter().any(|v| hangs_on_state(block, *v)) {
                continue;
            }
            // A product carries however near it is to anything.
            let mut needs = contract.row.needs.iter();
            if needs.all(|need| need.left == NeedLeft::Carry) {
                continue;
            }
            threats.push(Threat {
                site: operation.name.clone(),
                block: index,
                operands: operation.operands.clone(),
                reads: contract.row.reads,
                kind: kind(program, block, &ranges, &operation.operands, &contract),
            });
        }
        for site in &block.returns {
            threats.push(Threat {
                site: site.name.clone(),
                block: index,
                operands: vec![site.value],
                reads: Reading::Unsigned,
                kind: match site.treatment {
                    Treatment::Canonicalised => Kind::Returned,
                    _ => Kind::Below,
                },
            });
        }
    }
    threats
}

/// Whether a value is neither a round constant nor a word that is the same in all states.
fn hangs_on_state(block: &Block, value: Value) -> bool {
    match (block.inputs.get(value.index()), block.definition(value)) {
        (Some(Input::Constant), _) => false,
        (_, Some(operation)) => operation.word().is_none(),
        _ => true,
    }
}

/// The smallest set of operands whose missing canonicalisation breaks a precondition.
fn kind(
    program: &Program,
    block: &Block,
    ranges: &[Range],
    operands: &[Value],
    contract: &Contract,
) -> Kind {
    let sets: Vec<Vec<bool>> = match operands.len() {
        1 => vec![vec![true]],
        2 | 3 => vec![vec![false, true], vec![true, false], vec![true, true]],
        // Of a sum of products one operand, or all.
        many => {
            let one = |n| (0..many).map(|m| m == n).collect();
            (0..many).map(one).chain([vec![true; many]]).collect()
        }
    };
    let as_is: Vec<Range> = operands.iter().map(|v| ranges[v.index()]).collect();
    for set in sets {
        let raw: Vec<Range> = operands
            .iter()
            .zip(&set)
            .map(|(v, raw)| match raw {
                true => raw_range(program, block, ranges, *v),
                false => ranges[v.index()],
            })
            .collect();
        if raw != as_is
            && let Some(unmet) = contract.unmet(&raw)
        {
            return Kind::Missing(set, unmet.need);
        }
    }
    let need = contract.row.needs[0].clone();
    let reached = need.reached(&as_is).0;
    Kind::Nearest(need, reached)
}

fn raw_range(program: &Program, block: &Block, ranges: &[Range], value: Value) -> Range {
    let field = program.instance.field;
    match block.definition(value) {
        Some(o) if o.op == MacroOp::Canonicalise => ranges[o.operands[0].index()],
        // A negative word is a great one to who reads it so.
        Some(o) if o.op == MacroOp::CanonicaliseSigned => Range::word(field.word_bits()),
        Some(o) if o.op == MacroOp::Halve => {
            let x = raw_range(program, block, ranges, o.operands[0]);
            program.contract(block.kind, o.op).result_range(&[x])
        }
        None if block.inputs[value.index()] == Input::Constant => Range::word(field.word_bits()),
        _ => ranges[value.index()],
    }
}

/// The word that stood for a value before its last canonicalisation.
fn raw(field: &Field, block: &Block, values: &[u64], value: Value) -> u64 {
    let word = values[value.index()];
    match block.definition(value) {
        Some(o) if matches!(o.op, MacroOp::Canonicalise | MacroOp::CanonicaliseSigned) => {
            values[o.operands[0].index()]
        }
        Some(o) if o.op == MacroOp::Halve => {
            word::apply(field, o.op, &[raw(field, block, values, o.operands[0]); 4]).0
        }
        None if block.inputs[value.index()] == Input::Constant => other_word(field, word),
        _ => word,
    }
}

fn left(need: &Need, operands: &[i128]) -> i128 {
    match &need.left {
        NeedLeft::Linear(c) => c.iter().zip(operands).map(|(c, x)| c * x).sum(),
        NeedLeft::Product => operands[0] * operands[operands.len() - 1],
        NeedLeft::Magnitude(word) => word.value(operands).abs(),
        NeedLeft::Carry => 0,
    }
}

impl Threat {
    /// How far the values of one execution of the block are from what the threat is about: zero
    /// or less is there.
    pub(super) fn distance(&self, field: &Field, block: &Block, values: &[u64]) -> i128 {
        let p = i128::from(field.modulus);
        let integer = |reads: Reading, word| reads.integer(word, field.word_bits());
        let words = self.operands.iter();
        let words = words.map(|v| integer(self.reads, values[v.index()]));
        let words: Vec<i128> = words.collect();
        let before = |v: Value| {
            // A sum is what it is, whoever reads it.
            let sum = |o: &Operation| o.op == MacroOp::Canonicalise;
            let reads = match block.definition(v).is_some_and(sum) {
                true => Reading::Unsigned,
                false => self.reads,
            };
            integer(reads, raw(field, block, values, v))
        };
        match &self.kind {
            Kind::Missing(set, need) => {
                let raw = self.operands.iter().zip(set).zip(&words);
                let raw: Vec<i128> = raw
                    .map(|((v, raw), word)| if *raw { before(*v) } else { *word })
                    .collect();
                need.bound - left(need, &raw)
            }
            Kind::Nearest(need, reached) => {
                reached - near(field, need, *reached) - left(need, &words)
            }
            Kind::Returned => p - before(self.operands[0]),
            Kind::Below => p - slack(field) - words[0],
        }
    }

    /// Why there is nothing to hit, where that is so.
    pub(super) fn argument(&self) -> Option<String> {
        match &self.kind {
            Kind::Nearest(need, reached) => Some(format!(
                "`{}` cannot break by a missing canonicalisation: it reaches {reached}, the bound \
                 is {}",
                need.text, need.bound
            )),
            Kind::Below => Some("the output is a residue by the macro-op that makes it".to_owned()),
            _ => None,
        }
    }
}
