//! Tests every generated kernel, on every ISA, against independent oracles.

#[cfg(feature = "runner")]
pub mod aimed;
#[cfg(feature = "runner")]
pub mod budget;
pub mod checker;
pub mod corpus;
#[cfg(feature = "runner")]
pub mod directed;
#[cfg(feature = "runner")]
pub mod disassembly;
#[cfg(feature = "runner")]
pub mod executed;
#[cfg(feature = "runner")]
pub mod mutation;
pub mod oracle;
#[cfg(feature = "runner")]
pub mod process;
#[cfg(feature = "runner")]
pub mod programs;
pub mod request;
#[cfg(feature = "runner")]
pub mod runner;
pub mod suite;
pub mod trace;
