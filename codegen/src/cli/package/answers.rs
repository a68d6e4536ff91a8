//! Known answers of a permutation, by the reference.

use std::fmt::Write as _;

use crate::diag::Diagnostic;
use crate::params::Instance;

/// A state and its image in a line each, as residues: edge cases first, then a chain of images.
pub(super) fn text(instance: &Instance) -> Result<String, Diagnostic> {
    let p2 = permutation(instance)?;
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
    let mut text = String::from(
        "# Known answers by the reference, which shares no code with the kernels: a state of residues\n\
         # and its image, in turn.\n",
    );
    let mut next = states[2].clone();
    for _ in 0..32 {
        p2.permute(&mut next);
        states.push(next.clone());
    }
    for state in states {
        let mut image = state.clone();
        p2.permute(&mut image);
        for words in [state, image] {
            let words: Vec<String> = words.iter().map(|word| format!("{word:#x}")).collect();
            let _ = writeln!(text, "{}", words.join(" "));
        }
    }
    Ok(text)
}

/// The permutation as the reference has it: by its name, or as it is stated.
pub(in crate::cli) fn permutation(instance: &Instance) -> Result<reference::Poseidon2, Diagnostic> {
    let (set, field, width) = instance.key();
    if let Some(known) = reference::find(set, field, width) {
        return Ok(known.permutation);
    }
    let read = reference::Instance::read(&instance.statement());
    read.map(|read| read.permutation).map_err(|misstated| {
        let what = misstated.what;
        Diagnostic::new(format!(
            "the reference does not read what is stated of {set}: {what}"
        ))
    })
}
