//! Where directed cases come from.

use super::regressions;
use super::values::{Fill, edges};
use super::{Section, Table};
use crate::oracle::{Instance, Inverse, known_answers};
use crate::parallel::in_parallel;

/// The check of [`known`] cases in reports.
pub(crate) const KNOWN_ANSWERS: &str = "known answers";

/// How many states are run backwards from before each layer, with the standard constants and with
/// each of the other tables.
const BACKWARDS: (usize, usize) = (64, 8);

/// All directed cases of some instances; one thread for each.
///
/// # Panics
/// Where a thread does.
#[must_use]
pub fn all(instances: &[Instance]) -> Vec<Section> {
    in_parallel(instances, sections).concat()
}

/// A corpus for tests of the suite itself.
#[cfg(test)]
pub(crate) fn small(instance: &Instance) -> Vec<Section> {
    let mut section = Section::new(instance, Table::standard(instance));
    known(&mut section, instance);
    backwards(&mut section, instance, 8);
    vec![section]
}

/// The directed cases of one instance.
fn sections(instance: &Instance) -> Vec<Section> {
    let p = instance.field.modulus;
    let mut standard = Section::new(instance, Table::standard(instance));
    known(&mut standard, instance);
    singles(&mut standard, instance);
    pairs(&mut standard, instance);
    triples(&mut standard, instance);
    backwards(&mut standard, instance, BACKWARDS.0);

    let mut fill = Fill::new(p);
    let mut random = fill.clone();
    let tables = [
        Table::filled(instance, "all 0", || 0),
        Table::filled(instance, "all p - 1", || p - 1),
        Table::filled(instance, "random", || random.below(p)),
        Table::filled(instance, "dangerous", || {
            fill.dangerous_residue(&instance.field)
        }),
    ];
    let others = tables.into_iter().map(|table| {
        let mut section = Section::new(instance, table);
        singles(&mut section, instance);
        backwards(&mut section, instance, BACKWARDS.1);
        section
    });
    let mut all = vec![standard];
    all.extend(others);
    all.extend(regressions::sections(instance));
    all
}

/// The published vectors, as one group: neighbouring lanes must hold different states.
pub(crate) fn known(section: &mut Section, instance: &Instance) {
    let encode = |x: &u64| instance.field.encode(*x);
    let answers = known_answers(instance);
    let start = section.words.len();
    let inputs = answers.iter();
    let inputs = inputs.map(|answer| answer.input.iter().map(encode).collect());
    let origin = "published vectors".to_owned();
    section.push(instance, KNOWN_ANSWERS, origin, inputs);
    // The reference has computed the images; the published ones decide.
    let cases = section.words[start..].chunks_exact_mut(2 * instance.permutation.width());
    for (case, answer) in cases.zip(&answers) {
        let width = answer.output.len();
        case[width..].copy_from_slice(&answer.output);
    }
}

/// Each edge value at each element, and at all of them.
fn singles(section: &mut Section, instance: &Instance) {
    let width = instance.permutation.width();
    for edge in edges(&instance.field) {
        let mut fill = Fill::new(edge);
        let states = (0..width).map(|i| placed(instance, &mut fill, &[(i, edge)]));
        let states: Vec<_> = states.chain([vec![edge; width]]).collect();
        let origin = format!("{edge:#x} at each element and at all");
        section.push(instance, "edge values", origin, states);
    }
}

/// All 361 pairs of edge values at each pair of elements.
fn pairs(section: &mut Section, instance: &Instance) {
    let width = instance.permutation.width();
    let edges = edges(&instance.field);
    for i in 0..width {
        for j in i + 1..width {
            let mut fill = Fill::new((i * width + j) as u64);
            let mut states = Vec::with_capacity(edges.len() * edges.len());
            for a in edges {
                for b in edges {
                    states.push(placed(instance, &mut fill, &[(i, a), (j, b)]));
                }
            }
            let origin = format!("edge values at elements {i} and {j}");
            section.push(instance, "edge pairs", origin, states);
        }
    }
}

/// All 6,859 triples of edge values at neighbouring elements, the place moving from case to case.
fn triples(section: &mut Section, instance: &Instance) {
    let width = instance.permutation.width();
    let edges = edges(&instance.field);
    let mut fill = Fill::new(edges.len() as u64);
    let mut states = Vec::new();
    for a in edges {
        for b in edges {
            for c in edges {
                let at = |offset| (states.len() + offset) % width;
                let places = [(at(0), a), (at(1), b), (at(2), c)];
                states.push(placed(instance, &mut fill, &places));
            }
        }
    }
    let origin = "edge values at three neighbouring elements".to_owned();
    section.push(instance, "edge triples", origin, states);
}

/// States chosen *inside* the permutation, before each layer, and run backwards to the inputs that
/// drive them there.
fn backwards(section: &mut Section, instance: &Instance, count: usize) {
    let permutation = section.table.permutation(instance);
    let inverse = Inverse::new(&permutation).expect("every layer of a permutation is a bijection");
    for (index, layer) in inverse.layers().iter().enumerate() {
        let mut fill = Fill::new(index as u64);
        let states: Vec<_> = (0..count)
            .map(|_| {
                let residue = |_| fill.dangerous_residue(&instance.field);
                let mut state: Vec<u64> = (0..permutation.width()).map(residue).collect();
                inverse.input_for(index, &mut state);
                let encode = |x: &u64| instance.field.encode(*x);
                state.iter().map(encode).collect()
            })
            .collect();
        let origin = format!("dangerous residues before layer {index}, {layer:?}");
        section.push(instance, "run backwards", origin, states);
    }
}

/// A state with these words at these elements and arbitrary legal words elsewhere.
fn placed(instance: &Instance, fill: &mut Fill, places: &[(usize, u64)]) -> Vec<u64> {
    let words = (0..instance.permutation.width()).map(|_| fill.word(&instance.field));
    let mut state: Vec<u64> = words.collect();
    for (i, x) in places {
        state[*i] = *x;
    }
    state
}
