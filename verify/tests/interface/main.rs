//! The interface that users call, against the reference.

mod common;
mod goldilocks;
mod koala_bear;
mod modes;
