//! The ledger of proved lemmas, a file under version control: it spares whoever has no solver the
//! proofs, and is compared with new ones in continuous integration.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::diag::Diagnostic;

/// A proved lemma.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// The hash of all that its proof depends on.
    pub key: String,
    /// Target, field and macro-op.
    pub name: String,
    /// Who proved it: name and version of the solver, or of several, by commas.
    pub solver: String,
}

impl Entry {
    /// Whether the solver of that name, of any version, proved it.
    #[must_use]
    pub fn is_by(&self, solver: &str) -> bool {
        let mut solvers = self.solver.split(", ");
        solvers.any(|by| by.split_once(' ').is_some_and(|(name, _)| name == solver))
    }
}

/// Lemmas that were proved, by key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ledger(BTreeMap<String, Entry>);

fn parse(text: &str) -> Result<Ledger, serde_json::Error> {
    let entries: Vec<Entry> = serde_json::from_str(text)?;
    let lemmas = entries.into_iter().map(|entry| (entry.key.clone(), entry));
    Ok(Ledger(lemmas.collect()))
}

/// The hash under which the proof of a lemma is recorded: of its statement, which holds the body, the
/// meanings of its instructions and what is asked of it.
#[must_use]
pub fn key(lemma: &checker::Lemma) -> String {
    blake3::hash(lemma.statement().as_bytes())
        .to_hex()
        .to_string()
}

impl Ledger {
    /// Reads the ledger at `path`; empty if there is no such file.
    ///
    /// # Errors
    /// A file that cannot be read or is no ledger.
    pub fn load(path: &Path) -> Result<Self, Diagnostic> {
        let shown = path.display();
        let text = match fs::read_to_string(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            text => text.map_err(|error| {
                Diagnostic::new(format!("cannot read the ledger of lemmas {shown}: {error}"))
            })?,
        };
        parse(&text).map_err(|error| {
            Diagnostic::new(format!(
                "{shown} is not a ledger of lemmas: {error}; `codegen prove --force` writes it anew"
            ))
        })
    }

    /// The ledger that this program was built with.
    #[must_use]
    pub fn built_in() -> &'static Self {
        // A test sees to it that the file is one; without it every lemma is proved anew.
        static BUILT_IN: LazyLock<Ledger> =
            LazyLock::new(|| parse(include_str!("../../lemmas.json")).unwrap_or_default());
        &BUILT_IN
    }

    /// The proof recorded under `key`.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Entry> {
        self.0.get(key)
    }

    /// Its lemmas, by key.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = &Entry> {
        self.0.values()
    }

    /// Adds a proof. Bodies of several targets may have one lemma in common, which goes by the
    /// name of the first.
    pub fn record(&mut self, entry: Entry) {
        self.0.entry(entry.key.clone()).or_insert(entry);
    }

    /// Adds that a solver, by name and version, proved a lemma, beside those that did.
    pub fn add(&mut self, key: &str, name: &str, solver: &str) {
        let entry = self.0.entry(key.to_owned());
        let entry = entry.or_insert_with(|| Entry {
            key: key.to_owned(),
            name: name.to_owned(),
            solver: String::new(),
        });
        let others = entry.solver.split(", ").filter(|by| !by.is_empty());
        let solvers: BTreeSet<&str> = others.chain([solver]).collect();
        // The one that is asked first of all first.
        let mut solvers: Vec<&str> = solvers.into_iter().collect();
        let place = |by: &&str| {
            checker::SOLVERS
                .iter()
                .position(|name| by.starts_with(name))
        };
        solvers.sort_by_key(place);
        entry.solver = solvers.join(", ");
    }

    /// Lemmas that `other` does not hold.
    pub fn beyond<'l>(&'l self, other: &'l Self) -> impl Iterator<Item = &'l Entry> {
        self.entries()
            .filter(|entry| other.get(&entry.key).is_none())
    }

    /// Its text: one lemma a line, by name, so that diffs are readable.
    #[must_use]
    pub fn text(&self) -> String {
        let mut entries: Vec<&Entry> = self.entries().collect();
        entries.sort_by_key(|entry| (&entry.name, &entry.key));
        let line = |entry| {
            let fields = serde_json::to_string(entry).expect("strings alone");
            format!("  {fields}")
        };
        let lines: Vec<String> = entries.into_iter().map(line).collect();
        format!("[\n{}\n]\n", lines.join(",\n"))
    }

    /// Writes it to a file, whole or not at all.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn save(&self, path: &Path) -> io::Result<()> {
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
        let mut file = tempfile::NamedTempFile::new_in(folder.unwrap_or(Path::new(".")))?;
        file.write_all(self.text().as_bytes())?;
        file.persist(path).map_err(|error| error.error)?;
        Ok(())
    }
}
