//! A generated crate: certificates, the kernels that rest on them, constants, registry and tables.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{MAIN_SEPARATOR, Path, PathBuf};

use crate::below;
use crate::certificate::Program;
use crate::lemma::{self, Lemma, Lemmas};
use crate::reader::{
    self, Bodies, Facts, constants, modules, prepare, registry, registry::Entry, tuning,
};
use crate::{Refused, check};
use reference::{Instance, Linear};

/// Outcomes by file.
pub type Outcomes = Vec<(PathBuf, Result<(), Refused>)>;

/// A generated crate, read. What holds is kept: other files are checked against it.
#[derive(Clone, Debug, Default)]
pub struct Crate {
    /// The permutations that it states, of parameter sets that the reference does not know.
    instances: Vec<Instance>,
    /// The programs whose certificates hold, by their files.
    programs: BTreeMap<String, Program>,
    /// The kernels that hold: their certificates, and what their texts say of them.
    pub(crate) kernels: BTreeMap<String, (String, Facts)>,
    /// The bodies of macros that prepare constants, by their module.
    pub(crate) preparations: BTreeMap<String, Bodies>,
    /// Every file that was read.
    pub outcomes: Outcomes,
}

/// What a file of a crate is.
pub(crate) enum File<'n> {
    Constants {
        place: &'n str,
        width: &'n str,
    },
    /// Of a field's constants, for a strategy.
    Preparation,
    Registry,
    Tuning,
    Kernel,
    /// A list of modules.
    Modules,
    /// Types and what chooses among kernels, which are taken as they are.
    Face,
    Unknown,
}

/// What cargo would compile or obey of itself, beside the sources.
const BESIDE: [&str; 7] = [
    ".cargo",
    "benches",
    "build.rs",
    "examples",
    "rust-toolchain",
    "rust-toolchain.toml",
    "tests",
];

impl<'n> File<'n> {
    pub(crate) fn of(name: &'n str, text: &str) -> Self {
        let raw = |line: &str| line.starts_with("pub unsafe fn permute_raw");
        let prepares = |line: &str| line.starts_with("pub const fn prepare");
        match name.split_once("/constants_w") {
            Some((place, width)) => Self::Constants { place, width },
            None if name == "registry" => Self::Registry,
            None if name == "tuning" => Self::Tuning,
            None if text.lines().any(raw) => Self::Kernel,
            None if text.lines().any(prepares) => Self::Preparation,
            None if name == "lib" || name.ends_with("/mod") => Self::Modules,
            None if ["cpu", "each", "types"].contains(&name) => Self::Face,
            None => Self::Unknown,
        }
    }
}

impl Crate {
    /// Checks every certificate of a generated crate, that the text of each kernel computes what one
    /// of them proves, and that constants, their preparation, the registry and tables are what they
    /// must be.
    ///
    /// # Errors
    /// A folder or file that cannot be read.
    pub fn read(folder: &Path) -> std::io::Result<Self> {
        let mut read = Self::default();
        for path in below(&folder.join("proofs"), "instance")? {
            let file = inside(folder, &path);
            let outcome = read.instance(&file, &std::fs::read_to_string(&path)?);
            read.outcomes.push((path, outcome));
        }
        for path in below(&folder.join("proofs"), "cert")? {
            let outcome = check(&std::fs::read_to_string(&path)?).and_then(|program| {
                read.stated(&program)?;
                let file = inside(folder, &path);
                if file != format!("proofs/{}.cert", program.name) {
                    let what = format!("this is the certificate of {}", program.name);
                    return Err(Refused::whole(what));
                }
                read.programs.insert(file, program);
                Ok(())
            });
            read.outcomes.push((path, outcome));
        }
        // Registry and tables tell of kernels, so they come after these.
        let mut last = Vec::new();
        for path in below(&folder.join("src"), "rs")? {
            let text = std::fs::read_to_string(&path)?;
            let name = name(folder, &path);
            match File::of(&name, &text) {
                File::Face => {}
                File::Preparation => {
                    let bodies = read.preparation(&name, &text);
                    let kept = bodies.map(|bodies| drop(read.preparations.insert(name, bodies)));
                    read.outcomes.push((path, kept.map_err(Refused::whole)));
                }
                File::Kernel => {
                    let facts = read.kernel(&text);
                    let kernel = facts.map(|kernel| drop(read.kernels.insert(name, kernel)));
                    read.outcomes.push((path, kernel));
                }
                _ => last.push((path, name, text)),
            }
        }
        let mut found: BTreeSet<String> = read.preparations.keys().cloned().collect();
        for (path, name, text) in last {
            let outcome = read.table(&name, &text);
            read.outcomes.push((path, outcome));
            found.insert(name);
        }
        for name in read.needed().difference(&found) {
            let path = folder.join("src").join(format!("{name}.rs"));
            let missing = Refused::whole("is not there, or not what its name says");
            read.outcomes.push((path, Err(missing)));
        }
        let beside = BESIDE.iter().map(|name| folder.join(name));
        for path in beside.filter(|path| path.exists()) {
            let what = Refused::whole("nothing else of a crate may be compiled");
            read.outcomes.push((path, Err(what)));
        }
        Ok(read)
    }

    /// The files that its kernels need beside their own.
    fn needed(&self) -> BTreeSet<String> {
        let programs = self.kernels.values();
        let programs = programs.map(|(certificate, _)| &self.programs[certificate]);
        let of = |program: &Program| {
            let (set, field) = (&program.parameter_set, program.field.module());
            let constants = format!("{set}/{field}/constants_w{}", program.permutation.width());
            let all = ["registry", "tuning"].map(str::to_owned);
            all.into_iter()
                .chain([constants])
                .chain(program.preparation())
        };
        programs.flat_map(of).collect()
    }

    /// Keeps an instance that is stated, unless the reference knows its parameter set: that has no others.
    fn instance(&mut self, file: &str, text: &str) -> Result<(), Refused> {
        let instance = Instance::read(text)?;
        let (set, field) = (&instance.parameter_set, &instance.field);
        let width = instance.permutation.width();
        let mut known = reference::instances().into_iter();
        if known.any(|known| known.parameter_set == *set) {
            let what = format!("the reference knows parameter set {set}");
            return Err(Refused::whole(what));
        }
        let own = format!("proofs/{set}/{}/w{width}.instance", field.module());
        if file != own {
            return Err(Refused::whole(format!("that is to be stated in {own}")));
        }
        self.instances.push(instance);
        Ok(())
    }

    /// That a program is for the permutation which is known or stated under its parameter set.
    fn stated(&self, program: &Program) -> Result<(), Refused> {
        let same = |instance: &&Instance| {
            instance.parameter_set == program.parameter_set
                && instance.field == program.field
                && instance.permutation.width() == program.permutation.width()
        };
        let Some(instance) = self.instances.iter().find(same) else {
            let (set, field) = (&program.parameter_set, program.field.name);
            let known = reference::find(set, field, program.permutation.width());
            let what = || format!("nothing states parameter set {set}");
            return known.map(drop).ok_or_else(|| Refused::whole(what()));
        };
        if !instance.permutation.is_like(&program.permutation) {
            let what = "the permutation is not the one that is stated of the parameter set";
            return Err(Refused::whole(what));
        }
        Ok(())
    }

    /// The permutations that it states.
    #[must_use]
    pub fn instances(&self) -> &[Instance] {
        &self.instances
    }

    /// Certificates and kernels that hold.
    #[must_use]
    pub fn counts(&self) -> [usize; 2] {
        [self.programs.len(), self.kernels.len()]
    }

    /// What is to be proved of the bodies of macros, and of ranges, each once.
    ///
    /// # Errors
    /// A macro-op that has no body.
    pub fn lemmas(&self) -> Result<Vec<Lemma>, String> {
        let mut lemmas = Lemmas::new();
        for (certificate, facts) in self.kernels.values() {
            let program = &self.programs[certificate];
            lemma::gather(program, false, &facts.bodies, &mut lemmas)?;
        }
        for (module, bodies) in &self.preparations {
            for program in self.prepared_by(module) {
                lemma::gather(program, true, bodies, &mut lemmas)?;
            }
        }
        for program in self.programs.values() {
            lemma::gather_ranges(program, &mut lemmas);
        }
        Ok(lemmas.into_values().collect())
    }

    /// What is refused, in words.
    #[must_use]
    pub fn refused(&self, root: &Path) -> Vec<String> {
        let tell = |(path, outcome): &(PathBuf, Result<(), Refused>)| {
            let refused = outcome.as_ref().err()?;
            Some(format!("{}: {refused}", inside(root, path)))
        };
        self.outcomes.iter().filter_map(tell).collect()
    }

    /// Checks a table of constants, the registry, the tuning tables or a list of modules.
    pub(crate) fn table(&self, name: &str, text: &str) -> Result<(), Refused> {
        let outcome = match File::of(name, text) {
            File::Constants { place, width } => self.constants(text, place, width),
            File::Registry => registry::read(text, &self.entries()),
            File::Tuning => tuning::read(text, &self.entries()),
            File::Modules => {
                let folder = name.strip_suffix("mod").unwrap_or_default();
                modules::read(text, folder, &self.entries())
            }
            _ => Err("no file that crates have".to_owned()),
        };
        outcome.map_err(Refused::whole)
    }

    /// Compares a table of constants with those of the instance whose place it has.
    fn constants(&self, text: &str, place: &str, width: &str) -> Result<(), String> {
        let known = reference::instances();
        let mut instances = known.iter().chain(&self.instances);
        let instance = instances.find(|instance| {
            let field = instance.field.module();
            place == format!("{}/{field}", instance.parameter_set)
                && width == instance.permutation.width().to_string()
        });
        let instance =
            instance.ok_or_else(|| format!("no reference knows {place} of width {width}"))?;
        constants::read(text, instance)
    }

    fn entries(&self) -> BTreeMap<String, Entry<'_>> {
        let mut entries = BTreeMap::new();
        for (name, (certificate, facts)) in &self.kernels {
            let program = &self.programs[certificate];
            entries.insert(name.clone(), Entry { program, facts });
        }
        entries
    }

    /// The certificate that a kernel names, and what its text says of it.
    pub(crate) fn kernel(&self, text: &str) -> Result<(String, Facts), Refused> {
        let mut header = text.lines().enumerate();
        let named = header.find_map(|(n, line)| {
            let rest = line.strip_prefix("//! - certificate `")?;
            Some((n + 1, rest.strip_suffix('`')?))
        });
        let missing = || Refused::whole("the header names no certificate");
        let (line, certificate) = named.ok_or_else(missing)?;
        let program = self.programs.get(certificate).ok_or_else(|| {
            Refused::new(line, format!("{certificate} is no certificate that holds"))
        })?;
        let facts = reader::read(text, program).map_err(Refused::whole)?;
        Ok((certificate.to_owned(), facts))
    }

    /// The programs whose constants a module prepares: those of a field by a strategy.
    fn prepared_by<'a>(&'a self, module: &'a str) -> impl Iterator<Item = &'a Program> {
        let own = self.programs.values();
        own.filter(move |program| program.preparation().as_deref() == Some(module))
    }

    /// Compares a module that prepares constants with the certificates of its field and strategy.
    pub(crate) fn preparation(&self, module: &str, text: &str) -> Result<Bodies, String> {
        let own = self.prepared_by(module);
        let mut bodies = own.map(|program| prepare::read(text, program));
        let first = bodies.next().ok_or("no certificate is of that strategy")?;
        bodies.fold(first, Result::and)
    }
}

impl Program {
    /// The strategy, which the name ends with.
    pub(crate) fn strategy(&self) -> &str {
        self.name.rsplit('_').next().unwrap_or_default()
    }

    /// What it permutes, in words: a certificate may give its parameter set any name that the reference does not know.
    #[must_use]
    pub fn told(&self) -> String {
        let (permutation, set) = (&self.permutation, &self.parameter_set);
        let hash = match permutation.linear {
            Linear::Poseidon1(_) => "Poseidon1",
            Linear::Poseidon2 { .. } => "Poseidon2",
        };
        let (field, width) = (self.field.name, permutation.width());
        let known = match reference::find(set, field, width) {
            Some(_) => format!("as parameter set {set} has it"),
            None => {
                format!("with matrices of its own: no parameter set {set} of that width is known")
            }
        };
        format!(
            "{hash} over {field}, width {width}, {} external and {} internal rounds, x^{}, {known}",
            permutation.external.len(),
            permutation.internal.len(),
            permutation.alpha
        )
    }

    /// The module that prepares constants; none if kernels read them as they are.
    #[must_use]
    pub fn preparation(&self) -> Option<String> {
        self.is_inner()
            .then(|| format!("{}_{}", self.field.module(), self.strategy()))
    }

    /// Checks that a kernel's text computes this program, which was checked; gives what it rests on.
    ///
    /// # Errors
    /// Why the text is refused.
    pub fn lemmas_of(&self, text: &str) -> Result<Vec<Lemma>, Refused> {
        let read = reader::read(text, self).map(|facts| facts.bodies);
        self.gathered(false, read)
    }

    /// That the ranges which it is proved with hold what its macro-ops give.
    #[must_use]
    pub fn lemmas_of_ranges(&self) -> Vec<Lemma> {
        let mut lemmas = Lemmas::new();
        lemma::gather_ranges(self, &mut lemmas);
        lemmas.into_values().collect()
    }

    /// What this rests on, by bodies that were read.
    pub(crate) fn gathered(
        &self,
        constant: bool,
        read: Result<Bodies, String>,
    ) -> Result<Vec<Lemma>, Refused> {
        let mut lemmas = Lemmas::new();
        let gathered = read.and_then(|bodies| lemma::gather(self, constant, &bodies, &mut lemmas));
        gathered.map_err(Refused::whole)?;
        Ok(lemmas.into_values().collect())
    }
}

/// The name of a source: its path in `src`, without the ending.
fn name(folder: &Path, path: &Path) -> String {
    inside(&folder.join("src"), &path.with_extension(""))
}

/// A path, relative to a folder that it is in, with `/` on every system.
fn inside(folder: &Path, path: &Path) -> String {
    let path = path.strip_prefix(folder).unwrap_or(path).display();
    path.to_string().replace(MAIN_SEPARATOR, "/")
}
