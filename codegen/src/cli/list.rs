//! `codegen list`.

use std::io::Write;

use super::crate_files::there;
use super::places::Workspace;
use super::select::{self, Job};
use super::usage::Usage;
use super::{Exit, tell, text};
use crate::diag::{Diagnostic, Diagnostics};
use crate::isa::features;
use crate::kernel::KernelInfo;
use crate::spec::KernelSpec;

pub(super) fn run(
    workspace: &Workspace,
    json: bool,
    out: &mut dyn Write,
) -> Result<Exit, Diagnostics> {
    let known = there(workspace)?;
    let jobs = select::all(&workspace.specs);
    let usage = Usage::of(&workspace.specs, &workspace.tables()?);
    let listed: Vec<_> = jobs
        .iter()
        .map(|job| (job, known.iter().find(|info| info.name == job.name())))
        .collect();
    let told = if json {
        let kernels: Vec<_> = listed
            .iter()
            .map(|(job, info)| object(job, *info, &usage))
            .collect();
        serde_json::to_string_pretty(&kernels)
            .map_err(|error| Diagnostic::new(format!("cannot write JSON: {error}")))?
            + "\n"
    } else {
        let rows = listed
            .iter()
            .map(|(job, info)| row(job, *info, &usage))
            .collect();
        let header = [
            "kernel",
            "runs on",
            "used by",
            "proof",
            "states",
            "add-sites",
            "elided",
            "kept",
            "instructions/state",
        ];
        text::table(&header, 4, rows)
    };
    tell(out, &told)?;
    Ok(Exit::Done)
}

fn row(job: &Job<'_>, info: Option<&KernelInfo>, usage: &Usage) -> Vec<String> {
    let used = usage.why(&job.name());
    let unused = if job.is_packaged() {
        "- (packaged)"
    } else {
        "- (candidate)"
    };
    let used = used.unwrap_or_else(|| unused.to_owned());
    let proof = job.kernel.proof.clone().unwrap_or_else(|| "-".to_owned());
    let numbers = match info {
        Some(info) => [
            info.states() as u64,
            info.sites as u64,
            info.elided as u64,
            info.kept as u64,
            info.instructions_each(),
        ]
        .map(|n| n.to_string()),
        None => ["", "", "", "", "not generated"].map(str::to_owned),
    };
    let words = [job.name(), runs_on(job.kernel), used, proof];
    words.into_iter().chain(numbers).collect()
}

/// The CPUs that a kernel runs on, in the words of the README's table.
fn runs_on(kernel: &KernelSpec) -> String {
    let Some(arch) = kernel.isa.target_arch() else {
        let except = kernel.isa.except(kernel.strategy);
        return except.map_or_else(|| "any".to_owned(), |arch| format!("any but {arch}"));
    };
    let needs = std::iter::once(&arch).chain(features(kernel.isa, kernel.layout));
    needs.copied().collect::<Vec<_>>().join(", ")
}

/// The manifest's entry where there is one, with the proof set and the spec.
fn object(job: &Job<'_>, info: Option<&KernelInfo>, usage: &Usage) -> serde_json::Value {
    let entry = info.and_then(|info| serde_json::to_value(info).ok());
    let mut object = entry.unwrap_or_else(|| {
        serde_json::json!({
            "name": job.name(),
            "parameter_set": job.spec.instance.parameter_set,
            "field": job.spec.instance.field.name,
            "width": job.spec.instance.width,
            "isa": job.kernel.isa.name(),
            "layout": job.kernel.layout.name(),
            "strategy": job.kernel.strategy.name(),
            "batch": job.batch,
            "features": features(job.kernel.isa, job.kernel.layout),
            "target_arch": job.kernel.isa.target_arch(),
        })
    });
    object["generated"] = info.is_some().into();
    object["used_by"] = usage.why(&job.name()).into();
    object["proof"] = job.kernel.proof.clone().into();
    object
}
