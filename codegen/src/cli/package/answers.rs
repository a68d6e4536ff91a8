//! Known answers of a permutation: those that the spec states, and more by the reference.

use std::fmt::Write as _;

use crate::diag::Diagnostic;
use crate::spec::{Spec, by_reference};

/// A state and its image in a line each, as residues: what is stated, edge cases, a chain of images.
pub(super) fn text(spec: &Spec) -> Result<String, Diagnostic> {
    let instance = &spec.instance;
    let permutation = by_reference(instance)?;
    let (width, p) = (instance.width as u64, instance.field.modulus);
    let of = |value: fn(u64, u64) -> u64| (0..width).map(|i| value(i, p)).collect::<Vec<u64>>();
    let mut states = vec![
        of(|_, _| 0),
        of(|_, _| 1),
        of(|i, _| i),
        of(|_, p| p - 1),
        of(|i, p| p - 1 - i),
        of(|i, p| if i % 2 == 0 { p - 1 } else { 0 }),
        of(|i, p| p / 2 + i),
        of(|i, _| (1 << 30) + i),
    ];
    let mut next = states[2].clone();
    for _ in 0..32 {
        permutation.permute(&mut next);
        states.push(next.clone());
    }
    let mut text = String::from(
        "# Known answers: a state of residues and its image, in turn. The reference gives the images; it shares\n\
         # no code with the kernels. Where somebody else's code gave them too, it is named.\n",
    );
    let stated = spec.answers.iter();
    let stated = stated.map(|answer| (Some(&answer.from), answer.state.clone()));
    for (from, state) in stated.chain(states.into_iter().map(|state| (None, state))) {
        if let Some(from) = from {
            let _ = writeln!(text, "# from {from}:");
        }
        let mut image = state.clone();
        permutation.permute(&mut image);
        for words in [state, image] {
            let words: Vec<String> = words.iter().map(|word| format!("{word:#x}")).collect();
            let _ = writeln!(text, "{}", words.join(" "));
        }
    }
    Ok(text)
}
