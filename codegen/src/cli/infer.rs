//! `--infer`: the largest provable set of claims, written into the spec.

use std::io::Write;

use super::args::Output;
use super::places::shown;
use super::tell;
use crate::diag::Diagnostics;
use crate::emit::replace;
use crate::pipeline::infer_claims;
use crate::spec::{ClaimKind, Spec, assign, write_proof};

/// The proof set that is written if the spec's kernels name none.
const DEFAULT_SET: &str = "eager";

/// The spec's text with the claims, on which every kernel then relies.
fn inferred(spec: &Spec) -> Result<String, Diagnostics> {
    let claims = infer_claims(spec);
    let mut text = spec.source.text().to_owned();
    let mut names: Vec<&str> = spec.proofs.keys().map(String::as_str).collect();
    let without: Vec<usize> = (0..spec.kernels.len())
        .filter(|&kernel| {
            let kernel = &spec.kernels[kernel];
            kernel.proof.is_none() && kernel.strategy.takes_proofs()
        })
        .collect();
    if !without.is_empty() {
        text = assign(&text, &without, "proof", DEFAULT_SET)?;
        if !names.contains(&DEFAULT_SET) {
            names.push(DEFAULT_SET);
        }
    }
    for name in names {
        text = write_proof(&text, spec.instance.field, name, &claims)?;
    }
    Ok(text)
}

/// Writes the claims into the spec's file, if that changes it, and tells what it did; with `--stdout`
/// nothing is written, the spec included.
pub(super) fn write(
    spec: &mut Spec,
    output: &Output,
    out: &mut dyn Write,
) -> Result<(), Diagnostics> {
    let text = inferred(spec)?;
    let new = Spec::parse(&spec.path, &text)?;
    let path = shown(&spec.path);
    let told = if output.stdout {
        String::new()
    } else if text == spec.source.text() {
        format!("{path}: its claims are the largest provable set already\n")
    } else {
        replace(&spec.path, &text)?;
        let claims = new.proofs.values().flatten();
        let elided = claims.filter(|claim| claim.kind != ClaimKind::Canonicalise);
        format!("{path}: {} claims written\n", elided.count())
    };
    tell(out, &told)?;
    *spec = new;
    Ok(())
}
