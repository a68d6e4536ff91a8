//! Round constants: derived, or written out.

use toml::de::DeArray;

use super::permutation::Permutation;
use super::reader::{Placed, Report, Value};
use crate::params::{Instance, RoundConstants, round_constants};

/// The constants that the spec asks for. `named` is the instance that its name stands for.
pub(super) fn read(
    report: &Report<'_>,
    spec: &Permutation<'_, '_>,
    named: Option<&Instance>,
) -> Option<RoundConstants> {
    let value = spec.constants?;
    if spec.grain() {
        return Some(round_constants(
            spec.field.as_ref()?.value,
            spec.width.as_ref()?.value,
            spec.external_rounds.as_ref()?.value,
            spec.internal_rounds.as_ref()?.value,
        ));
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
        rows(report, spec, value, rounds)
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
    let (external, internal) = (external?, internal?);
    if let Some(named) = named {
        refuse_difference(report, named, &external, &internal);
    }
    Some(RoundConstants {
        external: external.into_iter().map(values).collect(),
        internal: values(internal),
    })
}

type Row = Vec<Placed<u64>>;

fn values(row: Row) -> Vec<u64> {
    row.into_iter().map(|word| word.value).collect()
}

fn rows(
    report: &Report<'_>,
    spec: &Permutation<'_, '_>,
    value: &Value<'_>,
    rounds: Option<usize>,
) -> Option<Vec<Row>> {
    let array = report.array(value)?;
    check_length(
        report,
        value,
        array,
        "external",
        rounds,
        "`external-rounds`",
    );
    let width = spec.width.as_ref().map(|width| width.value);
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
            "constants: `{what}` has length {}, not {expected}",
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
) -> Option<Row> {
    let modulus = spec.field.as_ref().map(|field| field.value.modulus);
    let mut row = Vec::with_capacity(array.len());
    for (index, value) in array.iter().enumerate() {
        let Some(word) = report.unsigned(value) else {
            continue;
        };
        match modulus {
            Some(p) if word.value >= p => {
                let of = spec.owner();
                let message = format!("constant `{what}[{index}]`{of} is not below p");
                let error = report.error(word.span, message, format!("{0} = {0:#x}", word.value));
                let residue = word.value % p;
                report
                    .push(error.help(format!("p = {p} = {p:#x}; the same residue: {residue:#x}")));
            }
            _ => row.push(word),
        }
    }
    (row.len() == array.len()).then_some(row)
}

/// One difference is enough to say that these are other constants.
fn refuse_difference(report: &Report<'_>, named: &Instance, external: &[Row], internal: &Row) {
    let rows = external.iter().zip(&named.constants.external).enumerate();
    let rows = rows.map(|(round, (row, named))| (format!("external[{round}]"), row, named));
    let rows = rows.chain([("internal".to_owned(), internal, &named.constants.internal)]);
    for (what, row, expected) in rows {
        let mut pairs = row.iter().zip(expected).enumerate();
        let Some((index, (word, expected))) =
            pairs.find(|(_, (word, named))| word.value != **named)
        else {
            continue;
        };
        let message = format!(
            "constant `{what}[{index}]` is {:#x}, but parameter set `{}` ({} w{}) has {expected:#x}",
            word.value, named.parameter_set, named.field.name, named.width
        );
        let error = report.error(
            word.span.clone(),
            message,
            format!("should be {expected:#x}"),
        );
        report.push(error.help(
            "write constants = \"grain\", or give parameters of your own a name of their own",
        ));
        return;
    }
}
