//! Blocks as assembly: from macro-op bodies to scheduled code in physical registers.
//!
//! A block is executed by one `asm!` statement. State words live in memory between blocks; inside
//! one they are loaded where they are first read and stored where their successors are computed.

mod allocate;
mod code;
mod emulate;
pub mod mixed;
mod stream;

pub use allocate::{Allocation, RegisterFile, allocate};
pub use code::{Action, Code, Line, Pointer};
pub use emulate::{Memory, emulate};
pub use stream::{Bodies, stream};
