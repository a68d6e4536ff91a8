//! From flags and names to kernels of the specs.

use std::collections::BTreeSet;
use std::str::FromStr;

use super::args::Selection;
use super::places::{Workspace, shown};
use crate::diag::{Diagnostic, Diagnostics, UnknownName, nearest};
use crate::kernel::kernel_name;
use crate::names::{BATCHES, Isa, Layout, Strategy};
use crate::params::Field;
use crate::spec::{KernelSpec, Spec, select};

/// One kernel to be generated.
#[derive(Clone, Copy)]
pub struct Job<'s> {
    /// Whose permutation it computes.
    pub spec: &'s Spec,
    /// The table of the spec that asks for it.
    pub kernel: &'s KernelSpec,
    /// Interleaved groups of states.
    pub batch: usize,
}

/// The field in the words that a kernel computes with: some strategies keep elements in wider ones than
/// those in memory.
#[must_use]
pub fn words_of(kernel: &KernelSpec, field: &'static Field) -> &'static Field {
    field.wide(kernel.strategy).unwrap_or(field)
}

impl Job<'_> {
    /// Its full name.
    #[must_use]
    pub fn name(&self) -> String {
        kernel_name(&self.spec.instance, self.kernel, self.batch)
    }

    /// Whether it runs everywhere, as `poseidon2-kernels` needs one to be built.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.kernel.isa == Isa::Scalar && self.kernel.layout == Layout::Registers
    }

    /// Whether `codegen package` alone makes it.
    #[must_use]
    pub fn is_packaged(&self) -> bool {
        self.kernel.packaged.contains(&self.batch)
    }
}

/// Everything the specs ask for.
#[must_use]
pub fn all(specs: &[Spec]) -> Vec<Job<'_>> {
    let kernels = specs
        .iter()
        .flat_map(|spec| spec.kernels.iter().map(move |kernel| (spec, kernel)));
    let jobs = kernels.flat_map(|(spec, kernel)| {
        let job = move |&batch| Job {
            spec,
            kernel,
            batch,
        };
        kernel.batches.iter().map(job)
    });
    jobs.collect()
}

/// Those whose name contains one of these parts, and plain ones.
///
/// # Errors
/// No name contains one of them.
pub fn containing<'s>(specs: &'s [Spec], parts: &[String]) -> Result<Vec<Job<'s>>, Diagnostic> {
    let mut jobs = all(specs);
    let has = |job: &Job<'_>, part: &String| job.name().contains(part);
    if let Some(part) = parts.iter().find(|p| !jobs.iter().any(|job| has(job, p))) {
        return Err(unknown(part, part, &jobs));
    }
    jobs.retain(|job| job.is_plain() || parts.iter().any(|part| has(job, part)));
    Ok(jobs)
}

/// Those that match the flags.
///
/// # Errors
/// There are none, or a flag's value is unknown.
pub fn matching<'s>(
    workspace: &'s Workspace,
    flags: &Selection,
) -> Result<Vec<Job<'s>>, Diagnostics> {
    let mut errors = Diagnostics::new();
    let isa: Option<Isa> = errors.keep(parse(&flags.isa)).flatten();
    let layout: Option<Layout> = errors.keep(parse(&flags.layout)).flatten();
    let strategy: Option<Strategy> = errors.keep(parse(&flags.strategy)).flatten();
    let batch = errors.keep(batch(flags.batch.as_deref())).flatten();
    let width = errors.keep(width(flags.width.as_deref())).flatten();
    if let (Some(isa), Some(layout)) = (isa, layout)
        && !isa.layouts().contains(&layout)
    {
        let valid = isa.layouts().iter().map(|layout| format!("`{layout}`"));
        let valid: Vec<String> = valid.collect();
        let error = Diagnostic::new(format!("ISA `{isa}` has no layout `{layout}`"));
        errors.push(error.help(format!("valid: {}", valid.join(", "))));
    }
    let default = (!workspace.is_of_one_spec()).then_some("goldilocks");
    let field = flags.field.as_deref().or(default);
    let specs = errors.keep(select(&workspace.specs, field, width));
    errors.into_result()?;
    let specs = specs.unwrap_or_default();
    let jobs: Vec<_> = specs
        .into_iter()
        .flat_map(|spec| all(std::slice::from_ref(spec)))
        .filter(|job| {
            let kernel = job.kernel;
            isa.is_none_or(|isa| kernel.isa == isa)
                && layout.is_none_or(|layout| kernel.layout == layout)
                && strategy.is_none_or(|strategy| kernel.strategy == strategy)
                && batch.is_none_or(|batch| job.batch == batch)
        })
        .collect();
    if jobs.is_empty() {
        let field = field.map(str::to_owned);
        let flags = Selection {
            field,
            ..flags.clone()
        };
        return Err(unasked(workspace, &flags).into());
    }
    Ok(jobs)
}

/// The spec, if one was named.
fn only(workspace: &Workspace) -> Option<&Spec> {
    let spec = workspace.specs.first();
    spec.filter(|_| workspace.is_of_one_spec())
}

/// No kernel is used.
pub(super) fn nothing(workspace: &Workspace) -> Diagnostic {
    let specs = match only(workspace) {
        Some(spec) if spec.kernels.is_empty() => {
            let message = format!("{} asks for no kernels", shown(&spec.path));
            return Diagnostic::new(message).help(
                "a `[[kernel]]` asks for some; `codegen package` makes a crate with those that serve, and needs none",
            );
        }
        Some(spec) => shown(&spec.path),
        None => "the specs".to_owned(),
    };
    let error = Diagnostic::new(format!("no kernel of {specs} is used"));
    error.help("`codegen list` says what is used; `generate --all --candidates` makes the others")
}

/// No kernel that is asked for matches the flags.
fn unasked(workspace: &Workspace, flags: &Selection) -> Diagnostic {
    let flags = flags.flags();
    let message = match only(workspace) {
        Some(spec) if spec.kernels.is_empty() => return nothing(workspace),
        Some(spec) => format!("{} asks for no kernel with{flags}", shown(&spec.path)),
        None => format!("no spec asks for a kernel with{flags}"),
    };
    let help = "`codegen list` shows those that are asked for; a `[[kernel]]` asks for more";
    Diagnostic::new(message).help(help)
}

fn parse<T: FromStr>(given: &Option<String>) -> Result<Option<T>, T::Err> {
    given.as_deref().map(str::parse).transpose()
}

fn batch(given: Option<&str>) -> Result<Option<usize>, UnknownName> {
    let Some(given) = given else { return Ok(None) };
    let batch = given.parse().ok().filter(|batch| BATCHES.contains(batch));
    let unknown = || UnknownName::new("batch", given, BATCHES.iter().map(ToString::to_string));
    batch.map(Some).ok_or_else(unknown)
}

/// Any width: the specs have what there is.
fn width(given: Option<&str>) -> Result<Option<usize>, Diagnostic> {
    let width = given.map(str::parse).transpose();
    width.map_err(|_| {
        let error = Diagnostic::new(format!(
            "width `{}` is no number",
            given.unwrap_or_default()
        ));
        error.help("write the number of elements, as in `--width 8`")
    })
}

/// The kernel of that name, in full or its last part if that is unique.
///
/// # Errors
/// There is none, or more than one.
pub fn named<'s>(specs: &'s [Spec], given: &str) -> Result<Job<'s>, Diagnostic> {
    let jobs = all(specs);
    let wanted = given.replace('-', "_");
    let suffix = format!("/{wanted}");
    let found: Vec<_> = jobs
        .iter()
        .filter(|job| job.name() == wanted || job.name().ends_with(&suffix))
        .collect();
    match found.as_slice() {
        [job] => Ok(**job),
        [] => Err(unknown(given, &wanted, &jobs)),
        several => {
            let names: Vec<_> = several.iter().map(|job| job.name()).collect();
            let message = format!("`{given}` is the end of {} kernels' names", names.len());
            let help = format!("write one of `{}`", names.join("`, `"));
            Err(Diagnostic::new(message).help(help))
        }
    }
}

fn unknown(given: &str, wanted: &str, jobs: &[Job<'_>]) -> Diagnostic {
    let parts = wanted.matches('/').count() + 1;
    let names: Vec<String> = jobs.iter().map(Job::name).collect();
    let tail = |name: &str| {
        let segments: Vec<_> = name.split('/').collect();
        segments[segments.len().saturating_sub(parts)..].join("/")
    };
    let mut tails: Vec<_> = names.iter().map(|name| tail(name)).collect();
    // People leave the batch out.
    let short = |tail: &String| Some(tail.rsplit_once('_')?.0.to_owned());
    tails.extend(tails.iter().filter_map(short).collect::<BTreeSet<_>>());
    tails.dedup();
    let near = nearest(wanted, &tails).into_iter().flat_map(|near| {
        let is = |tail: &&String| *tail == near || short(tail).is_some_and(|short| short == near);
        tails
            .iter()
            .filter(is)
            .map(String::as_str)
            .collect::<Vec<_>>()
    });
    let is_whole = |near: &&str| names.iter().any(|name| tail(name) == **near);
    let mut seen = BTreeSet::new();
    let near = near.filter(is_whole).filter(|near| seen.insert(*near));
    let near: Vec<_> = near.take(3).collect();
    let list = "`codegen list` shows all kernels";
    let help = match near.as_slice() {
        [] => list.to_owned(),
        near => format!("did you mean `{}`? {list}", near.join("`, `")),
    };
    Diagnostic::new(format!("unknown kernel `{given}`")).help(help)
}
