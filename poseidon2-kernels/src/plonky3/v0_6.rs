//! The interface of the module `plonky3` for Plonky3 0.6.
//!
//! ```text
//! type Perm = poseidon2_kernels::plonky3_0_6::Poseidon2Goldilocks<8>; // was p3_goldilocks::…
//! type Packing = [Goldilocks; 32]; // was <Goldilocks as Field>::Packing
//! ```
//!
//! The traits of 0.6 for hashing and compression take one message per call, so [`Sponge`](crate::Sponge) and
//! [`Compression`](crate::Compression) are no faster than Plonky3's own types on arrays.

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
