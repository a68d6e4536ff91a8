//! `cargo verify`: every kernel, on every host that can run it, against the oracles.

fn main() {}
