//! The functions of each permutation.

use std::ffi::c_int;
use std::sync::LazyLock;

use poseidon2_kernels::field::*;
use poseidon2_kernels::{Compression, Plonky3, Poseidon2, Sponge};

#[cfg(test)]
use crate::header::{CType, Function, Of, Permutation};
use crate::memory::Words;
use crate::status;

/// Makes functions of a permutation. Of each: what the header says of it, how its name ends, its
/// arguments, and what it does.
macro_rules! functions {
    (
        { $set:ident $field:ident $width:literal $prefix:expr, $about:expr }
        $($(#[doc = $said:literal])+ $name:literal ($($argument:ident: $type:ty),+) $work:block)+
    ) => {
        const _: () = {
            type Word = <$field as Field>::Word;
            const WIDTH: usize = $width;
            /// 256 bits; over fields of 31 bits 248.
            const DIGEST: usize = 32 / size_of::<Word>();
            /// The capacity has as many words as a digest: collisions in one are as hard as in the other.
            const RATE: usize = WIDTH - DIGEST;

            /// To choose kernels takes about half as long as to permute a state, so it is done once.
            fn poseidon2() -> &'static Poseidon2<$field, WIDTH, $set> {
                static CHOSEN: LazyLock<Poseidon2<$field, WIDTH, $set>> =
                    LazyLock::new(Poseidon2::standard);
                &CHOSEN
            }

            $(const _: () = {
                #[unsafe(export_name = concat!($prefix, "_", $name))]
                unsafe extern "C" fn function($($argument: $type),+) -> c_int {
                    status::of(|| $work)
                }
            };)+

            #[cfg(test)]
            impl Permutation for Of<$field, WIDTH, $set> {
                const PREFIX: &'static str = $prefix;
                const ABOUT: &'static str = $about;
                const SIZES: [(&'static str, usize); 3] =
                    [("WIDTH", WIDTH), ("RATE", RATE), ("DIGEST", DIGEST)];
                const FUNCTIONS: &'static [Function] = &[$(Function {
                    name: $name,
                    said: &[$($said),+],
                    arguments: || vec![$((<$type>::name(), stringify!($argument))),+],
                }),+];
            }
        };
    };
}

/// The functions that a permutation has: some of those whose field is of one family.
macro_rules! permutation {
    (montgomery31 $permutation:tt) => {
        permutation! {
            $permutation
            /// As permute, on words x·2^32 mod p in place of residues x: kernels compute on these, so
            /// two conversions are saved. Any words; those given back are below p.
            "permute_montgomery" (states: *mut Word, count: usize) {
                let states = Words::new(states, count, WIDTH)?;
                // SAFETY: what the header asks of whoever calls.
                let states = unsafe { states.as_mut_slice() };
                poseidon2().permute_many_montgomery(states.as_chunks_mut().0);
                Ok(())
            }
        }
    };
    ($family:ident $permutation:tt) => {
        permutation! { $permutation }
    };
    ($permutation:tt $($more:tt)*) => {
        functions! {
            $permutation
            /// Permutes each of count states in its place. A state has WIDTH words; states lie back to
            /// back.
            "permute" (states: *mut Word, count: usize) {
                let states = Words::new(states, count, WIDTH)?;
                // SAFETY: what the header asks of whoever calls.
                let states = unsafe { states.as_mut_slice() };
                match states.as_chunks_mut().0 {
                    [state] => poseidon2().permute_one(state),
                    states => poseidon2().permute_many(states),
                }
                Ok(())
            }
            /// Hashes each of count rows of row_length words to a digest of DIGEST words. Rows lie back
            /// to back, and so do digests; they must not overlap. The state begins as zeros. Each block
            /// of RATE words (the last may be shorter) overwrites the front of the state, which is then
            /// permuted. The digest is the front of the last state. This is Plonky3's PaddingFreeSponge.
            /// There is no padding: rows of different lengths can have the same digest, so the protocol
            /// must fix the length.
            "hash" (rows: *const Word, row_length: usize, count: usize, digests: *mut Word) {
                let rows = Words::new(rows, count, row_length)?;
                let digests = Words::new(digests, count, DIGEST)?;
                digests.apart_from(rows)?;
                // SAFETY: what the header asks of whoever calls; none is in both, as just found.
                let (rows, digests) = unsafe { (rows.as_slice(), digests.as_mut_slice()) };
                Sponge::<_, WIDTH, RATE, DIGEST>::new(poseidon2().clone())
                    .hash_rows_into(rows, digests.as_chunks_mut().0)
                    .expect("there is a row for each digest");
                Ok(())
            }
            /// Compresses each of count pairs of nodes to a node. A node has DIGEST words; nodes lie back
            /// to back; what is read and what is written must not overlap. The two nodes and zeros up
            /// to WIDTH are permuted, and the front is the new node. It is Plonky3's
            /// TruncatedPermutation.
            "compress" (pairs: *const Word, count: usize, nodes: *mut Word) {
                let pairs = Words::new(pairs, count, 2 * DIGEST)?;
                let nodes = Words::new(nodes, count, DIGEST)?;
                nodes.apart_from(pairs)?;
                // SAFETY: as above.
                let (pairs, nodes) = unsafe { (pairs.as_slice(), nodes.as_mut_slice()) };
                Compression::<_, 2, DIGEST, WIDTH>::new(poseidon2().clone())
                    .compress_layer_into(pairs.as_chunks().0.as_chunks().0, nodes.as_chunks_mut().0)
                    .expect("there is a pair for each node");
                Ok(())
            }
            $($more)*
        }
    };
}

/// Finds the family of a field, by a macro that knows each field by name.
macro_rules! fields {
    ($($name:ident {
        field: ($family:ident $text:literal $modulus:literal $prime:literal $($registry:ident)+),
        $($rest:tt)*
    })+) => {
        macro_rules! of_field {
            $(($name $set:ident $width:literal $prefix:expr, $rounds:expr) => {
                permutation! { $family {
                    $set $name $width $prefix,
                    concat!(stringify!($name), ", p = ", $prime, ", width ", $width, ":\n * ", $rounds)
                } }
            };)+
        }
    };
}

poseidon2_generated::each_field!(fields);

macro_rules! permutations {
    ($($set:ident $field:ident $width:literal {
        rounds: ($alpha:literal $external:literal $internal:literal),
        module: ($in_set:ident::$over:ident::$constants:ident $kernels:ident),
        plonky3: $plonky3:tt,
    })*) => {
        $(of_field! {
            $field $set $width
            concat!("poseidon2_", stringify!($in_set), "_", stringify!($over), "_w", $width),
            concat!("S-box x^", $alpha, ", ", $external, " external and ", $internal,
                " internal rounds; parameter set ", stringify!($in_set), ".")
        })*

        /// What there is, for the header.
        #[cfg(test)]
        pub(crate) const ALL: &[crate::header::Section] =
            &[$(crate::header::section::<Of<$field, $width, $set>>),*];
    };
}

poseidon2_generated::each_permutation!(permutations);
