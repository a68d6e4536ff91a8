//! The parts of the generated crate around its kernels.

mod constants;

pub use constants::{constants_module, constants_path};
