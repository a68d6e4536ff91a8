//! `poseidon2-kernels` for programs in C, and in whatever calls C: `include/poseidon2_kernels.h` says
//! what there is, `docs/c.md` how to build with it.
//!
//! Functions are made of the rows that types and constructors are made of, and the header of the
//! functions. So there is one of each kind for each permutation, declared as it is defined.

#[cfg(test)]
mod header;
mod memory;
mod permutations;
mod status;

use std::ffi::{CString, c_char};
use std::sync::LazyLock;

/// What the header says of it.
#[unsafe(no_mangle)]
extern "C" fn poseidon2_selected() -> *const c_char {
    static SELECTED: LazyLock<CString> = LazyLock::new(|| {
        let selected = poseidon2_kernels::selected().to_string();
        CString::new(selected).unwrap_or_default()
    });
    SELECTED.as_ptr()
}
