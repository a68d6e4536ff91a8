//! The `[permutation]` table.

use std::fmt::Display;

use super::constants;
use super::reader::{Item, Table};
use crate::diag::{Diagnostic, Diagnostics, UnknownName};
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

/// What is known of a permutation while its table is read.
#[derive(Default)]
pub(super) struct Known {
    /// " of parameter set `plonky3`", for messages: without that name a width or an exponent says
    /// little.
    pub(super) of: String,
    pub(super) field: Option<&'static Field>,
    pub(super) width: Option<usize>,
    pub(super) external_rounds: Option<usize>,
    pub(super) internal_rounds: Option<usize>,
    /// The instance that the set's name stands for, if it stands for one: the values must be its.
    pub(super) named: Option<Instance>,
}

/// The instance, if nothing is missing and nothing contradicts.
pub(super) fn read(item: Item<'_>) -> Result<Instance, Diagnostics> {
    let table = item.table("[permutation]", KEYS)?;
    let mut known = Known::default();
    let set = table.required("parameter-set", set_name);
    if let Some(set) = set {
        known.of = format!(" of parameter set `{set}`");
    }
    known.field = table.required("field", read_field);
    known.width = table.required("width", |item| read_width(item, &known.of));
    known.named = set.and_then(|set| named(&table, set, known.field?, known.width?));
    known.external_rounds =
        known.rounds(&table, "external-rounds", 2, |named| named.external_rounds);
    known.internal_rounds =
        known.rounds(&table, "internal-rounds", 1, |named| named.internal_rounds);
    let alpha = table.required("sbox", |item| known.alpha(item));
    let diagonal = table.required("diagonal", |item| known.diagonal(item, &table));
    let constants = table.required("constants", |item| constants::read(item, &known));
    let instance = || {
        Some(Instance {
            parameter_set: set?.to_owned(),
            field: known.field?,
            width: known.width?,
            external_rounds: known.external_rounds?,
            internal_rounds: known.internal_rounds?,
            alpha: alpha?,
            diagonal: diagonal?,
            constants: constants?,
        })
    };
    instance().ok_or_else(Diagnostics::new)
}

/// A set's name becomes a directory and a Rust module.
fn set_name(item: Item<'_>) -> Result<&str, Diagnostic> {
    let name = item.text()?;
    let plain = |c: char| matches!(c, 'a'..='z' | '0'..='9' | '_');
    if name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(plain) {
        return Ok(name);
    }
    let message = format!("parameter set `{name}` is not a usable name");
    let error = item.error(message, "becomes a directory and a Rust module");
    Err(error.help("a lower-case letter, then lower-case letters, digits and `_`"))
}

fn read_field(item: Item<'_>) -> Result<&'static Field, Diagnostic> {
    let name = item.text()?;
    Field::by_name(name).ok_or_else(|| {
        let valid = Field::all().iter().map(|field| field.name);
        item.unknown(&UnknownName::new("field", name, valid))
    })
}

fn read_width(item: Item<'_>, of: &str) -> Result<usize, Diagnostic> {
    let width = item.size()?;
    if WIDTHS.contains(&width) {
        return Ok(width);
    }
    let error = if width.is_multiple_of(4) {
        item.error(
            format!("unknown width {width}{of}"),
            "no kernels of this width",
        )
    } else {
        let message = format!("width {width}{of} is not a multiple of 4");
        item.error(message, "the external layer works on blocks of 4")
    };
    Err(error.help(format!("valid: {}", quoted(WIDTHS))))
}

fn quoted(numbers: &[usize]) -> String {
    let quoted: Vec<_> = numbers.iter().map(|n| format!("`{n}`")).collect();
    quoted.join(", ")
}

/// The instance that the name `set` stands for; none, too, if the set is not known.
fn named(table: &Table<'_>, set: &str, field: &Field, width: usize) -> Option<Instance> {
    let set = ParameterSet::by_name(set)?;
    table.required("width", |item| {
        set.instance(field, width).ok_or_else(|| {
            let (set_name, field_name) = (set.name, field.name);
            let message = format!(
                "parameter set `{set_name}` defines no {field_name} instance of width {width}"
            );
            item.error(message, "not in the set").help(format!(
                "its {field_name} widths: {}; other parameters need a name of their own",
                quoted(&set.widths(field))
            ))
        })
    })
}

/// The error that `what` is not as in the parameter set that the spec names.
pub(super) fn differs(
    item: Item<'_>,
    named: &Instance,
    what: &str,
    here: impl Display,
    wanted: impl Display,
) -> Diagnostic {
    let (set, field, width) = (&named.parameter_set, named.field.name, named.width);
    let message =
        format!("{what} is {here}, but parameter set `{set}` ({field} w{width}) has {wanted}");
    item.error(message, format!("should be {wanted}"))
}

impl Known {
    /// `here`, if the named set has it.
    fn agreed<T: PartialEq + Display>(
        &self,
        item: Item<'_>,
        what: &str,
        here: T,
        value: impl FnOnce(&Instance) -> T,
    ) -> Result<T, Diagnostic> {
        let Some(named) = &self.named else {
            return Ok(here);
        };
        let wanted = value(named);
        if here == wanted {
            return Ok(here);
        }
        let help = "other parameters are another permutation: give it a name of its own";
        Err(differs(item, named, what, here, wanted).help(help))
    }

    fn rounds(
        &self,
        table: &Table<'_>,
        key: &str,
        step: usize,
        value: impl FnOnce(&Instance) -> usize,
    ) -> Option<usize> {
        table.required(key, |item| {
            let rounds = item.size()?;
            let reason = match rounds {
                0 => "there must be some",
                n if n > MAX_ROUNDS => "no more than 1023 can be asked of the Grain LFSR",
                n if !n.is_multiple_of(step) => {
                    "half of them come before the internal rounds, half after"
                }
                _ => return self.agreed(item, key, rounds, value),
            };
            let message = format!("`{key}`{} cannot be {rounds}", self.of);
            Err(item.error(message, reason).help(match step {
                2 => "an even number from 2 to 1022",
                _ => "a number from 1 to 1023",
            }))
        })
    }

    /// The exponent of the S-box, which must be a permutation.
    fn alpha(&self, item: Item<'_>) -> Result<u64, Diagnostic> {
        let (alpha, of) = (item.unsigned()?, &self.of);
        let Some(field) = self.field else {
            return Ok(alpha);
        };
        let order = field.modulus - 1;
        let common = gcd(alpha, order);
        let error = if alpha == 1 {
            item.error(
                format!("the S-box x^1{of} does nothing"),
                "must be at least 3",
            )
        } else if common != 1 {
            let message = format!(
                "the S-box x^{alpha}{of} is no permutation of {}",
                field.name
            );
            item.error(message, format!("gcd({alpha}, p - 1) = {common}"))
        } else {
            return self.agreed(item, "sbox", alpha, |named| named.alpha);
        };
        let least = (3..)
            .find(|&alpha| gcd(alpha, order) == 1)
            .unwrap_or(order - 1);
        Err(error.help(format!("the least exponent coprime to p - 1 is {least}")))
    }

    fn diagonal(&self, item: Item<'_>, table: &Table<'_>) -> Result<Vec<Rational>, Diagnostics> {
        let (items, of) = (item.array()?, &self.of);
        let mut errors = Diagnostics::new();
        let mut diagonal = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            let entry = item.text().and_then(|text| {
                text.parse::<Rational>().map_err(|error| {
                    let message = format!("diagonal entry {index}{of}, `{text}`, cannot be read");
                    let error = item.error(message, error.to_string());
                    error.help("write it like \"-2\", \"1/2\" or \"-1/2^3\"")
                })
            });
            diagonal.extend(errors.keep(entry));
        }
        errors.into_result()?;
        let (Some(width), Some(at)) = (self.width, table.get("width")) else {
            return Ok(diagonal);
        };
        if diagonal.len() != width {
            let n = diagonal.len();
            let message = format!("the diagonal{of} has {n} entries, the width is {width}");
            let error = item.error(message, "one entry for each element of the state");
            return Err(at.also(error, "the width").into());
        }
        let Some(field) = self.field else {
            return Ok(diagonal);
        };
        let (mut errors, p) = (Diagnostics::new(), field.modulus);
        for (index, (item, &entry)) in items.iter().zip(&diagonal).enumerate() {
            if entry.numerator >= p {
                let message = format!("diagonal entry {index}{of}, `{entry}`, is not below p");
                errors.push(item.error(message, format!("p = {p} = {p:#x}")));
            }
            let what = format!("diagonal entry {index}");
            errors.keep(self.agreed(*item, &what, entry, |named| named.diagonal[index]));
        }
        if singular(field, &diagonal) {
            let message = format!(
                "the internal layer{of} is not invertible over {}",
                field.name
            );
            let error = item.error(message, "1·1ᵀ + diag(V) has determinant 0");
            errors.push(error.help("a Poseidon2 round must be a permutation: change an entry"));
        }
        errors.into_result().map(|()| diagonal)
    }
}

const fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// By the matrix determinant lemma: `det(1·1ᵀ + diag(V)) = ∏V · (1 + ∑1/V)`, where one zero in V
/// leaves the product of the others.
fn singular(field: &Field, diagonal: &[Rational]) -> bool {
    let entries = diagonal.iter().map(|entry| field.inv(entry.residue(field)));
    let inverses: Vec<u64> = entries.flatten().collect();
    match diagonal.len() - inverses.len() {
        0 => {
            inverses
                .into_iter()
                .fold(1, |sum, inverse| field.add(sum, inverse))
                == 0
        }
        zeros => zeros > 1,
    }
}
