//! `codegen sites` and `codegen explain`.

use std::fmt::Write as _;
use std::io::Write;

use super::places::Workspace;
use super::select::named;
use super::{Exit, tell, text};
use crate::diag::{Diagnostic, Diagnostics, number};
use crate::explain::{self, Explained};
use crate::kernel::{SiteReport, Verdict};
use crate::spec::SitePattern;

/// Every add-site of a kernel.
pub(super) fn list(
    workspace: &Workspace,
    kernel: &str,
    out: &mut dyn Write,
) -> Result<Exit, Diagnostics> {
    let job = named(&workspace.specs, kernel)?;
    let Explained { sites, refused } = explain::explain(job.spec, job.kernel)?;
    let field = job.spec.instance.field;
    let rows = sites.iter().map(|(site, refused)| {
        vec![
            site.block.clone(),
            site.name.clone(),
            site.op.clone(),
            text::range(&site.a, field),
            text::range(&site.b, field),
            site.bound.clone(),
            dash(&site.claim),
            verdict(site, refused),
            because(site),
        ]
    });
    let header = [
        "block", "site", "op", "a", "b", "needs", "claim", "verdict", "because",
    ];
    let mut told = text::table(&header, header.len(), rows.collect());
    let count = |is: fn(&Verdict) -> bool| {
        let proved = sites.iter().filter(|(_, refused)| !refused.has_errors());
        proved.filter(|(site, _)| is(&site.verdict)).count()
    };
    let bad = sites.iter().filter(|(_, refused)| refused.has_errors());
    let bad = match bad.count() {
        0 => String::new(),
        bad => format!(", refused at {bad}"),
    };
    let _ = writeln!(
        told,
        "\n{}: {}, elided at {}, kept at {}{bad}",
        job.name(),
        number(sites.len(), "add-site"),
        count(|verdict| *verdict == Verdict::Elided),
        count(|verdict| *verdict != Verdict::Elided),
    );
    tell(out, &told)?;
    refused.into_result().map(|()| Exit::Done)
}

/// How the verdict on one site is derived; if it is refused, what is wrong with it.
pub(super) fn explain(
    workspace: &Workspace,
    kernel: &str,
    site: &str,
    out: &mut dyn Write,
) -> Result<Exit, Diagnostics> {
    let job = named(&workspace.specs, kernel)?;
    let (name, field) = (job.name(), job.spec.instance.field);
    let Explained { sites, .. } = explain::explain(job.spec, job.kernel)?;
    let Some((found, refused)) = sites.iter().find(|(report, _)| report.name == site) else {
        let names: Vec<_> = sites.iter().map(|(site, _)| site.name.as_str()).collect();
        return Err(unknown_site(&name, &names, site).into());
    };
    let mut told = format!("{} in {} of {name}\n\n", found.name, found.block);
    let mut line = |what: &str, text: &str| {
        let _ = writeln!(told, "  {what:<8} {text}");
    };
    line("op", &found.op);
    line("a", &text::range(&found.a, field));
    line("b", &text::range(&found.b, field));
    line("needs", &found.bound);
    line("claim", &dash(&found.claim));
    let verdict = verdict(found, refused);
    match refused.has_errors() {
        true => line("verdict", &verdict),
        false => line("verdict", &format!("{verdict}: {}", found.reason)),
    }
    told.push('\n');
    for (n, step) in (1..).zip(&found.derivation) {
        let _ = writeln!(told, "  {n:>2}. {step}");
    }
    if refused.has_errors() {
        let _ = write!(told, "\n{}", refused.render_plain());
    }
    tell(out, &told)?;
    Ok(Exit::Done)
}

fn unknown_site(kernel: &str, names: &[&str], given: &str) -> Diagnostic {
    let list = format!("`codegen sites {kernel}` lists them");
    let help = match given.parse::<SitePattern>() {
        Ok(pattern) if names.iter().any(|name| pattern.matches(name)) => {
            let matched: Vec<_> = names.iter().filter(|name| pattern.matches(name)).collect();
            let first: Vec<_> = matched.iter().take(3).map(|name| **name).collect();
            format!("it matches `{}`, …; {list}", first.join("`, `"))
        }
        Ok(pattern) => format!("{}; {list}", pattern.unmatched_help(names)),
        Err(_) => list,
    };
    Diagnostic::new(format!("`{kernel}` has no site `{given}`")).help(help)
}

fn verdict(site: &SiteReport, refused: &Diagnostics) -> String {
    match site.verdict {
        _ if refused.has_errors() => "refused".to_owned(),
        Verdict::Elided => "elided".to_owned(),
        Verdict::Kept { operand } => format!("kept on {operand}"),
    }
}

/// The reason; an elision for a claim needs no other.
fn because(site: &SiteReport) -> String {
    if site.reason == site.claim {
        "the claim is derived".to_owned()
    } else {
        site.reason.clone()
    }
}

fn dash(text: &str) -> String {
    if text.is_empty() {
        "-".to_owned()
    } else {
        text.to_owned()
    }
}
