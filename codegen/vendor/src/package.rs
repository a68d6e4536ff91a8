//! The crates that kernels can be vendored into.

use codegen::params::{Field, instance as instance_of};

use super::platform::Platform;
use super::slots::PARAMETERS;

/// A published crate of Plonky3's, in one version.
#[derive(Debug)]
pub struct Package {
    /// Its name.
    pub name: &'static str,
    /// Its version.
    pub version: &'static str,
    /// Its folder in a clone of Plonky3.
    pub(crate) folder: &'static str,
    /// Its field, as specs name it.
    pub(crate) field: &'static str,
    /// Its elements.
    pub(crate) element: &'static str,
    /// Its part in the names of constructors.
    pub(crate) constructor: &'static str,
    /// The widths of its permutations; there are constructors for those of kernels, and more.
    pub(crate) widths: &'static [usize],
    /// The widths of its constructors.
    pub(crate) constructors: &'static [usize],
}

/// All of them.
pub const PACKAGES: [Package; 5] = [
    Package {
        name: "p3-goldilocks",
        version: "0.8.0",
        folder: "goldilocks",
        field: "goldilocks",
        element: "Goldilocks",
        constructor: "goldilocks",
        widths: &[8, 12, 16, 20],
        constructors: &[8, 12, 16],
    },
    Package {
        widths: &[16, 24, 32],
        constructors: &[16, 24, 32],
        ..baby_bear("0.8.0")
    },
    baby_bear("0.4.3"),
    Package {
        widths: &[16, 24, 32],
        constructors: &[16, 24, 32],
        ..koala_bear("0.8.0")
    },
    koala_bear("0.4.3"),
];

const fn baby_bear(version: &'static str) -> Package {
    Package {
        name: "p3-baby-bear",
        version,
        folder: "baby-bear",
        field: "baby-bear",
        element: "BabyBear",
        constructor: "babybear",
        widths: &[16, 24],
        constructors: &[16, 24],
    }
}

const fn koala_bear(version: &'static str) -> Package {
    Package {
        name: "p3-koala-bear",
        version,
        folder: "koala-bear",
        field: "koala-bear",
        element: "KoalaBear",
        constructor: "koalabear",
        widths: &[16, 24],
        constructors: &[16, 24],
    }
}

impl Package {
    /// Its own type of permutations, as it names it.
    #[must_use]
    pub fn own(&self) -> String {
        format!("Poseidon2{}", self.element)
    }

    /// Our type.
    #[must_use]
    pub fn generated(&self) -> String {
        self.own() + "Generated"
    }

    /// What its own type is called beside ours.
    pub(crate) fn stock(&self) -> String {
        self.own() + "Stock"
    }

    /// The exponent of the S-box, the same for all widths.
    pub(crate) fn alpha(&self) -> u64 {
        let instance = instance_of(PARAMETERS, self.field(), self.constructors[0]);
        instance.expect("a row names instances").alpha
    }

    pub(crate) fn word_bits(&self) -> u32 {
        self.field().word_bits()
    }

    fn field(&self) -> &'static Field {
        Field::by_name(self.field).expect("a row names a field")
    }

    /// Whether its permutations are those of `p3-monty-31`, with layers as type parameters.
    pub(crate) fn is_monty_31(&self) -> bool {
        self.word_bits() == 32
    }

    /// What has to hold for its own type of any width to exist, as a `where` clause ends with it.
    pub(crate) fn bound(&self) -> String {
        let element = self.element;
        if self.is_monty_31() {
            let layer = format!("crate::{element}InternalLayerParameters");
            let of =
                format!("p3_monty_31::InternalLayerParameters<crate::{element}Parameters, WIDTH>");
            format!("{layer}: {of},")
        } else {
            String::new()
        }
    }

    /// A platform's packed type and its lanes.
    pub(crate) fn packing(&self, platform: Platform) -> Option<(String, usize)> {
        let (suffix, bits) = platform.facts().vectors?;
        let name = format!("Packed{}{suffix}", self.element);
        Some((name, (bits / self.word_bits()) as usize))
    }

    /// The condition that the crate compiles a platform under.
    pub(crate) fn condition(&self, platform: Platform) -> String {
        let condition = platform.facts().condition;
        if self.is_monty_31() {
            // It knows no SIMD of WebAssembly.
            condition.replace(
                "    all(target_arch = \"wasm32\", target_feature = \"simd128\"),\n",
                "",
            )
        } else {
            condition.to_owned()
        }
    }

    /// The condition that holds on any of these platforms; none: it always does.
    pub(crate) fn any(&self, platforms: &[Platform]) -> Option<String> {
        Some(match platforms {
            [one] => self.condition(*one),
            // AVX-512F implies AVX2.
            [Platform::Avx2, Platform::Avx512] => {
                "all(target_arch = \"x86_64\", target_feature = \"avx2\")".to_owned()
            }
            all if all == Platform::ALL && self.is_monty_31() => return None,
            all if all == Platform::ALL => {
                "not(all(target_arch = \"wasm32\", target_feature = \"simd128\"))".to_owned()
            }
            several => {
                let indented = |one: &Platform| self.condition(*one).replace('\n', "\n    ");
                let lines = several
                    .iter()
                    .map(|one| format!("    {},\n", indented(one)));
                format!("any(\n{})", lines.collect::<String>())
            }
        })
    }
}
