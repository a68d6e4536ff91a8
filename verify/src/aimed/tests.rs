//! The aim is true, and nothing is left out.

use super::*;
use crate::oracle::instances;

#[test]
fn every_site_is_hit_with_the_operands_chosen() {
    for instance in instances() {
        let p2 = &instance.permutation;
        for site in instance_sites(&instance) {
            let Operands::Linear { a, b, .. } = &site.operands else {
                continue;
            };
            let value = |form: &Form, state: &[u64]| {
                let terms = form.iter().zip(state).map(|(m, x)| p2.mul(*m, *x));
                terms.fold(0, |sum, term| p2.add(sum, term))
            };
            let mut state = vec![3; p2.width()];
            aim(p2, &mut state, a, b.as_ref(), (5, 7), &mut Fill::new(1));
            assert_eq!(value(a, &state), 5, "{}", site.name);
            if let Some(b) = b {
                let parallel = || {
                    let cross = |i: usize, j: usize| p2.mul(a[i], b[j]) == p2.mul(a[j], b[i]);
                    (0..a.len()).all(|i| (0..a.len()).all(|j| cross(i, j)))
                };
                assert!(value(b, &state) == 7 || parallel(), "{}", site.name);
            }
        }
    }
}

#[test]
fn every_site_of_the_program_is_aimed_at() {
    let instance = crate::oracle::find("plonky3", "goldilocks", 8).expect("a known instance");
    let section = section(&instance);
    assert!(section.groups.iter().all(|group| group.count == VECTORS));
    let names: Vec<_> = section
        .groups
        .iter()
        .map(|group| group.origin.as_str())
        .collect();
    for wanted in [
        "external[*].mds.out[7]",
        "external[*].rc",
        "internal.rc",
        "internal.sum[3]",
    ] {
        assert!(names.contains(&wanted), "{wanted} is not among {names:?}");
    }
}

#[test]
fn linear_forms_are_the_layer() {
    for instance in instances() {
        let p2 = &instance.permutation;
        let outputs: Vec<_> = instance_sites(&instance)
            .into_iter()
            .filter(|site| site.name.starts_with("external[*].mds.out["))
            .collect();
        assert_eq!(outputs.len(), p2.width());
        let mut state: Vec<u64> = (1..=p2.width() as u64).collect();
        let before = state.clone();
        p2.apply(Layer::ExternalLinear, &mut state);
        for (site, expected) in outputs.iter().zip(state) {
            let Operands::Linear { a, b: Some(b), .. } = &site.operands else {
                panic!("{} has no two linear operands", site.name);
            };
            let terms = a.iter().zip(b).zip(&before);
            let sum = terms.fold(0, |sum, ((a, b), x)| {
                p2.add(sum, p2.mul(p2.add(*a, *b), *x))
            });
            assert_eq!(sum, expected, "{}", site.name);
        }
    }
}
