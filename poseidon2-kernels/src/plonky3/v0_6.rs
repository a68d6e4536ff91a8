//! Plonky3 0.6: what the module `plonky3` has for 0.8, by the same names.
//!
//! ```text
//! type Perm = poseidon2_kernels::plonky3_0_6::Poseidon2Goldilocks<8>; // was p3_goldilocks::…
//! type Packing = [Goldilocks; 32]; // was <Goldilocks as Field>::Packing
//! ```
//!
//! Its hashers and compressions take one message a call, so [`Sponge`](crate::Sponge) and
//! [`Compression`](crate::Compression) gain nothing over its own on arrays.

use {
    p3_baby_bear_0_6 as p3_baby_bear, p3_field_0_6 as p3_field, p3_goldilocks_0_6 as p3_goldilocks,
    p3_koala_bear_0_6 as p3_koala_bear, p3_poseidon2_0_6 as p3_poseidon2,
    p3_symmetric_0_6 as p3_symmetric,
};

use ::rand;

macro_rules! having {
    ($field:ident { $($text:tt)* }) => { $($text)* };
}

macro_rules! batches {
    ($($text:tt)*) => {};
}

macro_rules! instance {
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
