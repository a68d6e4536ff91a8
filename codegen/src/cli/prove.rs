//! `codegen prove`.

use std::io::Write;

use super::places::{Workspace, shown};
use super::produce::{cores, each, progress};
use super::{Exit, tell, text};
use crate::diag::{Diagnostic, Diagnostics};
use crate::isa::Target;
use crate::lemma::{self, Entry, Ledger};
use crate::ops::MacroOp;
use crate::params::Field;
use crate::template::TemplateSet;
use checker::Solver;

pub(super) fn run(
    workspace: &Workspace,
    force: bool,
    solvers: &[String],
    out: &mut dyn Write,
) -> Result<Exit, Diagnostics> {
    let path = workspace.lemmas();
    let old = match Ledger::load(&path) {
        Err(_) if force => Ledger::default(),
        ledger => ledger?,
    };
    let known = if force { &Ledger::default() } else { &old };
    let new = prove(&workspace.templates()?, known, solvers)?;
    // Another solver may have proved the same.
    let changed = if force {
        new.beyond(&old).next().is_some() || old.beyond(&new).next().is_some()
    } else {
        new != old
    };
    if changed {
        new.save(&path)
            .map_err(|error| Diagnostic::new(format!("cannot write {}: {error}", shown(&path))))?;
    }
    for (sign, one, other) in [('-', &old, &new), ('+', &new, &old)] {
        for Entry { key, name, .. } in one.beyond(other) {
            tell(out, &format!("{sign} {name} ({key:.8})\n"))?;
        }
    }
    let file = if changed { "written" } else { "unchanged" };
    let count = text::number(new.entries().len(), "lemma");
    tell(out, &format!("{}: {count} proved, {file}\n", shown(&path)))?;
    Ok(if force && changed {
        Exit::Differs
    } else {
        Exit::Done
    })
}

/// The ledger of all templates.
fn prove(
    templates: &TemplateSet,
    known: &Ledger,
    solvers: &[String],
) -> Result<Ledger, Diagnostics> {
    let name = |(target, field, op): &(Target, &Field, MacroOp)| {
        format!("{} {} {op}", target.folder(), field.name)
    };
    let all = lemma::all(templates);
    let read = each(&all, cores(), name, |&(target, field, op)| {
        lemma::read(&templates.render_body(target, field, op)?)
    });
    let (mut ledger, mut errors) = (Ledger::default(), Diagnostics::new());
    let mut open = Vec::<(String, String, checker::Lemma)>::new();
    for (job, read) in all.iter().zip(read) {
        let Some(read) = errors.keep(read) else {
            continue;
        };
        let (key, name) = (lemma::key(&read), name(job));
        if let Some(Entry { solver, .. }) = known.get(&key) {
            let solver = solver.clone();
            ledger.record(Entry { key, name, solver });
        } else if !open.iter().any(|(other, ..)| *other == key) {
            open.push((key, name, read));
        }
    }
    errors.into_result()?;
    if open.is_empty() {
        return Ok(ledger);
    }
    let find = |name: &String| {
        let missing = || Diagnostic::new(format!("{name} cannot be run"));
        let advice = "install it, or choose another with --solver";
        Solver::find(name).ok_or_else(|| missing().help(advice))
    };
    let solvers = solvers.iter().map(find).collect::<Result<Vec<_>, _>>()?;
    let names: Vec<String> = solvers.iter().map(ToString::to_string).collect();
    let lemmas: Vec<_> = open.iter().map(|(.., read)| read.clone()).collect();
    let bar = progress(lemmas.len() * solvers.len());
    let proofs = checker::prove(&lemmas, &solvers, &|done, _| bar.set_position(done as u64));
    bar.finish_and_clear();
    let faults = proofs.faults.into_iter().map(Diagnostic::new);
    faults.collect::<Diagnostics>().into_result()?;
    for (key, name, _) in open {
        let solver = names.join(", ");
        ledger.record(Entry { key, name, solver });
    }
    Ok(ledger)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::super::args::Places;
    use super::*;

    const LEFT_OVER: &str =
        r#"[{"name": "scalar/registers goldilocks halve", "solver": "z3 1", "key": "0123456789"}]"#;

    /// A repository with two templates, whose lemmas take no time.
    fn workspace() -> (tempfile::TempDir, Workspace) {
        let folder = tempfile::tempdir().unwrap();
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        for file in [
            "codegen/specs/goldilocks-w8.toml",
            "templates/scalar/registers/goldilocks/add.tera",
            "templates/scalar/registers/goldilocks/canonicalise.tera",
        ] {
            let target = folder.path().join(file);
            fs::create_dir_all(target.parent().unwrap()).unwrap();
            fs::copy(root.join(file), target).unwrap();
        }
        let workspace = Workspace::at(folder.path().to_owned(), &Places::default());
        (folder, workspace.unwrap())
    }

    fn prove(workspace: &Workspace, force: bool) -> (Exit, String) {
        let mut out = Vec::new();
        let exit = run(workspace, force, &["z3".to_owned()], &mut out)
            .unwrap_or_else(|errors| panic!("{errors}"));
        (exit, String::from_utf8(out).unwrap())
    }

    /// Needs z3, as whatever proves anew.
    #[test]
    fn a_forced_proof_compares_its_keys_with_the_file() {
        let (_folder, workspace) = workspace();
        let file = workspace.lemmas();
        fs::write(&file, LEFT_OVER).unwrap();
        let (exit, told) = prove(&workspace, true);
        assert_eq!(exit, Exit::Differs, "{told}");
        for line in [
            "- scalar/registers goldilocks halve (01234567)",
            "+ scalar/registers goldilocks add (",
            "+ scalar/registers goldilocks canonicalise (",
            "2 lemmas proved, written",
        ] {
            assert!(told.contains(line), "{told}");
        }
        // Who proved them is another matter.
        let written = fs::read_to_string(&file).unwrap();
        let text = written.replace("\"solver\":\"z3 ", "\"solver\":\"z3 0.");
        assert_ne!(text, written);
        fs::write(&file, &text).unwrap();
        let (exit, told) = prove(&workspace, true);
        assert_eq!(exit, Exit::Done, "{told}");
        assert!(told.ends_with("2 lemmas proved, unchanged\n"), "{told}");
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
    }
}
