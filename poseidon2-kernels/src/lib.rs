//! Poseidon2 permutations that are proved, fast, and choose their instructions at run time.
//!
//! Each kernel behind this interface is generated together with a certificate: for every input,
//! no addition overflows where it must not, each linear layer equals the specified matrix, and the S-box has
//! the specified exponent. This crate ensures the preconditions of kernels, so that safe code cannot break
//! them: round constants are [reduced once](CanonicalConstants), states have the right form and length, and the
//! CPU has the features that a kernel needs.
//!
//! ```
//! use poseidon2_kernels::Poseidon2Goldilocks;
//!
//! let poseidon2 = Poseidon2Goldilocks::<8>::plonky3();
//! let mut states = vec![[0; 8]; 1000];
//! poseidon2.permute_many(&mut states);
//! ```
//!
//! Kernels are fastest on many independent states, and modes of use give them many: [`Sponge`] hashes rows to
//! digests, and [`Compression`] compresses the nodes of a tree. [`modes`] has others.
//!
//! # Which permutation
//! "Poseidon2 over Goldilocks, width 8" does not identify a function: projects differ in rounds, constants and
//! diagonals. So [`Poseidon2`] has three parameters: a field, a width, and a parameter set. The default set is
//! [`Plonky3`], that of Plonky3's `default_*` constructors; its documentation has a table of the permutations.
//! To use other round constants, see [`CanonicalConstants`].
//!
//! # Which kernel
//! By default, permutations use the widest instruction set that the CPU has, which the crate detects on first
//! use. [`selected`] says which one and why; [`select`] or the environment variable
//! [`POSEIDON2_KERNEL`](ENVIRONMENT_VARIABLE) (`scalar`, `x86_64`, `armv8m`, `neon`, `avx2`, `avx512`,
//! `avx512ifma`, in upper or lower case) override it, for tests. A tuning table, of this CPU or of one that
//! stands in for it, decides which kernel serves which work: one state, a sponge, many states, a tree.
//! [`selected`], formatted with `{:#}`, shows its rows. The kernel for the most states goes first; if the last
//! states are too few for SIMD lanes to be worthwhile, kernels for single states permute them.
//!
//! With a feature for Plonky3, the crate uses Plonky3's own permutation where the table says that it is faster
//! than every kernel here, or where the two were never compared. That depends on the build, because Plonky3
//! chooses its instructions at compile time; the table has rows for each of its packed types. For a single
//! state it has one figure, from a build without flags. A program that asks for an instruction set (by
//! [`select`], the environment or `with_isa`) gets the kernels for it.
//!
//! # Features
//! - `std` (default): the crate detects CPU features at run time. Without it the crate is `no_std` and uses the
//!   features that the build enables by `target-feature` or `target-cpu`.
//! - `alloc` (part of `std`): functions that allocate, which are those that return a `Vec`, such as
//!   `hash_rows`, and `CanonicalConstants::new`. Without it no allocator is needed, and constants of your own
//!   go into memory that you pass to [`CanonicalConstants::new_in`]. Where there are no atomic instructions
//!   (`riscv32im`), permutations built with `alloc` stay in the thread that made them, and Plonky3 does not
//!   compile. A Cortex-M23 (Armv8-M baseline) cannot have this crate: it lacks an instruction of the kernels for
//!   32-bit Arm, and no `cfg` tells it from other cores.
//! - `plonky3`: Plonky3's traits for its own field elements: permutations, hashers, compression. This is
//!   Plonky3 0.8; `plonky3-0-4`, `plonky3-0-6` and `plonky3-0-9-rc` do the same for 0.4.3, 0.6 and a
//!   release candidate of 0.9, each in a module of its own. You can enable several at once. From 0.6 on, Plonky3
//!   needs Rust 1.93; the crate without it, and with 0.4.3, needs 1.91.
#![no_std]
#![allow(
    clippy::duplicate_mod,
    reason = "the versions of Plonky3 differ in crates, not in text"
)]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(any(feature = "std", test))]
extern crate std;

#[cfg(feature = "_plonky3")]
mod across;
mod compression;
mod constants;
mod detect;
mod engine;
mod features;
pub mod field;
mod lanes;
mod length;
pub mod modes;
mod names;
mod parameters;
mod plan;
#[cfg(feature = "plonky3")]
#[path = "plonky3/v0_8.rs"]
pub mod plonky3;
#[cfg(feature = "plonky3-0-4")]
#[path = "plonky3/v0_4.rs"]
pub mod plonky3_0_4;
#[cfg(feature = "plonky3-0-6")]
#[path = "plonky3/v0_6.rs"]
pub mod plonky3_0_6;
#[cfg(feature = "plonky3-0-9-rc")]
#[path = "plonky3/v0_9.rs"]
pub mod plonky3_0_9;
mod poseidon2;
mod select;
mod sponge;
mod transpose;
mod tuned;

pub use constants::CanonicalConstants;
pub use length::LengthMismatch;
pub use modes::{Compression, Sponge};
pub use names::*;
pub use parameters::{ParameterSet, Plonky3, own};
pub use poseidon2::Poseidon2;
pub use poseidon2_generated::{Choice, Isa, Kernel, Shape, Step};
pub use select::{
    ENVIRONMENT_VARIABLE, Reason, Selection, UnsupportedIsa, is_supported, select, selected,
    supported,
};

/// The README's examples are tests. Those of the repository's own are in `plonky3-examples`, as a package has no file
/// beside it.
#[cfg(all(doctest, feature = "alloc"))]
#[doc = include_str!("../README.md")]
struct Readme;
