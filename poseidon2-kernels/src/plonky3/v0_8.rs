// Its examples need more of Plonky3 than this package does, so they are tests of `plonky3-examples`.
#![cfg_attr(not(doctest), doc = include_str!("about.md"))]

use ::{p3_baby_bear, p3_field, p3_goldilocks, p3_koala_bear, p3_poseidon2, p3_symmetric, rand};

use crate::parameters::Plonky3;

macro_rules! having {
    ($field:ident { $($text:tt)* }) => { $($text)* };
}

macro_rules! batches {
    ($($text:tt)*) => { $($text)* };
}

macro_rules! own {
    ($($set:ident $name:literal $permutations:tt)*) => {
        $(constructors!(crate::parameters::own::$set);)*
    };
}

macro_rules! own_sets {
    () => {
        poseidon2_generated::each_own_set!(own);
    };
}

#[path = "mod.rs"]
mod source;

pub use source::*;
pub(crate) use source::{lanes, packed_lanes, stock};
