//! Where specs, templates and generated files are.

use std::path::{Path, PathBuf};

use super::args::Places;
use crate::diag::Diagnostics;
use crate::spec::{Spec, load_all};
use crate::template::TemplateSet;
use crate::tuning::{self, TuningTable};

/// The command that writes everything.
pub const ALL: &str = "cargo run -p codegen -- generate --all";

/// Specs and folders of one run.
pub struct Workspace {
    /// What is asked for.
    pub specs: Vec<Spec>,
    /// One spec was named; others are none of our business.
    pub one_spec: bool,
    /// The output folder.
    pub out: PathBuf,
    /// The README with the table of kernels, if the output folder is the default one.
    pub readme: Option<PathBuf>,
    root: PathBuf,
    templates: PathBuf,
    places: Places,
}

impl Workspace {
    /// In the repository that this program was built in.
    ///
    /// # Errors
    /// What is wrong with the specs.
    pub fn open(places: &Places) -> Result<Self, Diagnostics> {
        Self::at(root(), places)
    }

    /// In a repository.
    ///
    /// # Errors
    /// What is wrong with the specs.
    pub fn at(root: PathBuf, places: &Places) -> Result<Self, Diagnostics> {
        let specs = match &places.spec {
            Some(path) => vec![Spec::load(path)?],
            None => load_all(root.join("codegen/specs"))?,
        };
        let default = |name: &str| root.join(name);
        let readme = root.join("README.md");
        let readme = (places.out.is_none() && readme.is_file()).then_some(readme);
        Ok(Self {
            specs,
            one_spec: places.spec.is_some(),
            out: places.out.clone().unwrap_or_else(|| default("generated")),
            readme,
            templates: places
                .templates
                .clone()
                .unwrap_or_else(|| default("templates")),
            root,
            places: places.clone(),
        })
    }

    /// The same places, read once more.
    ///
    /// # Errors
    /// What is wrong with the specs.
    pub fn again(&self) -> Result<Self, Diagnostics> {
        Self::at(self.root.clone(), &self.places)
    }

    /// A command, with the places of this run.
    #[must_use]
    pub fn command(&self, command: &str) -> String {
        format!("{command}{}", self.places.flags())
    }

    /// The templates.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn templates(&self) -> Result<TemplateSet, Diagnostics> {
        TemplateSet::load(&self.templates)
    }

    /// The folder of the repository.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The folder of the tuning tables.
    #[must_use]
    pub fn tuning(&self) -> PathBuf {
        self.root.join("codegen/tuning")
    }

    /// The tuning tables.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn tables(&self) -> Result<Vec<TuningTable>, Diagnostics> {
        tuning::load_all(&self.tuning())
    }

    /// The ledger of proved lemmas.
    pub(super) fn lemmas(&self) -> PathBuf {
        self.root.join("codegen/lemmas.json")
    }

    /// Specs outside of this run, whose kernels may already be in the output folder.
    pub(super) fn other_specs(&self) -> Vec<Spec> {
        if !self.one_spec {
            return Vec::new();
        }
        // What is wrong with them is not this run's business.
        load_all(self.root.join("codegen/specs")).unwrap_or_default()
    }

    /// A path in the output folder, as a person here would write it.
    #[must_use]
    pub fn display(&self, path: &str) -> String {
        shown(&self.out.join(path))
    }
}

impl Places {
    /// As they were given on the command line.
    fn flags(&self) -> String {
        let places = [
            ("spec", &self.spec),
            ("templates", &self.templates),
            ("out", &self.out),
        ];
        let given = places.into_iter().filter_map(|(flag, path)| {
            let path = path.as_ref()?;
            Some(format!(" --{flag} {}", path.display()))
        });
        given.collect()
    }
}

/// The workspace that this program was built in, if it is still there; else the current folder.
fn root() -> PathBuf {
    let built_in = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    match built_in {
        Some(root) if root.join("codegen/specs").is_dir() => root.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// Relative to the current folder where it lies inside.
#[must_use]
pub fn shown(path: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    let path = path.strip_prefix(here).unwrap_or(path);
    path.display().to_string()
}
