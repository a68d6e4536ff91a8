//! The arithmetic program: what the machine computes, on integers with exact ranges.

pub mod contract;
pub mod range;

pub use contract::{Contract, Gives, MacroOp, Need, Unmet};
pub use range::Range;
