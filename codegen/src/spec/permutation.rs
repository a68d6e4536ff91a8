//! The `[permutation]` table.

use std::fmt::Display;

use super::reader::{Item, Table};
use super::{constants, layers};
use crate::diag::{Diagnostic, Diagnostics, UnknownName};
use crate::names::pascal_case;
use crate::params::{
    ExternalLayer, Field, Instance, InternalLayer, Kind, Linear, ParameterSet, Rational,
    RoundConstants, WIDTHS, gcd,
};

/// What the rounds are called: those with all S-boxes, and those with one.
const fn rounds(kind: Kind) -> [&'static str; 2] {
    match kind {
        Kind::Poseidon2 => ["external-rounds", "internal-rounds"],
        Kind::Poseidon1 => ["full-rounds", "partial-rounds"],
    }
}

/// Keys of Poseidon1.
pub(super) const POSEIDON1_KEYS: &[&str] = &[
    "kind",
    "parameter-set",
    "field",
    "width",
    "full-rounds",
    "partial-rounds",
    "sbox",
    "mds",
    "constants",
];

pub(super) const KEYS: &[&str] = &[
    "kind",
    "parameter-set",
    "field",
    "width",
    "external-rounds",
    "internal-rounds",
    "sbox",
    "external-layer",
    "scale",
    "diagonal",
    "constants",
];

/// The checker executes every round.
const MAX_ROUNDS: usize = 64;

/// It follows powers up to this one.
const MAX_ALPHA: u64 = 64;

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
    let kind = match item.entry("kind")? {
        Some(item) => item.name::<Kind>()?,
        None => Kind::Poseidon2,
    };
    let keys = match kind {
        Kind::Poseidon2 => KEYS,
        Kind::Poseidon1 => POSEIDON1_KEYS,
    };
    let table = item.table("[permutation]", keys)?;
    let mut known = Known::default();
    let set = table.required("parameter-set", set_name);
    if let Some(set) = set {
        known.of = format!(" of parameter set `{set}`");
    }
    known.field = table.required("field", read_field);
    known.width = table.required("width", |item| read_width(item, &known.of));
    known.named = set.and_then(|set| named(&table, set, known.field?, known.width?));
    let [external, internal] = rounds(kind);
    known.external_rounds = known.rounds(&table, external, 2, |named| named.external_rounds);
    known.internal_rounds = known.rounds(&table, internal, 1, |named| named.internal_rounds);
    let alpha = table.required("sbox", |item| known.alpha(item));
    let (linear, constants) = match kind {
        Kind::Poseidon2 => known.poseidon2(&table),
        Kind::Poseidon1 => known.poseidon1(&table),
    };
    let instance = || {
        Some(Instance {
            parameter_set: set?.to_owned(),
            field: known.field?,
            width: known.width?,
            external_rounds: known.external_rounds?,
            internal_rounds: known.internal_rounds?,
            alpha: alpha?,
            linear: linear?,
            constants: constants?,
        })
    };
    instance().ok_or_else(Diagnostics::new)
}

/// Modules of the generated crate that are no parameter sets, and what cargo takes for something else.
const TAKEN: [&str; 7] = ["bin", "cpu", "each", "lib", "registry", "tuning", "types"];

/// Types of the interface that stand beside those of the sets.
const TYPES: [&str; 3] = ["Field", "Instance", "ParameterSet"];

/// A lower-case letter, then lower-case letters, digits and `_`.
fn is_plain(name: &str) -> bool {
    let plain = |c: char| matches!(c, 'a'..='z' | '0'..='9' | '_');
    name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(plain)
}

/// A set's name becomes a directory, a Rust module and a type.
fn set_name(item: Item<'_>) -> Result<&str, Diagnostic> {
    let name = item.text()?;
    let message = format!("parameter set `{name}` is not a usable name");
    if !is_plain(name) {
        let error = item.error(message, "becomes a directory and a Rust module");
        return Err(error.help("a lower-case letter, then lower-case letters, digits and `_`"));
    }
    let is_ident = |name| syn::parse_str::<syn::Ident>(name).is_ok();
    let named = pascal_case(name);
    let label = if TAKEN.contains(&name) || !is_ident(name) {
        "means something else in Rust or among the modules".to_owned()
    } else if TYPES.contains(&&*named) || !is_ident(&named) {
        format!("becomes the type `{named}`, which means something else")
    } else {
        return Ok(name);
    };
    Err(item
        .error(message, label)
        .help(format!("another one, such as `my_{name}`")))
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

/// What to do about a value that the named set does not have.
pub(super) const ANOTHER: &str =
    "other parameters are another permutation: give it a name of its own";

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
    /// Poseidon2's layers and constants.
    fn poseidon2(&self, table: &Table<'_>) -> (Option<Linear>, Option<RoundConstants>) {
        let external = table.or("external-layer", ExternalLayer::PLONKY3, |item| {
            layers::external(item, self)
        });
        let scale = table.or("scale", Rational::ONE, |item| layers::scale(item, self));
        let diagonal = table.required("diagonal", |item| layers::diagonal(item, self, table));
        let constants = table.required("constants", |item| constants::read(item, self));
        let linear = || {
            let (external, scale, diagonal) = (external?, scale?, diagonal?);
            let internal = InternalLayer { scale, diagonal };
            Some(Linear::Poseidon2 { external, internal })
        };
        (linear(), constants)
    }

    /// Poseidon1's layer and constants.
    fn poseidon1(&self, table: &Table<'_>) -> (Option<Linear>, Option<RoundConstants>) {
        if let Some((named, item)) = self.named.as_ref().zip(table.get("parameter-set")) {
            let message = format!(
                "parameter set `{}` is one of Poseidon2",
                named.parameter_set
            );
            let error = item.error(message, "has other layers");
            item.report
                .push(error.help("parameters of Poseidon1 need a name of their own"));
        }
        let mds = table.required("mds", |item| layers::mds(item, self, table));
        let constants = table.required("constants", |item| match &mds {
            Some(mds) => constants::poseidon1(item, self, mds),
            None => Err(Diagnostics::new()),
        });
        (mds.map(Linear::Poseidon1), constants)
    }

    /// `here`, if the named set has it.
    pub(super) fn agreed<T: PartialEq + Display>(
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
        Err(differs(item, named, what, here, wanted).help(ANOTHER))
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
                n if n > MAX_ROUNDS => "the checker follows no more than 64",
                n if !n.is_multiple_of(step) => match key {
                    "full-rounds" => "half of them come before the partial rounds, half after",
                    _ => "half of them come before the internal rounds, half after",
                },
                _ => return self.agreed(item, key, rounds, value),
            };
            let message = format!("`{key}`{} cannot be {rounds}", self.of);
            Err(item.error(message, reason).help(match step {
                2 => "an even number from 2 to 64",
                _ => "a number from 1 to 64",
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
        let error = if alpha > MAX_ALPHA {
            let message = format!("the S-box x^{alpha}{of} is of too high a degree");
            item.error(
                message,
                format!("the checker follows no more than {MAX_ALPHA}"),
            )
        } else if alpha == 1 {
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
}
