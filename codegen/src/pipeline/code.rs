//! Code: the bodies of a program's macro-ops on one target, each with its lemma.

use super::target;
use crate::arith::{Block, MacroOp, Program};
use crate::asm::Bodies;
use crate::diag::{Diagnostic, Diagnostics};
use crate::ir::BlockKind;
use crate::isa::Target;
use crate::names::Strategy;
use crate::prove::Proved;
use crate::render::{preparation as preparation_text, shared};
use crate::spec::KernelSpec;
use crate::template::{Rendered, TemplateSet};
use crate::{lemma, selfcheck};
use std::collections::{BTreeMap, BTreeSet};

/// A macro-op as headers of kernels name it, and the hash of its body's text.
pub type Lemma = (String, String);

/// The code of a program on one target.
#[derive(Clone, Debug)]
pub struct Code {
    /// On the target's registers.
    pub(super) main: Bodies,
    /// On general registers, beside vectors.
    pub(super) general: Bodies,
    lemmas: Vec<Lemma>,
}

/// What tells the code of one program from another's: the target, and that of the general registers
/// beside its vectors.
#[must_use]
pub fn targets(kernel: &KernelSpec) -> (Option<Target>, Option<Target>) {
    (Target::of(kernel.isa, kernel.layout), beside(kernel))
}

/// What code on general registers is written in, beside that on vectors.
pub(super) fn beside(kernel: &KernelSpec) -> Option<Target> {
    match kernel.order {
        _ if kernel.general == 0 => None,
        Some(_) => Some(Target::Aarch64),
        None => Some(Target::Scalar),
    }
}

impl Code {
    /// The code of a kernel's program for the kernel's target: every lemma discharged, every block
    /// executed.
    ///
    /// # Errors
    /// Templates that do not parse, lemmas that do not hold, blocks that compute something else.
    pub fn new(
        kernel: &KernelSpec,
        proved: &Proved,
        templates: &TemplateSet,
    ) -> Result<Self, Diagnostics> {
        let (main, general) = bodies(kernel, proved, templates)?;
        let named = |bodies, place: &str| -> Result<Vec<Lemma>, Diagnostics> {
            let lemmas = discharge(bodies)?.into_iter();
            Ok(lemmas
                .map(|(op, hash)| (format!("`{op}`{place}"), hash))
                .collect())
        };
        let lemmas = [named(&main, "")?, named(&general, " on general registers")?].concat();
        let code = Self {
            main: alone(main),
            general: alone(general),
            lemmas,
        };
        code.check(proved, target(kernel)?)?;
        Ok(code)
    }

    /// The code as the templates have it, though they may be wrong: lemmas are not asked for and
    /// nothing is executed. For showing differences, never for files.
    ///
    /// # Errors
    /// Templates that do not parse.
    pub fn preview(
        kernel: &KernelSpec,
        proved: &Proved,
        templates: &TemplateSet,
    ) -> Result<Self, Diagnostics> {
        let (main, general) = bodies(kernel, proved, templates)?;
        Ok(Self {
            main: alone(main),
            general: alone(general),
            lemmas: Vec::new(),
        })
    }

    /// The bodies by macro-op and hash; none of a preview.
    #[must_use]
    pub fn lemmas(&self) -> &[Lemma] {
        &self.lemmas
    }

    /// Executes every block by either code.
    fn check(&self, proved: &Proved, target: Target) -> Result<(), Diagnostic> {
        selfcheck::bodies(proved, &self.main, target)?;
        if self.general.is_empty() {
            return Ok(());
        }
        // The same program with the other bodies in their places.
        let mut mixed = self.main.clone();
        mixed.extend(self.general.clone());
        selfcheck::bodies(proved, &mixed, target)
    }
}

/// The module that prepares constants for a strategy, if it needs one: path and text.
pub(super) fn preparation(
    strategy: Strategy,
    proved: &Proved,
    templates: &TemplateSet,
) -> Result<Option<(String, String)>, Diagnostics> {
    let program = proved.program();
    let Some(index) = program.block(BlockKind::Constant) else {
        return Ok(None);
    };
    let used = used(&program.blocks[index..=index]);
    let rendered = render(used, program, Target::Scalar, templates)?;
    discharge(&rendered)?;
    let bodies = alone(rendered);
    selfcheck::bodies(proved, &bodies, Target::Scalar)?;
    let text = preparation_text(strategy.name(), proved, index, &bodies)?;
    let path = format!("src/{strategy}.rs");
    Ok(Some((path, crate::format::rustfmt(&text)?)))
}

type Renderings = BTreeMap<MacroOp, Rendered>;

/// The bodies of a kernel's program: on the target's registers, and on general ones beside them.
fn bodies(
    kernel: &KernelSpec,
    proved: &Proved,
    templates: &TemplateSet,
) -> Result<(Renderings, Renderings), Diagnostics> {
    let program = proved.program();
    // Constants are prepared by a function that kernels share.
    let own = program.block(BlockKind::Constant);
    let own = &program.blocks[..own.unwrap_or(program.blocks.len())];
    let main = render(used(own), program, target(kernel)?, templates)?;
    let general = match beside(kernel) {
        Some(target) => render(
            shared(program, kernel.order.is_some()),
            program,
            target,
            templates,
        )?,
        None => Renderings::new(),
    };
    Ok((main, general))
}

/// The macro-ops that some blocks use.
fn used(blocks: &[Block]) -> BTreeSet<MacroOp> {
    let operations = blocks.iter().flat_map(|block| &block.operations);
    let ops = operations.map(|operation| operation.op);
    ops.filter(|op| *op != MacroOp::Second).collect()
}

fn render(
    used: BTreeSet<MacroOp>,
    program: &Program,
    target: Target,
    templates: &TemplateSet,
) -> Result<Renderings, Diagnostics> {
    let mut bodies = Renderings::new();
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
fn discharge(bodies: &Renderings) -> Result<Vec<Lemma>, Diagnostics> {
    let mut lemmas = Vec::new();
    let mut diagnostics = Diagnostics::default();
    for (op, rendered) in bodies {
        match lemma::discharge(rendered) {
            Ok(()) => lemmas.push((op.to_string(), rendered.hash.clone())),
            Err(error) => diagnostics.extend(error),
        }
    }
    diagnostics.into_result().map(|()| lemmas)
}

/// Bodies without what is known of their making.
fn alone(rendered: Renderings) -> Bodies {
    let bodies = rendered.into_iter();
    bodies.map(|(op, rendered)| (op, rendered.body)).collect()
}
