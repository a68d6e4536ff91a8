//! Edits of files that others wrote: exact text for exact text, each in one place.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::checkout::Checkout;
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

/// Texts by path.
pub(crate) type Files = BTreeMap<String, String>;

/// The edited files as they are with the edits; `base` has those that are not to be read from the
/// checkout.
pub(crate) fn applied(
    checkout: &Checkout,
    base: &Files,
    edits: &[Edit],
) -> Result<Files, Diagnostics> {
    let (name, version) = (checkout.package.name, checkout.package.version);
    let complaint = |file: &str| format!("{file} is not that of {name} {version}");
    let turns = edits.iter().map(|edit| (edit, &edit.stock, &edit.vendored));
    let help = "bring these lines back, or start from an unchanged copy; nothing was changed";
    replaced(checkout, base, turns, &complaint, help)
}

/// The edited files as they were without the edits; `base` as above.
pub(crate) fn reverted(
    checkout: &Checkout,
    base: &Files,
    edits: &[Edit],
) -> Result<Files, Diagnostics> {
    let complaint = |file: &str| format!("{file} was changed where `vendor` had edited it");
    let turns = edits.iter().map(|edit| (edit, &edit.vendored, &edit.stock));
    // Version control brings back the crate's own files, and leaves ours, which it does not know.
    let help = "bring these lines back; or bring back all of the crate's own files as published, delete the folders \
                `poseidon2_generated`, and run this again; nothing was changed";
    replaced(checkout, base, turns, &complaint, help)
}

fn replaced<'e>(
    checkout: &Checkout,
    base: &Files,
    edits: impl Iterator<Item = (&'e Edit, &'e String, &'e String)> + Clone,
    complaint: &dyn Fn(&str) -> String,
    help: &str,
) -> Result<Files, Diagnostics> {
    let (mut files, mut errors) = (Files::new(), Diagnostics::new());
    let paths: BTreeSet<&String> = edits.clone().map(|(edit, ..)| &edit.file).collect();
    for path in paths {
        let text = match base.get(path) {
            Some(text) => Some(text.clone()),
            None => checkout.read(path)?,
        };
        match text {
            Some(text) => drop(files.insert(path.clone(), text)),
            None => errors.push(missing(checkout, path)),
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    for (edit, from, to) in edits {
        let file = files.entry(edit.file.clone()).or_default();
        match replace_once(file, from, to) {
            Ok(new) => *file = new,
            Err(times) => {
                let diagnostic = misplaced(&complaint(&edit.file), edit, file, from, times);
                errors.push(diagnostic.help(help));
            }
        }
    }
    errors.into_result().map(|()| files)
}

fn missing(checkout: &Checkout, file: &str) -> Diagnostic {
    let (name, version) = (checkout.package.name, checkout.package.version);
    let message =
        format!("{file} is not there\nexpected: the file of {name} {version}\nfound: no such file");
    Diagnostic::new(message).help("start from an unchanged copy; nothing was changed")
}

/// Replaces whole lines that occur once; else says how often they occur.
fn replace_once(text: &str, from: &str, to: &str) -> Result<String, usize> {
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let (from, to) = (from.replace('\n', end), to.replace('\n', end));
    let whole = |at: &usize| *at == 0 || text.as_bytes()[at - 1] == b'\n';
    let places = text.match_indices(&from).map(|(at, _)| at);
    match places.filter(whole).collect::<Vec<_>>()[..] {
        [at] => Ok([&text[..at], &to, &text[at + from.len()..]].concat()),
        ref several => Err(several.len()),
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
    let diagnostic = Diagnostic::new(message);
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
