//! The prover: exact ranges through every block, every claim discharged or refused, every block
//! compared with the specification.
//!
//! A [`Proved`] program is the only thing that later stages accept, and [`prove`] the only way to
//! get one.

mod certificate;
mod claim;
mod explain;
mod forms;
mod reading;

pub use explain::Derived;
pub use forms::{Linear, Mismatch, forms, specified};

use crate::arith::{Block, Contract, Program, Range, Reading, Treatment, Unmet};
use crate::ir::{BlockKind, Value};
use crate::lower::Claims;

/// A program whose every site, claim, boundary and function has been proved.
#[derive(Debug)]
pub struct Proved {
    program: Program,
    ranges: Vec<Vec<Range>>,
    sites: Vec<SiteProof>,
    warnings: Vec<Warning>,
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
    /// Each precondition with the greatest value its left side reaches.
    pub needs: Vec<Met>,
    /// What was decided for each operand.
    pub treatments: Vec<Treatment>,
    /// The claims that it rests on, in words, with their numbers.
    pub claims: Vec<(usize, String)>,
}

/// A precondition that holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Met {
    /// In words.
    pub text: &'static str,
    /// Greatest value of the left side.
    pub reached: i128,
    /// The strict bound.
    pub bound: i128,
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
        /// The operand.
        operand: usize,
    },
}

/// Why a program was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// A site's operands can break the macro-op's precondition.
    Bound {
        /// The site.
        site: String,
        /// Its block.
        block: BlockKind,
        /// The macro-op's contract.
        contract: Contract,
        /// Ranges of the operands.
        operands: Vec<Range>,
        /// What is broken, with values that do it.
        unmet: Unmet,
        /// The claim that removed the canonicalisation, if one did.
        claim: Option<usize>,
    },
    /// A claim that the prover cannot derive.
    Claim {
        /// Number of the claim.
        claim: usize,
        /// The site.
        site: String,
        /// What the claim says.
        says: String,
        /// What was derived.
        derived: String,
    },
    /// A claim whose pattern matches no site.
    Unmatched {
        /// Number of the claim.
        claim: usize,
    },
    /// A block output that leaves the range in which the next block takes it.
    Boundary {
        /// The block.
        block: BlockKind,
        /// The state element.
        output: usize,
        /// Its range.
        range: Range,
        /// The range that the loop invariant asks for.
        boundary: Range,
    },
    /// A word that its reader takes for another integer than was written.
    Reading {
        /// The block.
        block: BlockKind,
        /// The operation that reads it, or the place that it goes to.
        by: String,
        /// The value.
        value: Value,
        /// How it stands for an integer.
        written: Reading,
        /// How it is read.
        read: Reading,
    },
    /// A block that computes something else than the specification.
    Function {
        /// The block.
        block: BlockKind,
        /// What differs.
        mismatch: Mismatch,
    },
}

impl Refusal {
    /// The site that it is about, if it is about one.
    #[must_use]
    pub fn site(&self) -> Option<&str> {
        match self {
            Self::Bound { site, .. } | Self::Claim { site, .. } => Some(site),
            _ => None,
        }
    }
}

/// Proves a program.
///
/// # Errors
/// Every refusal, in program order.
pub fn prove(program: Program, claims: &Claims<'_>) -> Result<Proved, Vec<Refusal>> {
    let Derived {
        program,
        ranges,
        sites,
        refusals,
    } = derive(program, claims);
    if !refusals.is_empty() {
        return Err(refusals);
    }
    let warnings = warnings(&program, &ranges, &sites, claims);
    Ok(Proved {
        program,
        ranges,
        sites,
        warnings,
    })
}

/// Derives what can be derived about a program, whether that proves it or not.
#[must_use]
pub fn derive(program: Program, claims: &Claims<'_>) -> Derived {
    let mut refusals = Vec::new();
    let mut sites: Vec<SiteProof> = Vec::new();
    let mut all_ranges = Vec::new();
    for (index, inputs) in program.input_ranges().into_iter().enumerate() {
        let block = &program.blocks[index];
        let (ranges, unmet) = block_ranges(&program, block, &inputs);
        refusals.extend(unmet);
        for mut site in open_sites(&program, index, &ranges) {
            let context = claim::Context {
                field: program.instance.field,
                block,
                ranges: &ranges,
            };
            refusals.extend(context.discharge_all(&mut site, claims));
            sites.push(site);
        }
        refusals.extend(boundary(&program, block, &ranges));
        refusals.extend(reading::check(&program, block, &ranges));
        if let Err(mismatch) = forms::check(&program, block) {
            refusals.push(Refusal::Function {
                block: block.kind,
                mismatch,
            });
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

/// The sites of a block with ranges and bounds, claims not yet discharged.
fn open_sites(program: &Program, index: usize, ranges: &[Range]) -> Vec<SiteProof> {
    let block = &program.blocks[index];
    let operations = block.operations.iter().filter_map(|operation| {
        let site = operation.site.as_ref()?;
        let operands: Vec<Range> = operation
            .operands
            .iter()
            .map(|v| ranges[v.index()])
            .collect();
        Some(SiteProof {
            name: operation.name.clone(),
            block: index,
            op: operation.op.to_string(),
            values: operation.operands.clone(),
            needs: met(&program.contract(operation.op), &operands),
            operands,
            treatments: site.treatments.clone(),
            claims: Vec::new(),
        })
    });
    let returns = block.returns.iter().map(|site| {
        let range = ranges[site.value.index()];
        let bound = Program::boundary(program.instance.field).hi + 1;
        SiteProof {
            name: site.name.clone(),
            block: index,
            op: "return".to_owned(),
            values: vec![site.value],
            operands: vec![range],
            needs: vec![Met {
                text: "x < p",
                reached: range.hi,
                bound,
            }],
            treatments: vec![site.treatment],
            claims: Vec::new(),
        }
    });
    operations.chain(returns).collect()
}

/// Claims that removed nothing and canonicalisations that nothing needs.
fn warnings(
    program: &Program,
    ranges: &[Vec<Range>],
    sites: &[SiteProof],
    claims: &Claims<'_>,
) -> Vec<Warning> {
    let mut useful: Vec<usize> = claims.directives();
    let mut warnings = Vec::new();
    for site in sites {
        let block = &program.blocks[site.block];
        for (operand, treatment) in site.treatments.iter().enumerate() {
            match *treatment {
                Treatment::Elided(claim) => useful.push(claim),
                Treatment::Canonicalised => {
                    let before = before_canonicalisation(block, site, operand, &ranges[site.block]);
                    let mut operands = site.operands.clone();
                    operands[operand] = before;
                    let needless = block
                        .operations
                        .iter()
                        .find(|o| o.site.is_some() && o.name == site.name)
                        .map_or(before.hi < site.needs[0].bound, |operation| {
                            program.contract(operation.op).unmet(&operands).is_none()
                        });
                    if needless {
                        warnings.push(Warning::Needless {
                            site: site.name.clone(),
                            operand,
                        });
                    }
                }
                Treatment::AsIs => {}
            }
        }
    }
    let useless = (0..claims.len()).filter(|claim| !useful.contains(claim));
    warnings.extend(useless.map(|claim| Warning::UselessClaim { claim }));
    warnings
}

fn before_canonicalisation(
    block: &Block,
    site: &SiteProof,
    operand: usize,
    ranges: &[Range],
) -> Range {
    let value = site.values[operand];
    match block.definition(value) {
        Some(canonicalisation) if canonicalisation.serves.is_some() => {
            ranges[canonicalisation.operands[0].index()]
        }
        _ => ranges[value.index()],
    }
}

/// Ranges of every value of a block, and the sites whose bound does not hold.
fn block_ranges(program: &Program, block: &Block, inputs: &[Range]) -> (Vec<Range>, Vec<Refusal>) {
    let (ranges, broken) = block.ranges(program.instance.field, inputs);
    let refusals = broken.into_iter().map(|broken| {
        let operation = &block.operations[broken.operation];
        let treatments = operation.site.iter().flat_map(|s| &s.treatments);
        let claim = treatments.into_iter().find_map(|t| match t {
            Treatment::Elided(claim) => Some(*claim),
            _ => None,
        });
        Refusal::Bound {
            site: operation.name.clone(),
            block: block.kind,
            contract: program.contract(operation.op),
            operands: broken.operands,
            unmet: broken.unmet,
            claim,
        }
    });
    (ranges, refusals.collect())
}

fn met(contract: &Contract, operands: &[Range]) -> Vec<Met> {
    contract
        .needs
        .iter()
        .map(|need| Met {
            text: need.text,
            reached: need.reached(operands).0,
            bound: need.bound,
        })
        .collect()
}

fn boundary(program: &Program, block: &Block, ranges: &[Range]) -> Vec<Refusal> {
    // Ranges of parts follow from the control flow; they are what they are.
    if program.parts > 1 && block.kind != BlockKind::Leave {
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

impl Proved {
    /// The program.
    #[must_use]
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Ranges of every value of block `index`.
    #[must_use]
    pub fn ranges(&self, index: usize) -> &[Range] {
        &self.ranges[index]
    }

    /// Every site's proof, in program order.
    #[must_use]
    pub fn sites(&self) -> &[SiteProof] {
        &self.sites
    }

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
        let treatments = self.treatments.iter().enumerate();
        treatments
            .filter(|(_, t)| **t == Treatment::Canonicalised)
            .map(|(n, _)| n)
    }
}

#[cfg(test)]
mod tests;
