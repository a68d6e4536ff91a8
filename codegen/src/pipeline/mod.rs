//! The pipeline from a spec to finished kernels. Each arrow of the design is one call here.
//!
//! The work has three units. A *program* is one permutation by one strategy: it is lowered, proved
//! and certified once. Its *code* for one target is made once, each macro-op's body with its lemma.
//! *Kernels* of a program and target differ in batch and order only.

mod code;
mod program;
mod suited;

pub use code::{Code, Lemma, targets};
pub use program::{ProvedProgram, infer_claims, name as program_name, prove_program, warnings};
pub(crate) use program::{claim_list, lowered, site_names};
pub use suited::refuse_unsuited;

use crate::diag::{Diagnostic, Diagnostics};
use crate::isa::Target;
use crate::kernel::{Generated, code_hash};
use crate::lemma;
use crate::render::plan::Plan;
use crate::spec::{KernelSpec, Spec};
use crate::template::TemplateSet;
use std::sync::Arc;

/// Generates one kernel, with its program and code.
///
/// # Errors
/// Everything that stands in its way: claims that are not proved, lemmas that do not hold,
/// templates that do not parse.
pub fn generate(
    spec: &Spec,
    kernel: &KernelSpec,
    batch: usize,
    templates: &TemplateSet,
) -> Result<Generated, Diagnostics> {
    refuse_unsuited(spec, kernel, templates)?;
    let program = ProvedProgram::new(spec, kernel, templates)?;
    let code = Code::new(kernel, &program.proved, templates)?;
    finish(spec, kernel, batch, templates, &program, &code)
}

/// Generates one kernel from its program and the program's code for the kernel's target.
///
/// # Errors
/// What the renderer or the checker refuses.
pub fn finish(
    spec: &Spec,
    kernel: &KernelSpec,
    batch: usize,
    templates: &TemplateSet,
    program: &ProvedProgram,
    code: &Code,
) -> Result<Generated, Diagnostics> {
    let mut plan = Plan::new(spec, kernel, target(kernel)?, batch, &program.proved);
    plan.info.certificate.clone_from(&program.files.path);
    plan.count(&code.main, &code.general);
    let rendered = plan.text(&code.main, &code.general, templates);
    let rendered = rendered.map_err(|errors| located(spec, kernel, errors))?;
    let source = plan.header(code.lemmas()) + &rendered;
    let source = crate::format::rustfmt(&source)?;
    plan.info.code = code_hash(&source)?;
    checked(&plan.info.name, program.checked.lemmas_of(&source))?;
    Ok(Generated {
        source,
        program: Arc::clone(&program.files),
        info: plan.info,
    })
}

/// The text that a kernel would have with the templates as they are, though they may be wrong. For
/// showing differences, never for files.
///
/// # Errors
/// Claims that are not proved and templates that do not parse.
pub fn preview(
    spec: &Spec,
    kernel: &KernelSpec,
    batch: usize,
    templates: &TemplateSet,
) -> Result<String, Diagnostics> {
    refuse_unsuited(spec, kernel, templates)?;
    let proved = prove_program(spec, kernel)?;
    let code = Code::preview(kernel, &proved, templates)?;
    let plan = Plan::new(spec, kernel, target(kernel)?, batch, &proved);
    let text = plan.text(&code.main, &code.general, templates)?;
    crate::format::rustfmt(&text)
}

fn target(kernel: &KernelSpec) -> Result<Target, Diagnostic> {
    Target::of(kernel.isa, kernel.layout)
        .ok_or_else(|| Diagnostic::new(format!("{} has no layout `{}`", kernel.isa, kernel.layout)))
}

/// An error that names no template is about what the kernel's table asks for.
fn located(spec: &Spec, kernel: &KernelSpec, errors: Diagnostics) -> Diagnostics {
    let at = |error: Diagnostic| match error.location() {
        Some(_) => error,
        None => error.at(&spec.source, kernel.span.clone(), "asked for here"),
    };
    errors.into_iter().map(at).collect()
}

/// Has the checker read a text: it must compute the program, by bodies that are proved.
fn checked(
    name: &str,
    read: Result<Vec<checker::Lemma>, checker::Refused>,
) -> Result<(), Diagnostics> {
    let refused = |what: String| {
        Diagnostic::new(format!("the checker refuses {name}: {what}"))
            .help("the text is not what its certificate proves; look at the kernel template first")
    };
    let read = read.map_err(|why| refused(why.what))?;
    let settled = read.iter().map(|lemma| match lemma::settle(lemma) {
        Ok(()) => Ok(()),
        Err(why) => Err(refused(format!("{lemma} {why}"))),
    });
    let errors = settled.filter_map(Result::err);
    errors.collect::<Diagnostics>().into_result()
}
