//! The maximal provable set of elisions, found by the prover, not guessed from a profile.
//!
//! One forward pass with exact ranges: at every site nothing is canonicalised if the bound holds
//! as it is; else the one operand whose canonical form serves most of the sites to come; else both.

use super::eager::{Lowering, Open, block, default_operands, macro_op};
use crate::arith::{Program, Treatment};
use crate::ir::{self, Input, Value};
use crate::names::Operand;
use crate::ops::{Contract, MacroOp, Range};
use crate::params::Field;
use crate::spec::{ClaimKind, ClaimText};
use std::collections::BTreeSet;
use std::convert::Infallible;

/// Infers the claims for a field-level program, by site or by a pattern with `[*]` that covers
/// several.
#[must_use]
pub fn infer(program: &ir::Program) -> Vec<ClaimText> {
    let field = program.instance.field;
    let mut sites = Vec::new();
    for source in &program.blocks {
        let mut inference = Inference::new(field, source);
        let decide = |lowering: &Lowering, site: &Open<'_>| {
            let (treatments, claims) = inference.decide(lowering, site);
            sites.push((site.name.to_owned(), claims));
            Ok::<_, Infallible>(treatments)
        };
        let Ok(_) = block(field, source, decide);
    }
    compress(&sites)
}

/// What a site is claimed; nothing where everything is canonicalised by default.
type SiteClaims = Vec<(Operand, ClaimKind)>;

/// Every site in order with its claims.
type SiteFacts = (String, SiteClaims);

struct Inference<'a> {
    field: &'static Field,
    block: &'a ir::Block,
    /// The ranges of the arithmetic values so far.
    ranges: Vec<Range>,
    /// `uses[v]`: sites still to come that read field value `v`.
    uses: Vec<usize>,
}

impl<'a> Inference<'a> {
    fn new(field: &'static Field, block: &'a ir::Block) -> Self {
        let mut uses = vec![0; block.inputs.len() + block.operations.len()];
        for operation in &block.operations {
            let (op, operands) = macro_op(field, operation.op);
            if !default_operands(field, op).is_empty() {
                for v in operands {
                    uses[v.index()] += 1;
                }
            }
        }
        let inputs = block.inputs.iter();
        Self {
            field,
            block,
            ranges: inputs.map(|&i| Program::input_range(field, i)).collect(),
            uses,
        }
    }

    fn contract(&self, op: MacroOp) -> Contract {
        Contract::of(self.field, op).expect("macro-op of the field")
    }

    fn decide(&mut self, lowering: &Lowering, site: &Open<'_>) -> (Vec<Treatment>, SiteClaims) {
        let new = self.ranges.len() - self.block.inputs.len();
        for operation in &lowering.operations[new..] {
            let operands = operation.operands.iter().map(|v| self.ranges[v.index()]);
            let operands: Vec<Range> = operands.collect();
            self.ranges
                .push(self.contract(operation.op).result_range(&operands));
        }
        let ranges = site.operands.iter();
        let ranges = ranges.map(|&v| self.ranges[lowering.version(v).index()]);
        let ranges: Vec<Range> = ranges.collect();
        let block = self.block;
        let reason = |n: usize| reason(block, lowering, site.operands[n]);
        let mut treatments = vec![Treatment::AsIs; ranges.len()];
        let Some(op) = site.op else {
            let holds = Program::boundary(self.field).contains(&ranges[0]);
            let claims = holds.then(|| (Operand::A, reason(0)));
            return (treatments, claims.into_iter().collect());
        };
        for v in site.operands {
            self.uses[v.index()] -= 1;
        }
        let kept = self.choose(op, site.operands, &ranges);
        for &n in &kept {
            treatments[n] = Treatment::Canonicalised;
        }
        let claims = match kept[..] {
            [] => self.claims(op, &ranges, site.defaults, reason),
            [n] if site.defaults != [n] => vec![(name(n), ClaimKind::Canonicalise)],
            _ => Vec::new(),
        };
        (treatments, claims)
    }

    /// The operands to canonicalise: as few as make the bound hold.
    fn choose(&self, op: MacroOp, operands: &[Value], ranges: &[Range]) -> Vec<usize> {
        let contract = self.contract(op);
        let canonicalise = self.contract(MacroOp::Canonicalise);
        let holds = |kept: Option<usize>| {
            let ranges = operands.iter().zip(ranges).map(|(v, range)| {
                if kept.is_some_and(|n| operands[n] == *v) {
                    canonicalise.result_range(&[*range])
                } else {
                    *range
                }
            });
            contract.unmet(&ranges.collect::<Vec<_>>()).is_none()
        };
        if holds(None) {
            return Vec::new();
        }
        let single = (0..operands.len()).filter(|&n| holds(Some(n)));
        match single.max_by_key(|&n| (self.uses[operands[n].index()], n)) {
            Some(n) => vec![n],
            None => (0..operands.len()).collect(),
        }
    }

    /// Why nothing is canonicalised.
    fn claims(
        &self,
        op: MacroOp,
        ranges: &[Range],
        defaults: &[usize],
        reason: impl Fn(usize) -> ClaimKind,
    ) -> SiteClaims {
        let canonical = |n: usize| Range::below(self.field.modulus).contains(&ranges[n]);
        let because = |n: usize| (name(n), reason(n));
        if defaults.len() > 1 {
            if defaults.iter().all(|&n| canonical(n)) {
                return defaults.iter().map(|&n| because(n)).collect();
            }
        } else {
            // One canonical operand is enough for the 64-bit bounds; prefer the default one.
            let enough = |n: &usize| canonical(*n) && (op != MacroOp::Sub || *n == 1);
            let mut candidates = defaults.iter().copied().chain(0..ranges.len());
            if let Some(n) = candidates.find(enough) {
                return vec![because(n)];
            }
        }
        let [a, b] = [0, ranges.len() - 1].map(|n| ranges[n].hi as u128);
        vec![(Operand::B, ClaimKind::Range { a, b })]
    }
}

/// Why an operand is small enough, in the vocabulary of claims.
fn reason(block: &ir::Block, lowering: &Lowering, value: Value) -> ClaimKind {
    let version = lowering.version(value).index();
    match version.checked_sub(block.inputs.len()) {
        None if block.inputs[version] == Input::Constant => ClaimKind::CanonicalisedAtConstruction,
        None => ClaimKind::OutputOf(block.kind.name().to_owned()),
        Some(n) => ClaimKind::OutputOf(lowering.operations[n].op.template().to_owned()),
    }
}

fn name(n: usize) -> Operand {
    if n == 0 { Operand::A } else { Operand::B }
}

/// `external[*].mds.out[3]` → `external[*].mds.out[*]`.
fn generalise(site: &str) -> String {
    let mut result = String::with_capacity(site.len());
    let mut rest = site;
    while let Some((before, after)) = rest.split_once('[') {
        let (_, tail) = after.split_once(']').unwrap_or(("", ""));
        result.push_str(before);
        result.push_str("[*]");
        rest = tail;
    }
    result + rest
}

/// One claim per pattern where all sites of the pattern agree, one per site elsewhere.
fn compress(sites: &[SiteFacts]) -> Vec<ClaimText> {
    let patterns: Vec<String> = sites.iter().map(|(name, _)| generalise(name)).collect();
    let mut written = BTreeSet::new();
    let mut inferred = Vec::new();
    for ((name, claims), pattern) in sites.iter().zip(&patterns) {
        let mut others = sites.iter().zip(&patterns);
        let agree = others.all(|((_, other), like)| like != pattern || other == claims);
        let site = if agree { pattern } else { name };
        if written.insert(site) {
            inferred.extend(claims.iter().map(|(operand, kind)| ClaimText {
                site: site.clone(),
                operand: *operand,
                kind: kind.clone(),
            }));
        }
    }
    inferred
}
