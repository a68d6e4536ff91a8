//! The `[permutation]` table.

use std::fmt;

use super::agreement;
use super::constants;
use super::reader::{Placed, Report, Table, Value};
use crate::diag::UnknownName;
use crate::params::{Field, Instance, ParameterSet, Rational, WIDTHS};

pub(super) const KEYS: &[&str] = &[
    "parameter-set",
    "field",
    "width",
    "external-rounds",
    "internal-rounds",
    "sbox",
    "diagonal",
    "constants",
];

/// The Grain LFSR is seeded with ten bits of each number of rounds.
const MAX_ROUNDS: usize = 1023;

/// "of parameter set `plonky3`", for messages: without that name a width or an exponent says
/// little.
#[derive(Clone, Copy)]
pub(super) struct Owner<'v>(Option<&'v str>);

impl fmt::Display for Owner<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(name) => write!(f, " of parameter set `{name}`"),
            None => Ok(()),
        }
    }
}

/// The table's values, each as far as it could be read.
pub(super) struct Permutation<'v, 'a> {
    pub(super) set: Option<Placed<&'v str>>,
    pub(super) field: Option<Placed<&'static Field>>,
    pub(super) width: Option<Placed<usize>>,
    pub(super) external_rounds: Option<Placed<usize>>,
    pub(super) internal_rounds: Option<Placed<usize>>,
    pub(super) alpha: Option<Placed<u64>>,
    pub(super) diagonal: Option<Placed<Vec<Placed<Rational>>>>,
    pub(super) constants: Option<&'v Value<'a>>,
}

/// The instance, if nothing is missing and nothing contradicts.
pub(super) fn read(report: &Report<'_>, value: &Value<'_>) -> Option<Instance> {
    let table = report.table("[permutation]", value, KEYS)?;
    let set = table
        .required("parameter-set")
        .and_then(|value| set_name(report, value));
    let of = Owner(set.as_ref().map(|set| set.value));
    let mut permutation = Permutation {
        field: table
            .required("field")
            .and_then(|value| field(report, value)),
        width: table
            .required("width")
            .and_then(|value| width(report, of, value)),
        external_rounds: rounds(report, of, &table, "external-rounds", 2),
        internal_rounds: rounds(report, of, &table, "internal-rounds", 1),
        alpha: table
            .required("sbox")
            .and_then(|value| report.unsigned(value)),
        diagonal: table
            .required("diagonal")
            .and_then(|value| diagonal(report, of, value)),
        constants: table.required("constants"),
        set,
    };
    permutation.alpha = permutation.coprime_alpha(report);
    permutation.check_diagonal(report);
    let named = agreement::check(report, &permutation);
    let constants = constants::read(report, &permutation, named.as_ref());
    Some(Instance {
        parameter_set: permutation.set?.value.to_owned(),
        field: permutation.field?.value,
        width: permutation.width?.value,
        external_rounds: permutation.external_rounds?.value,
        internal_rounds: permutation.internal_rounds?.value,
        alpha: permutation.alpha?.value,
        diagonal: permutation
            .diagonal?
            .value
            .into_iter()
            .map(|entry| entry.value)
            .collect(),
        constants: constants?,
    })
}

/// A set's name becomes a directory and a Rust module.
fn set_name<'v>(report: &Report<'_>, value: &'v Value<'_>) -> Option<Placed<&'v str>> {
    let name = report.string(value)?;
    let plain = |c: char| matches!(c, 'a'..='z' | '0'..='9' | '_');
    if name.value.starts_with(|c: char| c.is_ascii_lowercase()) && name.value.chars().all(plain) {
        return Some(name);
    }
    let message = format!("parameter set `{}` is not a usable name", name.value);
    let error = report.error(name.span, message, "becomes a directory and a Rust module");
    report.push(error.help("a lower-case letter, then lower-case letters, digits and `_`"));
    None
}

fn field(report: &Report<'_>, value: &Value<'_>) -> Option<Placed<&'static Field>> {
    let name = report.string(value)?;
    let Some(field) = Field::by_name(name.value) else {
        let valid = Field::all().iter().map(|field| field.name);
        report.unknown(name.span, &UnknownName::new("field", name.value, valid));
        return None;
    };
    Some(Placed {
        value: field,
        span: name.span,
    })
}

fn width(report: &Report<'_>, of: Owner<'_>, value: &Value<'_>) -> Option<Placed<usize>> {
    let width = report.size(value)?;
    if WIDTHS.contains(&width.value) {
        return Some(width);
    }
    let (message, label) = if width.value.is_multiple_of(4) {
        (
            format!("unknown width {}{of}", width.value),
            "no kernels of this width",
        )
    } else {
        (
            format!("width {}{of} is not a multiple of 4", width.value),
            "the external layer works on blocks of 4",
        )
    };
    let valid = WIDTHS
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join("`, `");
    report.push(
        report
            .error(width.span, message, label)
            .help(format!("valid: `{valid}`")),
    );
    None
}

fn rounds(
    report: &Report<'_>,
    of: Owner<'_>,
    table: &Table<'_, '_>,
    key: &str,
    step: usize,
) -> Option<Placed<usize>> {
    let rounds = report.size(table.required(key)?)?;
    let reason = match rounds.value {
        0 => "there must be some",
        n if n > MAX_ROUNDS => "no more than 1023 can be asked of the Grain LFSR",
        n if !n.is_multiple_of(step) => "half of them come before the internal rounds, half after",
        _ => return Some(rounds),
    };
    let message = format!("`{key}`{of} cannot be {}", rounds.value);
    let error = report.error(rounds.span, message, reason);
    report.push(match step {
        2 => error.help("an even number from 2 to 1022"),
        _ => error.help("a number from 1 to 1023"),
    });
    None
}

fn diagonal(
    report: &Report<'_>,
    of: Owner<'_>,
    value: &Value<'_>,
) -> Option<Placed<Vec<Placed<Rational>>>> {
    let entries = report.array(value)?;
    let mut parsed = Vec::with_capacity(entries.len());
    for (index, entry) in entries.iter().enumerate() {
        let Some(text) = report.string(entry) else {
            continue;
        };
        match text.value.parse::<Rational>() {
            Ok(value) => parsed.push(Placed {
                value,
                span: text.span,
            }),
            Err(error) => {
                let message = format!(
                    "diagonal entry {index}{of}, `{}`, cannot be read",
                    text.value
                );
                let error = report.error(text.span, message, error.to_string());
                report.push(error.help("write it like \"-2\", \"1/2\" or \"-1/2^3\""));
            }
        }
    }
    (parsed.len() == entries.len()).then(|| Placed {
        value: parsed,
        span: value.span(),
    })
}

impl Permutation<'_, '_> {
    /// The exponent, unless it is refused; then nothing more need be said about it.
    fn coprime_alpha(&mut self, report: &Report<'_>) -> Option<Placed<u64>> {
        let alpha = self.alpha.take()?;
        let (Some(field), of) = (&self.field, self.owner()) else {
            return Some(alpha);
        };
        let order = field.value.modulus - 1;
        let common = gcd(alpha.value, order);
        let linear = alpha.value == 1;
        if common == 1 && !linear {
            return Some(alpha);
        }
        let (message, label) = if linear {
            (
                format!("the S-box x^1{of} does nothing"),
                "must be at least 3".to_owned(),
            )
        } else {
            (
                format!(
                    "the S-box x^{}{of} is no permutation of {}",
                    alpha.value, field.value.name
                ),
                format!("gcd({}, p - 1) = {common}", alpha.value),
            )
        };
        let least = (3..)
            .find(|&alpha| gcd(alpha, order) == 1)
            .unwrap_or(order - 1);
        let help = format!("the least exponent coprime to p - 1 is {least}");
        report.push(report.error(alpha.span, message, label).help(help));
        None
    }

    fn check_diagonal(&self, report: &Report<'_>) {
        let (Some(width), Some(diagonal)) = (&self.width, &self.diagonal) else {
            return;
        };
        let (entries, span, of) = (&diagonal.value, diagonal.span.clone(), self.owner());
        if entries.len() != width.value {
            let message = format!(
                "the diagonal{of} has {} entries, the width is {}",
                entries.len(),
                width.value
            );
            let error = report.error(span, message, "one entry for each element of the state");
            report.push(error.at(report.source, width.span.clone(), "the width"));
            return;
        }
        let Some(field) = &self.field else { return };
        for (index, entry) in entries.iter().enumerate() {
            if entry.value.numerator >= field.value.modulus {
                let message = format!(
                    "diagonal entry {index}{of}, `{}`, is not below p",
                    entry.value
                );
                report.push(report.error(entry.span.clone(), message, bound(field.value)));
            }
        }
        let values: Vec<_> = entries
            .iter()
            .map(|entry| entry.value.residue(field.value))
            .collect();
        if singular(field.value, &values) {
            let message = format!(
                "the internal layer{of} is not invertible over {}",
                field.value.name
            );
            let error = report.error(span, message, "1·1ᵀ + diag(V) has determinant 0");
            report.push(error.help("a Poseidon2 round must be a permutation: change an entry"));
        }
    }

    /// For messages.
    pub(super) fn owner(&self) -> Owner<'_> {
        Owner(self.set.as_ref().map(|set| set.value))
    }

    /// The named set that the spec's name stands for.
    pub(super) fn known_set(&self) -> Option<&'static ParameterSet> {
        ParameterSet::by_name(self.set.as_ref()?.value)
    }

    /// Whether the constants are to be derived.
    pub(super) fn grain(&self) -> bool {
        self.constants
            .is_some_and(|value| value.get_ref().as_str() == Some("grain"))
    }
}

/// `p = …`, for labels.
fn bound(field: &Field) -> String {
    format!("p = {0} = {0:#x}", field.modulus)
}

const fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// By the matrix determinant lemma: `det(1·1ᵀ + diag(V)) = ∏V · (1 + ∑1/V)`, where one zero in V
/// leaves the product of the others.
fn singular(field: &Field, diagonal: &[u64]) -> bool {
    match diagonal.iter().filter(|&&entry| entry == 0).count() {
        0 => {
            let inverses = diagonal.iter().filter_map(|&entry| field.inv(entry));
            inverses.fold(1, |sum, inverse| field.add(sum, inverse)) == 0
        }
        zeros => zeros > 1,
    }
}
