//! `codegen identify`: whose permutation one has, by a known answer.

use std::io::Write;

use super::places::Workspace;
use super::{Exit, tell};
use crate::diag::{Diagnostic, Diagnostics};
use crate::params::Instance;
use crate::spec::by_reference;

/// Tells which permutations of the repository map a state to its image, or to something that begins as
/// the image does.
pub(super) fn run(
    workspace: &Workspace,
    answer: &[String],
    out: &mut dyn Write,
) -> Result<Exit, Diagnostics> {
    let mut errors = Diagnostics::new();
    let words = answer.iter().zip(["IN", "OUT"]);
    let words = words.map(|(text, what)| errors.keep(self::words(text, what)));
    let words: Vec<Option<Vec<u64>>> = words.collect();
    errors.into_result()?;
    let words: Vec<Vec<u64>> = words.into_iter().flatten().collect();
    let [state, image] = words.as_slice() else {
        return Err(Diagnostic::new("a known answer is a state and its image").into());
    };
    if image.is_empty() || image.len() > state.len() {
        let message = format!("OUT has {} elements, IN has {}", image.len(), state.len());
        let help = "write the image, or as many of its first elements as are known";
        return Err(Diagnostic::new(message).help(help).into());
    }
    let mut specs = workspace.own_specs()?;
    specs.extend(workspace.instances()?);
    let mut tried = Vec::new();
    let mut found = 0;
    for instance in specs.iter().map(|spec| &spec.instance) {
        let (set, field, width) = instance.key();
        if width != state.len() {
            continue;
        }
        let name = format!("{set}, {field}, width {width}");
        let modulus = instance.field.modulus;
        if let Some(word) = words.concat().iter().find(|word| **word >= modulus) {
            tried.push(format!("{name} ({word} is not below p)"));
            continue;
        }
        for form in matches(instance, state, image)? {
            found += 1;
            let (external, internal) = (instance.external_rounds, instance.internal_rounds);
            let rounds = format!("{external} + {internal} rounds");
            tell(out, &format!("{name}: {rounds}; {form}\n"))?;
        }
        tried.push(name);
    }
    if found > 0 {
        return Ok(Exit::Done);
    }
    let told = match tried.is_empty() {
        true => format!("no known permutation has width {}\n", state.len()),
        false => format!("none of these: {}\n", tried.join("; ")),
    };
    tell(out, &told)?;
    Ok(Exit::Differs)
}

/// In which forms of words, all below p, the permutation maps a state to its image.
fn matches(
    instance: &Instance,
    state: &[u64],
    image: &[u64],
) -> Result<Vec<&'static str>, Diagnostic> {
    let field = instance.field;
    let permutation = by_reference(instance)?;
    let mut forms = vec![("words are residues", (|_, x| x) as fn(&_, u64) -> u64)];
    if field.is_montgomery() {
        let form: fn(&crate::params::Field, u64) -> u64 = |field, x| field.from_montgomery(x);
        forms.push(("words are Montgomery forms x·2^32", form));
    }
    forms.retain(|(_, residue)| {
        let of = |words: &[u64]| {
            words
                .iter()
                .map(|x| residue(field, *x))
                .collect::<Vec<u64>>()
        };
        let mut permuted = of(state);
        permutation.permute(&mut permuted);
        permuted[..image.len()] == of(image)
    });
    Ok(forms.into_iter().map(|(name, _)| name).collect())
}

/// Words with commas, blanks or brackets around them.
fn words(text: &str, what: &str) -> Result<Vec<u64>, Diagnostic> {
    let plain = |c: char| c == ',' || c == '[' || c == ']' || c.is_whitespace();
    let words = text.split(plain).filter(|word| !word.is_empty());
    let words = words.map(|word| {
        let number = match word.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16),
            None => word.parse(),
        };
        number.map_err(|_| {
            let error = Diagnostic::new(format!("{what} has `{word}`, which is not a number"));
            error.help("write elements like 42 or 0x2a, with commas between them")
        })
    });
    words.collect()
}
