//! Tests every generated kernel, on every ISA, against independent oracles.

pub mod corpus;
pub mod executed;
pub mod oracle;
pub mod request;
pub mod suite;
pub mod trace;
