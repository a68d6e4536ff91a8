//! Times kernels, decides which of them programs use on which CPU, and writes that into the tuning
//! tables (`codegen/tuning/`). From there `codegen` puts it into `generated/src/tuning.rs`.
//!
//! `benches` measures or models (`measure`); `record` makes cells of what it tells; `decide` marks what
//! is used; `write` writes the table.

pub mod cli;
mod copy;
mod decide;
mod host;
mod knobs;
mod measure;
mod record;
mod request;
mod session;
mod settle;
mod status;
mod target;
mod told;
mod write;

#[cfg(test)]
mod tests;
