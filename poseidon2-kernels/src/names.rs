//! Types and constructors with Plonky3's names: a type for each field, a constructor for each permutation.

use crate::constants::CanonicalConstants;
use crate::field::*;
use crate::poseidon2::Poseidon2;

macro_rules! types {
    ($($field:ident {
        field: ($family:ident $text:literal $modulus:literal $prime:literal $($registry:ident)+),
        names: ($permutation:ident $constants:ident $widths:literal),
        $($rest:tt)*
    })+) => {$(
        #[doc = concat!("[`Poseidon2`] over ", stringify!($field), " (p = ", $prime, "),")]
        #[doc = concat!("of these widths: ", $widths, ".")]
        pub type $permutation<const W: usize> = Poseidon2<$field, W>;

        #[doc = concat!("Round constants of [`", stringify!($permutation), "`].")]
        pub type $constants<const W: usize> = CanonicalConstants<$field, W>;
    )+};
}

macro_rules! constructors {
    ($($set:ident $field:ident $width:literal {
        rounds: $rounds:tt,
        module: $module:tt,
        plonky3: ($krate:ident $own:ident $default:ident),
    })*) => {$(
        #[doc = concat!(
            "Poseidon2 over ", stringify!($field), " of width ", $width,
            " with its standard constants."
        )]
        ///
        /// The constructor of this name in Plonky3 0.8 builds the same function.
        #[must_use]
        pub fn $default() -> Poseidon2<$field, $width> {
            Poseidon2::plonky3()
        }
    )*};
}

poseidon2_generated::each_field!(types);
poseidon2_generated::each_permutation!(constructors);
