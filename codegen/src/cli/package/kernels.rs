//! Which kernels a package has, and which of them serve what on which CPU.

mod figures;

use std::collections::BTreeSet;

use crate::cli::places::Workspace;
use crate::cli::select::{Job, all};
use crate::diag::{Diagnostic, Diagnostics};
use crate::ir;
use crate::isa::Target;
use crate::kernel::KernelInfo;
use crate::lower::{Claims, lower};
use crate::names::{Isa, Layout, Strategy};
use crate::params::Kind;
use crate::pipeline::{Code, infer_claims, prove_program, refuse_unsuited};
use crate::spec::{Claim, KernelSpec, SitePattern, Spec};
use crate::tuning::{Resolved, resolve};

/// Words of the largest group of states that the interface has room for.
const MAX_WORDS: usize = 1024;

/// Statements of one block of a kernel that interleaves states. Each `let` is a scope in the one before, and
/// rustc's stack ends at some 3,000 of them, where it writes debug information.
const MAX_STATEMENTS: usize = 2500;

/// The proof set of kernels that name none.
const PROOF: &str = "eager";

/// The kernels of a package.
pub(super) struct Chosen {
    /// The spec, with these kernels and with the claims that can be proved.
    pub(super) spec: Spec,
    /// What is to be told about the choice.
    pub(super) notes: Vec<String>,
    /// The field and the width of the permutation whose figures stand for this one's.
    nearest: Option<(&'static str, usize)>,
    /// The instruction set in whose names of the nearest permutation's kernels something stands for something else:
    /// what they have, and what the names of those in their place have.
    renamed: Option<[&'static str; 3]>,
}

/// Kernels that stand in the place of the nearest permutation's: parts of names.
const RESCALED: [&str; 3] = ["_avx512ifma_", "_radix52_", "_rescaled52_"];

/// S-boxes of a group that Poseidon1 interleaves on vectors of 31-bit fields. With eight, two groups on IFMA are more
/// than registers hold: on Golden Cove BabyBear 16 is 3 % slower, with two S-boxes 5 %. On AVX2, KoalaBear 16 and
/// BabyBear 16 are 4 % slower on Zen 4 with eight, and 6 % with sixteen.
const SBOXES: usize = 4;

impl Chosen {
    /// The kernels that the spec asks for; where it asks for none, those that the tuning tables use for
    /// the nearest permutation of the repository. One in plain Rust is always among them.
    pub(super) fn of(workspace: &Workspace, spec: &Spec) -> Result<Self, Diagnostics> {
        let own = workspace.own_specs()?;
        let field = spec.instance.field;
        let alike = own
            .iter()
            .filter(|own| own.instance.field.family == field.family);
        let nearest = alike.min_by_key(|own| {
            let width = own.instance.width.abs_diff(spec.instance.width);
            (own.instance.field != field, width)
        });
        let mut chosen = Self {
            spec: spec.clone(),
            notes: Vec::new(),
            nearest: nearest.map(|nearest| (nearest.instance.field.name, nearest.instance.width)),
            renamed: None,
        };
        let asked = !spec.kernels.is_empty();
        if asked {
            refuse_large(spec)?;
        } else {
            let nearest = nearest.map_or(&[][..], |nearest| &nearest.kernels);
            let kernels = nearest.iter().map(KernelSpec::by_itself);
            chosen.spec.kernels = kernels.collect();
            match chosen.is_poseidon1() {
                true => chosen.sum_products(),
                false => chosen.rescale(),
            }
        }
        let jobs = all(std::slice::from_ref(&chosen.spec));
        if !jobs.iter().any(|job| job.is_plain() && job.batch == 1) {
            chosen.spec.kernels.push(plain());
        }
        chosen.spec = claimed(&chosen.spec)?;
        if !asked {
            chosen.keep_used(workspace)?;
        }
        Ok(chosen)
    }

    fn is_poseidon1(&self) -> bool {
        self.spec.instance.kind() == Kind::Poseidon1
    }

    /// Has kernels of IFMA rescale elements, where the internal layer allows for it.
    fn rescale(&mut self) {
        let program = ir::Program::build(&self.spec.instance);
        if lower(&program, Strategy::Rescaled52, &Claims::new(&[])).is_ok() {
            self.renamed = Some(RESCALED);
            let on_ifma = |kernel: &&mut KernelSpec| kernel.isa == Isa::Avx512Ifma;
            let kernels = self.spec.kernels.iter_mut().filter(on_ifma);
            kernels.for_each(|kernel| kernel.strategy = Strategy::Rescaled52);
        }
    }

    /// Leaves out what sums no products before it reduces them, and what is staggered; kernels of vectors
    /// interleave fewer S-boxes, and rounds whose linear layer is most of them do not overlap.
    fn sum_products(&mut self) {
        let kernels = &mut self.spec.kernels;
        kernels.retain(|kernel| {
            let sums_none = matches!(kernel.strategy, Strategy::Radix32 | Strategy::Radix64);
            kernel.layout != Layout::Staggered && !sums_none
        });
        for kernel in kernels {
            kernel.overlap.clear();
            let on_vectors = kernel.isa != Isa::Scalar;
            kernel.sboxes = match kernel.strategy {
                Strategy::Radix52 | Strategy::Signed if on_vectors => SBOXES,
                // These begin one after another.
                Strategy::Long => 2 * SBOXES,
                _ => kernel.sboxes,
            };
        }
    }

    /// Of the kernels, those that the tables use and that can be made of this permutation.
    fn keep_used(&mut self, workspace: &Workspace) -> Result<(), Diagnostics> {
        let templates = workspace.templates()?;
        let spec = &self.spec;
        // The statements of its longest block.
        let fits = |kernel: &KernelSpec| {
            refuse_unsuited(spec, kernel, &templates)?;
            let proved = prove_program(spec, kernel)?;
            Code::new(kernel, &proved, &templates)?;
            let blocks = proved.program().blocks.iter();
            Ok(blocks.map(|block| block.operations.len()).max())
        };
        let mut kernels = spec.kernels.clone();
        let mut left_out = Vec::new();
        kernels.retain_mut(|kernel| {
            let (isa, strategy) = (kernel.isa, kernel.strategy);
            let found: Result<_, Diagnostics> = fits(kernel);
            match found {
                // Only programs on words are interleaved in every block.
                Ok(longest) if strategy == Strategy::DEFAULT => {
                    let longest = longest.unwrap_or(0);
                    kernel.batches.retain(|&batch| {
                        let fits = batch == 1 || batch * longest <= MAX_STATEMENTS;
                        if !fits {
                            left_out.push(format!(
                                "no {isa} {strategy} for {batch} states: {longest} statements for each, \
                                 and rustc ends at some 3,000 where it writes debug information"
                            ));
                        }
                        fits
                    });
                    true
                }
                Ok(_) => true,
                // What serves everything must be there, so what is wrong with it is told later.
                Err(_) if strategy == Strategy::DEFAULT && isa == Isa::Scalar => true,
                Err(why) => {
                    let why = why.iter().next().map(ToString::to_string);
                    let layout = match kernel.layout {
                        Layout::Staggered => " with groups half a round apart",
                        _ => "",
                    };
                    let note = format!("no {isa} {strategy}{layout}: {}", why.unwrap_or_default());
                    // Kernels of a strategy are often left out for the same reason.
                    if !left_out.contains(&note) {
                        left_out.push(note);
                    }
                    false
                }
            }
        });
        for kernel in &mut kernels {
            kernel
                .batches
                .retain(|&batch| words(spec, kernel.isa, kernel.layout, batch) <= MAX_WORDS);
        }
        self.spec.kernels = kernels;
        let candidates = self.spec.clone();
        let jobs = all(std::slice::from_ref(&candidates));
        let names: BTreeSet<String> = jobs.iter().map(Job::name).collect();
        let tables = self.tables(workspace, &[])?;
        let tunings = resolve(&tables, &names);
        let steps = tunings.iter().flat_map(|tuning| &tuning.choices);
        let used: BTreeSet<&str> = steps
            .flat_map(|choice| &choice.steps)
            .map(|step| step.kernel.as_str())
            .collect();
        let mut kept = candidates.kernels.clone();
        for kernel in &mut kept {
            let serves = |batch: &usize| {
                let job = Job {
                    spec: &candidates,
                    kernel: &*kernel,
                    batch: *batch,
                };
                let default = kernel.strategy == Strategy::DEFAULT && job.is_plain() && *batch == 1;
                default || used.contains(&*job.name())
            };
            let batches: Vec<usize> = kernel.batches.iter().copied().filter(serves).collect();
            kernel.batches = batches;
        }
        kept.retain(|kernel| !kernel.batches.is_empty());
        self.spec.kernels = kept;
        self.notes.extend(left_out);
        Ok(())
    }

    /// What programs choose by.
    pub(super) fn tunings(
        &self,
        workspace: &Workspace,
        kernels: &[KernelInfo],
    ) -> Result<Vec<Resolved>, Diagnostics> {
        let tables = self.tables(workspace, kernels)?;
        let names = kernels.iter().map(|kernel| kernel.name.clone()).collect();
        let mut tunings = resolve(&tables, &names);
        // Figures are another permutation's: how they compare with Plonky3's own says nothing here.
        for choice in tunings.iter_mut().flat_map(|tuning| &mut tuning.choices) {
            choice.stands.clear();
            choice.beside.clear();
            for step in &mut choice.steps {
                step.ratio = 0.0;
            }
        }
        Ok(tunings)
    }
}

impl KernelSpec {
    /// The same without what is for a core or for parameters of another permutation.
    fn by_itself(&self) -> Self {
        Self {
            ship: Vec::new(),
            packaged: Vec::new(),
            general: 0,
            order: self.order.filter(|_| self.strategy == Strategy::Long),
            proof: None,
            ..self.clone()
        }
    }
}

/// The kernel in plain Rust that every crate needs.
fn plain() -> KernelSpec {
    KernelSpec {
        isa: Isa::Scalar,
        layout: Layout::Registers,
        batches: vec![1],
        ship: Vec::new(),
        packaged: Vec::new(),
        strategy: Strategy::DEFAULT,
        sboxes: 1,
        overlap: Vec::new(),
        general: 0,
        order: None,
        proof: None,
        span: 0..0,
    }
}

/// Words of the states of one call.
fn words(spec: &Spec, isa: Isa, layout: Layout, batch: usize) -> usize {
    let bits = spec.instance.field.word_bits();
    Target::states(isa, layout, bits) * batch * spec.instance.width
}

/// Refuses kernels for which the interface has no room.
fn refuse_large(spec: &Spec) -> Result<(), Diagnostics> {
    let kernels = spec.kernels.iter();
    let batches =
        kernels.flat_map(|kernel| kernel.batches.iter().map(move |batch| (kernel, *batch)));
    let large = batches.filter_map(|(kernel, batch)| {
        let words = words(spec, kernel.isa, kernel.layout, batch);
        let message = format!("batch {batch} of {} is {words} words a call", kernel.isa);
        let error =
            Diagnostic::new(message).at(&spec.source, kernel.span.clone(), "asked for here");
        let help = format!("a package has room for {MAX_WORDS}: take a smaller batch");
        (words > MAX_WORDS).then(|| error.help(help))
    });
    large.collect::<Diagnostics>().into_result()
}

/// The spec with the largest provable set of claims, on which its kernels without one rely.
fn claimed(spec: &Spec) -> Result<Spec, Diagnostics> {
    let mut claimed = spec.clone();
    if spec.proofs.contains_key(PROOF) {
        return Ok(claimed);
    }
    for kernel in &mut claimed.kernels {
        if kernel.proof.is_none() && kernel.strategy.takes_proofs() {
            kernel.proof = Some(PROOF.to_owned());
        }
    }
    let claims = infer_claims(spec).into_iter().map(|claim| {
        let pattern = claim.site.parse::<SitePattern>();
        let pattern = pattern.map_err(|error| Diagnostic::new(error.to_string()))?;
        Ok(Claim {
            pattern,
            operand: claim.operand,
            kind: claim.kind,
            said: 0..0,
            span: 0..0,
        })
    });
    let claims = claims.collect::<Result<Vec<Claim>, Diagnostic>>()?;
    claimed.proofs.insert(PROOF.to_owned(), claims);
    Ok(claimed)
}

#[cfg(test)]
mod tests;
