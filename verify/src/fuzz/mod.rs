//! Inputs that nobody would write, for whatever reads files: certificates and the text of generated
//! code, which the checker reads, and specs and templates, which the generator reads.
//!
//! Each must be read or refused, in bounded time and memory. Whether it is rightly accepted is not
//! asked here: mutants of which that is known are in [`crate::mutation`].

mod mutate;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use checker::{Crate, Program, below};
use codegen::ir;
use codegen::lemma;
use codegen::lower::{Claims, lower};
use codegen::names::Strategy;
use codegen::params::Instance;
use codegen::prove::prove;
use codegen::spec::Spec;
use codegen::template::TemplateSet;
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng};

/// What reads an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reader {
    Certificate,
    Code,
    Spec,
    Template,
}

const READERS: [(Reader, &str, &str); 5] = [
    (Reader::Certificate, "generated/proofs", "cert"),
    (Reader::Code, "generated/src", "rs"),
    (Reader::Spec, "codegen/specs", "toml"),
    (Reader::Spec, "codegen/instances", "toml"),
    (Reader::Template, "templates", "tera"),
];

/// The real files that inputs are made of, by their names, for each reader.
#[derive(Debug)]
pub(crate) struct Corpus([Vec<(String, String)>; READERS.len()]);

/// A text for a reader, in place of a real file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Input<'c> {
    pub(crate) reader: Reader,
    /// The path of the real file below the reader's folder.
    pub(crate) file: &'c str,
    pub(crate) text: String,
}

impl Corpus {
    pub(crate) fn read(root: &Path) -> io::Result<Self> {
        let mut files = [const { Vec::new() }; READERS.len()];
        for (files, (_, folder, extension)) in files.iter_mut().zip(READERS) {
            let folder = root.join(folder);
            for path in below(&folder, extension)? {
                let name = path.strip_prefix(&folder).unwrap_or(&path);
                let name = name.to_string_lossy().into_owned();
                files.push((name, fs::read_to_string(&path)?));
            }
        }
        Ok(Self(files))
    }

    /// The input of that number, which is the same whenever the files are.
    pub(crate) fn input(&self, seed: u64, number: u64) -> Input<'_> {
        let [seed, number] = [seed, number].map(u64::to_le_bytes);
        let seed = [seed, number, [0; 8], [0; 8]].concat();
        let mut rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
        let reader = rng.random_range(0..READERS.len());
        let files = &self.0[reader];
        let mut any = || &files[rng.random_range(0..files.len())];
        let ((file, text), (_, other)) = (any(), any());
        Input {
            reader: READERS[reader].0,
            file,
            text: mutate::mutated(text, other, &mut rng),
        }
    }
}

/// What inputs are read with: the real files, read.
pub(crate) struct Readers {
    generated: Crate,
    /// By the files of their certificates.
    programs: BTreeMap<String, Program>,
    /// A kernel of each of them.
    kernels: BTreeMap<String, String>,
    templates: TemplateSet,
    /// Those of the real specs.
    instances: Vec<Instance>,
}

/// The certificate that a kernel's header names.
fn certificate(text: &str) -> Option<&str> {
    let rest = text.split_once("//! - certificate `proofs/")?.1;
    Some(rest.split_once('`')?.0)
}

impl Readers {
    pub(crate) fn new(root: &Path, corpus: &Corpus) -> io::Result<Self> {
        let [certificates, code, ..] = &corpus.0;
        let program = |(file, text): &(String, String)| {
            let program = checker::check(text).map_err(io::Error::other)?;
            Ok((file.clone(), program))
        };
        let kernels = code.iter().filter_map(|(_, text)| {
            let certificate = certificate(text)?.to_owned();
            Some((certificate, text.clone()))
        });
        let templates = TemplateSet::load(&root.join("templates"));
        let specs = READERS.iter().zip(&corpus.0);
        let specs = specs.filter(|((reader, ..), _)| *reader == Reader::Spec);
        let specs = specs.flat_map(|((_, folder, _), files)| {
            let folder = root.join(folder);
            files
                .iter()
                .map(move |(file, text)| Spec::parse(folder.join(file), text))
        });
        Ok(Self {
            generated: Crate::read(&root.join("generated"))?,
            programs: certificates
                .iter()
                .map(program)
                .collect::<io::Result<_>>()?,
            kernels: kernels.collect(),
            templates: templates.map_err(io::Error::other)?,
            instances: specs.flatten().map(|spec| spec.instance).collect(),
        })
    }

    /// What the strategies and the prover make of a permutation that no real file states.
    fn programs_of(&self, spec: &Spec) -> Vec<Result<String, String>> {
        if self.instances.contains(&spec.instance) {
            return Vec::new();
        }
        let source = ir::Program::build(&spec.instance);
        let certificate = |strategy| {
            let claims = Claims::new(&[]);
            let program = lower(&source, strategy, &claims).map_err(|error| error.to_string())?;
            let proved = prove(program, &claims).map_err(|refusals| format!("{refusals:?}"))?;
            Ok(proved.certificate(strategy.name()))
        };
        Strategy::ALL.into_iter().map(certificate).collect()
    }

    /// What is read, or the message that refuses it.
    pub(crate) fn read(&self, input: &Input<'_>) -> Result<String, String> {
        let Input { file, text, .. } = input;
        match input.reader {
            Reader::Certificate => {
                let program = checker::check(text).map_err(|refused| refused.to_string())?;
                let of = self.kernels.get(*file);
                let of = of.map(|kernel| program.lemmas_of(kernel));
                Ok(format!("{program:?} {of:?}"))
            }
            Reader::Code => {
                let program = certificate(text).and_then(|file| self.programs.get(file));
                let name = file.trim_end_matches(".rs");
                let read = match program {
                    Some(program) => program.lemmas_of(text).map(|lemmas| format!("{lemmas:?}")),
                    None => self
                        .generated
                        .check(name, text)
                        .map(|known| known.to_string()),
                };
                read.map_err(|refused| refused.to_string())
            }
            Reader::Spec => match Spec::parse(file, text) {
                Ok(spec) => {
                    let claims = spec.proofs.values().flatten();
                    let covers = |claim: &codegen::spec::Claim| {
                        claim.pattern.matches("external[*].mds.block[1].t01")
                    };
                    let covered = claims.filter(|claim| covers(claim)).count();
                    Ok(format!("{spec:?} {covered} {:?}", self.programs_of(&spec)))
                }
                Err(errors) => Err(errors.to_string()),
            },
            Reader::Template => {
                let mut set = self.templates.clone();
                set.replace(file, text)
                    .map_err(|errors| errors.to_string())?;
                let inside = |home: &str| file.starts_with(home);
                let bodies = lemma::all(&set).into_iter().filter(|(target, field, _)| {
                    inside(&format!("{}/{}/", target.folder(), field.family.name()))
                });
                let bodies = bodies.map(|(target, field, op)| set.render_body(target, field, op));
                let read: Result<Vec<_>, _> = bodies.collect();
                read.map(|read| format!("{read:?}"))
                    .map_err(|errors| errors.to_string())
            }
        }
    }
}
