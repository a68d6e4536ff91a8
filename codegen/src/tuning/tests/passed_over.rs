//! Kernels that a table names and that are not there.

use super::*;

#[test]
fn what_is_not_there_takes_nobodys_place() {
    let steps = |table: &TuningTable| {
        let resolved = resolve(std::slice::from_ref(table), &asked());
        let choices = resolved.into_iter().flat_map(|one| one.choices);
        choices.map(|choice| choice.steps).collect::<Vec<_>>()
    };
    let mut faster = table();
    for figures in faster.cells.iter_mut().flat_map(|cell| &mut cell.figures) {
        let single = figures.iter_mut().find(|figure| figure.states == 1);
        let Some(single) = single else { continue };
        let packaged = Figure {
            kernel: "w8_packaged_b1".to_owned(),
            time: single.time / 2.0,
            ratio: single.ratio * 2.0,
            ..single.clone()
        };
        single.used = false;
        figures.push(packaged);
    }
    assert_ne!(faster, table());
    assert_eq!(steps(&faster), steps(&table()));
}

#[test]
fn what_is_not_there_is_passed_over() {
    let kernels: BTreeSet<String> = asked()
        .into_iter()
        .filter(|name| name.ends_with("_scalar_b1"))
        .collect();
    let resolved = resolve(&[table()], &kernels);
    let choices = resolved.iter().flat_map(|one| &one.choices);
    let steps: Vec<_> = choices.flat_map(|choice| &choice.steps).collect();
    assert!(!steps.is_empty());
    assert!(
        steps
            .iter()
            .all(|step| step.kernel.ends_with("w8_scalar_b1"))
    );
    assert!(
        resolve(&[table()], &BTreeSet::new())
            .iter()
            .all(|one| one.choices.is_empty())
    );
    assert_eq!(unknown(&[table()], &kernels).len(), 6);
}
