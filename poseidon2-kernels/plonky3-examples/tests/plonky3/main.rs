//! Plonky3's traits: whatever Plonky3 does with its own permutation, it does with ours.

mod challenger;
mod constructors;
mod drop_in;
mod handed_over;
mod merkle;
mod merkle_root;
mod modes;
mod permutation;
mod proofs;
