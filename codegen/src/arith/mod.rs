//! The arithmetic program: what the machine computes, on integers with exact ranges.

pub mod contract;
mod eval;
mod program;
mod promise;
pub mod range;

pub use contract::{Contract, Gives, MacroOp, Need, Unmet};
pub use eval::run;
pub use program::{Block, Operation, Program, Return, Site, Treatment};
pub use promise::times;
pub use range::Range;
