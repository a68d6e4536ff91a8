//! The pipeline from a spec to finished kernels. Each arrow of the design is one call here.
//!
//! The work has three units. A *program* is one permutation by one strategy: it is lowered, proved
//! and certified once. Its *code* for one target is made once, each macro-op's body with its lemma.
//! *Kernels* of a program and target differ in batch and order only.

mod code;
mod program;

pub use code::{Code, Lemma, targets};
pub use program::{ProvedProgram, infer_claims, name as program_name, prove_program, warnings};
pub(crate) use program::{claim_list, lowered, site_names};

use crate::audit;
use crate::diag::{Diagnostic, Diagnostics, Source};
use crate::ir::BlockKind;
use crate::isa::{Target, table};
use crate::kernel::{Generated, KernelInfo, code_hash};
use crate::prove::Proved;
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
    let program = ProvedProgram::new(spec, kernel, templates)?;
    let code = Code::new(kernel, &program.proved, templates)?;
    finish(spec, kernel, batch, templates, &program, &code)
}

/// Generates one kernel from its program and the program's code for the kernel's target.
///
/// # Errors
/// What the renderer or the audit refuses.
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
    let rendered = plan.text(&code.main, &code.general, templates)?;
    let source = plan.header(code.lemmas()) + &rendered.source;
    let source = crate::format::rustfmt(&source)?;
    plan.info.code = code_hash(&source)?;
    let unsafe_macros = rendered.assembler_macros;
    audited(&source, kernel, &plan.info, &program.proved, unsafe_macros)?;
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
    let proved = prove_program(spec, kernel)?;
    let code = Code::preview(kernel, &proved, templates)?;
    let plan = Plan::new(spec, kernel, target(kernel)?, batch, &proved);
    let text = plan.text(&code.main, &code.general, templates)?;
    crate::format::rustfmt(&text.source)
}

fn target(kernel: &KernelSpec) -> Result<Target, Diagnostic> {
    Target::of(kernel.isa, kernel.layout)
        .ok_or_else(|| Diagnostic::new(format!("{} has no layout `{}`", kernel.isa, kernel.layout)))
}

/// The text read back and compared with the plan.
fn audited(
    source: &str,
    kernel: &KernelSpec,
    info: &KernelInfo,
    proved: &Proved,
    assembler_macros: usize,
) -> Result<(), Diagnostics> {
    let target = target(kernel)?;
    let mut allowed = audit::vocabulary(table(target));
    let mut computing = audit::computing(table(target));
    if kernel.order.is_some() {
        allowed.extend(audit::lines(table(target)));
    }
    if let Some(beside) = code::beside(kernel) {
        allowed.extend(audit::vocabulary(table(beside)));
        computing.extend(audit::computing(table(beside)));
        allowed.extend(audit::CROSSINGS.map(str::to_owned));
    }
    let plan = audit::Plan {
        info,
        allowed: &allowed,
        computing: &computing,
        flow: &proved.program().flow,
        unsafe_blocks: audit::unsafe_blocks(table(target)) + assembler_macros,
        sites: &proved
            .sites()
            .iter()
            .filter(|site| proved.program().blocks[site.block].kind != BlockKind::Constant)
            .map(|site| site.name.as_str())
            .collect(),
    };
    let text = Source::new(&info.file, source);
    let findings = audit::audit(source, &plan).into_iter();
    let refused = findings.map(|finding| {
        let before = source.lines().take(finding.line - 1);
        let start = before.map(|line| line.len() + 1).sum();
        let line = source.lines().nth(finding.line - 1).unwrap_or_default();
        Diagnostic::new(format!("the audit refuses {}", info.name))
            .at(&text, start..start + line.len(), finding.fault)
            .help("the text is not what was planned; look at the kernel template first")
    });
    refused.collect::<Diagnostics>().into_result()
}
