//! The maximal provable set of elisions, found by the prover, not guessed from a profile.
//!
//! One forward pass with exact ranges: at every site nothing is canonicalised if the bound holds
//! as it is; else the one operand whose canonical form serves most of the sites to come; else both.

use super::eager::{Lowering, boundary_site, default_operands, macro_op};
use crate::arith::{Contract, MacroOp, Program, Range, Treatment};
use crate::ir::{self, BlockKind, Input, Value};
use crate::names::Operand;
use crate::params::Field;
use crate::spec::ClaimKind;
use std::collections::BTreeMap;

pub use crate::spec::ClaimText as Inferred;

/// Infers the claims for a field-level program.
#[must_use]
pub fn infer(program: &ir::Program) -> Vec<Inferred> {
    let field = program.instance.field;
    let sites: Vec<SiteFacts> = program
        .blocks
        .iter()
        .flat_map(|block| Inference::new(field, block).run())
        .collect();
    compress(&sites)
}

/// Every site in order with the claims it was given (none: everything canonicalised by default).
type SiteFacts = (String, Vec<(Operand, ClaimKind)>);

struct Inference<'a> {
    field: &'static Field,
    block: &'a ir::Block,
    lowering: Lowering,
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
        Self {
            field,
            block,
            lowering: Lowering::new(block.inputs.len()),
            ranges: block
                .inputs
                .iter()
                .map(|&i| Program::input_range(field, i))
                .collect(),
            uses,
        }
    }

    fn range(&self, value: Value) -> Range {
        self.ranges[self.lowering.version(value).index()]
    }

    fn record(&mut self, op: MacroOp, operands: &[Range]) {
        let contract = Contract::of(self.field, op).expect("macro-op of the field");
        self.ranges.push(contract.result_range(operands));
    }

    fn run(mut self) -> Vec<SiteFacts> {
        let mut facts = Vec::new();
        for operation in &self.block.operations {
            let (op, operands) = macro_op(self.field, operation.op);
            let defaults = default_operands(self.field, op);
            if !defaults.is_empty() {
                for v in &operands {
                    self.uses[v.index()] -= 1;
                }
                let kept = self.choose(op, &operands);
                for &n in &kept {
                    let x = self.range(operands[n]);
                    self.lowering.canonicalise(operands[n], &operation.name, n);
                    self.record(MacroOp::Canonicalise, &[x]);
                }
                facts.push((
                    operation.name.clone(),
                    self.claims(op, &operands, &kept, defaults),
                ));
            }
            let ranges: Vec<Range> = operands.iter().map(|&v| self.range(v)).collect();
            let treatments = vec![Treatment::AsIs; operands.len()];
            self.lowering
                .compute(op, &operands, &operation.name, treatments, false);
            self.record(op, &ranges);
        }
        if self.field.is_montgomery() {
            let boundary = Program::boundary(self.field);
            for (i, &output) in self.block.outputs.iter().enumerate() {
                let claims = if boundary.contains(&self.range(output)) {
                    vec![(Operand::A, self.reason(output))]
                } else {
                    Vec::new()
                };
                facts.push((boundary_site(self.block, i), claims));
            }
        }
        facts
    }

    /// The operands to canonicalise: as few as make the bound hold.
    fn choose(&self, op: MacroOp, operands: &[Value]) -> Vec<usize> {
        let contract = Contract::of(self.field, op).expect("macro-op of the field");
        let canonicalise = Contract::of(self.field, MacroOp::Canonicalise).expect("every field");
        let holds = |kept: &[usize]| {
            let ranges: Vec<Range> = operands
                .iter()
                .map(|&v| {
                    let x = self.range(v);
                    let reduced = kept.iter().any(|&n| operands[n] == v);
                    if reduced {
                        canonicalise.result_range(&[x])
                    } else {
                        x
                    }
                })
                .collect();
            contract.unmet(&ranges).is_none()
        };
        if holds(&[]) {
            return Vec::new();
        }
        let mut single: Vec<usize> = (0..operands.len()).filter(|&n| holds(&[n])).collect();
        single.sort_by_key(|&n| (self.uses[operands[n].index()], n));
        match single.last() {
            Some(&n) => vec![n],
            None => (0..operands.len()).collect(),
        }
    }

    /// Why an operand is small enough, in the vocabulary of claims.
    fn reason(&self, value: Value) -> ClaimKind {
        let version = self.lowering.version(value);
        match version.index().checked_sub(self.block.inputs.len()) {
            None if self.block.inputs[version.index()] == Input::Constant => {
                ClaimKind::CanonicalisedAtConstruction
            }
            None => ClaimKind::OutputOf(BlockKind::name(self.block.kind).to_owned()),
            Some(n) => ClaimKind::OutputOf(self.lowering.operations[n].op.template().to_owned()),
        }
    }

    fn claims(
        &self,
        op: MacroOp,
        operands: &[Value],
        kept: &[usize],
        defaults: &[usize],
    ) -> Vec<(Operand, ClaimKind)> {
        let name = |n: usize| if n == 0 { Operand::A } else { Operand::B };
        match kept {
            [] => {}
            [n] if defaults != [*n] => return vec![(name(*n), ClaimKind::Canonicalise)],
            _ => return Vec::new(),
        }
        let canonical =
            |n: usize| Range::below(self.field.modulus).contains(&self.range(operands[n]));
        let range = || {
            let hi = |n: usize| self.range(operands[n.min(operands.len() - 1)]).hi as u128;
            ClaimKind::Range { a: hi(0), b: hi(1) }
        };
        if defaults.len() > 1 {
            if defaults.iter().all(|&n| canonical(n)) {
                return defaults
                    .iter()
                    .map(|&n| (name(n), self.reason(operands[n])))
                    .collect();
            }
            return vec![(Operand::B, range())];
        }
        // One canonical operand is enough for the 64-bit bounds; prefer the default one.
        let enough = |n: usize| canonical(n) && (op != MacroOp::Sub || n == 1);
        let candidates = defaults.iter().copied().chain(0..operands.len());
        match candidates.into_iter().find(|&n| enough(n)) {
            Some(n) => vec![(name(n), self.reason(operands[n]))],
            None => vec![(Operand::B, range())],
        }
    }
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
fn compress(sites: &[SiteFacts]) -> Vec<Inferred> {
    let mut groups: BTreeMap<String, Vec<&SiteFacts>> = BTreeMap::new();
    for site in sites {
        groups.entry(generalise(&site.0)).or_default().push(site);
    }
    let mut written = Vec::new();
    let mut inferred = Vec::new();
    for (name, claims) in sites {
        let pattern = generalise(name);
        let agree = groups[&pattern].iter().all(|(_, other)| other == claims);
        let site = if agree { pattern } else { name.clone() };
        if written.contains(&site) {
            continue;
        }
        written.push(site.clone());
        for (operand, kind) in claims {
            inferred.push(Inferred {
                site: site.clone(),
                operand: *operand,
                kind: kind.clone(),
            });
        }
    }
    inferred
}
