//! Poseidon2 with run-time CPU dispatch.
#![no_std]
