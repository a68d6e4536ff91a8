//! The report of what was generated.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use super::places::{Workspace, shown};
use super::text;
use crate::diag::number;
use crate::emit::Outcome;
use crate::kernel::{Generated, KernelInfo, Verdict};

/// Everything about one kernel.
pub(super) fn one(kernel: &Generated, outcome: &Outcome, workspace: &Workspace) -> String {
    let info = &kernel.info;
    let mut told = format!("{}\n", info.name);
    let mut line = |what: &str, text: &str| {
        let _ = writeln!(told, "  {what:<12} {text}");
    };
    for (n, path) in [&info.file, &info.certificate].into_iter().enumerate() {
        let changed = outcome.written.contains(path);
        let note = if changed { "" } else { "  (unchanged)" };
        let what = if n == 0 { "files" } else { "" };
        line(what, &format!("{}{note}", workspace.display(path)));
    }
    let (sites, elided, kept) = (info.sites, info.elided, info.kept);
    line(
        "add-sites",
        &format!("{sites}: canonicalisation elided at {elided}, kept at {kept}"),
    );
    for (verdict, group) in groups(kernel) {
        for (n, (reason, sites)) in group.iter().enumerate() {
            let what = if n == 0 { verdict } else { "" };
            line(
                what,
                &format!("{:>4}  {reason}  ({})", sites.len(), some(sites)),
            );
        }
    }
    line("operations", &text::counts(info));
    line("", &each(info));
    line("certificate", &workspace.display(&info.certificate));
    told
}

fn each(info: &KernelInfo) -> String {
    let (states, per) = (info.states(), info.instructions_each());
    format!("one call permutes {states}; {per} instructions each, loads and stores aside")
}

/// Sites by verdict and reason, in order of the program.
fn groups(kernel: &Generated) -> BTreeMap<&'static str, BTreeMap<&str, Vec<&str>>> {
    let mut groups: BTreeMap<_, BTreeMap<_, Vec<_>>> = BTreeMap::new();
    for site in &kernel.program.sites {
        let verdict = match site.verdict {
            Verdict::Elided => "elided",
            Verdict::Kept { .. } => "kept",
        };
        let reasons = groups.entry(verdict).or_default();
        let reason = site.reason.as_str();
        reasons.entry(reason).or_default().push(site.name.as_str());
    }
    groups
}

/// The first names, and that there are more.
fn some(sites: &[&str]) -> String {
    match sites {
        [a, b, _, _, ..] => format!("{a}, {b}, …"),
        few => few.join(", "),
    }
}

/// What else was written.
pub(super) fn around(generated: &[Generated], outcome: &Outcome, workspace: &Workspace) -> String {
    let own = generated.iter().map(|kernel| &kernel.info);
    let own: Vec<_> = own
        .flat_map(|info| [&info.file, &info.certificate])
        .collect();
    let others = outcome.written.iter().filter(|path| !own.contains(path));
    let others: Vec<_> = others.map(String::as_str).collect();
    let edits = outcome.told_of_edits();
    if others.is_empty() {
        return edits;
    }
    let folder = shown(&workspace.out);
    format!("around them, in {folder}: {}\n{edits}", others.join(", "))
}

/// A line for each kernel, and what was written.
pub(super) fn all(
    generated: &[Generated],
    outcome: &Outcome,
    workspace: &Workspace,
    took: Duration,
) -> String {
    let rows = generated.iter().map(|kernel| {
        let info = &kernel.info;
        let per = info.instructions_each();
        let numbers = [info.sites as u64, info.elided as u64, info.kept as u64, per];
        let mut row = vec![info.name.clone()];
        row.extend(numbers.map(|n| n.to_string()));
        row
    });
    let header = [
        "kernel",
        "add-sites",
        "elided",
        "kept",
        "instructions/state",
    ];
    let mut told = text::table(&header, 1, rows.collect());
    let _ = writeln!(
        told,
        "\n{}{} in {:.1} s; under {}: {} written, {} unchanged, {} deleted",
        outcome.told_of_edits(),
        number(generated.len(), "kernel"),
        took.as_secs_f64(),
        shown(&workspace.out),
        number(outcome.written.len(), "file"),
        outcome.unchanged.len(),
        outcome.deleted.len(),
    );
    told
}
