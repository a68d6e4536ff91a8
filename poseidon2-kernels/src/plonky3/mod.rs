//! Plonky3's traits, for its own field elements, with its own crates as they are published (0.8).
//!
//! A program chooses its permutation in a few type aliases. Two of them bring the kernels of this
//! crate into a stock Merkle tree, with the instruction set found at run time:
//!
//! ```
//! use p3_goldilocks::Goldilocks;
//! use p3_merkle_tree::MerkleTreeMmcs;
//! use p3_symmetric::{PaddingFreeSponge, TruncatedPermutation};
//!
//! type Perm = poseidon2_kernels::Poseidon2Goldilocks<8>; // was p3_goldilocks::Poseidon2Goldilocks<8>
//! type Packing = [Goldilocks; 32]; // was <Goldilocks as Field>::Packing
//!
//! type Hash = PaddingFreeSponge<Perm, 8, 4, 4>;
//! type Compress = TruncatedPermutation<Perm, 2, 4, 8>;
//! type Mmcs = MerkleTreeMmcs<Packing, Packing, Hash, Compress, 2, 4>;
//!
//! let perm = poseidon2_kernels::default_goldilocks_poseidon2_8();
//! let mmcs = Mmcs::new(Hash::new(perm.clone()), Compress::new(perm), 0);
//! # let _ = mmcs;
//! ```
//!
//! `Perm` permutes single states, states of the build's packed type (which proof-of-work grinding
//! uses), and states of arrays `[Goldilocks; N]`, of as many lanes as one likes: an array is a packed
//! value to Plonky3, and its lanes are independent states here.
//!
//! [`Sponge`](crate::Sponge) and [`Compression`](crate::Compression) go further. They take the places
//! of `PaddingFreeSponge` and `TruncatedPermutation`, with the same parameters and the same results,
//! and hash whole runs of rows as they lie in memory, in place of vectors that are put together one
//! element at a time:
//!
//! ```
//! # use p3_field::Field;
//! # use p3_goldilocks::Goldilocks;
//! # use p3_merkle_tree::MerkleTreeMmcs;
//! use poseidon2_kernels::{Compression, Sponge};
//!
//! # type Packing = <Goldilocks as Field>::Packing;
//! # type Perm = poseidon2_kernels::Poseidon2Goldilocks<8>;
//! type Hash = Sponge<Perm, 8, 4, 4>; // was PaddingFreeSponge
//! type Compress = Compression<Perm, 2, 4, 8>; // was TruncatedPermutation
//! type Mmcs = MerkleTreeMmcs<Packing, Packing, Hash, Compress, 2, 4>;
//! # let perm = poseidon2_kernels::default_goldilocks_poseidon2_8();
//! # let mmcs = Mmcs::new(Hash::new(perm.clone()), Compress::new(perm), 0);
//! # let _ = mmcs;
//! ```
//!
//! Digests, openings and whole proofs are the same bytes either way, so provers and verifiers need
//! not be changed together.

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
