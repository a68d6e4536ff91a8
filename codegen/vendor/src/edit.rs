//! Edits of files that others wrote: exact text for exact text, each in one place.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::checkout::{Checkout, PACKAGE, VERSION};
use codegen::diag::{Diagnostic, Diagnostics, Source};

/// One edit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Edit {
    /// Relative to the checkout.
    pub(crate) file: String,
    /// Whole lines of the crate as published.
    pub(crate) stock: String,
    /// What stands in their place.
    pub(crate) vendored: String,
}

/// The edited files, by path, as they are with the edits; `base` has those that are not to be read
/// from the checkout.
pub(crate) fn applied(
    checkout: &Checkout,
    base: &[(String, String)],
    edits: &[Edit],
) -> Result<Vec<(String, String)>, Diagnostics> {
    let of = |edit: &Edit| (edit.stock.clone(), edit.vendored.clone());
    let complaint = |file: &str| format!("{file} is not that of {PACKAGE} {VERSION}");
    replaced(checkout, base, edits, &of, &complaint)
}

/// The edited files, by path, as they were without the edits; `base` as above.
pub(crate) fn reverted(
    checkout: &Checkout,
    base: &[(String, String)],
    edits: &[Edit],
) -> Result<Vec<(String, String)>, Diagnostics> {
    let of = |edit: &Edit| (edit.vendored.clone(), edit.stock.clone());
    let complaint = |file: &str| format!("{file} was changed where `vendor` had edited it");
    replaced(checkout, base, edits, &of, &complaint)
}

fn replaced(
    checkout: &Checkout,
    base: &[(String, String)],
    edits: &[Edit],
    of: &dyn Fn(&Edit) -> (String, String),
    complaint: &dyn Fn(&str) -> String,
) -> Result<Vec<(String, String)>, Diagnostics> {
    let mut files: Vec<(String, String)> = Vec::new();
    let mut errors = Diagnostics::new();
    for file in edits.iter().map(|edit| &edit.file).collect::<BTreeSet<_>>() {
        let text = match base.iter().find(|(path, _)| path == file) {
            Some((_, text)) => Some(text.clone()),
            None => checkout.read(file)?,
        };
        match text {
            Some(text) => files.push((file.clone(), text)),
            None => errors.push(missing(file)),
        }
    }
    errors.clone().into_result()?;
    for edit in edits {
        let (from, to) = of(edit);
        let mut edited = files.iter_mut().filter(|(path, _)| *path == edit.file);
        let Some((_, text)) = edited.next() else {
            continue;
        };
        match replace_once(text, &from, &to) {
            Ok(new) => *text = new,
            Err(times) => errors.push(misplaced(&complaint(&edit.file), edit, text, &from, times)),
        }
    }
    errors.into_result().map(|()| files)
}

fn missing(file: &str) -> Diagnostic {
    let message = format!(
        "{file} is not there\nexpected: the file of {PACKAGE} {VERSION}\nfound: no such file"
    );
    Diagnostic::new(message).help("start from an unchanged copy; nothing was changed")
}

/// Replaces whole lines that occur once; else says how often they occur.
fn replace_once(text: &str, from: &str, to: &str) -> Result<String, usize> {
    let windows = text.contains("\r\n");
    let ends = |lines: &str| {
        if windows {
            lines.replace('\n', "\r\n")
        } else {
            lines.to_owned()
        }
    };
    let (from, to) = (ends(from), ends(to));
    let places: Vec<usize> = text
        .match_indices(&from)
        .map(|(at, _)| at)
        .filter(|&at| at == 0 || text.as_bytes()[at - 1] == b'\n')
        .collect();
    match places[..] {
        [at] => Ok([&text[..at], &to, &text[at + from.len()..]].concat()),
        _ => Err(places.len()),
    }
}

fn misplaced(complaint: &str, edit: &Edit, text: &str, expected: &str, times: usize) -> Diagnostic {
    let quoted: Vec<_> = expected.lines().map(|line| format!("    {line}")).collect();
    let found = match times {
        0 => "these lines nowhere".to_owned(),
        _ => format!("these lines {times} times"),
    };
    let message = format!(
        "{complaint}\nexpected, once:\n{}\nfound: {found}",
        quoted.join("\n")
    );
    let help = "bring these lines back, or start from an unchanged copy; nothing was changed";
    let diagnostic = Diagnostic::new(message).help(help);
    match longest_start(text, expected) {
        Some(span) => {
            let source = Source::new(&edit.file, text);
            diagnostic.at(&source, span, "it goes on otherwise here")
        }
        None => diagnostic,
    }
}

/// The line after the longest part of `expected`'s beginning that is there.
fn longest_start(text: &str, expected: &str) -> Option<std::ops::Range<usize>> {
    let lines: Vec<_> = expected.lines().collect();
    (1..lines.len()).rev().find_map(|count| {
        let start = lines[..count].join("\n") + "\n";
        let at = text.find(&start)? + start.len();
        let line = text[at..].lines().next()?;
        Some(at..at + line.len())
    })
}
