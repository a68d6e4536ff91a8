use super::table::{Proof, Row, Table};
use super::*;

#[test]
fn every_mutant_is_killed() {
    let table = score(&crate::programs::all());
    println!("{table}");
    let alone = |row: &&Row| row.is_refused() && row.executed && row.caught.is_none();
    for row in table.rows.iter().filter(alone) {
        println!("prover alone: {row}");
    }
    assert_eq!(table.faults(), Vec::<String>::new());
}

#[test]
fn what_must_not_be_is_told() {
    let row = Row {
        program: "p".to_owned(),
        kind: Kind::Dropped,
        site: "s".to_owned(),
        what: "w".to_owned(),
        proof: Proof::Refused("why".to_owned()),
        executed: true,
        caught: Some("directed"),
        random: false,
    };
    let faults = |rows: &[Row]| {
        let rows = rows.to_vec();
        Table { rows }.faults()
    };
    assert_eq!(faults(std::slice::from_ref(&row)), Vec::<String>::new());
    assert_eq!(faults(&[]).len(), 1, "no mutant, nothing found");
    let alive = Row {
        proof: Proof::NotAsked,
        caught: None,
        ..row.clone()
    };
    assert_eq!(faults(&[row.clone(), alive]).len(), 1, "a survivor");
    let equal = Row {
        proof: Proof::Equivalent("why".to_owned()),
        ..row.clone()
    };
    assert_eq!(faults(&[equal]).len(), 1, "equal and different");
    let random = Row {
        random: true,
        ..row
    };
    assert_eq!(faults(&[random]).len(), 1, "uniform inputs do as well");
}

#[test]
fn every_line_of_every_template_is_needed() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../templates");
    let rows = template::score(&folder).expect("the templates are right");
    let idle = rows.iter().filter(|row| row.is_idle());
    let idle: Vec<String> = idle.map(ToString::to_string).collect();
    let lemma = |row: &&template::Row| matches!(row.verdict, template::Verdict::Counterexample(_));
    let by_lemma = rows.iter().filter(lemma).count();
    println!(
        "{} mutants of templates, {by_lemma} refused by a lemma's operands",
        rows.len()
    );
    assert_eq!(idle, Vec::<String>::new());
}
