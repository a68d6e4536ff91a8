//! `codegen package`: a crate of your own.

mod answers;
mod copies;
mod kernels;
mod texts;

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};

use super::places::{Workspace, quoted, refuse_file, shown};
use super::produce::produce;
use super::select::all;
use super::{Exit, tell};
use crate::diag::{Diagnostic, Diagnostics, number};
use crate::emit::{self, FileSet, Scope, bless, check, listed};
use crate::kernel::Generated;
use crate::params::{Instance, is_irreducible};
use crate::scaffold::{ATTRIBUTES, scaffold};
use crate::spec::{Spec, by_reference};
use copies::Peers;
use kernels::Chosen;

/// What is told of internal layers that the paper's search would not have chosen.
const REDUCIBLE: &str = "the minimal polynomial of the internal layer is reducible: the paper asks for \
                         layers where neither it nor that of a power is (eprint 2023/323, section 5)\n";

/// Reported of matrices that make fewer S-boxes active than the papers' arguments assume.
const NOT_MDS: &str = "the matrix of the external rounds (M4, or Poseidon1's) is not MDS: a minor of one or two rows \
                       is zero, so it does not spread differences as the papers assume\n";

/// Crates of the compiler, and the parts of the crate that its own tests name.
const TAKEN: [&str; 9] = [
    "alloc",
    "checker",
    "core",
    "poseidon2_generated",
    "poseidon2_kernels",
    "proc_macro",
    "reference",
    "std",
    "test",
];

/// Writes the crate of the one spec into a folder, or compares it with what is there.
pub(super) fn run(
    workspace: &Workspace,
    into: &Path,
    only_check: bool,
    out: &mut dyn Write,
) -> Result<Exit, Diagnostics> {
    let started = std::time::Instant::now();
    let [spec] = workspace.specs.as_slice() else {
        let error = Diagnostic::new("a package is of one spec");
        return Err(error.help("name it: --spec FILE").into());
    };
    refuse_file("--into", into)?;
    let peers = Peers::of(workspace, spec.instance.field)?;
    let name = crate_name(into, &copies::foreign(workspace, &peers)?)?;
    let command = workspace.command_of_package(into);
    refuse_other(workspace, spec)?;
    let chosen = Chosen::of(workspace, spec)?;
    let specs = std::slice::from_ref(&chosen.spec);
    let generated = produce(&all(specs), &workspace.templates()?)?;
    // A crate and its spec may stand elsewhere by now: what is compared names the command that wrote the crate.
    let manifest = std::fs::read_to_string(into.join("Cargo.toml")).unwrap_or_default();
    let written = emit::command(&manifest).filter(|_| only_check);
    let written = written.unwrap_or(&command);
    let files = files(workspace, &chosen, &generated, &peers, &name, written)?;
    let folder = shown(into);
    if only_check {
        let mut found = check(&files, into, Scope::Whole, written)?;
        for mismatch in &mut found {
            mismatch.fix = mismatch.fix.replace(written, &command);
        }
        tell(out, &listed(&found))?;
        if found.is_empty() {
            let count = number(files.iter().count(), "file");
            tell(out, &format!("{folder}: {count}, all as packaged\n"))?;
            return Ok(Exit::Done);
        }
        return Ok(Exit::Differs);
    }
    let outcome = bless(&files, into, Scope::Whole)?;
    let instance = &chosen.spec.instance;
    if !is_irreducible(instance.field, &instance.diagonal_residues()) {
        tell(out, REDUCIBLE)?;
    }
    if instance.linear.is_plainly_not_mds(instance.field) {
        tell(out, NOT_MDS)?;
    }
    for note in &chosen.notes {
        tell(out, &format!("{note}\n"))?;
    }
    for kernel in &generated {
        let name = &kernel.info.name;
        let states = number(kernel.info.states(), "state");
        let each = kernel.info.instructions_each();
        tell(
            out,
            &format!("{name}: {states} a call, {each} instructions each\n"),
        )?;
    }
    tell(out, &outcome.told_of_edits())?;
    let (written, same) = (outcome.written.len(), outcome.unchanged.len());
    let deleted = outcome.deleted.len();
    let seconds = started.elapsed().as_secs_f64();
    let manifest = quoted(&format!("{folder}/Cargo.toml"));
    tell(
        out,
        &format!(
            "{folder}: crate `{name}`, {written} files written, {same} unchanged, \
             {deleted} deleted, {seconds:.1} s\n\
             try it: cargo test --offline --manifest-path {manifest}\n",
        ),
    )?;
    Ok(Exit::Done)
}

/// Refuses a spec that has the name of an instance of the repository and is another permutation.
fn refuse_other(workspace: &Workspace, spec: &Spec) -> Result<(), Diagnostics> {
    let instances = workspace.instances()?;
    let same = |other: &&Spec| other.instance.key() == spec.instance.key();
    let Some(known) = instances.iter().find(same) else {
        return Ok(());
    };
    let (known, here) = (&known.instance, &spec.instance);
    let constants = |i: &Instance| (i.constants.external.clone(), i.constants.internal.clone());
    if by_reference(known)? == by_reference(here)? && constants(known) == constants(here) {
        return Ok(());
    }
    let (set, field, width) = here.key();
    let message = format!("parameter set `{set}` ({field} w{width}) is another permutation");
    let help = "codegen/instances/ has its parameters; other parameters need a name of their own";
    Err(Diagnostic::new(message).help(help).into())
}

/// The name of the crate in a folder, beside packages from elsewhere.
fn crate_name(into: &Path, foreign: &BTreeSet<String>) -> Result<String, Diagnostic> {
    let absolute = std::path::absolute(into).unwrap_or_else(|_| PathBuf::from(into));
    let name = absolute.file_name().map(|name| name.to_string_lossy());
    let name = name.unwrap_or_default().into_owned();
    let plain = |c: char| matches!(c, 'a'..='z' | '0'..='9' | '_' | '-');
    let library = name.replace('-', "_");
    let unusable = Diagnostic::new(format!("`{name}` is not a usable name of a crate"));
    let mut foreign = foreign.iter().map(|name| name.replace('-', "_"));
    if TAKEN.contains(&&*library) || foreign.any(|other| other == library) {
        let help = format!("another crate has it: --into a folder such as my-{name}");
        return Err(unusable.help(help));
    }
    let ident = syn::parse_str::<syn::Ident>(&library);
    if name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(plain)
        && ident.is_ok()
    {
        return Ok(name);
    }
    Err(unusable.help("--into a folder like my-hash: a lower-case letter, then lower-case letters, digits, `-` and `_`"))
}

/// All files of the crate.
fn files(
    workspace: &Workspace,
    chosen: &Chosen,
    generated: &[Generated],
    peers: &Peers,
    name: &str,
    command: &str,
) -> Result<FileSet, Diagnostics> {
    let Spec { instance, .. } = &chosen.spec;
    let mut inner = FileSet::new();
    for kernel in generated {
        inner.insert(&kernel.info.file, command, &kernel.source);
        inner.insert(&kernel.program.path, command, &kernel.program.certificate);
        if let Some((path, source)) = &kernel.program.preparation {
            inner.insert(path, command, source);
        }
    }
    if let Some(path) = instance.statement_path() {
        inner.insert(path, command, &instance.statement());
    }
    let infos: Vec<_> = generated.iter().map(|kernel| kernel.info.clone()).collect();
    let tunings = chosen.tunings(workspace, &infos)?;
    let package = format!("{name}-generated");
    scaffold(&infos, &[instance], &tunings, &package, command, &mut inner)?;
    let mut files = FileSet::new();
    files.insert_below("generated", inner);
    copies::insert(workspace, name, command, instance.field, peers, &mut files)?;
    texts::insert(&chosen.spec, &infos, peers, name, command, &mut files)?;
    files.insert(".gitattributes", command, ATTRIBUTES);
    files.insert_whole("known_answers.txt", command, answers::text(&chosen.spec)?);
    files.insert_hashes(command);
    Ok(files)
}
