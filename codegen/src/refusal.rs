//! The prover's refusals as diagnostics: where in the spec, which value breaks it, the way out.

use crate::diag::{Diagnostic, Diagnostics};
use crate::kernel::kernel_name;
use crate::lower::{Claims, Conflict};
use crate::ops::{Compared, Contract};
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
        let explained = || {
            let (kernel, site) = (kernel?, refusal.site()?);
            let name = kernel_name(&spec.instance, kernel, *kernel.batches.first()?);
            let help = diagnostic.help_text()?;
            Some(format!(
                "{help}; `codegen explain {name} '{site}'` derives it"
            ))
        };
        match explained() {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        }
    });
    refused.collect()
}

/// The diagnostic for two claims that contradict each other.
#[must_use]
pub fn conflict(spec: &Spec, claims: &Claims<'_>, conflict: &Conflict) -> Diagnostic {
    let source = &spec.source;
    let (first, second) = conflict.claims;
    Diagnostic::new(format!(
        "two entries decide on the same operand of `{}`",
        conflict.site
    ))
    .at(source, claims.get(first).span.clone(), "the first")
    .at(source, claims.get(second).span.clone(), "and the second")
    .help("narrow one pattern, or drop one of the two")
}

/// Diagnostics for what is true but useless.
#[must_use]
pub fn warnings(
    spec: &Spec,
    kernel: &KernelSpec,
    claims: &Claims<'_>,
    list: &[Warning],
) -> Diagnostics {
    let (mut diagnostics, mut needless) = (Diagnostics::new(), Vec::new());
    for warning in list {
        match warning {
            Warning::UselessClaim { claim } => {
                let claim = claims.get(*claim);
                let message = format!(
                    "the claim on `{}` is true but removes nothing",
                    claim.pattern
                );
                let warning = Diagnostic::warning(message);
                diagnostics.push(
                    warning
                        .at(&spec.source, claim.span.clone(), "useless")
                        .help("drop it"),
                );
            }
            Warning::Needless { site, .. } => needless.push(site),
        }
    }
    if let Some(first) = needless.first() {
        let n = needless.len();
        let message =
            format!("{n} canonicalisations are kept that no bound needs, the first at `{first}`");
        let help = "`--infer` writes the claims that remove them";
        let relies_on = match &kernel.proof {
            Some(set) => format!("with proof set `{set}`"),
            None => "without a proof set".to_owned(),
        };
        let warning = Diagnostic::warning(message);
        let warning = warning.at(&spec.source, kernel.span.clone(), relies_on);
        diagnostics.push(warning.help(help));
    }
    diagnostics
}

fn one(spec: &Spec, claims: &Claims<'_>, sites: &[String], refusal: &Refusal) -> Diagnostic {
    let at = |diagnostic: Diagnostic, entry: &Claim, label: String| {
        diagnostic.at(&spec.source, entry.span.clone(), label)
    };
    let defect = |message: String| {
        let help = "the lowering is wrong; this is a defect of the generator";
        Diagnostic::new(message).help(help)
    };
    match refusal {
        Refusal::Bound {
            site,
            block,
            contract,
            operands,
            unmet,
            claim,
        } => {
            let letters = contract.op.operands().iter();
            let ranges = letters.clone().zip(operands);
            let ranges: Vec<_> = ranges.map(|(l, range)| format!("{l} in {range}")).collect();
            let values = letters.zip(&unmet.witness);
            let values: Vec<_> = values.map(|(l, v)| format!("{l} = {v:#x}")).collect();
            let Compared { left, bound, .. } = unmet.need.compared(unmet.reached);
            let words: Vec<u64> = unmet.witness.iter().map(|&v| v as u64).collect();
            let diagnostic = Diagnostic::new(format!(
                "`{site}` ({}) in {}: {} is not proved\n\
                 derived: {}\n\
                 broken by {}: the left side is {left}, the bound is {bound}; {}",
                contract.op,
                block.name(),
                unmet.need.text,
                ranges.join(", "),
                values.join(", "),
                consequence(contract, &words),
            ));
            let kept = claims.directives().into_iter().map(|n| claims.get(n));
            let kept = kept.into_iter().find(|entry| entry.pattern.matches(site));
            let infer = "`--infer` writes what can be proved";
            match (claim, kept) {
                (Some(claim), _) => {
                    let label = "this removed the canonicalisation".to_owned();
                    at(diagnostic, claims.get(*claim), label).help(format!(
                        "keep the canonicalisation of one operand, with `canonicalise = \"a\"` or \
                         `\"b\"` in place of the claim, or drop the entry; {infer}"
                    ))
                }
                (None, Some(entry)) => {
                    let label = "this left one operand as it is".to_owned();
                    at(diagnostic, entry, label).help(format!(
                        "name the other operand, or drop the entry to keep both; {infer}"
                    ))
                }
                (None, None) => diagnostic.help(infer),
            }
        }
        Refusal::Claim {
            claim,
            site,
            says,
            derived,
        } => {
            let error = Diagnostic::new(format!("claim not derived at `{site}`"));
            let label = format!("says: {says}\nderived: {derived}");
            at(error, claims.get(*claim), label).help(
                "claim what was derived, or drop the claim; `--infer` writes what can be proved",
            )
        }
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
        } => defect(format!(
            "{}: `{by}` reads {value} as {read}, but it was written as {written}",
            block.name()
        )),
        Refusal::Function { block, mismatch } => defect(match mismatch {
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
        }),
    }
}

/// What the kernel would compute for operands that break a bound, beside what is right.
fn consequence(contract: &Contract, words: &[u64]) -> String {
    let field = contract.field;
    let sum = contract.form().filter(|form| form.products.is_empty());
    let (Some(form), [got]) = (sum, &contract.apply_all(words)[..]) else {
        return "the result would not be the promised residue".to_owned();
    };
    let terms = form.linear.iter().zip(words);
    let right = terms.fold(form.constant, |sum, (&k, &x)| {
        field.add(sum, field.mul(k, x))
    });
    let residue = field.reduce(u128::from(*got));
    let modulo = match residue == *got {
        true => String::new(),
        false => format!(", that is {residue:#x} modulo p"),
    };
    format!("the result would be {got:#x}{modulo}, and should be {right:#x}")
}
