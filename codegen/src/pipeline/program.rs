//! Programs: one permutation by one strategy, lowered, proved and certified once.

use super::code;
use crate::arith::Program;
use crate::diag::{Diagnostic, Diagnostics};
use crate::ir;
use crate::kernel::{ProgramFiles, proof_path};
use crate::lower::infer::infer;
use crate::lower::{Claims, Unsuited, lower};
use crate::prove::{Proved, prove};
use crate::spec::{Claim, ClaimText, KernelSpec, Spec};
use crate::template::TemplateSet;
use crate::{refusal, report};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A program with everything that its kernels share.
#[derive(Debug)]
pub struct ProvedProgram {
    /// The proof.
    pub proved: Proved,
    /// The program as the checker has read it from its certificate.
    pub checked: checker::Program,
    /// What is written once for all its kernels.
    pub files: Arc<ProgramFiles>,
}

impl ProvedProgram {
    /// Lowers and proves the program of a kernel, certifies it, and writes what prepares its
    /// constants.
    ///
    /// # Errors
    /// Every claim, bound or block that was refused; templates that do not parse.
    pub fn new(
        spec: &Spec,
        kernel: &KernelSpec,
        templates: &TemplateSet,
    ) -> Result<Self, Diagnostics> {
        let proved = prove_program(spec, kernel)?;
        let name = name(spec, kernel);
        let certificate = proved.certificate(&variant(kernel));
        let checked = checker::check(&certificate).map_err(|refused| {
            Diagnostic::new(format!(
                "the checker refuses {}: {refused}",
                proof_path(&name)
            ))
        })?;
        let preparation = code::preparation(kernel.strategy, &proved, templates)?;
        if let Some((path, text)) = &preparation {
            super::checked(path, checked.lemmas_of_preparation(text))?;
        }
        let files = ProgramFiles {
            path: proof_path(&name),
            certificate,
            preparation,
            sites: report::sites(&proved, proved.warnings()),
            name,
        };
        Ok(Self {
            proved,
            checked,
            files: Arc::new(files),
        })
    }
}

/// What kernels have in common if they have the same program: the permutation, the strategy and
/// the claims. It is the path of the certificate, too: `plonky3/goldilocks/w8_columns`.
#[must_use]
pub fn name(spec: &Spec, kernel: &KernelSpec) -> String {
    spec.instance.program(&variant(kernel))
}

/// What tells a kernel's program from others of the same instance: its strategy, and the claims it relies on.
fn variant(kernel: &KernelSpec) -> String {
    let strategy = kernel.strategy;
    let proof = match kernel.proof.as_deref() {
        _ if !strategy.takes_proofs() => String::new(),
        Some(proof) if proof == strategy.name() => String::new(),
        Some(proof) => format!("_{}", proof.replace('-', "_")),
        None => "_unclaimed".to_owned(),
    };
    format!("{strategy}{proof}")
}

/// The claims that a kernel relies on.
pub(crate) fn claim_list<'s>(spec: &'s Spec, kernel: &KernelSpec) -> &'s [Claim] {
    let set = kernel.proof.as_ref().and_then(|name| spec.proofs.get(name));
    set.map_or(&[], Vec::as_slice)
}

/// Lowers and proves the program of a kernel.
///
/// # Errors
/// Every claim, bound or block that was refused.
pub fn prove_program(spec: &Spec, kernel: &KernelSpec) -> Result<Proved, Diagnostics> {
    let claims = Claims::new(claim_list(spec, kernel));
    let lowered = lowered(spec, kernel, &claims)?;
    let sites = site_names(&lowered);
    prove(lowered, &claims)
        .map_err(|list| refusal::refusals(spec, &claims, &sites, &list, Some(kernel)))
}

/// The names of a program's add-sites.
pub(crate) fn site_names(program: &Program) -> Vec<String> {
    let operations = program.blocks.iter().flat_map(|block| &block.operations);
    let sites = operations.filter(|operation| operation.site.is_some());
    sites.map(|operation| operation.name.clone()).collect()
}

/// The arithmetic program of a kernel, which has all sites that its claims name.
pub(crate) fn lowered(
    spec: &Spec,
    kernel: &KernelSpec,
    claims: &Claims<'_>,
) -> Result<Program, Diagnostics> {
    let program = ir::Program::build(&spec.instance);
    let program = lower(&program, kernel.strategy, claims).map_err(|unsuited| match unsuited {
        Unsuited::Conflict(conflict) => refusal::conflict(spec, claims, &conflict),
        other => Diagnostic::new(other.to_string())
            .at(&spec.source, kernel.span.clone(), "asked for here")
            .help("docs/instances.md says what has kernels"),
    })?;
    let operations = program.blocks.iter().flat_map(|block| &block.operations);
    let names: BTreeSet<&str> = operations.map(|o| o.name.as_str()).collect();
    let names: Vec<&str> = names.into_iter().collect();
    let list = claim_list(spec, kernel).iter();
    let unknown = list.filter_map(|claim| spec.unknown_producer(claim, &names));
    unknown.collect::<Diagnostics>().into_result()?;
    Ok(program)
}

/// What is true but useless in a kernel's proof set.
///
/// # Errors
/// As [`prove_program`].
pub fn warnings(spec: &Spec, kernel: &KernelSpec) -> Result<Diagnostics, Diagnostics> {
    let proved = prove_program(spec, kernel)?;
    let claims = Claims::new(claim_list(spec, kernel));
    Ok(refusal::warnings(spec, kernel, &claims, proved.warnings()))
}

/// The maximal provable set of elisions for a spec's permutation.
#[must_use]
pub fn infer_claims(spec: &Spec) -> Vec<ClaimText> {
    infer(&ir::Program::build(&spec.instance))
}
