//! The ledger of proved lemmas, a file under version control.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

/// A proved lemma.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Target, field and macro-op.
    pub name: String,
    /// Who proved it: name and version of the solver.
    pub solver: String,
}

/// Lemmas that were proved, by key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ledger {
    path: PathBuf,
    lemmas: BTreeMap<String, Entry>,
    changed: bool,
}

/// A ledger that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// The file cannot be read.
    #[error("cannot read the ledger of lemmas {0}: {1}")]
    Unreadable(PathBuf, #[source] io::Error),
    /// The file is not what [`Ledger::save`] writes.
    #[error("{0} is not a ledger of lemmas: {1}; `codegen prove --force` writes it anew")]
    Malformed(PathBuf, #[source] serde_json::Error),
}

impl From<LedgerError> for crate::diag::Diagnostic {
    fn from(error: LedgerError) -> Self {
        Self::new(error.to_string())
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    key: String,
    #[serde(flatten)]
    entry: Entry,
}

fn parse(text: &str) -> Result<BTreeMap<String, Entry>, serde_json::Error> {
    let lines: Vec<Line> = serde_json::from_str(text)?;
    Ok(lines
        .into_iter()
        .map(|line| (line.key, line.entry))
        .collect())
}

impl Ledger {
    /// An empty ledger that will be saved at `path`.
    #[must_use]
    pub fn empty(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            lemmas: BTreeMap::new(),
            changed: false,
        }
    }

    /// Reads the ledger at `path`; empty if there is no such file.
    ///
    /// # Errors
    /// A file that cannot be read or is no ledger.
    pub fn load(path: &Path) -> Result<Self, LedgerError> {
        let mut ledger = Self::empty(path);
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(ledger),
            Err(error) => return Err(LedgerError::Unreadable(path.to_owned(), error)),
        };
        ledger.lemmas =
            parse(&text).map_err(|error| LedgerError::Malformed(path.to_owned(), error))?;
        Ok(ledger)
    }

    /// The ledger that this program was built with.
    #[must_use]
    pub fn built_in() -> &'static Self {
        static BUILT_IN: LazyLock<Ledger> = LazyLock::new(|| {
            let mut ledger = Ledger::empty(Path::new("codegen/lemmas.json"));
            // A test sees to it that the file is one; without it every lemma is proved anew.
            ledger.lemmas = parse(include_str!("../../lemmas.json")).unwrap_or_default();
            ledger
        });
        &BUILT_IN
    }

    /// The proof recorded under `key`.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Entry> {
        self.lemmas.get(key)
    }

    /// Number of lemmas.
    #[must_use]
    pub fn len(&self) -> usize {
        self.lemmas.len()
    }

    /// Whether it holds no lemma.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lemmas.is_empty()
    }

    /// Whether it holds what its file does not.
    #[must_use]
    pub fn is_changed(&self) -> bool {
        self.changed
    }

    pub(super) fn record(&mut self, key: String, entry: Entry) {
        self.changed |= self.lemmas.get(&key) != Some(&entry);
        self.lemmas.insert(key, entry);
    }

    pub(super) fn emptied(&self) -> Self {
        Self::empty(&self.path)
    }

    pub(super) fn replace(&mut self, new: Self) {
        self.changed |= self.lemmas != new.lemmas;
        self.lemmas = new.lemmas;
    }

    /// Its text: one lemma a line, by name, so that diffs are readable.
    #[must_use]
    pub fn text(&self) -> String {
        let mut lines: Vec<_> = self.lemmas.iter().collect();
        lines.sort_by(|a, b| (&a.1.name, a.0).cmp(&(&b.1.name, b.0)));
        let lines: Vec<String> = lines
            .into_iter()
            .map(|(key, Entry { name, solver })| {
                let fields = serde_json::json!({ "name": name, "solver": solver, "key": key });
                format!("  {fields}")
            })
            .collect();
        format!("[\n{}\n]\n", lines.join(",\n"))
    }

    /// Writes it to its file, whole or not at all.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn save(&mut self) -> io::Result<()> {
        let folder = self.path.parent().filter(|p| !p.as_os_str().is_empty());
        let mut file = tempfile::NamedTempFile::new_in(folder.unwrap_or(Path::new(".")))?;
        io::Write::write_all(&mut file, self.text().as_bytes())?;
        file.persist(&self.path).map_err(|error| error.error)?;
        self.changed = false;
        Ok(())
    }
}
