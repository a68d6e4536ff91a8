//! The ledger of proved lemmas, a file under version control: it spares whoever has no solver the
//! proofs, and is compared with new ones in continuous integration.

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
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    lemmas: BTreeMap<String, Entry>,
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
    /// Reads the ledger at `path`; empty if there is no such file.
    ///
    /// # Errors
    /// A file that cannot be read or is no ledger.
    pub fn load(path: &Path) -> Result<Self, LedgerError> {
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(LedgerError::Unreadable(path.to_owned(), error)),
        };
        let lemmas =
            parse(&text).map_err(|error| LedgerError::Malformed(path.to_owned(), error))?;
        Ok(Self { lemmas })
    }

    /// The ledger that this program was built with.
    #[must_use]
    pub fn built_in() -> &'static Self {
        static BUILT_IN: LazyLock<Ledger> = LazyLock::new(|| Ledger {
            // A test sees to it that the file is one; without it every lemma is proved anew.
            lemmas: parse(include_str!("../../lemmas.json")).unwrap_or_default(),
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

    /// Adds a proof. Bodies of several targets may have one lemma in common, which goes by the
    /// name of the first.
    pub fn record(&mut self, key: String, entry: Entry) {
        self.lemmas.entry(key).or_insert(entry);
    }

    /// Lemmas that `other` does not hold.
    pub fn beyond<'l>(&'l self, other: &'l Self) -> impl Iterator<Item = (&'l str, &'l Entry)> {
        let lemmas = self.lemmas.iter();
        let more = lemmas.filter(|(key, _)| !other.lemmas.contains_key(*key));
        more.map(|(key, entry)| (key.as_str(), entry))
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

    /// Writes it to a file, whole or not at all.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn save(&self, path: &Path) -> io::Result<()> {
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
        let mut file = tempfile::NamedTempFile::new_in(folder.unwrap_or(Path::new(".")))?;
        io::Write::write_all(&mut file, self.text().as_bytes())?;
        file.persist(path).map_err(|error| error.error)?;
        Ok(())
    }
}
