//! All mutants of a program.

use std::ops::Range;

use codegen::arith::{Block, Program};
use codegen::ir::{self, Step, Value};
use codegen::lower::{Claims, lower};
use codegen::names::Operand;
use codegen::ops::{Contract, MacroOp};
use codegen::params::{Instance, Linear, Rational};
use codegen::spec::{Claim, ClaimKind};

use super::steps::{before, is_canonicalisation, redirect, residue, without_canonicalisation};
use super::{Body, Kind, Mutant};
use crate::programs::Entry;

/// Every mutant of a program, in the order of kinds.
pub(super) fn all(entry: &Entry) -> Vec<Mutant> {
    let mut list = List {
        entry,
        program: &entry.program,
        mutants: Vec::new(),
    };
    list.canonicalisations();
    list.claims();
    list.structure();
    list.parts();
    list.parameters();
    list.mutants.sort_by_key(|mutant| mutant.kind);
    list.mutants
}

pub(super) struct List<'a> {
    entry: &'a Entry,
    pub(super) program: &'a Program,
    mutants: Vec<Mutant>,
}

impl List<'_> {
    fn push(&mut self, kind: Kind, site: &str, what: impl Into<String>, body: Body) {
        let (site, what) = (site.to_owned(), what.into());
        self.mutants.push(Mutant {
            kind,
            site,
            what,
            body,
        });
    }

    pub(super) fn changed(
        &mut self,
        kind: Kind,
        site: &str,
        what: impl Into<String>,
        program: Box<Program>,
    ) {
        self.push(kind, site, what, Body::Program(program));
    }

    /// The program with one block changed.
    pub(super) fn edit(
        &mut self,
        block: usize,
        kind: Kind,
        site: &str,
        what: impl Into<String>,
        change: impl FnOnce(&mut Block),
    ) {
        let mut program = Box::new(self.program.clone());
        change(&mut program.blocks[block]);
        self.changed(kind, site, what, program);
    }

    fn canonicalisations(&mut self) {
        for (n, block) in self.program.blocks.iter().enumerate() {
            for operation in &block.operations {
                let letter = |operand: usize| if operand == 0 { "a" } else { "b" };
                if is_canonicalisation(operation.op) {
                    let (from, to) = (operation.result, operation.operands[0]);
                    let operand = letter(operation.serves.unwrap_or(0));
                    self.edit(n, Kind::Dropped, &operation.name, operand, |block| {
                        redirect(block, from, to);
                    });
                    continue;
                }
                for (operand, value) in operation.operands.iter().enumerate() {
                    let readers = block.operations.iter().flat_map(|o| &o.operands);
                    let shared = readers.filter(|other| *other == value).count() > 1;
                    if let Some(raw) = before(block, *value).filter(|_| shared) {
                        let at = operation.result.index() - block.inputs.len();
                        let letter = letter(operand);
                        self.edit(n, Kind::Bypassed, &operation.name, letter, |block| {
                            block.operations[at].operands[operand] = raw;
                        });
                    }
                }
            }
        }
        for (kind, op) in [
            (Kind::EveryAdd, MacroOp::Add),
            (Kind::EverySub, MacroOp::Sub),
        ] {
            let program = without_canonicalisation(self.program, op);
            if program.blocks != self.program.blocks {
                self.changed(kind, "everywhere", "", program);
            }
        }
        self.push(Kind::RawConstants, "everywhere", "", Body::RawConstants);
    }

    fn claims(&mut self) {
        let claims = &self.entry.claims;
        let word = u128::from(u64::MAX >> (64 - self.program.instance.field.word_bits()));
        let everything = ClaimKind::Range { a: word, b: word };
        for (n, claim) in claims.iter().enumerate() {
            let mut replace = |kind: ClaimKind, pattern: Option<String>| {
                let mut list = claims.clone();
                let what = format!("{} claimed for {:?}", kind.name(), claim.operand);
                let kept = claim.kind == ClaimKind::Canonicalise;
                list[n].kind = kind;
                let mut site = claim.pattern.to_string();
                if let Some(pattern) = pattern {
                    site = format!("{site} widened to {pattern}");
                    list[n].pattern = pattern.parse().expect("a pattern with fewer indices");
                }
                let category = if kept { Kind::ClaimedAway } else { Kind::Claim };
                self.push(category, &site, what, Body::Claims(list));
            };
            match &claim.kind {
                ClaimKind::Canonicalise => replace(everything.clone(), None),
                ClaimKind::Range { a, b } => {
                    replace(ClaimKind::Range { a: a - 1, b: *b }, None);
                    replace(ClaimKind::Range { a: *a, b: b - 1 }, None);
                }
                kind => {
                    replace(ClaimKind::Zero, None);
                    replace(ClaimKind::OutputOf("no-such-operation".to_owned()), None);
                    if !matches!(kind, ClaimKind::CanonicalisedAtConstruction) {
                        replace(ClaimKind::ConstantTable, None);
                    }
                }
            }
            let site = claim.pattern.to_string();
            let wide = widened(&site);
            let others = || claims.iter().any(|other| other.pattern.to_string() == wide);
            if wide != site && claim.kind != ClaimKind::Canonicalise && !others() {
                replace(claim.kind.clone(), Some(wide));
            }
        }
        self.kept_by_default(&everything);
    }

    /// Sites whose canonicalisation is kept because no claim speaks of them.
    fn kept_by_default(&mut self, everything: &ClaimKind) {
        let claims = &self.entry.claims;
        for block in &self.program.blocks {
            let kept = block
                .operations
                .iter()
                .filter_map(|o| o.serves.map(|operand| (o, operand)));
            for (operation, operand) in kept {
                if claims
                    .iter()
                    .any(|claim| claim.pattern.matches(&operation.name))
                {
                    continue;
                }
                let mut list = claims.clone();
                let operand = if operand == 0 { Operand::A } else { Operand::B };
                let what = format!("range claimed for {operand:?}");
                list.push(Claim {
                    pattern: operation.name.parse().expect("a site name is a pattern"),
                    operand,
                    kind: everything.clone(),
                    said: 0..0,
                    span: 0..0,
                });
                self.push(Kind::ClaimedAway, &operation.name, what, Body::Claims(list));
            }
        }
    }

    fn structure(&mut self) {
        for (n, block) in self.program.blocks.iter().enumerate() {
            for (at, operation) in block.operations.iter().enumerate() {
                let name = &operation.name;
                // `second` reads nothing: it names the operation before.
                if operation.op == MacroOp::Second {
                    continue;
                }
                let Some(&operand) = operation.operands.first() else {
                    continue;
                };
                if matches!(
                    operation.op,
                    MacroOp::Sub | MacroOp::Minus | MacroOp::MinusNarrow
                ) {
                    self.edit(n, Kind::SubSwapped, name, "", |block| {
                        block.operations[at].operands.reverse();
                    });
                }
                let opposite = match operation.op {
                    MacroOp::Add => Some(MacroOp::Sub),
                    MacroOp::Sub => Some(MacroOp::Add),
                    MacroOp::Plus => Some(MacroOp::Minus),
                    MacroOp::Minus => Some(MacroOp::Plus),
                    MacroOp::PlusNarrow => Some(MacroOp::MinusNarrow),
                    MacroOp::MinusNarrow => Some(MacroOp::PlusNarrow),
                    MacroOp::AddSigned => Some(MacroOp::SubSigned),
                    MacroOp::SubSigned => Some(MacroOp::AddSigned),
                    _ => None,
                };
                if let Some(op) = opposite {
                    self.edit(n, Kind::OtherOperation, name, op.to_string(), |block| {
                        block.operations[at].op = op;
                    });
                }
                let others: &[MacroOp] = match operation.op {
                    MacroOp::Div2ExpBalanced(k) => &[
                        MacroOp::Div2ExpBalanced(k - 1),
                        MacroOp::Div2ExpBalanced(k + 1),
                    ],
                    MacroOp::Div2ExpWord(k) => {
                        &[MacroOp::Div2ExpWord(k - 1), MacroOp::Div2ExpWord(k + 1)]
                    }
                    MacroOp::Times(n) => &[MacroOp::Times(25 - n)],
                    _ => &[],
                };
                let field = self.program.words_of(block.kind);
                for op in others
                    .iter()
                    .filter(|op| Contract::of(field, **op).is_some())
                {
                    self.edit(n, Kind::Distance, name, op.to_string(), |block| {
                        block.operations[at].op = *op;
                    });
                }
                // The nearest other value that is not the same residue.
                let others = (0..operation.result.0).rev().map(Value);
                let other = others
                    .filter(|other| residue(block, *other) != residue(block, operand))
                    .find(|other| !is_canonicalisation(operation.op) && *other != operand);
                if let Some(other) = other {
                    let what = format!("{operand} is {other}");
                    self.edit(n, Kind::OtherOperand, name, what, |block| {
                        block.operations[at].operands[0] = other;
                    });
                }
            }
            for i in 1..block.outputs.len() {
                let what = format!("state[{}] and state[{i}]", i - 1);
                self.edit(n, Kind::OutputsSwapped, block.kind.name(), what, |block| {
                    block.outputs.swap(i - 1, i);
                    for (returned, output) in block.returns.iter_mut().zip(&block.outputs) {
                        returned.value = *output;
                    }
                });
            }
        }
    }

    fn parameters(&mut self) {
        let instance = &self.program.instance;
        let external = instance.constants.external.iter().enumerate();
        let external = external.flat_map(|(round, row)| {
            (0..row.len()).map(move |element| format!("external[{round}].rc[{element}]"))
        });
        let internal = (0..instance.internal_rounds).map(|round| format!("internal[{round}].rc"));
        for (n, site) in external.chain(internal).enumerate() {
            for (what, more) in [("+ 1", 1), ("- 1", instance.field.neg(1))] {
                self.push(Kind::Constant, &site, what, Body::Constant(n, more));
            }
        }
        type Rounds = fn(Range<usize>) -> Step;
        let kinds: [(&str, Rounds, usize); 2] = [
            ("external", Step::External, instance.external_rounds),
            ("internal", Step::Internal, instance.internal_rounds),
        ];
        for (name, rounds, count) in kinds {
            for round in 0..count {
                let without = |step: &Step| match step {
                    Step::External(all) | Step::Internal(all)
                        if *step == rounds(all.clone()) && all.contains(&round) =>
                    {
                        vec![rounds(all.start..round), rounds(round + 1..all.end)]
                    }
                    other => vec![other.clone()],
                };
                let flow = self.program.flow.iter().flat_map(without).collect();
                let site = format!("{name}[{round}]");
                self.push(Kind::Round, &site, "", Body::Flow(flow));
            }
        }
        for (site, what, linear) in other_layers(instance) {
            let mutated = Instance {
                linear,
                ..instance.clone()
            };
            self.rebuilt(Kind::Matrix, &site, what, &mutated);
        }
        for alpha in [3, 5, 7] {
            if alpha != instance.alpha {
                let mut mutated = instance.clone();
                mutated.alpha = alpha;
                let what = format!("{} is {alpha}", instance.alpha);
                self.rebuilt(Kind::Exponent, "sbox", what, &mutated);
            }
        }
    }

    /// A program built for other parameters that claims to be for these.
    fn rebuilt(&mut self, kind: Kind, site: &str, what: String, mutated: &Instance) {
        let source = ir::Program::build(mutated);
        let strategy = self.entry.strategy;
        let by = |claims| lower(&source, strategy, &Claims::new(claims)).ok();
        let lowered = by(&self.entry.claims).or_else(|| by(&[]));
        // A strategy that refuses the parameters has no such mutant.
        let Some(program) = lowered else {
            return;
        };
        let mut program = Box::new(program);
        program.instance = self.program.instance.clone();
        self.changed(kind, site, what, program);
    }
}

/// Linear layers with one entry that is another: where, and what.
fn other_layers(instance: &Instance) -> Vec<(String, String, Linear)> {
    match &instance.linear {
        Linear::Poseidon2 { external, internal } => {
            let entries = internal.diagonal.iter().enumerate();
            let others = entries.flat_map(|(i, entry)| {
                let magnitude = if entry.shift > 1 {
                    Rational::new(entry.negative, entry.numerator, entry.shift - 1)
                } else {
                    Rational::new(entry.negative, entry.numerator + 1, 0)
                };
                let sign = Rational::new(!entry.negative, entry.numerator, entry.shift);
                [magnitude, sign].map(|other| {
                    let (external, mut internal) = (external.clone(), internal.clone());
                    internal.diagonal[i] = other;
                    let layers = Linear::Poseidon2 { external, internal };
                    let what = format!("{entry} is {other}");
                    (format!("internal.diag[{i}]"), what, layers)
                })
            });
            others.collect()
        }
        Linear::Poseidon1(mds) => {
            let entry = |i: usize| {
                let (j, mut other) = ((3 * i + 1) % instance.width, mds.clone());
                let entry = &mut other.rows[i][j];
                *entry += 1;
                let what = format!("{} is {entry}", *entry - 1);
                (format!("mds[{i}][{j}]"), what, Linear::Poseidon1(other))
            };
            (0..instance.width).map(entry).collect()
        }
    }
}

/// `out[4]` → `out[*]`.
fn widened(site: &str) -> String {
    let mut wide = String::new();
    let mut inside = false;
    for c in site.chars() {
        match c {
            '[' => wide.push_str("[*"),
            _ if inside && c != ']' => {}
            _ => wide.push(c),
        }
        inside = c == '[' || inside && c != ']';
    }
    wide
}
