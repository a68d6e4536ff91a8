//! Mutants of templates: every line of every macro-op's body is left out, once each, and its
//! additions and subtractions change places, as do conditions, halves of products and constants.
//!
//! What results must be refused: by the reader, as where a result is missing, or by the lemma with
//! operands that break it.

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::io;
use std::path::Path;

use codegen::diag::Diagnostics;
use codegen::isa::{self, Target, table};
use codegen::lemma::{self, Lemma};
use codegen::ops::MacroOp;
use codegen::params::Field;
use codegen::template::TemplateSet;

use crate::parallel::in_parallel;
use checker::below;

/// Random operands for each body, beside the edge values.
const RANDOM: usize = 2_000;

/// The verdict on one mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The template is no body of its macro-op any more.
    Refused(String),
    /// The body breaks its contract on these operands.
    Counterexample(String),
    /// No body has changed: the line is not an instruction.
    SameCode,
    /// Nothing was found against it.
    Survives,
}

/// One mutant: a template without one of its lines, or with another in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    /// File and line, what it said, and what it says instead.
    pub(crate) what: String,
    pub(crate) verdict: Verdict,
}

impl Row {
    /// Whether nothing is found against it.
    pub(crate) fn is_idle(&self) -> bool {
        matches!(self.verdict, Verdict::Survives | Verdict::SameCode)
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} · ", self.what)?;
        match &self.verdict {
            Verdict::Refused(reason) => write!(f, "refused: {reason}"),
            Verdict::Counterexample(operands) => write!(f, "lemma: {operands}"),
            Verdict::SameCode => f.write_str("same code"),
            Verdict::Survives => f.write_str("SURVIVES"),
        }
    }
}

/// The lines that are neither empty nor part of a comment: numbers from 0.
fn code(text: &str) -> Vec<usize> {
    let mut comment = false;
    let mut code = Vec::new();
    for (n, line) in text.lines().map(str::trim).enumerate() {
        comment |= line.starts_with("{#");
        if !comment && !line.is_empty() && !line.starts_with("//") {
            code.push(n);
        }
        comment &= !line.ends_with("#}");
    }
    code
}

/// The line with another instruction, condition or constant: the first word of it that has another such
/// one. Both are among what instructions are written with: a name that nothing defines would be refused for that.
fn altered(line: &str, known: &BTreeSet<String>) -> Option<String> {
    let pairs = [
        ("add", "sub"),
        ("sub", "add"),
        ("EPSILON", "P"),
        ("adc", "sbc"),
        ("sbc", "adc"),
        ("cs", "cc"),
        ("cc", "cs"),
        ("lo", "hi"),
        ("hi", "lo"),
    ];
    // Tera's own lines name files.
    if line.contains("{%") {
        return None;
    }
    let mut words = words(line).flat_map(|word| pairs.map(|(from, to)| (word, from, to)));
    words.find_map(|(word, from, to)| {
        let other = word.replacen(from, to, 1);
        let both = || known.contains(word) && known.contains(&other);
        let is_other = word != other && (word == "EPSILON" || both());
        let at = word.as_ptr().addr() - line.as_ptr().addr();
        let after = &line[at + word.len()..];
        is_other.then(|| format!("{}{other}{after}", &line[..at]))
    })
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    let words = line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words.filter(|word| !word.is_empty())
}

/// Leaves out and alters every line of every macro-op's template under a folder, and judges what is left.
pub(crate) fn score(folder: &Path) -> io::Result<Vec<Row>> {
    let wrong = |error: Diagnostics| io::Error::other(error.to_string());
    let original = TemplateSet::load(folder).map_err(wrong)?;
    let mut bodies = Vec::new();
    for (target, field, op) in lemma::all(&original) {
        let rendered = original.render_body(target, field, op).map_err(wrong)?;
        bodies.push(((target, field, op), rendered.text));
    }
    let mut templates = Vec::new();
    for path in below(folder, "tera")? {
        let file = path.strip_prefix(folder).unwrap_or(&path);
        templates.push((file.display().to_string(), fs::read_to_string(&path)?));
    }
    let rows = in_parallel(&templates, |(file, text)| {
        // Kernel templates are control flow, which the checker reads.
        let home = bodies.iter().filter(|((target, field, _), _)| {
            let home = format!("{}/{}/", target.folder(), field.family.name());
            file.starts_with(&home)
        });
        let mut home = home.peekable();
        if home.peek().is_none() {
            return Vec::new();
        }
        let made = home.filter(|((target, field, op), _)| {
            is_made_of(&templates, &TemplateSet::name(*target, field, *op), file)
        });
        let made: Vec<_> = made.map(|(body, text)| (*body, text.as_str())).collect();
        mutants(&original, file, text, &made)
    });
    let rows = rows.concat();
    if rows.is_empty() {
        return Err(io::Error::other("templates have no mutants"));
    }
    Ok(rows)
}

/// Whether a template is another or names it, or names one that is made of it.
fn is_made_of(templates: &[(String, String)], name: &str, other: &str) -> bool {
    let text = templates.iter().find(|(file, _)| file == name);
    let mut quoted = text.into_iter().flat_map(|(_, text)| text.split('"'));
    name == other || quoted.any(|file| file != name && is_made_of(templates, file, other))
}

/// Judges the mutants of one template by the bodies that are made of it.
fn mutants(original: &TemplateSet, file: &str, text: &str, made: &[(Body, &str)]) -> Vec<Row> {
    let lines: Vec<&str> = text.lines().collect();
    let mut templates = original.clone();
    let tables = made.iter().map(|((target, ..), _)| table(*target));
    let written = tables.flat_map(|table| table.rows().map(isa::Row::example));
    let known = written.flat_map(|text| words(&text).map(str::to_owned).collect::<Vec<_>>());
    let known: BTreeSet<String> = known.collect();
    let mut rows = Vec::new();
    for n in code(text) {
        for instead in [None]
            .into_iter()
            .chain(altered(lines[n], &known).map(Some))
        {
            let mut left = lines.clone();
            match &instead {
                Some(line) => left[n] = line,
                None => drop(left.remove(n)),
            }
            let replaced = templates.replace(file, &(left.join("\n") + "\n"));
            let instead = instead.as_deref().map_or("nothing", str::trim);
            rows.push(Row {
                what: format!("{file}:{} `{}` is {instead}", n + 1, lines[n].trim()),
                verdict: judge(replaced.map(|()| &templates), made),
            });
        }
    }
    rows
}

type Body = (Target, &'static Field, MacroOp);

fn judge(templates: Result<&TemplateSet, Diagnostics>, bodies: &[(Body, &str)]) -> Verdict {
    let first = |text: String| {
        let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        lines.next().unwrap_or_default().to_owned()
    };
    let templates = match templates {
        Ok(templates) => templates,
        Err(error) => return Verdict::Refused(first(error.to_string())),
    };
    let mut changed = false;
    for ((target, field, op), text) in bodies {
        let rendered = match templates.render_body(*target, field, *op) {
            Ok(rendered) => rendered,
            Err(error) => return Verdict::Refused(first(error.to_string())),
        };
        if rendered.text == *text {
            continue;
        }
        changed = true;
        let found = Lemma::new(&rendered).map(|lemma| lemma.test(RANDOM));
        if let Some(Err(found)) = found {
            let operands: Vec<String> = found
                .operands
                .iter()
                .map(|operand| format!("{operand:#x}"))
                .collect();
            return Verdict::Counterexample(format!(
                "{op}({}) gives {:#x}, not {:#x}",
                operands.join(", "),
                found.got,
                found.expected
            ));
        }
    }
    if changed {
        Verdict::Survives
    } else {
        Verdict::SameCode
    }
}
