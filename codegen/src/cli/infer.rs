//! `--infer`: the largest provable set of claims, written into the spec.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

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

/// A spec's text with its claims, to be written once its kernels are.
pub(super) struct Inferred {
    path: PathBuf,
    text: String,
    told: String,
}

impl Inferred {
    /// Infers the claims of a spec, which it has from then on.
    pub(super) fn of(spec: &mut Spec) -> Result<Self, Diagnostics> {
        let text = inferred(spec)?;
        let new = Spec::parse(&spec.path, &text)?;
        let path = shown(&spec.path);
        let told = if text == spec.source.text() {
            format!("{path}: its claims are the largest provable set already\n")
        } else {
            let claims = new.proofs.values().flatten();
            let elided = claims.filter(|claim| claim.kind != ClaimKind::Canonicalise);
            format!("{path}: {} claims written\n", elided.count())
        };
        *spec = new;
        // Of a link, the file that it leads to.
        let path = fs::canonicalize(&spec.path).unwrap_or_else(|_| spec.path.clone());
        Ok(Self { path, text, told })
    }

    /// Writes the claims into the spec's file, if that changes it, and tells what it did.
    pub(super) fn write(&self, out: &mut dyn Write) -> Result<(), Diagnostics> {
        if fs::read_to_string(&self.path).ok().as_ref() != Some(&self.text) {
            replace(&self.path, &self.text)?;
        }
        Ok(tell(out, &self.told)?)
    }
}
