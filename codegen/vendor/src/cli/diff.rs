//! What changes in a checkout, for people.

use std::io::IsTerminal as _;

use codegen::diag::number;
use codegen::diff::{compare, render};
use codegen::emit::is_owned;
use owo_colors::{OwoColorize as _, Style};
use similar::TextDiff;

use crate::vendored::Change;

/// Files that differ: their names, and where they were there before, what changes in them.
pub(crate) fn changes(changes: &[Change]) -> String {
    let colour = std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let told = changes.iter().map(|change| one(change, colour));
    let end = changes.last().map(|_| "\n".to_owned());
    told.chain(end).collect()
}

fn one(change: &Change, colour: bool) -> String {
    let path = &change.path;
    let lines = |text: &str| number(text.lines().count(), "line");
    match (&change.now, &change.wanted) {
        (None, None) => String::new(),
        (None, Some(new)) => paint(&format!("+ {path}  (new, {})", lines(new)), colour),
        (Some(old), None) => paint(&format!("- {path}  (deleted, {})", lines(old)), colour),
        (Some(old), Some(new)) => match by_instruction(path, old, new, colour) {
            Some(told) => format!("{path}\n{told}"),
            None => unified(path, old, new, colour),
        },
    }
}

/// Kernels are compared as `codegen diff` compares them.
fn by_instruction(path: &str, old: &str, new: &str, colour: bool) -> Option<String> {
    if path.ends_with(".cert") {
        return Some("    another certificate\n".to_owned());
    }
    if !is_owned(new) {
        return None;
    }
    let changes = compare(old, new).ok()?;
    (!changes.is_empty()).then(|| render(&changes, colour))
}

fn unified(path: &str, old: &str, new: &str, colour: bool) -> String {
    let diff = TextDiff::from_lines(old, new);
    let mut unified = diff.unified_diff();
    let text = unified
        .header(&format!("a/{path}"), &format!("b/{path}"))
        .to_string();
    text.lines().map(|line| paint(line, colour)).collect()
}

fn paint(line: &str, colour: bool) -> String {
    let style = match line.as_bytes().first() {
        Some(b'+') => Style::new().green(),
        Some(b'-') => Style::new().red(),
        _ => Style::new(),
    };
    if colour {
        format!("{}\n", line.style(style))
    } else {
        format!("{line}\n")
    }
}
