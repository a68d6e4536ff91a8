//! What the examples have to print, by known answers and by the reference.

use super::answers::sponge;
use crate::oracle::{Instance, find, known_answers};

/// A line of words as the examples print them.
fn line(what: &str, digits: usize, words: &[u64]) -> String {
    let words: Vec<String> = words
        .iter()
        .map(|word| format!(" {word:0digits$x}"))
        .collect();
    format!("{what}{}", words.concat())
}

fn instance(field: &str, width: usize) -> Instance {
    find("plonky3", field, width).expect("the reference knows every instance")
}

/// A known answer: what becomes of 0, 1, 2, …
fn image(instance: &Instance) -> Vec<u64> {
    let counting = |input: &[u64]| input.iter().copied().eq(0..input.len() as u64);
    let mut known = known_answers(instance).into_iter();
    let known = known.find(|answer| counting(&answer.input));
    known.expect("the vectors have it").output
}

/// What `examples/merkle_root.c` has to print.
pub(super) fn merkle_root() -> Vec<String> {
    let instance = instance("goldilocks", 8);
    let hash = |rate, row: &[u64]| sponge(&instance.permutation, rate, 4, row);
    let matrix: Vec<u64> = (0..1024 * 10).collect();
    let mut layer: Vec<u64> = matrix.chunks(10).flat_map(|row| hash(4, row)).collect();
    while layer.len() > 4 {
        layer = layer.chunks(8).flat_map(|pair| hash(8, pair)).collect();
    }
    vec![
        line("image", 16, &image(&instance)),
        line("root", 16, &layer),
    ]
}

/// What `examples/hash_rows.cpp` has to print.
pub(super) fn hash_rows() -> Vec<String> {
    let row: Vec<u64> = (99 * 30..100 * 30).collect();
    let digest = sponge(&instance("koala-bear", 24).permutation, 16, 8, &row);
    vec![
        line("image", 8, &image(&instance("koala-bear", 16))),
        line("digest", 8, &digest),
        "a null pointer is refused: poseidon2: status 1".to_owned(),
    ]
}
