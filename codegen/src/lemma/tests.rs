use std::path::{Path, PathBuf};
use std::time::Duration;

use super::*;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn templates(directory: &Path) -> TemplateSet {
    TemplateSet::load(directory).unwrap_or_else(|e| panic!("{e}"))
}

/// z3, where it is installed; without it the ledger alone speaks.
fn solver() -> Option<Solver> {
    Solver::find(Duration::from_secs(60))
}

#[test]
fn the_ledger_is_complete_and_nothing_more() {
    let templates = templates(&root().join("../templates"));
    let ledger = Ledger::load(&root().join("lemmas.json")).unwrap();
    let lemmas = all(&templates);
    for &(target, field, op) in &lemmas {
        let rendered = templates.render_body(target, field, op).unwrap_or_else(|e| panic!("{e}"));
        let lemma = Lemma::new(&rendered).unwrap();
        let entry = ledger.get(&lemma.key());
        assert!(entry.is_some(), "{} is not proved: run `codegen prove`", lemma.name());
        assert_eq!(entry.unwrap().name, lemma.name());
    }
    assert_eq!(ledger.len(), lemmas.len(), "`codegen prove` removes what is left over");
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
    prove_all(&templates, &mut ledger, Some(&solver), true, |name| println!("{name}"))
        .unwrap_or_else(|e| panic!("{e}"));
    if ledger.is_changed() {
        ledger.save().unwrap();
    }
}
