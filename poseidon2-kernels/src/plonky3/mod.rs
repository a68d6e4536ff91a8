// Its examples need more of Plonky3 than this package does, so they are tests of `plonky3-examples`.
#![cfg_attr(not(doctest), doc = include_str!("about.md"))]

mod constructors;
mod modes;
mod peer;
mod permutation;
mod words;

pub use constructors::UnsupportedRounds;
#[doc(hidden)]
pub use peer::Peer;
pub(crate) use peer::{packed_lanes, stock};
pub use words::words_mut;
