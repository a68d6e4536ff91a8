//! Code: the bodies of a program's macro-ops on one target, each with its lemma.

use super::target;
use crate::arith::{Block, Program};
use crate::asm::Bodies;
use crate::diag::Diagnostics;
use crate::ir::BlockKind;
use crate::isa::Target;
use crate::kernel::{preparation_module, source_path};
use crate::lemma;
use crate::names::{Isa, Layout, Strategy};
use crate::ops::MacroOp;
use crate::params::Field;
use crate::prove::Proved;
use crate::render::{preparation as preparation_text, shared};
use crate::spec::KernelSpec;
use crate::template::{Rendered, TemplateSet};
use std::collections::BTreeSet;

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
        _ if kernel.layout == Layout::Across => match kernel.isa {
            Isa::Avx2 => Some(Target::Scalar),
            _ => Some(Target::X86_64),
        },
        _ if kernel.general == 0 => None,
        Some(_) => Some(Target::Aarch64),
        None => Some(Target::Scalar),
    }
}

impl Code {
    /// The code of a kernel's program for the kernel's target: every lemma discharged.
    ///
    /// # Errors
    /// Templates that do not parse, lemmas that do not hold.
    pub fn new(
        kernel: &KernelSpec,
        proved: &Proved,
        templates: &TemplateSet,
    ) -> Result<Self, Diagnostics> {
        let (main, general) = bodies(kernel, proved, templates)?;
        let mut lemmas = Vec::new();
        for (bodies, place) in [(&main, ""), (&general, " on general registers")] {
            discharge(bodies)?;
            let lemma = |r: &Rendered| (format!("`{}`{place}", r.op), r.hash.clone());
            lemmas.extend(bodies.iter().map(lemma));
        }
        Ok(Self {
            main: alone(main),
            general: alone(general),
            lemmas,
        })
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
    let field = program.words_of(BlockKind::Constant);
    let rendered = render(used, field, Target::Scalar, templates)?;
    discharge(&rendered)?;
    let bodies = alone(rendered);
    let text = preparation_text(strategy.name(), proved, index, &bodies);
    let path = source_path(&preparation_module(field, strategy));
    Ok(Some((path, crate::format::rustfmt(&text)?)))
}

/// The bodies of a kernel's program: on the target's registers, and on general ones beside them.
fn bodies(
    kernel: &KernelSpec,
    proved: &Proved,
    templates: &TemplateSet,
) -> Result<(Vec<Rendered>, Vec<Rendered>), Diagnostics> {
    let program = proved.program();
    let [(_, vectors), (beside, words)] = used_on(program, kernel);
    let main = render(vectors, program.words, target(kernel)?, templates)?;
    let beside = beside.map(|beside| render(words, program.words, beside, templates));
    Ok((main, beside.transpose()?.unwrap_or_default()))
}

/// The macro-ops of a kernel's program on each of its targets.
pub(super) fn used_on(
    program: &Program,
    kernel: &KernelSpec,
) -> [(Option<Target>, BTreeSet<MacroOp>); 2] {
    // Constants are prepared by a function that kernels share.
    let own = program.block(BlockKind::Constant);
    let own = &program.blocks[..own.unwrap_or(program.blocks.len())];
    let [vectors, words] = match program.executed_across() {
        Some(executed) => executed.map(|all| all.into_iter().map(|(op, _)| op).collect()),
        None => [used(own), shared(program, kernel.order.is_some())],
    };
    let (main, beside) = targets(kernel);
    [(main, vectors), (beside, words)]
}

/// The macro-ops that some blocks use.
fn used(blocks: &[Block]) -> BTreeSet<MacroOp> {
    let operations = blocks.iter().flat_map(|block| &block.operations);
    let coded = operations.filter(|operation| operation.has_body());
    coded.map(|operation| operation.op).collect()
}

fn render(
    used: BTreeSet<MacroOp>,
    field: &'static Field,
    target: Target,
    templates: &TemplateSet,
) -> Result<Vec<Rendered>, Diagnostics> {
    let rendered = used.into_iter();
    all(rendered.map(|op| templates.render_body(target, field, op)))
}

/// Discharges the lemma of every body.
fn discharge(bodies: &[Rendered]) -> Result<(), Diagnostics> {
    all(bodies.iter().map(lemma::discharge)).map(drop)
}

/// All results, or all errors.
fn all<T>(results: impl Iterator<Item = Result<T, Diagnostics>>) -> Result<Vec<T>, Diagnostics> {
    let mut errors = Diagnostics::default();
    let right = results.filter_map(|result| result.map_err(|e| errors.extend(e)).ok());
    let right = right.collect();
    errors.into_result().map(|()| right)
}

/// Bodies without what is known of their making.
fn alone(rendered: Vec<Rendered>) -> Bodies {
    rendered.into_iter().map(|r| (r.op, r.body)).collect()
}
