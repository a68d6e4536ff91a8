//! `codegen prove`.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::places::{Workspace, shown};
use super::produce::{cores, each};
use super::{Exit, tell};
use crate::diag::{Diagnostic, Diagnostics, number};
use crate::isa::Target;
use crate::lemma::{self, Entry, Ledger};
use crate::ops::MacroOp;
use crate::params::Field;
use crate::template::TemplateSet;
use checker::Solver;

/// How often what is proved is written while more is.
const KEPT: Duration = Duration::from_secs(60);

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
    // What takes hours is written as it goes, but nothing over what it is compared with.
    let kept = (!force).then_some(path.as_path());
    let new = prove(&workspace.templates()?, known, solvers, kept)?;
    // Another solver may have proved the same.
    let changed = if force {
        new.beyond(&old).next().is_some() || old.beyond(&new).next().is_some()
    } else {
        new != old
    };
    if changed {
        save(&new, &path)?;
    }
    for (sign, one, other) in [('-', &old, &new), ('+', &new, &old)] {
        for Entry { key, name, .. } in one.beyond(other) {
            tell(out, &format!("{sign} {name} ({key:.8})\n"))?;
        }
    }
    let file = if changed { "written" } else { "unchanged" };
    let count = number(new.entries().len(), "lemma");
    tell(out, &format!("{}: {count} proved, {file}\n", shown(&path)))?;
    Ok(if force && changed {
        Exit::Differs
    } else {
        Exit::Done
    })
}

fn save(ledger: &Ledger, path: &Path) -> Result<(), Diagnostic> {
    let cannot = |error| Diagnostic::new(format!("cannot write {}: {error}", shown(path)));
    ledger.save(path).map_err(cannot)
}

/// A lemma that a solver has still to prove.
struct Open<'a> {
    key: String,
    name: String,
    lemma: checker::Lemma,
    solver: &'a Solver,
}

/// The ledger of all templates, each lemma proved by each of these solvers. It is written to `kept` each minute.
fn prove(
    templates: &TemplateSet,
    known: &Ledger,
    solvers: &[String],
    kept: Option<&Path>,
) -> Result<Ledger, Diagnostics> {
    let name = |(target, field, op): &(Target, &Field, MacroOp)| {
        format!("{} {} {op}", target.folder(), field.name)
    };
    let all = lemma::all(templates);
    let read = each(&all, cores(), name, |&(target, field, op)| {
        lemma::read(&templates.render_body(target, field, op)?)
    });
    let (mut ledger, mut errors) = (Ledger::default(), Diagnostics::new());
    let mut lemmas = BTreeMap::new();
    for (job, read) in all.iter().zip(read) {
        let Some(read) = errors.keep(read) else {
            continue;
        };
        let key = lemma::key(&read);
        if let Some(Entry { solver, .. }) = known.get(&key) {
            let (key, name, solver) = (key.clone(), name(job), solver.clone());
            ledger.record(Entry { key, name, solver });
        }
        lemmas.entry(key).or_insert((name(job), read));
    }
    errors.into_result()?;
    let is_open =
        |key: &str, solver: &str| !known.get(key).is_some_and(|entry| entry.is_by(solver));
    let wanted = |solver: &&String| lemmas.keys().any(|key| is_open(key, solver));
    let find = |name: &String| {
        let missing = || Diagnostic::new(format!("{name} cannot be run"));
        let advice = "install it, or choose another with --solver";
        Solver::find(name).ok_or_else(|| missing().help(advice))
    };
    let asked = solvers.iter().filter(wanted);
    let asked: Vec<(&String, Solver)> = asked
        .map(|name| Ok((name, find(name)?)))
        .collect::<Result<_, Diagnostic>>()?;
    let mut open: Vec<Open<'_>> = Vec::new();
    for (by, solver) in &asked {
        let left = lemmas.iter().filter(|(key, _)| is_open(key, by));
        open.extend(left.map(|(key, (name, lemma))| Open {
            key: key.clone(),
            name: name.clone(),
            lemma: lemma.clone(),
            solver,
        }));
    }
    // Some take a solver half an hour. Whoever is interrupted then has kept the others.
    open.sort_by_cached_key(|open| open.lemma.statement().len());
    let ledger = Mutex::new((ledger, Instant::now()));
    let title = |open: &Open<'_>| format!("{} by {}", open.name, open.solver);
    let faults = each(&open, cores(), title, |open| {
        let verdict = open.lemma.prove(open.solver);
        if verdict != checker::Verdict::Proved {
            return Err(Diagnostic::new(format!("{}, {verdict}", title(open))));
        }
        let mut ledger = ledger.lock().unwrap_or_else(PoisonError::into_inner);
        let (ledger, saved) = &mut *ledger;
        ledger.add(&open.key, &open.name, &open.solver.to_string());
        match kept.filter(|_| saved.elapsed() >= KEPT) {
            None => Ok(()),
            Some(path) => {
                *saved = Instant::now();
                save(ledger, path)
            }
        }
    });
    let (ledger, _) = ledger.into_inner().unwrap_or_else(PoisonError::into_inner);
    let faults: Diagnostics = faults.into_iter().filter_map(Result::err).collect();
    if let Some(path) = kept.filter(|_| faults.has_errors()) {
        save(&ledger, path)?;
    }
    faults.into_result()?;
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
        prove_by("z3", workspace, force)
    }

    fn prove_by(solver: &str, workspace: &Workspace, force: bool) -> (Exit, String) {
        let mut out = Vec::new();
        let exit = run(workspace, force, &[solver.to_owned()], &mut out)
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

    /// Needs z3, but no other solver.
    #[test]
    fn what_a_solver_has_proved_it_is_not_asked_again() {
        let (_folder, workspace) = workspace();
        let file = workspace.lemmas();
        prove(&workspace, false);
        let by_z3 = fs::read_to_string(&file).unwrap();
        assert_eq!(by_z3.matches("\"solver\":\"z3 ").count(), 2);
        let by_both = by_z3.replace("\"solver\":\"z3 ", "\"solver\":\"z3 0, cvc5 ");
        fs::write(&file, &by_both).unwrap();
        for solver in ["z3", "cvc5"] {
            let (exit, told) = prove_by(solver, &workspace, false);
            assert_eq!(exit, Exit::Done, "{told}");
            assert!(told.ends_with("2 lemmas proved, unchanged\n"), "{told}");
        }
        // One that another solver alone has proved is proved again, and both are told.
        let by_cvc5 = by_z3.replacen("\"solver\":\"z3 ", "\"solver\":\"cvc5 ", 1);
        fs::write(&file, &by_cvc5).unwrap();
        prove(&workspace, false);
        let written = fs::read_to_string(&file).unwrap();
        assert_eq!(written.matches("\"solver\":\"z3 ").count(), 2, "{written}");
        assert_eq!(written.matches(", cvc5 ").count(), 1, "{written}");
    }
}
