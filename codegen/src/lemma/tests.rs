use std::path::Path;

use super::*;
use crate::isa::Target;
use crate::names::Strategy;
use crate::ops::MacroOp;
use crate::template::TemplateSet;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn templates(directory: &Path) -> TemplateSet {
    TemplateSet::load(directory).unwrap_or_else(|e| panic!("{e}"))
}

/// The file has every lemma and no other, in an order and under names that depend on nothing but
/// the templates.
#[test]
fn the_ledger_is_complete_and_nothing_more() {
    let templates = templates(&root().join("../templates"));
    let path = root().join("lemmas.json");
    let ledger = Ledger::load(&path).unwrap();
    let mut expected = Ledger::default();
    for (target, field, op) in all(&templates) {
        let rendered = templates
            .render_body(target, field, op)
            .unwrap_or_else(|e| panic!("{e}"));
        let key = key(&Lemma::new(&rendered).unwrap().read().unwrap());
        let name = format!("{} {} {op}", target.folder(), field.name);
        let Some(Entry { solver, .. }) = ledger.get(&key) else {
            panic!("{name} is not proved: run `codegen prove`");
        };
        let solver = solver.clone();
        expected.record(Entry { key, name, solver });
    }
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(
        text == expected.text(),
        "lemmas.json is not as `codegen prove` writes it"
    );
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
    let refused = rendered.and_then(|rendered| discharge(&rendered));
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

/// Needs z3: without it nothing would be tested here.
#[test]
fn a_right_body_that_is_not_recorded_is_proved_on_the_spot() {
    let file = "neon/registers/goldilocks/add.tera";
    let (_folder, templates) = edited(file, "add r, t, m", "add r, m, t");
    let field = &crate::params::GOLDILOCKS;
    let rendered = templates
        .render_body(Target::Aarch64, field, MacroOp::Add)
        .unwrap();
    let key = key(&read(&rendered).unwrap());
    assert_eq!(Ledger::built_in().get(&key), None);
    discharge(&rendered).unwrap_or_else(|e| panic!("{e}"));
}

/// One text may keep its contract in words of one radix and not in those of another.
#[test]
fn what_is_known_of_a_body_is_known_of_its_words() {
    let [right, wrong] = ["52", "64"].map(|words| {
        let folder = format!("../templates/scalar/registers/montgomery{words}/mul-add.tera");
        std::fs::read_to_string(root().join(folder)).unwrap()
    });
    let file = "scalar/registers/montgomery64/mul-add.tera";
    let (_folder, templates) = edited(file, &wrong, &right);
    let discharged = |strategy| {
        let field = crate::params::KOALA_BEAR.wide(strategy).unwrap();
        let rendered = templates.render_body(Target::Scalar, field, MacroOp::MulAdd);
        discharge(&rendered.unwrap())
    };
    discharged(Strategy::Radix52).unwrap();
    discharged(Strategy::Radix32).unwrap_err();
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
            if dropped.row.classes.is_empty() {
                // No instruction.
                continue;
            }
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
            let name = format!("{} {op} without {}", target.folder(), dropped.row.name);
            assert!(lemma.test(RANDOM).is_err(), "{name} keeps its promise");
        }
    }
}

/// Needs z3: without it nothing would be tested here.
#[test]
fn a_wrong_body_is_refuted_by_the_solver_alone() {
    let file = "scalar/registers/goldilocks/sub.tera";
    let (_folder, templates) = edited(file, "wrapping_sub(t, m)", "wrapping_add(t, m)");
    let field = &crate::params::GOLDILOCKS;
    let rendered = templates
        .render_body(Target::Scalar, field, MacroOp::Sub)
        .unwrap();
    let lemma = Lemma::new(&rendered).unwrap();
    let unsettled = settle(&lemma.read().unwrap()).unwrap_err();
    let refused = lemma.unproved(unsettled).to_string();
    assert!(
        refused.contains("to keep the promise of macro-op sub"),
        "{refused}"
    );
    for part in ["b - a ≤ p", "by z3", "it makes"] {
        assert!(refused.contains(part), "{refused}");
    }
}
