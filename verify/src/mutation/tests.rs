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
