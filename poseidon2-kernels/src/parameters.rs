//! Parameter sets, as types: which permutations there are.

#[cfg(feature = "_plonky3")]
use alloc::sync::Arc;
#[cfg(feature = "_plonky3")]
use core::panic::RefUnwindSafe;

use poseidon2_generated::Instance;

use crate::field::{self, *};

/// A parameter set that has a permutation over the field `F` on states of `W` elements: its numbers of
/// rounds, linear layers, and round constants. The trait is sealed, because kernels exist only for these sets.
///
/// ```
/// use poseidon2_kernels::{ParameterSet, Plonky3, Poseidon2, field::Goldilocks};
///
/// fn image_of_zero<const W: usize>() -> [u64; W]
/// where
///     Plonky3: ParameterSet<Goldilocks, W>,
/// {
///     let mut state = [0; W];
///     Poseidon2::<Goldilocks, W>::plonky3().permute_one(&mut state);
///     state
/// }
/// assert_ne!(image_of_zero::<8>()[..4], image_of_zero::<12>()[..4]);
/// ```
#[diagnostic::on_unimplemented(
    message = "there is no permutation over `{F}` of width {W} in the parameter set `{Self}`",
    label = "no kernels for width {W}",
    note = "the documentation of a parameter set has a table of its permutations"
)]
pub trait ParameterSet<F: Field, const W: usize>: sealed::Sealed + 'static {
    /// The permutation with the set's own constants.
    #[doc(hidden)]
    const INSTANCE: &'static Instance<F::Word>;

    /// The exponent of the S-box.
    #[doc(hidden)]
    const DEGREE: u64;

    /// Lanes of the type that Plonky3 packs elements in, in this build.
    #[cfg(feature = "_plonky3")]
    #[doc(hidden)]
    const PACKED: usize = 1;

    /// Plonky3's own implementation of it, if it has one: with the constants of the external rounds
    /// and of the internal ones, in words that kernels accept.
    #[cfg(feature = "_plonky3")]
    #[doc(hidden)]
    fn stock(_external: &[[F::Word; W]], _internal: &[F::Word]) -> Option<Arc<dyn Stock<F::Word>>> {
        None
    }
}

/// Lanes of the type that Plonky3 packs elements of a field in, in this build: the same in all versions
/// that have one.
#[cfg(feature = "_plonky3")]
pub(crate) fn packed_lanes(field: &str) -> usize {
    let versions: &[fn(&str) -> Option<usize>] = &[
        #[cfg(feature = "plonky3")]
        crate::plonky3::lanes,
        #[cfg(feature = "plonky3-0-4")]
        crate::plonky3_0_4::lanes,
        #[cfg(feature = "plonky3-0-6")]
        crate::plonky3_0_6::lanes,
        #[cfg(feature = "plonky3-0-9-rc")]
        crate::plonky3_0_9::lanes,
    ];
    let known = versions.iter().find_map(|lanes| lanes(field));
    known.unwrap_or(1)
}

/// An implementation that is not ours.
#[cfg(feature = "_plonky3")]
#[doc(hidden)]
pub trait Stock<T>: Send + Sync + RefUnwindSafe {
    /// Permutes a single state, or one in each lane of its packed type, in the order in which kernels of
    /// as many lanes have their words. They must be words that kernels accept.
    fn permute(&self, words: &mut [T]);
}

pub(crate) mod sealed {
    pub trait Sealed {}

    /// Parameter sets of one's own.
    #[cfg(feature = "_plonky3")]
    pub trait Own: Sealed {}
}

/// The constants of a permutation, which are what its set says.
macro_rules! instance {
    ($field:ident $width:literal $($module:ident)::+) => {{
        let instance = &poseidon2_generated::$($module)::+::INSTANCE;
        let constants = instance.external_rounds * $width + instance.internal_rounds;
        assert!(instance.width == $width);
        assert!(instance.table.len() == constants * field::$field::TABLES.words());
        let mut i = 0;
        while i < constants {
            assert!(
                instance.table[i] < field::$field::MODULUS,
                "a constant is not below p"
            );
            i += 1;
        }
        instance
    }};
}

macro_rules! parameter_sets {
    ($($set:ident $field:ident $width:literal {
        rounds: ($alpha:literal $external:literal $internal:literal),
        module: ($($module:ident)::+ $kernels:ident),
        plonky3: ($krate:ident $own:ident $default:ident),
    })*) => {
        /// The parameter set `plonky3`: what the `default_*` constructors of Plonky3 0.8 build.
        ///
        /// | field | width | S-box | external + internal rounds |
        /// |---|---|---|---|
        $(#[doc = concat!("| [`", stringify!($field), "`] | ", $width, " | x^", $alpha, " | ",
            $external, " + ", $internal, " |")])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Plonky3 {}

        impl sealed::Sealed for Plonky3 {}

        $(impl ParameterSet<$field, $width> for $set {
            const INSTANCE: &'static Instance<<$field as Field>::Word> =
                instance!($field $width $($module)::+);

            const DEGREE: u64 = $alpha;

            #[cfg(feature = "plonky3")]
            const PACKED: usize = crate::plonky3::packed_lanes::<$field>();

            #[cfg(feature = "plonky3")]
            fn stock(
                external: &[[<$field as Field>::Word; $width]],
                internal: &[<$field as Field>::Word],
            ) -> Option<Arc<dyn Stock<<$field as Field>::Word>>> {
                type Own = $krate::$own<$width>;
                Some(crate::plonky3::stock::<Own, $field, $width>(external, internal))
            }
        })*
    };
}

poseidon2_generated::each_permutation!(parameter_sets);

macro_rules! own_sets {
    ($($set:ident $name:literal {
        $($field:ident $width:literal ($alpha:literal $external:literal $internal:literal) ($($module:ident)::+))+
    })*) => {
        /// Parameter sets of your own, if kernels were generated for any.
        pub mod own {
            #[allow(unused_imports, reason = "where there are none")]
            use super::{Field, Instance, ParameterSet, field, sealed};

            $(
                #[doc = concat!("The parameter set `", $name, "`.")]
                ///
                /// | field | width | S-box | external + internal rounds |
                /// |---|---|---|---|
                $(#[doc = concat!("| [`", stringify!($field), "`](field::", stringify!($field), ") | ",
                    $width, " | x^", $alpha, " | ", $external, " + ", $internal, " |")])+
                #[derive(Clone, Copy, Debug, PartialEq, Eq)]
                pub enum $set {}

                impl sealed::Sealed for $set {}
                #[cfg(feature = "_plonky3")]
                impl sealed::Own for $set {}

                $(impl ParameterSet<field::$field, $width> for $set {
                    const INSTANCE: &'static Instance<<field::$field as Field>::Word> =
                        instance!($field $width $($module)::+);

                    const DEGREE: u64 = $alpha;
                })+
            )*
        }
    };
}

poseidon2_generated::each_own_set!(own_sets);
