//! The named parameter sets.

use super::field::{BABY_BEAR, MERSENNE_31};
use super::{
    Cut, ExternalLayer, Field, GOLDILOCKS, Instance, InternalLayer, KOALA_BEAR, Linear, Rational,
    round_constants,
};

/// A family of instances that a project uses and whose name users know.
#[derive(Debug, PartialEq, Eq)]
pub struct ParameterSet {
    /// Name in specs, kernel names and messages.
    pub name: &'static str,
    rows: &'static [Row],
}

#[derive(Debug, PartialEq, Eq)]
struct Row {
    field: &'static Field,
    alpha: u64,
    external_rounds: usize,
    internal_rounds: usize,
    /// One entry for each element of the state, as a spec writes them.
    diagonal: &'static str,
}

/// What Plonky3's `default_*_poseidon2_*` constructors build.
static PLONKY3: ParameterSet = ParameterSet {
    name: "plonky3",
    rows: &[
        goldilocks("-2 1 2 1/2 3 -1/2 -3 -4"),
        goldilocks("-2 1 2 1/2 3 4 -1/2 -3 -4 1/2^2 -1/2^2 1/2^3"),
        goldilocks("-2 1 2 1/2 3 4 -1/2 -3 -4 1/2^3 1/2^4 1/2^5 -1/2^3 -1/2^4 -1/2^5 1/2^32"),
        Row {
            field: &KOALA_BEAR,
            alpha: 3,
            external_rounds: 8,
            internal_rounds: 20,
            diagonal: "-2 1 2 1/2 3 4 -1/2 -3 -4 1/2^8 1/2^3 1/2^24 -1/2^8 -1/2^3 -1/2^4 -1/2^24",
        },
        Row {
            field: &KOALA_BEAR,
            alpha: 3,
            external_rounds: 8,
            internal_rounds: 23,
            diagonal: "-2 1 2 1/2 3 4 -1/2 -3 -4 1/2^8 1/2^2 1/2^3 1/2^4 1/2^5 1/2^6 1/2^24 \
                       -1/2^8 -1/2^3 -1/2^4 -1/2^5 -1/2^6 -1/2^7 -1/2^9 -1/2^24",
        },
        Row {
            field: &BABY_BEAR,
            alpha: 7,
            external_rounds: 8,
            internal_rounds: 13,
            diagonal: "-2 1 2 1/2 3 4 -1/2 -3 -4 1/2^8 1/2^2 1/2^3 1/2^27 -1/2^8 -1/2^4 -1/2^27",
        },
        Row {
            field: &BABY_BEAR,
            alpha: 7,
            external_rounds: 8,
            internal_rounds: 21,
            diagonal: "-2 1 2 1/2 3 4 -1/2 -3 -4 1/2^8 1/2^2 1/2^3 1/2^4 1/2^7 1/2^9 1/2^27 \
                       -1/2^8 -1/2^2 -1/2^3 -1/2^4 -1/2^5 -1/2^6 -1/2^7 -1/2^27",
        },
        Row {
            field: &MERSENNE_31,
            alpha: 5,
            external_rounds: 8,
            internal_rounds: 14,
            diagonal: "-2 1 2 4 8 16 32 64 128 256 1024 4096 8192 16384 32768 65536",
        },
        Row {
            field: &MERSENNE_31,
            alpha: 5,
            external_rounds: 8,
            internal_rounds: 22,
            diagonal: "-2 1 2 4 8 16 32 64 128 256 512 1024 2048 4096 8192 16384 32768 65536 \
                       131072 262144 524288 1048576 2097152 4194304",
        },
    ],
};

static ALL: [&ParameterSet; 1] = [&PLONKY3];

const fn goldilocks(diagonal: &'static str) -> Row {
    Row {
        field: &GOLDILOCKS,
        alpha: 7,
        external_rounds: 8,
        internal_rounds: 22,
        diagonal,
    }
}

impl ParameterSet {
    /// Every named set.
    #[must_use]
    pub fn all() -> &'static [&'static Self] {
        &ALL
    }

    /// The set of that name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<&'static Self> {
        ALL.into_iter().find(|set| set.name == name)
    }

    /// The widths it defines over `field`, in rising order.
    #[must_use]
    pub fn widths(&self, field: &Field) -> Vec<usize> {
        self.rows
            .iter()
            .filter(|row| row.field == field)
            .map(Row::width)
            .collect()
    }

    /// Its instance over `field` at `width`, with constants derived by the Grain LFSR.
    #[must_use]
    pub fn instance(&self, field: &Field, width: usize) -> Option<Instance> {
        let row = self
            .rows
            .iter()
            .find(|row| row.field == field && row.width() == width)?;
        Some(Instance {
            parameter_set: self.name.to_owned(),
            field: row.field,
            width,
            external_rounds: row.external_rounds,
            internal_rounds: row.internal_rounds,
            alpha: row.alpha,
            linear: Linear::Poseidon2 {
                external: ExternalLayer::PLONKY3,
                internal: InternalLayer {
                    scale: Rational::ONE,
                    // A row that does not parse has no instance; the tests build every row.
                    diagonal: row
                        .entries()
                        .map(str::parse)
                        .collect::<Result<_, _>>()
                        .ok()?,
                },
            },
            constants: round_constants(
                Cut::Paper,
                row.field,
                width,
                row.external_rounds,
                row.internal_rounds,
            ),
        })
    }
}

impl Row {
    fn entries(&self) -> impl Iterator<Item = &'static str> {
        self.diagonal.split(' ')
    }

    fn width(&self) -> usize {
        self.entries().count()
    }
}

/// The instance of a named parameter set; none if there is no such set or it does not define that
/// field and width.
#[must_use]
pub fn instance(set: &str, field: &Field, width: usize) -> Option<Instance> {
    ParameterSet::by_name(set)?.instance(field, width)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::params::WIDTHS;

    fn vectors(file: &str) -> Value {
        let path = format!("{}/../verify/vectors/{file}", env!("CARGO_MANIFEST_DIR"));
        serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
    }

    fn residues(row: &Value) -> Vec<u64> {
        let text = |value: &Value| value.as_str().unwrap().trim_start_matches("0x").to_owned();
        let words = row.as_array().unwrap().iter();
        words
            .map(|word| u64::from_str_radix(&text(word), 16).unwrap())
            .collect()
    }

    #[test]
    fn derived_constants_equal_the_published_ones() {
        for (field, width, file) in [
            (&GOLDILOCKS, 8, "goldilocks_8"),
            (&GOLDILOCKS, 12, "goldilocks_12"),
            (&GOLDILOCKS, 16, "goldilocks_16"),
            (&KOALA_BEAR, 16, "koalabear_16"),
            (&KOALA_BEAR, 24, "koalabear_24"),
            (&BABY_BEAR, 16, "babybear_16"),
            (&BABY_BEAR, 24, "babybear_24"),
        ] {
            let derived = instance("plonky3", field, width).unwrap();
            let published = vectors(&format!("constants_{file}.json"));
            let external = ["external_initial", "external_final"]
                .into_iter()
                .flat_map(|half| published[half].as_array().unwrap())
                .map(residues);
            assert_eq!(
                derived.constants.external,
                external.collect::<Vec<_>>(),
                "{file}"
            );
            assert_eq!(
                derived.constants.internal,
                residues(&published["internal"]),
                "{file}"
            );
            assert_eq!(published["prime"], field.modulus.to_string());
            assert_eq!(published["alpha"], derived.alpha);
            assert_eq!(published["R_F"], derived.external_rounds);
            assert_eq!(published["R_P"], derived.internal_rounds);

            let known = &vectors("poseidon2_kats.json")[format!("poseidon2_{file}")];
            assert_eq!(
                derived.diagonal_residues(),
                residues(&known["diagonal"]),
                "{file}"
            );
        }
    }

    #[test]
    fn every_instance_is_well_formed() {
        for set in ParameterSet::all() {
            for field in Field::all() {
                for width in set.widths(field) {
                    let instance = set.instance(field, width).unwrap();
                    assert!(WIDTHS.contains(&width) && width.is_multiple_of(4));
                    assert_eq!(instance.constants.external.len(), instance.external_rounds);
                    assert!(
                        instance
                            .constants
                            .external
                            .iter()
                            .all(|row| row.len() == width)
                    );
                    assert_eq!(instance.constants.internal.len(), instance.internal_rounds);
                }
            }
        }
    }

    #[test]
    fn unknown_instances_are_none() {
        assert_eq!(instance("plonky3", &KOALA_BEAR, 8), None);
        assert_eq!(instance("plonky2", &KOALA_BEAR, 16), None);
    }
}
