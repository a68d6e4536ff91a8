//! Whether a kernel can be made: its strategy must have a program of the permutation, and what the program uses must
//! have templates on the kernel's targets. What exists is seen in the templates; nothing else lists it.

use super::claim_list;
use super::code::used_on;
use crate::diag::Diagnostic;
use crate::ir;
use crate::lower::{Claims, Unsuited, lower};
use crate::names::{Isa, Layout, Strategy};
use crate::ops::MacroOp;
use crate::spec::{KernelSpec, Spec};
use crate::template::TemplateSet;

/// Refuses a kernel that cannot be made, and names what can be made in its place.
///
/// # Errors
/// At the kernel's table: why it cannot be made.
pub fn refuse_unsuited(
    spec: &Spec,
    kernel: &KernelSpec,
    templates: &TemplateSet,
) -> Result<(), Diagnostic> {
    // A large matrix takes a second, and what can be made instead is sought among dozens.
    let source = ir::Program::build(&spec.instance);
    let missing = missing(&source, spec, kernel, templates);
    if missing.as_ref().is_ok_and(Vec::is_empty) {
        return Ok(());
    }
    let (isa, layout, strategy) = (kernel.isa, kernel.layout, kernel.strategy);
    let made = |isa, layout| strategies(&source, spec, kernel, isa, layout, templates);
    let others = isa.layouts().iter().filter(|other| **other != layout);
    let mut layouts = [layout].into_iter().chain(others.copied());
    let place = layouts.find(|layout| !made(isa, *layout).is_empty());
    let help = match place {
        Some(own) if own == layout => format!("valid there: `{}`", made(isa, layout).join("`, `")),
        Some(other) => format!("use layout `{other}`"),
        None => {
            let mut isas = narrower(isa);
            let has = |other: &Isa| {
                other
                    .layouts()
                    .iter()
                    .any(|&it| !made(*other, it).is_empty())
            };
            let other = isas.find(has).unwrap_or(Isa::Scalar);
            format!("use isa = \"{other}\"")
        }
    };
    let (message, label, help) = match missing {
        Err(why) => (why, "asked for here".to_owned(), help),
        Ok(missing) => {
            let message = match place {
                Some(_) => format!(
                    "no kernel of this permutation by strategy `{strategy}` in layout `{layout}` of `{isa}`"
                ),
                None => {
                    let field = spec.instance.field.name;
                    format!("`{isa}` has no kernels of this permutation, over {field}")
                }
            };
            let ops: Vec<_> = missing.iter().map(|(op, _)| op.template()).collect();
            let label = format!("no templates for {}", ops.join(", "));
            let write = missing.first().and_then(|(_, error)| error.help_text());
            (
                message,
                label,
                format!("{help}, or {}", write.unwrap_or_default()),
            )
        }
    };
    let error = Diagnostic::new(message).at(&spec.source, kernel.span.clone(), label);
    Err(error.help(help))
}

/// The macro-ops of a kernel that have no template, each file's once, with what is said of it; or why there is no
/// program.
fn missing(
    source: &ir::Program,
    spec: &Spec,
    kernel: &KernelSpec,
    templates: &TemplateSet,
) -> Result<Vec<(MacroOp, Diagnostic)>, String> {
    if kernel.layout == Layout::Staggered && !spec.instance.starts_linear() {
        let why =
            "layout `staggered` is for permutations with an external layer before the first round";
        return Err(why.to_owned());
    }
    let claims = Claims::new(claim_list(spec, kernel));
    let program = match lower(source, kernel.strategy, &claims) {
        Ok(program) => program,
        // Told with both claims, when the program is proved.
        Err(Unsuited::Conflict(_)) => return Ok(Vec::new()),
        Err(unsuited) => return Err(unsuited.to_string()),
    };
    let used = used_on(&program, kernel).into_iter();
    let used =
        used.flat_map(|(target, ops)| ops.into_iter().filter_map(move |op| Some((target?, op))));
    let missing = used
        .filter_map(|(target, op)| Some((op, templates.find(target, program.words, op).err()?)));
    let mut missing: Vec<_> = missing.collect();
    missing.dedup_by_key(|(op, _)| op.template());
    Ok(missing)
}

/// The strategies by which a kernel can be made elsewhere.
fn strategies(
    source: &ir::Program,
    spec: &Spec,
    kernel: &KernelSpec,
    isa: Isa,
    layout: Layout,
    templates: &TemplateSet,
) -> Vec<&'static str> {
    let made = |strategy: &Strategy| {
        let other = KernelSpec {
            isa,
            layout,
            strategy: *strategy,
            general: 0,
            order: None,
            proof: None,
            ..kernel.clone()
        };
        strategy.suits(isa, layout)
            && missing(source, spec, &other, templates).is_ok_and(|it| it.is_empty())
    };
    let made = Strategy::ALL.into_iter().filter(made);
    made.map(Strategy::name).collect()
}

/// The ISAs that every CPU with this one has, too, the widest first.
fn narrower(isa: Isa) -> impl Iterator<Item = Isa> {
    let same =
        move |other: &Isa| *other < isa && [None, isa.target_arch()].contains(&other.target_arch());
    Isa::ALL.into_iter().rev().filter(same)
}
