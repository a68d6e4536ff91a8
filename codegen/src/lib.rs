//! From a declarative spec to a proved, scheduled, audited Poseidon2 kernel.
//!
//! Each stage is one module with one input type and one output type; none reaches back.

pub mod arith;
pub mod asm;
pub mod diag;
pub mod ir;
pub mod isa;
pub mod kernel;
pub mod lower;
pub mod machine;
pub mod params;
pub mod prove;
pub mod schedule;
pub mod spec;
pub mod template;
