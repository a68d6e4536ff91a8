//! The interface of the module `plonky3` for Plonky3 0.4.3, over its BabyBear and KoalaBear.
//!
//! ```text
//! type Perm = poseidon2_kernels::plonky3_0_4::Poseidon2BabyBear<16>; // was p3_baby_bear::…
//! type Packing = [BabyBear; 32]; // was <BabyBear as Field>::Packing
//! type Hash = poseidon2_kernels::Sponge<Perm, 16, 8, 8>; // was PaddingFreeSponge<Perm, 16, 8, 8>
//! ```
//!
//! Later versions do not need the third alias: Plonky3 0.4.3's own `PaddingFreeSponge` takes only elements of
//! rings, which arrays are not. Its `TruncatedPermutation` takes arrays.
//!
//! The BabyBear permutation of 0.4.3 is that of 0.8. Its KoalaBear permutation has other constants. Its
//! Goldilocks permutation has another internal layer, for which there are no kernels, so this interface does
//! not cover it.
//!
//! ```
//! use p3_symmetric_0_4::Permutation; // p3_symmetric where 0.4.3 is the only version
//!
//! let mut state = [p3_koala_bear_0_4::KoalaBear::default(); 16];
//! poseidon2_kernels::plonky3_0_4::default_koalabear_poseidon2_16().permute_mut(&mut state);
//! ```
//!
//! The permutations of another version do not take these elements:
//!
//! ```compile_fail
//! # use p3_symmetric_0_4::Permutation;
//! let mut state = [p3_koala_bear_0_4::KoalaBear::default(); 16];
//! poseidon2_kernels::default_koalabear_poseidon2_16().permute_mut(&mut state);
//! ```

use {
    p3_baby_bear_0_4 as p3_baby_bear, p3_field_0_4 as p3_field, p3_koala_bear_0_4 as p3_koala_bear,
    p3_poseidon2_0_4 as p3_poseidon2, p3_symmetric_0_4 as p3_symmetric, rand_0_9 as rand,
};

use poseidon2_generated::{Instance, KOALA_BEAR_TABLES};

macro_rules! having {
    (Goldilocks { $($text:tt)* }) => {};
    ($field:ident { $($text:tt)* }) => { $($text)* };
}

macro_rules! batches {
    ($($text:tt)*) => {};
}

macro_rules! instance {
    (KoalaBear $instance:expr) => {{
        const LATER: &Instance<u32> = $instance;
        static TABLE: [u32; LATER.table.len()] = external_first(LATER);
        &Instance {
            table: &TABLE,
            ..*LATER
        }
    }};
    ($field:ident $instance:expr) => {
        $instance
    };
}

macro_rules! own_sets {
    () => {};
}

mod sets;
#[path = "mod.rs"]
mod source;

pub use sets::*;
pub(crate) use source::lanes;
pub use source::*;

/// The table of KoalaBear's constants as 0.4.3 has them. Both take them from one stream: 0.4.3 those of
/// all external rounds first, later versions those of the internal rounds before the last external ones.
/// Each prepared word is made of one constant, so it moves with it.
const fn external_first<const N: usize>(later: &Instance<u32>) -> [u32; N] {
    let external = later.external_rounds * later.width;
    let (first, internal) = (external / 2, later.internal_rounds);
    let constants = external + internal;
    let mut table = [0; N];
    let (mut form, mut start) = (0, 0);
    loop {
        let words = if form == 0 {
            1
        } else {
            KOALA_BEAR_TABLES.prepared[form - 1].1
        };
        let mut n = 0;
        while n < constants {
            // In the stream as later versions cut it; its table has the internal rounds' last.
            let there = if n < first {
                n
            } else if n < first + internal {
                n + first
            } else {
                n - internal
            };
            let mut word = 0;
            while word < words {
                table[start + n * words + word] = later.table[start + there * words + word];
                word += 1;
            }
            n += 1;
        }
        start += constants * words;
        form += 1;
        if form > KOALA_BEAR_TABLES.prepared.len() {
            break;
        }
    }
    assert!(start == N, "a form was left out");
    table
}
