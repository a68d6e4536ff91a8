use super::*;

#[test]
fn every_mutant_is_killed() {
    let table = score();
    println!("{table}");
    for row in table.seen_by_the_prover_alone() {
        println!("prover alone: {row}");
    }
    assert_eq!(table.survivors(), Vec::<&Row>::new());
    let caught = |row: &&Row| row.equivalent.is_some() && row.caught.is_some();
    assert_eq!(
        table.rows.iter().find(caught),
        None,
        "proved equal, and yet different"
    );
    // The same mutants under uniform inputs: what directed vectors are for.
    let dropped = table.tallies()[&Kind::Dropped];
    assert!(dropped.caught > dropped.random);
}

#[test]
fn every_line_of_every_template_is_needed() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../templates");
    let rows = template::score(&folder).expect("the templates are right");
    let idle = |row: &&template::Row| {
        matches!(
            row.verdict,
            template::Verdict::Survives | template::Verdict::SameCode
        )
    };
    let idle: Vec<String> = rows.iter().filter(idle).map(ToString::to_string).collect();
    let lemma = |row: &&template::Row| matches!(row.verdict, template::Verdict::Counterexample(_));
    let by_lemma = rows.iter().filter(lemma).count();
    println!(
        "{} mutants of templates, {by_lemma} refused by a lemma's operands",
        rows.len()
    );
    assert_eq!(idle, Vec::<String>::new());
}
