//! From a declarative spec to a proved, scheduled, checked Poseidon2 kernel.
//!
//! Each stage is one module with one input type and one output type; none reaches back.

pub mod arith;
pub mod asm;
pub mod cli;
pub mod diag;
pub mod diff;
pub mod emit;
pub mod explain;
pub mod format;
pub mod ir;
pub mod isa;
pub mod kernel;
pub mod lemma;
pub mod lower;
pub mod machine;
pub mod names;
pub mod ops;
pub mod params;
pub mod pipeline;
pub mod prove;
pub mod refusal;
pub mod render;
pub mod report;
pub mod scaffold;
pub mod schedule;
pub mod spec;
pub mod template;
pub mod term;
pub mod tuning;
