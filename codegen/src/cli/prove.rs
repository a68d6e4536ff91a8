//! `codegen prove`.

use std::io::Write;

use super::places::{Workspace, shown};
use super::produce::{cores, each};
use super::{Exit, tell, text};
use crate::diag::{Diagnostic, Diagnostics};
use crate::isa::Target;
use crate::lemma::{self, Entry, Ledger, Solver, SolverName};
use crate::ops::MacroOp;
use crate::params::Field;
use crate::template::TemplateSet;

pub(super) fn run(
    workspace: &Workspace,
    force: bool,
    solvers: &[SolverName],
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

/// The ledger of all templates, in the order of the templates whoever is done first.
fn prove(
    templates: &TemplateSet,
    known: &Ledger,
    solvers: &[SolverName],
) -> Result<Ledger, Diagnostics> {
    let solver = match (Solver::of(solvers), solvers) {
        (Ok(solver), _) => Some(solver),
        // What is in the ledger needs none.
        (Err(_), [SolverName::Z3]) => None,
        (Err(name), _) => {
            let message = format!("{} cannot be run", name.program());
            let error = Diagnostic::new(message);
            return Err(error
                .help("install it, or choose another with --solver")
                .into());
        }
    };
    let lemmas = lemma::all(templates);
    let name = |(target, field, op): &(Target, &Field, MacroOp)| {
        format!("{} {} {op}", target.folder(), field.name)
    };
    // Some wait for answers that others asked for; the cores should not.
    let done = each(&lemmas, 2 * cores(), name, |&(target, field, op)| {
        let rendered = templates.render_body(target, field, op)?;
        lemma::settle(&rendered, known, || solver.as_ref())
    });
    let (mut ledger, mut errors) = (Ledger::default(), Diagnostics::new());
    for entry in done.into_iter().filter_map(|result| errors.keep(result)) {
        ledger.record(entry);
    }
    errors.into_result().map(|()| ledger)
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
        let exit = run(workspace, force, &[SolverName::Z3], &mut out)
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
