//! Oracle 2: Plonky3's own permutations, from crates.io, with its default constants.

use p3_field::PrimeField64;
use p3_symmetric::Permutation;

use super::Instance;

/// A permutation of residues.
pub type Permute = Box<dyn Fn(&mut [u64])>;

macro_rules! permutations {
    ($($set:ident $field:ident $width:literal {
        rounds: $rounds:tt,
        module: $module:tt,
        plonky3: ($krate:ident $own:ident $default:ident),
    })+) => {
        /// Plonky3's permutation for an instance, where it has one. States are as long as the instance
        /// is wide; any words stand for their residues.
        #[must_use]
        pub fn permutation(instance: &Instance) -> Option<Permute> {
            if instance.parameter_set != "plonky3" {
                return None;
            }
            match (instance.field.modulus, instance.permutation.width()) {
                $((<$krate::$field as PrimeField64>::ORDER_U64, $width) => {
                    Some(of_residues::<$krate::$field, $width>($krate::$default()))
                })+
                _ => None,
            }
        }
    };
}

poseidon2_generated::each_permutation!(permutations);

fn of_residues<F, const W: usize>(peer: impl Permutation<[F; W]> + 'static) -> Permute
where
    F: PrimeField64,
{
    Box::new(move |state| {
        let mut words: [F; W] = std::array::from_fn(|i| F::from_u64(state[i]));
        peer.permute_mut(&mut words);
        for (x, y) in state.iter_mut().zip(words) {
            *x = y.as_canonical_u64();
        }
    })
}
