//! Where specs, templates and generated files are.

use std::path::{Component, Path, PathBuf};

use super::args::Places;
use super::select::Job;
use super::usage::Usage;
use crate::diag::{Diagnostic, Diagnostics};
use crate::kernel::Generated;
use crate::spec::{Spec, read_all};
use crate::template::TemplateSet;
use crate::tuning::{self, TuningTable};

/// The command that writes everything.
pub const ALL: &str = "cargo run -p codegen -- generate --all";

/// The folder of specs.
const SPECS: &str = "codegen/specs";

/// The usual output folder.
const GENERATED: &str = "generated";

/// The folder of permutations that other projects have, without kernels.
const INSTANCES: &str = "codegen/instances";

/// What files of constants, which stand beside them, end with.
const CONSTANTS: &str = ".constants.toml";

/// Specs and folders of one run.
pub struct Workspace {
    /// What is asked for.
    pub specs: Vec<Spec>,
    /// The output folder.
    pub out: PathBuf,
    /// The README with the table of kernels, if the output folder is the default one.
    pub readme: Option<PathBuf>,
    /// Cargo's build folder.
    pub target: PathBuf,
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
        Self::new(root(), target(), places, false)
    }

    /// With specs whose proof sets may be missing, because they are about to be inferred.
    pub(super) fn open_to_infer(places: &Places) -> Result<Self, Diagnostics> {
        Self::new(root(), target(), places, true)
    }

    /// In a repository, whose build folder is the usual one.
    ///
    /// # Errors
    /// What is wrong with the specs.
    pub fn at(root: PathBuf, places: &Places) -> Result<Self, Diagnostics> {
        let target = root.join("target");
        Self::new(root, target, places, false)
    }

    fn new(
        root: PathBuf,
        target: PathBuf,
        places: &Places,
        to_infer: bool,
    ) -> Result<Self, Diagnostics> {
        if let Some(out) = &places.out {
            refuse_file("--out", out)?;
        }
        let specs = match &places.spec {
            Some(path) => vec![Spec::read(path, to_infer)?],
            None => read_all(&root.join(SPECS), to_infer)?,
        };
        let place = |given: &Option<PathBuf>, usual: &str| {
            given.clone().unwrap_or_else(|| root.join(usual))
        };
        let readme = root.join("README.md");
        let readme = (places.out.is_none() && readme.is_file()).then_some(readme);
        Ok(Self {
            specs,
            out: place(&places.out, GENERATED),
            readme,
            templates: place(&places.templates, "templates"),
            target,
            root,
            places: places.clone(),
        })
    }

    /// A folder of kernels, used or not, is written in place of that of the used ones.
    pub(super) fn write_candidates(&mut self, folder: &str) {
        self.readme = None;
        if self.places.out.is_none() {
            self.out = self.target.join(folder);
        }
    }

    /// Kernels that belong into the output folder, and candidates: the usual folder holds used ones alone.
    ///
    /// # Errors
    /// What is wrong with the tuning tables.
    pub(super) fn without_candidates(
        &self,
        generated: Vec<Generated>,
    ) -> Result<(Vec<Generated>, Vec<Generated>), Diagnostics> {
        let usage = Usage::of(&self.specs, &self.tables()?);
        let anywhere = self.places.out.is_some();
        let belongs = |kernel: &Generated| anywhere || usage.why(&kernel.info.name).is_some();
        Ok(generated.into_iter().partition(belongs))
    }

    /// Whether one spec was named; others are then none of our business.
    pub(super) fn is_of_one_spec(&self) -> bool {
        self.places.spec.is_some()
    }

    /// The same places, read once more.
    ///
    /// # Errors
    /// What is wrong with the specs.
    pub fn again(&self) -> Result<Self, Diagnostics> {
        Self::new(self.root.clone(), self.target.clone(), &self.places, false)
    }

    /// A command with the places of this run, as whoever stands in the repository's folder gives
    /// them; places that need not be named are not.
    #[must_use]
    pub fn command(&self, command: &str) -> String {
        self.command_for(command, false)
    }

    /// The same for a folder that holds what the named spec asks for and nothing else.
    #[must_use]
    pub fn command_of_spec(&self, command: &str) -> String {
        self.command_for(command, true)
    }

    /// The command that writes a crate of your own into a folder.
    #[must_use]
    pub(super) fn command_of_package(&self, into: &Path) -> String {
        let into = quoted(&self.place(into).display().to_string());
        self.command_for(
            &format!("cargo run -p codegen -- package --into {into}"),
            true,
        )
    }

    /// A text that advises commands, with the places of this run in each.
    #[must_use]
    pub fn advice(&self, text: &str) -> String {
        self.places.advice(text)
    }

    /// The specs of the repository.
    ///
    /// # Errors
    /// What is wrong with them.
    pub(super) fn own_specs(&self) -> Result<Vec<Spec>, Diagnostics> {
        read_all(&self.root.join(SPECS), false)
    }

    /// The permutations that other projects have.
    ///
    /// # Errors
    /// What is wrong with their specs.
    pub(super) fn instances(&self) -> Result<Vec<Spec>, Diagnostics> {
        let folder = self.root.join(INSTANCES);
        let read = std::fs::read_dir(&folder).map_err(|error| {
            Diagnostic::new(format!("cannot read {}: {error}", folder.display()))
        })?;
        let paths = read.filter_map(|entry| Some(entry.ok()?.path()));
        let mut paths: Vec<PathBuf> = paths
            .filter(|path| {
                let name = path.to_string_lossy();
                name.ends_with(".toml") && !name.ends_with(CONSTANTS)
            })
            .collect();
        paths.sort();
        paths.into_iter().map(Spec::load).collect()
    }

    fn command_for(&self, command: &str, alone: bool) -> String {
        let Places {
            spec,
            templates,
            out,
        } = &self.places;
        let usual = |path: &Option<PathBuf>, usual: &str| {
            let place = path.as_ref().map(|path| self.place(path));
            place.filter(|place| place != Path::new(usual))
        };
        let (templates, out) = (usual(templates, "templates"), usual(out, GENERATED));
        // The kernels of a spec among the others are found without its name, but not they alone.
        let spec = spec.as_ref().map(|path| self.place(path));
        let spec =
            spec.filter(|spec| alone || out.is_some() || spec.parent() != Some(Path::new(SPECS)));
        let flags = flags([
            ("spec", spec.as_ref()),
            ("templates", templates.as_ref()),
            ("out", out.as_ref()),
        ]);
        format!("{command}{flags}")
    }

    /// A path, relative to the repository's folder.
    fn place(&self, path: &Path) -> PathBuf {
        let (root, path) = (plain(&self.root), plain(path));
        let same = root.components().zip(path.components());
        let same = same.take_while(|(a, b)| a == b).count();
        let up = root.components().skip(same).map(|_| Component::ParentDir);
        up.chain(path.components().skip(same)).collect()
    }

    /// Whether every place is the usual one.
    pub(super) fn is_usual(&self) -> bool {
        self.command("").is_empty()
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

    /// The kernels that are used, of those that the specs ask for.
    pub(super) fn used(&self) -> Result<Vec<Job<'_>>, Diagnostics> {
        Ok(Usage::of(&self.specs, &self.tables()?).jobs(&self.specs))
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

    /// Specs outside of this run, whose kernels may already be in the output folder: the usual folder has
    /// those of the whole repository.
    pub(super) fn other_specs(&self) -> Vec<Spec> {
        if !self.is_of_one_spec() || self.places.out.is_some() {
            return Vec::new();
        }
        // What is wrong with them is not this run's business.
        read_all(&self.root.join(SPECS), false).unwrap_or_default()
    }

    /// What to do if the output folder has kernels of specs that this run does not know.
    pub(super) fn without_strangers(&self) -> String {
        if self.out == self.root.join(GENERATED) {
            return format!("`{ALL}` deletes it");
        }
        let out = shown(&self.out);
        format!("choose another --out, or delete {out} first")
    }

    /// A path in the output folder, as a person here would write it.
    #[must_use]
    pub fn display(&self, path: &str) -> String {
        shown(&self.out.join(path))
    }
}

/// From the root of the file system, without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut plain = PathBuf::new();
    for component in absolute.components() {
        if component == Component::ParentDir {
            plain.pop();
        } else {
            plain.push(component);
        }
    }
    plain
}

/// Refuses a file where a folder belongs, before any work is done.
pub(super) fn refuse_file(flag: &str, folder: &Path) -> Result<(), Diagnostic> {
    let there = folder.ancestors().find(|path| path.exists());
    let Some(file) = there.filter(|path| path.is_file()) else {
        return Ok(());
    };
    let (folder, file) = (shown(folder), shown(file));
    let message = format!("{flag} {folder}: {file} is a file");
    Err(Diagnostic::new(message).help("name a folder, which need not be there"))
}

/// The flags of those places that are given, each after a space.
pub(super) fn flags(places: [(&str, Option<&PathBuf>); 3]) -> String {
    let given = places.into_iter().filter_map(|(flag, path)| {
        let path = quoted(&path?.display().to_string());
        Some(format!(" --{flag} {path}"))
    });
    given.collect()
}

/// A word for the shell.
#[must_use]
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=:,@".contains(c);
    if word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// The workspace that this program was built in, if it is still there; else the current folder.
fn root() -> PathBuf {
    let built_in = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    match built_in {
        Some(root) if root.join(SPECS).is_dir() => root.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// Cargo's build folder for that workspace.
fn target() -> PathBuf {
    let given = std::env::var_os("CARGO_TARGET_DIR");
    root().join(given.unwrap_or_else(|| "target".into()))
}

/// Relative to the current folder where it lies inside.
#[must_use]
pub fn shown(path: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    let path = path.strip_prefix(here).unwrap_or(path);
    path.display().to_string()
}
