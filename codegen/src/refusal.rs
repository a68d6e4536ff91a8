//! The prover's refusals as diagnostics: where in the spec, which value breaks it, the way out.

use crate::diag::{Diagnostic, Diagnostics};
use crate::kernel::kernel_name;
use crate::lower::{Claims, Conflict};
use crate::ops::Contract;
use crate::prove::{Mismatch, Refusal, Warning};
use crate::spec::{Claim, KernelSpec, Spec};

/// Diagnostics for everything that the prover refused. Where a kernel is named, they say how to have
/// its sites explained.
#[must_use]
pub fn refusals(
    spec: &Spec,
    claims: &Claims<'_>,
    sites: &[String],
    list: &[Refusal],
    kernel: Option<&KernelSpec>,
) -> Diagnostics {
    let refused = list.iter().map(|refusal| {
        let diagnostic = one(spec, claims, sites, refusal);
        let explained = kernel.and_then(|kernel| {
            let name = kernel_name(&spec.instance, kernel, *kernel.batches.first()?);
            let site = refusal.site()?;
            Some(format!("`codegen explain {name} '{site}'` derives it"))
        });
        match (diagnostic.help_text(), explained) {
            (Some(help), Some(explained)) => {
                let help = format!("{help}; {explained}");
                diagnostic.help(help)
            }
            _ => diagnostic,
        }
    });
    refused.collect()
}

/// The diagnostic for two claims that contradict each other.
#[must_use]
pub fn conflict(spec: &Spec, claims: &Claims<'_>, conflict: &Conflict) -> Diagnostic {
    let source = spec.diagnostic_source();
    let (first, second) = conflict.claims;
    Diagnostic::new(format!(
        "two entries decide on the same operand of `{}`",
        conflict.site
    ))
    .at(&source, claims.get(first).span.clone(), "the first")
    .at(&source, claims.get(second).span.clone(), "and the second")
    .help("narrow one pattern, or drop one of the two")
}

/// Diagnostics for what is true but useless.
#[must_use]
pub fn warnings(spec: &Spec, claims: &Claims<'_>, list: &[Warning]) -> Diagnostics {
    let mut diagnostics = Diagnostics::default();
    let mut needless: Vec<&str> = Vec::new();
    for warning in list {
        match warning {
            Warning::UselessClaim { claim } => diagnostics.push(
                Diagnostic::warning(format!(
                    "the claim on `{}` is true but removes nothing",
                    claims.get(*claim).pattern
                ))
                .at(
                    &spec.diagnostic_source(),
                    claims.get(*claim).span.clone(),
                    "useless",
                )
                .help("drop it"),
            ),
            Warning::Needless { site } => needless.push(site),
        }
    }
    if let Some(first) = needless.first() {
        diagnostics.push(
            Diagnostic::warning(format!(
                "{} canonicalisations are kept that no bound needs, the first at `{first}`",
                needless.len()
            ))
            .help("`--infer` writes the claims that remove them"),
        );
    }
    diagnostics
}

fn one(spec: &Spec, claims: &Claims<'_>, sites: &[String], refusal: &Refusal) -> Diagnostic {
    let source = spec.diagnostic_source();
    match refusal {
        Refusal::Bound {
            site,
            block,
            contract,
            operands,
            unmet,
            claim,
        } => {
            let letters = contract.op.operands();
            let ranges: Vec<String> = letters
                .iter()
                .zip(operands)
                .map(|(l, r)| format!("{l} in {r}"))
                .collect();
            let values: Vec<String> = letters
                .iter()
                .zip(&unmet.witness)
                .map(|(l, v)| format!("{l} = {v:#x}"))
                .collect();
            let words: Vec<u64> = unmet.witness.iter().map(|&v| v as u64).collect();
            let message = format!(
                "`{site}` ({}) in {}: {} is not proved\n\
                 derived: {}\n\
                 broken by {}: the left side is {:#x}, the bound is {:#x}; {}",
                contract.op,
                block.name(),
                unmet.need.text,
                ranges.join(", "),
                values.join(", "),
                unmet.reached,
                unmet.need.bound,
                consequence(contract, &words),
            );
            let diagnostic = Diagnostic::new(message);
            match (claim, kept(claims, site)) {
                (Some(claim), _) => diagnostic
                    .at(
                        &source,
                        claims.get(*claim).span.clone(),
                        "this removed the canonicalisation",
                    )
                    .help(
                        "keep the canonicalisation of one operand, with `canonicalise = \"a\"` or \
                         `\"b\"` in place of the claim, or drop the entry; `--infer` writes what \
                         can be proved",
                    ),
                (None, Some(entry)) => diagnostic
                    .at(
                        &source,
                        entry.span.clone(),
                        "this left one operand as it is",
                    )
                    .help("name the other operand, or drop the entry to keep both; `--infer` writes what can be proved"),
                (None, None) => diagnostic.help(
                    "`--infer` writes what can be proved",
                ),
            }
        }
        Refusal::Claim {
            claim,
            site,
            says,
            derived,
        } => Diagnostic::new(format!("claim not derived at `{site}`"))
            .at(
                &source,
                claims.get(*claim).span.clone(),
                format!("says: {says}\nderived: {derived}"),
            )
            .help("claim what was derived, or drop the claim; `--infer` writes what can be proved"),
        Refusal::Unmatched { claim } => spec.unmatched(claims.get(*claim), sites),
        Refusal::Boundary {
            block,
            output,
            range,
            boundary,
        } => Diagnostic::new(format!(
            "{} gives state[{output}] in {range}, but state words between blocks are in {boundary}",
            block.name()
        ))
        .help("keep the canonicalisation of that output"),
        Refusal::Reading {
            block,
            by,
            value,
            written,
            read,
        } => Diagnostic::new(format!(
            "{}: `{by}` reads {value} as {read}, but it was written as {written}",
            block.name()
        ))
        .help("the lowering is wrong; this is a defect of the generator"),
        Refusal::Function { block, mismatch } => Diagnostic::new(match mismatch {
            Mismatch::Output {
                index,
                found,
                wanted,
            } => format!(
                "{} computes state[{index}] = {found}\nbut the specification says {wanted}",
                block.name()
            ),
            Mismatch::Product { name } => {
                format!("{}: `{name}` multiplies two different forms", block.name())
            }
        })
        .help("the lowering is wrong; this is a defect of the generator"),
    }
}

/// The entry that keeps a canonicalisation at a site.
fn kept<'a>(claims: &Claims<'a>, site: &str) -> Option<&'a Claim> {
    let entries = claims.directives().into_iter().map(|n| claims.get(n));
    entries
        .into_iter()
        .find(|entry| entry.pattern.matches(site))
}

/// What the kernel would compute for operands that break a bound, beside what is right.
fn consequence(contract: &Contract, words: &[u64]) -> String {
    let field = contract.field;
    let sum = contract.form().filter(|form| form.product.is_none());
    let (Some(form), [got]) = (sum, &contract.apply_all(words)[..]) else {
        return "the result would not be the promised residue".to_owned();
    };
    let terms = form.linear.iter().zip(words);
    let right = terms.fold(form.constant, |sum, (&k, &x)| {
        field.add(sum, field.mul(k, x))
    });
    format!(
        "the result would be {got:#x} ≡ {:#x}, right is {right:#x}",
        field.reduce(u128::from(*got))
    )
}
