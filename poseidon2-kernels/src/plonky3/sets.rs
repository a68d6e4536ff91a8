//! The permutations of one version: its parameter set, and Plonky3's names for them.

use alloc::sync::Arc;

use poseidon2_generated::Instance;

use super::source::{packed_lanes, stock};
use super::*;
use crate::field::{self, Field};
use crate::parameters::{self, ParameterSet, Stock, sealed};
use crate::poseidon2::Poseidon2;

/// The parameter set of this version's `default_*` constructors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plonky3 {}

impl sealed::Sealed for Plonky3 {}

macro_rules! sets {
    ($($set:ident $field:ident $width:literal {
        rounds: ($alpha:literal $($rounds:literal)+),
        module: $module:tt,
        plonky3: ($krate:ident $own:ident $default:ident),
    })*) => {$(
        having!($field {
            impl ParameterSet<field::$field, $width> for Plonky3 {
                const INSTANCE: &'static Instance<<field::$field as Field>::Word> = instance!(
                    $field <parameters::$set as ParameterSet<field::$field, $width>>::INSTANCE
                );
                const DEGREE: u64 = $alpha;
                const PACKED: usize = packed_lanes::<field::$field>();

                fn stock(
                    external: &[[<field::$field as Field>::Word; $width]],
                    internal: &[<field::$field as Field>::Word],
                ) -> Option<Arc<dyn Stock<<field::$field as Field>::Word>>> {
                    type Own = $krate::$own<$width>;
                    Some(stock::<Own, field::$field, $width>(external, internal))
                }
            }

            #[doc = concat!(
                "Poseidon2 over ", stringify!($field), " of width ", $width,
                " with the constants of Plonky3's constructor of this name."
            )]
            #[must_use]
            pub fn $default() -> Poseidon2<field::$field, $width, Plonky3> {
                Poseidon2::standard()
            }
        });
    )*};
}

poseidon2_generated::each_permutation!(sets);

macro_rules! types {
    ($($field:ident {
        field: $row:tt,
        names: ($permutation:ident $constants:ident $widths:literal),
        plonky3: $krate:tt,
    })+) => {$(
        having!($field {
            #[doc = concat!("[`Poseidon2`] over ", stringify!($field), ", of these widths: ", $widths, ".")]
            pub type $permutation<const W: usize> = Poseidon2<field::$field, W, Plonky3>;
        });
    )+};
}

poseidon2_generated::each_field!(types);
