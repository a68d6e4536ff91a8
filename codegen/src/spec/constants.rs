//! Round constants: derived, or written out.

use toml::de::DeArray;

use super::permutation::{Permutation, bound};
use super::reader::{Report, Value};
use crate::params::{Field, Instance, RoundConstants};

/// The constants that the spec asks for. `named` is the instance that its name stands for.
pub(super) fn read(
    report: &Report<'_>,
    spec: &Permutation<'_, '_>,
    named: Option<&Instance>,
) -> Option<RoundConstants> {
    let value = spec.constants?;
    if spec.grain() {
        return named.map(|instance| instance.constants.clone());
    }
    if value.get_ref().is_str() {
        report.push(
            report
                .error(
                    value.span(),
                    "`constants` is neither \"grain\" nor a table",
                    "not known",
                )
                .help("write \"grain\" or { external = [[…], …], internal = […] }"),
        );
        return None;
    }
    let table = report.table("constants", value, &["external", "internal"])?;
    let external = table.required("external").and_then(|value| {
        let rounds = spec.external_rounds.as_ref().map(|rounds| rounds.value);
        let width = spec.width.as_ref().map(|width| width.value);
        rows(report, spec, value, rounds, width)
    });
    let internal = table.required("internal").and_then(|value| {
        let rounds = spec.internal_rounds.as_ref().map(|rounds| rounds.value);
        let array = report.array(value)?;
        check_length(
            report,
            value,
            array,
            "internal",
            rounds,
            "`internal-rounds`",
        );
        residues(report, spec, array, "internal")
    });
    let constants = RoundConstants {
        external: external?,
        internal: internal?,
    };
    if let Some(named) = named
        && named.constants != constants
    {
        let message = format!(
            "these are not the constants of parameter set `{}`",
            named.parameter_set
        );
        report.push(
            report
                .error(
                    value.span(),
                    message,
                    "differ from what the Grain LFSR gives",
                )
                .at(report.source, spec.set_span(), "the name promises them")
                .help("write constants = \"grain\", or give your parameters a name of their own"),
        );
    }
    Some(constants)
}

fn rows(
    report: &Report<'_>,
    spec: &Permutation<'_, '_>,
    value: &Value<'_>,
    rounds: Option<usize>,
    width: Option<usize>,
) -> Option<Vec<Vec<u64>>> {
    let array = report.array(value)?;
    check_length(
        report,
        value,
        array,
        "external",
        rounds,
        "`external-rounds`",
    );
    let rows: Vec<_> = array
        .iter()
        .enumerate()
        .map(|(round, value)| {
            let what = format!("external[{round}]");
            let row = report.array(value)?;
            check_length(report, value, row, &what, width, "`width`");
            residues(report, spec, row, &what)
        })
        .collect();
    rows.into_iter().collect()
}

fn check_length(
    report: &Report<'_>,
    value: &Value<'_>,
    array: &DeArray<'_>,
    what: &str,
    expected: Option<usize>,
    key: &str,
) {
    if let Some(expected) = expected.filter(|&expected| expected != array.len()) {
        let message = format!(
            "constants: `{what}` has {} entries, not {expected}",
            array.len()
        );
        report.push(report.error(value.span(), message, format!("{key} is {expected}")));
    }
}

fn residues(
    report: &Report<'_>,
    spec: &Permutation<'_, '_>,
    array: &DeArray<'_>,
    what: &str,
) -> Option<Vec<u64>> {
    let words: Vec<_> = array
        .iter()
        .enumerate()
        .map(|(index, value)| {
            let word = report.unsigned(value)?;
            match &spec.field {
                Some(field) if word.value >= field.value.modulus => {
                    let message =
                        format!("constant `{what}[{index}]`{} is not below p", of_set(spec));
                    let error =
                        report.error(word.span, message, format!("{0} = {0:#x}", word.value));
                    report.push(error.help(canonical(field.value, word.value)));
                    None
                }
                _ => Some(word.value),
            }
        })
        .collect();
    words.into_iter().collect()
}

fn of_set(spec: &Permutation<'_, '_>) -> String {
    spec.set.as_ref().map_or_else(String::new, |set| {
        format!(" of parameter set `{}`", set.value)
    })
}

fn canonical(field: &Field, word: u64) -> String {
    format!(
        "{}; the same residue below p is {:#x}",
        bound(field),
        word % field.modulus
    )
}
