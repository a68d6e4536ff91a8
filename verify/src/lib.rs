//! Tests every generated kernel, on every ISA, against independent oracles.

#[cfg(feature = "runner")]
mod budget;
pub mod corpus;
#[cfg(feature = "runner")]
mod directed;
#[cfg(feature = "runner")]
mod disassembly;
#[cfg(feature = "runner")]
mod executed;
#[cfg(feature = "runner")]
mod fuzz;
#[cfg(feature = "runner")]
mod mutation;
pub mod oracle;
mod parallel;
#[cfg(feature = "runner")]
mod process;
#[cfg(feature = "runner")]
mod programs;
pub mod request;
#[cfg(feature = "runner")]
mod rows;
#[cfg(feature = "runner")]
pub mod runner;
pub mod suite;
pub mod trace;
