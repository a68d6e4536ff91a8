//! `codegen diff`.

use std::io::{IsTerminal as _, Write};

use super::places::Workspace;
use super::produce::{cores, each, once, produce};
use super::select::Job;
use super::{Exit, complain, select, tell};
use crate::diag::{Diagnostic, Diagnostics, number};
use crate::diff::{compare, render};
use crate::kernel::source_path;
use crate::pipeline::preview;

pub(super) fn run(
    workspace: &Workspace,
    kernel: Option<&str>,
    out: &mut dyn Write,
) -> Result<Exit, Diagnostics> {
    let jobs = match kernel {
        Some(name) => vec![select::named(&workspace.specs, name)?],
        None => workspace.used()?,
    };
    let templates = workspace.templates()?;
    let previews = each(&jobs, cores(), Job::name, |job| {
        preview(job.spec, job.kernel, job.batch, &templates)
    });
    let colour = std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let (mut refused, mut changed, mut unseen) = (Diagnostics::new(), Vec::new(), 0);
    for (job, preview) in jobs.iter().zip(previews) {
        let new = match preview {
            Ok(source) => source,
            Err(errors) => {
                refused.extend(errors);
                unseen += 1;
                continue;
            }
        };
        let old = std::fs::read_to_string(workspace.out.join(source_path(&job.name())));
        let note = if old.is_err() { "  (new)" } else { "" };
        let not_rust = |error| {
            let message = format!("cannot compare {}: {error}", job.name());
            Diagnostic::new(message)
        };
        let changes = compare(&old.unwrap_or_default(), &new).map_err(not_rust)?;
        if !changes.is_empty() {
            changed.push(*job);
            let told = format!("{}{note}\n{}\n", job.name(), render(&changes, colour));
            tell(out, &told)?;
        }
    }
    let count = number(jobs.len() - unseen, "kernel");
    let told = format!("{} of {count} would change by instruction", changed.len());
    let told = match unseen {
        0 => format!("{told}\n"),
        unseen => format!("{told}; {unseen} more are refused\n"),
    };
    tell(out, &told)?;
    // A preview is not proved; whether the change is right is another question.
    refused.extend(produce(&changed, &templates).err().unwrap_or_default());
    if refused.has_errors() {
        let refused = once(refused).with_help(|help| workspace.advice(help));
        complain(&format!(
            "\ngeneration would refuse this:\n{}\n",
            refused.render()
        ));
        return Ok(Exit::Refused);
    }
    Ok(Exit::Done)
}
