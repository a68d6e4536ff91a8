//! The arithmetic program: what the machine computes, on integers with exact ranges.

mod basis;
pub mod columns;
pub mod contract;
mod eval;
mod flow;
pub mod limbs;
mod program;
mod promise;
pub mod range;
mod redc;

pub use basis::Pair;
pub use contract::{Contract, Gives, MacroOp, Need, Unmet};
pub use flow::Broken;
pub use limbs::Reading;
pub use program::{Block, Operation, Program, Return, Site, Treatment};
pub use promise::times;
pub use range::Range;
