use std::path::Path;

use super::*;
use crate::arith::MacroOp;
use crate::isa::Target;
use crate::template::TemplateSet;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn templates(directory: &Path) -> TemplateSet {
    TemplateSet::load(directory).unwrap_or_else(|e| panic!("{e}"))
}

/// z3, where it is installed; without it the ledger alone speaks.
fn solver() -> Option<Solver> {
    Solver::find(TIMEOUT)
}

#[test]
fn the_ledger_is_complete_and_nothing_more() {
    let templates = templates(&root().join("../templates"));
    let ledger = Ledger::load(&root().join("lemmas.json")).unwrap();
    let lemmas = all(&templates);
    let mut keys = std::collections::BTreeSet::new();
    for &(target, field, op) in &lemmas {
        let rendered = templates
            .render_body(target, field, op)
            .unwrap_or_else(|e| panic!("{e}"));
        let lemma = Lemma::new(&rendered).unwrap();
        let entry = ledger.get(&lemma.key());
        assert!(
            entry.is_some(),
            "{} is not proved: run `codegen prove`",
            lemma.name()
        );
        // Two ISAs may have one body in common: one proof holds for both.
        let macro_op = |name: &str| name.split_once(' ').unwrap().1.to_owned();
        assert_eq!(macro_op(&entry.unwrap().name), macro_op(&lemma.name()));
        keys.insert(lemma.key());
    }
    assert_eq!(
        ledger.len(),
        keys.len(),
        "`codegen prove` removes what is left over"
    );
    let text = std::fs::read_to_string(root().join("lemmas.json")).unwrap();
    assert_eq!(ledger.text(), text);
}

/// Proves everything anew; minutes, so only when asked for.
#[test]
#[ignore = "minutes: `cargo test -p codegen -- --ignored every_lemma`"]
fn every_lemma_is_proved() {
    let templates = templates(&root().join("../templates"));
    let solver = solver().expect("z3 is installed");
    let path = root().join("lemmas.json");
    let mut ledger = Ledger::load(&path).unwrap_or_else(|_| Ledger::empty(&path));
    prove_all(&templates, &mut ledger, Some(&solver), true, |name| {
        println!("{name}")
    })
    .unwrap_or_else(|e| panic!("{e}"));
    if ledger.is_changed() {
        ledger.save().unwrap();
    }
}

/// A copy of the templates with one file edited.
fn edited(file: &str, from: &str, to: &str) -> (tempfile::TempDir, TemplateSet) {
    fn copy(from: &Path, to: &Path) {
        std::fs::create_dir_all(to).unwrap();
        for entry in std::fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            let target = to.join(entry.file_name());
            if entry.path().is_dir() {
                copy(&entry.path(), &target);
            } else {
                std::fs::copy(entry.path(), target).unwrap();
            }
        }
    }
    let folder = tempfile::tempdir().unwrap();
    copy(&root().join("../templates"), folder.path());
    let path = folder.path().join(file);
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{file} has no `{from}`");
    std::fs::write(&path, text.replace(from, to)).unwrap();
    let templates = templates(folder.path());
    (folder, templates)
}

/// What is said of an edited template, with the folder's name left out.
fn refusal(target: Target, op: MacroOp, file: &str, from: &str, to: &str) -> String {
    let (folder, templates) = edited(file, from, to);
    let rendered = templates.render_body(target, &crate::params::GOLDILOCKS, op);
    let refused = rendered.and_then(|rendered| settle(&rendered, Ledger::built_in(), || None));
    let message = refused.unwrap_err().to_string();
    message.replace(&folder.path().display().to_string(), "templates")
}

#[test]
fn a_dropped_correction_is_refused_with_operands() {
    let file = "neon/registers/goldilocks/canonicalise.tera";
    let refusal = refusal(
        Target::Aarch64,
        MacroOp::Canonicalise,
        file,
        "subs t, x, P\ncsel r, t, x, cs",
        "add r, x, ZERO",
    );
    insta::assert_snapshot!(refusal);
}

#[test]
fn a_wrong_condition_is_refused_with_operands() {
    let file = "neon/registers/goldilocks/add.tera";
    insta::assert_snapshot!(refusal(
        Target::Aarch64,
        MacroOp::Add,
        file,
        "m:w, cs",
        "m:w, cc"
    ));
}

#[test]
fn a_right_body_that_is_not_recorded_asks_for_a_proof() {
    let file = "neon/registers/goldilocks/add.tera";
    let refusal = refusal(
        Target::Aarch64,
        MacroOp::Add,
        file,
        "add r, t, m",
        "add r, m, t",
    );
    insta::assert_snapshot!(refusal);
}

/// Every line of every body matters: where one is left out (its result read from its first
/// operand instead), the body is not read, or concrete operands refute it.
#[test]
fn no_instruction_is_idle() {
    use crate::machine::Source;
    let templates = templates(&root().join("../templates"));
    for (target, field, op) in all(&templates) {
        let rendered = templates
            .render_body(target, field, op)
            .unwrap_or_else(|e| panic!("{e}"));
        for n in 0..rendered.body.instructions.len() {
            let mut mutant = rendered.clone();
            let dropped = mutant.body.instructions.remove(n);
            let Some(&Source::Reg(stand_in)) =
                dropped.sources.iter().find(|s| matches!(s, Source::Reg(_)))
            else {
                continue;
            };
            let kinds = &rendered.body.registers;
            let kind = |r: crate::machine::Reg| kinds[r.0 as usize];
            if dropped.results.len() != 1 || kind(dropped.results[0]) != kind(stand_in) {
                continue;
            }
            let replace = |r: &mut crate::machine::Reg| {
                if *r == dropped.results[0] {
                    *r = stand_in;
                }
            };
            for instruction in &mut mutant.body.instructions {
                for source in &mut instruction.sources {
                    if let Source::Reg(r) = source {
                        replace(r);
                    }
                }
            }
            mutant.body.results.iter_mut().for_each(replace);
            let lemma = Lemma::new(&mutant).unwrap();
            let name = format!("{} without {}", lemma.name(), dropped.row.name);
            assert!(lemma.test(QUICK).is_err(), "{name} keeps its promise");
        }
    }
}

#[test]
fn a_wrong_body_is_refuted_by_the_solver_alone() {
    let Some(solver) = solver() else { return };
    let file = "scalar/registers/goldilocks/sub.tera";
    let (_folder, templates) = edited(file, "wrapping_sub(t, m)", "wrapping_add(t, m)");
    let field = &crate::params::GOLDILOCKS;
    let rendered = templates
        .render_body(Target::Scalar, field, MacroOp::Sub)
        .unwrap();
    let lemma = Lemma::new(&rendered).unwrap();
    let refused = lemma
        .answer(&lemma.question(0), &solver)
        .unwrap_err()
        .to_string();
    assert!(
        refused.contains("breaks the promise of macro-op sub"),
        "{refused}"
    );
    assert!(refused.contains("b - a ≤ p"), "{refused}");
}
