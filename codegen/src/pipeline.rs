//! The way through: from a spec to finished kernels. Each arrow of the design is one call here.

use crate::arith::{Block, MacroOp, Program};
use crate::asm::Bodies;
use crate::diag::{Diagnostic, Diagnostics, Source};
use crate::ir::{self, BlockKind};
use crate::isa::{Target, table};
use crate::kernel::{Generated, KernelInfo, kernel_name};
use crate::lower::infer::{Inferred, infer};
use crate::lower::{Claims, lower, lower_columns, lower_limbs, lower_redc};
use crate::names::Strategy;
use crate::prove::{Proved, Subject, prove};
use crate::render::plan::Plan;
use crate::render::{preparation as preparation_text, shared};
use crate::spec::{KernelSpec, Spec};
use crate::template::TemplateSet;
use crate::{audit, lemma, refusal, report, selfcheck, template};
use std::collections::{BTreeMap, BTreeSet};

/// Generates one kernel.
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
    let proved = prove_kernel(spec, kernel)?;
    let target = target(kernel)?;
    let main = rendered_bodies(&proved, target, templates)?;
    let general = general_bodies(kernel, &proved, templates)?;
    let finished = Finished {
        lemmas: &[lemmas(&main)?, lemmas(&general)?].concat(),
        selfcheck: true,
    };
    let code = Code {
        main: bodies_alone(main),
        general: bodies_alone(general),
    };
    code.check(&proved, target)?;
    let generated = finish(spec, kernel, batch, templates, &proved, &code, &finished)?;
    let preparation = preparation(kernel, templates, &proved)?;
    Ok(Generated {
        preparation,
        ..generated
    })
}

/// The module that prepares constants for the kernel's strategy, if it needs one: path and text.
fn preparation(
    kernel: &KernelSpec,
    templates: &TemplateSet,
    proved: &Proved,
) -> Result<Option<(String, String)>, Diagnostics> {
    let program = proved.program();
    let Some(index) = program.block(BlockKind::Constant) else {
        return Ok(None);
    };
    let rendered = bodies_of(
        &program.blocks[index..=index],
        program,
        Target::Scalar,
        templates,
    )?;
    lemmas(&rendered)?;
    let bodies = bodies_alone(rendered);
    execute(proved, &bodies, Target::Scalar)?;
    let text = preparation_text(kernel.strategy.name(), proved, index, &bodies)?;
    let path = format!("src/{}.rs", kernel.strategy);
    Ok(Some((path, crate::format::rustfmt(&text)?)))
}

/// The text that a kernel would have with the templates as they are, though they may be wrong:
/// lemmas are not asked for and nothing is executed. For showing differences, never for files.
///
/// # Errors
/// Claims that are not proved and templates that do not parse.
pub fn preview(
    spec: &Spec,
    kernel: &KernelSpec,
    batch: usize,
    templates: &TemplateSet,
) -> Result<String, Diagnostics> {
    let proved = prove_kernel(spec, kernel)?;
    let main = rendered_bodies(&proved, target(kernel)?, templates)?;
    let general = general_bodies(kernel, &proved, templates)?;
    let finished = Finished {
        lemmas: &[],
        selfcheck: false,
    };
    let code = Code {
        main: bodies_alone(main),
        general: bodies_alone(general),
    };
    let generated = finish(spec, kernel, batch, templates, &proved, &code, &finished)?;
    Ok(generated.source)
}

/// Bodies without what is known of their making.
fn bodies_alone(rendered: BTreeMap<MacroOp, template::Rendered>) -> Bodies {
    let bodies = rendered.into_iter();
    bodies.map(|(op, rendered)| (op, rendered.body)).collect()
}

/// The bodies of those macro-ops that the kernel computes on general registers, too.
fn general_bodies(
    kernel: &KernelSpec,
    proved: &Proved,
    templates: &TemplateSet,
) -> Result<BTreeMap<MacroOp, template::Rendered>, Diagnostics> {
    let program = proved.program();
    if kernel.general == 0 {
        return Ok(BTreeMap::new());
    }
    let target = beside(kernel);
    let ops = shared(program, kernel.order.is_some());
    bodies_for(ops, program, target, templates)
}

/// What code on general registers is written in, beside that on vectors.
fn beside(kernel: &KernelSpec) -> Target {
    match kernel.order {
        Some(_) => Target::Aarch64,
        None => Target::Scalar,
    }
}

/// The code of macro-ops: on the target's registers, and on general ones beside them.
struct Code {
    main: Bodies,
    general: Bodies,
}

impl Code {
    /// Executes every block by either code.
    fn check(&self, proved: &Proved, target: Target) -> Result<(), Diagnostic> {
        execute(proved, &self.main, target)?;
        if self.general.is_empty() {
            return Ok(());
        }
        // The same program with the other bodies in their places.
        let mut mixed = self.main.clone();
        mixed.extend(self.general.clone());
        execute(proved, &mixed, target)
    }
}

/// Executes every block that these bodies make up.
fn execute(proved: &Proved, bodies: &Bodies, target: Target) -> Result<(), Diagnostic> {
    selfcheck::bodies(proved, bodies, target).map_err(|wrong| Diagnostic::new(wrong.to_string()))
}

/// What is known of the bodies when the text is made.
struct Finished<'a> {
    lemmas: &'a [(String, String)],
    selfcheck: bool,
}

fn finish(
    spec: &Spec,
    kernel: &KernelSpec,
    batch: usize,
    templates: &TemplateSet,
    proved: &Proved,
    code: &Code,
    finished: &Finished<'_>,
) -> Result<Generated, Diagnostics> {
    let target = target(kernel)?;
    let name = kernel_name(&spec.instance, kernel, batch);
    let subject = Subject {
        kernel: &name,
        isa: kernel.isa.name(),
        layout: kernel.layout.name(),
        strategy: kernel.strategy.name(),
        batch,
        lemmas: finished.lemmas,
    };
    let mut plan = Plan::new(spec, kernel, target, batch, &name, proved);
    plan.count(&code.main, &code.general);
    let rendered = plan.text(&code.main, &code.general, templates)?;
    let source = crate::format::rustfmt(&rendered.source)?;
    if finished.selfcheck {
        audited(
            &source,
            kernel,
            &plan.info,
            proved,
            rendered.assembler_macros,
        )?;
    }
    Ok(Generated {
        certificate: proved.certificate(&subject),
        source,
        sites: report::sites(proved),
        info: plan.info,
        preparation: None,
    })
}

fn target(kernel: &KernelSpec) -> Result<Target, Diagnostic> {
    Target::of(kernel.isa, kernel.layout)
        .ok_or_else(|| Diagnostic::new(format!("{} has no layout `{}`", kernel.isa, kernel.layout)))
}

/// The claims that a kernel relies on.
fn claim_list<'s>(spec: &'s Spec, kernel: &KernelSpec) -> &'s [crate::spec::Claim] {
    let set = kernel.proof.as_ref().and_then(|name| spec.proofs.get(name));
    set.map_or(&[], Vec::as_slice)
}

/// Lowers and proves the program of a kernel.
///
/// # Errors
/// Every claim, bound or block that was refused.
pub fn prove_kernel(spec: &Spec, kernel: &KernelSpec) -> Result<Proved, Diagnostics> {
    let claims = Claims::new(claim_list(spec, kernel));
    let program = ir::Program::build(&spec.instance);
    let refused = |message: String| {
        Diagnostic::new(message)
            .at(
                &spec.diagnostic_source(),
                kernel.span.clone(),
                "asked for here",
            )
            .help("use `eager`, which is for every permutation")
    };
    let lowered = match kernel.strategy {
        Strategy::Eager => lower(&program, &claims)
            .map_err(|conflict| refusal::conflict(spec, &claims, &conflict))?,
        Strategy::Columns | Strategy::Redc | Strategy::Limbs if spec.instance.field.montgomery => {
            let field = spec.instance.field.name;
            let message = format!("strategy `{}` is not for {field}", kernel.strategy);
            return Err(refused(message)
                .help("its parts are cut at 2^32; use `eager`")
                .into());
        }
        Strategy::Columns => lower_columns(&program).map_err(|error| refused(error.to_string()))?,
        Strategy::Redc => lower_redc(&program).map_err(|error| refused(error.to_string()))?,
        Strategy::Limbs => lower_limbs(&program).map_err(|error| refused(error.to_string()))?,
    };
    let sites: Vec<String> = lowered
        .blocks
        .iter()
        .flat_map(|b| {
            b.operations
                .iter()
                .filter(|o| o.site.is_some())
                .map(|o| o.name.clone())
        })
        .collect();
    prove(lowered, &claims).map_err(|list| refusal::refusals(spec, &claims, &sites, &list))
}

/// What is true but useless in a kernel's proof set.
///
/// # Errors
/// As [`prove_kernel`].
pub fn warnings(spec: &Spec, kernel: &KernelSpec) -> Result<Diagnostics, Diagnostics> {
    let proved = prove_kernel(spec, kernel)?;
    let claims = Claims::new(claim_list(spec, kernel));
    Ok(refusal::warnings(spec, &claims, proved.warnings()))
}

/// The maximal provable set of elisions for a spec's permutation.
#[must_use]
pub fn infer_claims(spec: &Spec) -> Vec<Inferred> {
    infer(&ir::Program::build(&spec.instance))
}

/// The bodies of every macro-op that the program uses.
fn rendered_bodies(
    proved: &Proved,
    target: Target,
    templates: &TemplateSet,
) -> Result<BTreeMap<MacroOp, template::Rendered>, Diagnostics> {
    let program = proved.program();
    // Constants are prepared by a function that kernels share.
    let own = program.block(BlockKind::Constant);
    let own = own.unwrap_or(program.blocks.len());
    bodies_of(&program.blocks[..own], program, target, templates)
}

/// The bodies of every macro-op that some blocks use.
fn bodies_of(
    blocks: &[Block],
    program: &Program,
    target: Target,
    templates: &TemplateSet,
) -> Result<BTreeMap<MacroOp, template::Rendered>, Diagnostics> {
    let operations = blocks.iter().flat_map(|block| &block.operations);
    let used: BTreeSet<MacroOp> = operations
        .map(|operation| operation.op)
        .filter(|op| *op != MacroOp::Second)
        .collect();
    bodies_for(used, program, target, templates)
}

/// The bodies of some macro-ops.
fn bodies_for(
    used: BTreeSet<MacroOp>,
    program: &Program,
    target: Target,
    templates: &TemplateSet,
) -> Result<BTreeMap<MacroOp, template::Rendered>, Diagnostics> {
    let mut bodies = BTreeMap::new();
    let mut diagnostics = Diagnostics::default();
    for op in used {
        match templates.render_body(target, program.instance.field, op) {
            Ok(rendered) => {
                bodies.insert(op, rendered);
            }
            Err(error) => diagnostics.extend(error),
        }
    }
    diagnostics.into_result().map(|()| bodies)
}

/// Discharges the lemma of every body; gives their names and hashes.
fn lemmas(
    bodies: &BTreeMap<MacroOp, template::Rendered>,
) -> Result<Vec<(String, String)>, Diagnostics> {
    let mut lemmas = Vec::new();
    let mut diagnostics = Diagnostics::default();
    for (op, rendered) in bodies {
        match lemma::discharge(rendered) {
            Ok(_) => lemmas.push((op.to_string(), rendered.hash.clone())),
            Err(error) => diagnostics.extend(error),
        }
    }
    diagnostics.into_result().map(|()| lemmas)
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
    if kernel.order.is_some() {
        allowed.extend(audit::lines(table(target)));
    }
    if kernel.general > 0 {
        allowed.extend(audit::vocabulary(table(beside(kernel))));
        allowed.extend(audit::CROSSINGS.map(str::to_owned));
    }
    let plan = audit::Plan {
        info,
        allowed: &allowed,
        unsafe_blocks: audit::unsafe_blocks(target) + assembler_macros,
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
            .at(&text, start..start + line.len(), finding.fault.to_string())
            .help("the text is not what was planned; look at the kernel template first")
    });
    refused.collect::<Diagnostics>().into_result()
}
