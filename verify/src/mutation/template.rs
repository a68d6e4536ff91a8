//! Mutants of templates: every line of every macro-op's body is left out, once each, and its
//! additions and subtractions change places, as do its constants.
//!
//! What results must be refused: by the reader, as where a result is missing, or by the lemma with
//! operands that break it.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use codegen::arith::MacroOp;
use codegen::isa::Target;
use codegen::lemma::{self, Lemma};
use codegen::params::Field;
use codegen::template::TemplateSet;

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

/// One mutant: a template without one of its lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    /// The template's file, relative to the folder.
    pub(crate) file: String,
    /// The line, from 1.
    pub(crate) line: usize,
    /// What it said.
    pub(crate) text: String,
    /// What it says instead; nothing where it is left out.
    pub(crate) instead: Option<String>,
    /// The verdict.
    pub(crate) verdict: Verdict,
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            file,
            line,
            text,
            instead,
            verdict,
        } = self;
        let instead = instead.as_deref().unwrap_or("nothing");
        let verdict = match verdict {
            Verdict::Refused(reason) => format!("refused: {reason}"),
            Verdict::Counterexample(operands) => format!("lemma: {operands}"),
            Verdict::SameCode => "same code".to_owned(),
            Verdict::Survives => "SURVIVES".to_owned(),
        };
        write!(f, "{file}:{line} `{text}` is {instead} · {verdict}")
    }
}

/// A folder of templates that is removed again.
struct Copy(PathBuf);

impl Copy {
    fn of(folder: &Path) -> io::Result<Self> {
        let name = format!("verify-templates-{}", std::process::id());
        let copy = Self(std::env::temp_dir().join(name));
        for (file, text) in files(folder, folder)? {
            let path = copy.0.join(file);
            fs::create_dir_all(path.parent().unwrap_or(&copy.0))?;
            fs::write(path, text)?;
        }
        Ok(copy)
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        // What cannot be removed is left to the system: it is a temporary folder.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Every template under a folder, by its path relative to `root`.
fn files(root: &Path, folder: &Path) -> io::Result<BTreeMap<String, String>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            all.extend(files(root, &path)?);
        } else if path
            .extension()
            .is_some_and(|extension| extension == "tera")
        {
            let file = path.strip_prefix(root).unwrap_or(&path);
            all.insert(file.display().to_string(), fs::read_to_string(&path)?);
        }
    }
    Ok(all)
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

/// The line with additions for subtractions, and the reverse; and with other constants.
fn altered(line: &str) -> Option<String> {
    let pairs = [
        ("add", "sub"),
        ("sub", "add"),
        ("EPSILON", "P"),
        ("cs", "cc"),
        ("lo", "hs"),
    ];
    let found = pairs.into_iter().find(|(from, _)| line.contains(from))?;
    // Tera's own lines name files.
    (!line.contains("{%")).then(|| line.replacen(found.0, found.1, 1))
}

/// Leaves out and alters every line of every macro-op's template under a folder, and judges what is left.
pub(crate) fn score(folder: &Path) -> io::Result<Vec<Row>> {
    let wrong = |error: codegen::diag::Diagnostics| io::Error::other(error.to_string());
    let original = TemplateSet::load(folder).map_err(wrong)?;
    let mut bodies = Vec::new();
    for (target, field, op) in lemma::all(&original) {
        let rendered = original.render_body(target, field, op).map_err(wrong)?;
        let home = format!("{}/{}/", target.folder(), field.name);
        bodies.push((home, (target, field, op), rendered.text));
    }
    let copy = Copy::of(folder)?;
    let mut rows = Vec::new();
    for (file, text) in files(folder, folder)? {
        // Kernel templates are control flow; the audit and the kernels' own tests see to them.
        let home = bodies
            .iter()
            .filter(|(home, ..)| file.starts_with(home.as_str()));
        let home: Vec<_> = home.map(|(_, body, text)| (*body, text.as_str())).collect();
        let lines: Vec<&str> = text.lines().collect();
        let path = copy.0.join(&file);
        for n in if home.is_empty() {
            Vec::new()
        } else {
            code(&text)
        } {
            let mut variants = vec![None];
            variants.extend(altered(lines[n]).map(Some));
            for instead in variants {
                let mut left = lines.clone();
                match &instead {
                    Some(line) => left[n] = line,
                    None => drop(left.remove(n)),
                }
                fs::write(&path, left.join("\n") + "\n")?;
                rows.push(Row {
                    file: file.clone(),
                    line: n + 1,
                    text: lines[n].trim().to_owned(),
                    instead: instead.map(|line| line.trim().to_owned()),
                    verdict: judge(&copy.0, &home),
                });
            }
        }
        fs::write(&path, &text)?;
    }
    Ok(rows)
}

type Body = (Target, &'static Field, MacroOp);

fn judge(folder: &Path, bodies: &[(Body, &str)]) -> Verdict {
    let first = |text: String| {
        let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        lines.next().unwrap_or_default().to_owned()
    };
    let templates = match TemplateSet::load(folder) {
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
