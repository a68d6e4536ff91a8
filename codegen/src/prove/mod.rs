//! The prover: exact ranges through every block, every claim discharged or refused, every block
//! compared with the specification.
//!
//! A [`Proved`] program is the only thing that later stages accept, and [`prove`] the only way to
//! get one.

mod beside;
mod certificate;
mod claim;
mod explain;
mod forms;
mod reading;
mod refusal;

pub use beside::Original;
pub use forms::{Linear, Mismatch, specified};
pub use refusal::Refusal;

use crate::arith::{Block, Broken, Program, Treatment};
use crate::ir::{BlockKind, Value};
use crate::lower::Claims;
use crate::ops::{Contract, Need, NeedLeft, Range};
use std::ops::Deref;

/// What was derived about a program, proved or refused: for explanations only. Later stages take a
/// [`Proved`] program.
#[derive(Debug)]
pub struct Derived {
    program: Program,
    ranges: Vec<Vec<Range>>,
    sites: Vec<SiteProof>,
    refusals: Vec<Refusal>,
}

/// A program whose every site, claim, boundary and function has been proved: derived without a
/// refusal.
#[derive(Debug)]
pub struct Proved {
    derived: Derived,
    warnings: Vec<Warning>,
}

impl Deref for Proved {
    type Target = Derived;

    fn deref(&self) -> &Derived {
        &self.derived
    }
}

/// The proof of one site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteProof {
    /// Stable name.
    pub name: String,
    /// Index of the block in the program.
    pub block: usize,
    /// The macro-op, or `return` where an output returns to the boundary range.
    pub op: String,
    /// The operands as the macro-op reads them.
    pub values: Vec<Value>,
    /// Their exact ranges.
    pub operands: Vec<Range>,
    /// The preconditions.
    pub needs: Vec<Need>,
    /// What was decided for each operand.
    pub treatments: Vec<Treatment>,
    /// The claims that it rests on, in words, with their numbers.
    pub claims: Vec<(usize, String)>,
}

/// Something true but useless in a proof set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Warning {
    /// A claim that removed nothing.
    UselessClaim {
        /// Number of the claim.
        claim: usize,
    },
    /// A kept canonicalisation that the bound does not need.
    Needless {
        /// The site.
        site: String,
    },
}

/// Proves a program.
///
/// # Errors
/// Every refusal, in program order.
pub fn prove(program: Program, claims: &Claims<'_>) -> Result<Proved, Vec<Refusal>> {
    proved(derive(program, claims), claims)
}

fn proved(derived: Derived, claims: &Claims<'_>) -> Result<Proved, Vec<Refusal>> {
    if !derived.refusals.is_empty() {
        return Err(derived.refusals);
    }
    let warnings = derived.warnings(claims);
    Ok(Proved { derived, warnings })
}

/// Derives what can be derived about a program, whether that proves it or not.
#[must_use]
pub fn derive(program: Program, claims: &Claims<'_>) -> Derived {
    derive_beside(None, program, claims)
}

/// The same beside a program that is proved, where blocks are known to compute what they have to.
fn derive_beside(
    original: Option<&Original<'_>>,
    program: Program,
    claims: &Claims<'_>,
) -> Derived {
    let mut refusals = Vec::new();
    let mut sites: Vec<SiteProof> = Vec::new();
    let mut all_ranges = Vec::new();
    let known = |block, inputs: &[Range]| original?.outputs(&program, block, inputs);
    let canonical = Range::below(program.instance.field.modulus);
    let (inputs, _) = program.input_ranges_beside(canonical, known);
    for (index, inputs) in inputs.into_iter().enumerate() {
        let block = &program.blocks[index];
        let field = program.words_of(block.kind);
        let contracts = block.contracts(field);
        let (ranges, broken) = block.ranges_by(field, &contracts, &inputs);
        refusals.extend(
            broken
                .into_iter()
                .map(|broken| unmet(&program, block, broken)),
        );
        for mut site in open_sites(&program, index, &contracts, &ranges) {
            refusals.extend(claim::discharge_all(block, &ranges, &mut site, claims));
            sites.push(site);
        }
        refusals.extend(boundary(&program, block, &ranges));
        refusals.extend(reading::check(&program, block, &contracts, &ranges));
        if original.is_none() {
            let mismatch = forms::check(&program, block, None).err();
            refusals.extend(mismatch.map(|mismatch| other_function(block, mismatch)));
        }
        all_ranges.push(ranges);
    }
    let unmatched = claims.unmatched();
    refusals.extend(unmatched.iter().map(|&claim| Refusal::Unmatched { claim }));
    Derived {
        program,
        ranges: all_ranges,
        sites,
        refusals,
    }
}

/// The refusal of a block that computes something else.
fn other_function(block: &Block, mismatch: Mismatch) -> Refusal {
    let block = block.kind;
    Refusal::Function { block, mismatch }
}

/// The refusal of a site whose bound does not hold.
fn unmet(program: &Program, block: &Block, broken: Broken) -> Refusal {
    let operation = &block.operations[broken.operation];
    let mut treatments = operation.site.iter().flat_map(|site| &site.treatments);
    let claim = treatments.find_map(|treatment| match treatment {
        Treatment::Elided(claim) => Some(*claim),
        _ => None,
    });
    Refusal::Bound {
        site: operation.name.clone(),
        block: block.kind,
        contract: Box::new(program.contract(block.kind, operation.op)),
        operands: broken.operands,
        unmet: broken.unmet,
        claim,
    }
}

/// The sites of a block with ranges and bounds, claims not yet discharged.
fn open_sites(
    program: &Program,
    index: usize,
    contracts: &[Option<Contract>],
    ranges: &[Range],
) -> Vec<SiteProof> {
    let block = &program.blocks[index];
    let open = |name: &str, values: &[Value], op: String, needs, treatments| SiteProof {
        name: name.to_owned(),
        block: index,
        op,
        values: values.to_vec(),
        operands: values.iter().map(|v| ranges[v.index()]).collect(),
        needs,
        treatments,
        claims: Vec::new(),
    };
    let operations = block.operations.iter().zip(contracts);
    let operations = operations.filter_map(|(operation, contract)| {
        let treatments = operation.site.as_ref()?.treatments.clone();
        let (op, needs) = (operation.op, contract.as_ref()?.row.needs.clone());
        let values = &operation.operands;
        Some(open(
            &operation.name,
            values,
            op.to_string(),
            needs,
            treatments,
        ))
    });
    let returns = block.returns.iter().map(|place| {
        let need = Need {
            left: NeedLeft::Linear(vec![1]),
            bound: Program::boundary(program.instance.field).hi + 1,
            text: "x < p",
        };
        let (op, treatments) = ("return".to_owned(), vec![place.treatment]);
        open(&place.name, &[place.value], op, vec![need], treatments)
    });
    operations.chain(returns).collect()
}

fn boundary(program: &Program, block: &Block, ranges: &[Range]) -> Vec<Refusal> {
    // Ranges of other words follow from the control flow; they are what they are.
    if program.is_inner() && block.kind != BlockKind::Leave {
        return Vec::new();
    }
    let boundary = Program::boundary(program.instance.field);
    let outputs = block.outputs.iter().enumerate();
    outputs
        .map(|(output, v)| (output, ranges[v.index()]))
        .filter(|(_, range)| !boundary.contains(range))
        .map(|(output, range)| Refusal::Boundary {
            block: block.kind,
            output,
            range,
            boundary,
        })
        .collect()
}

impl Derived {
    /// The program.
    #[must_use]
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Ranges of every value of block `index`.
    pub fn ranges(&self, index: usize) -> &[Range] {
        &self.ranges[index]
    }

    /// Every site's proof, in program order.
    #[must_use]
    pub fn sites(&self) -> &[SiteProof] {
        &self.sites
    }

    /// What keeps the program from being proved.
    #[must_use]
    pub fn refusals(&self) -> &[Refusal] {
        &self.refusals
    }

    /// Claims that removed nothing and canonicalisations that nothing needs.
    pub(crate) fn warnings(&self, claims: &Claims<'_>) -> Vec<Warning> {
        let mut useful: Vec<usize> = claims.directives();
        let mut warnings = Vec::new();
        for site in &self.sites {
            for (operand, treatment) in site.treatments.iter().enumerate() {
                match *treatment {
                    Treatment::Elided(claim) => useful.push(claim),
                    Treatment::Canonicalised if self.is_needless(site, operand) => {
                        let site = site.name.clone();
                        warnings.push(Warning::Needless { site });
                    }
                    Treatment::Canonicalised | Treatment::AsIs => {}
                }
            }
        }
        let useless = claims.numbers().filter(|claim| !useful.contains(claim));
        warnings.extend(useless.map(|claim| Warning::UselessClaim { claim }));
        warnings
    }

    /// Whether the site's bound holds without the canonicalisation of an operand.
    fn is_needless(&self, site: &SiteProof, operand: usize) -> bool {
        let block = &self.program.blocks[site.block];
        let value = site.values[operand];
        let canonicalised = block.definition(value).filter(|o| o.serves.is_some());
        let before = canonicalised.map_or(value, |o| o.operands[0]);
        let mut operands = site.operands.clone();
        operands[operand] = self.ranges[site.block][before.index()];
        let mut needs = site.needs.iter();
        needs.all(|need| need.reached(&operands).0 < need.bound)
    }
}

impl Proved {
    /// What is true but useless in the proof set.
    #[must_use]
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }
}

impl SiteProof {
    /// The operands' names.
    #[must_use]
    pub fn letters(&self) -> &'static [&'static str] {
        if self.values.len() == 2 {
            &["a", "b"]
        } else {
            &["x"]
        }
    }

    /// Operands whose canonicalisation is kept here.
    pub fn kept(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.treatments.len()).filter(|&n| self.treatments[n] == Treatment::Canonicalised)
    }
}

#[cfg(test)]
mod tests;
