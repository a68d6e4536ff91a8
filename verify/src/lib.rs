//! Tests every generated kernel, on every ISA, against independent oracles.

pub mod oracle;
