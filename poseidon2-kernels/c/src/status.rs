//! What functions return.

use std::ffi::c_int;
use std::panic::{self, AssertUnwindSafe};

macro_rules! statuses {
    ($($(#[doc = $about:literal])+ $name:ident = $c:literal,)+) => {
        /// What became of a call.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(i32)]
        pub(crate) enum Status {
            $($(#[doc = $about])+ $name,)+
        }

        /// Each status, its name in C, and what it means.
        #[cfg(test)]
        pub(crate) const ALL: &[(Status, &str, &[&str])] =
            &[$((Status::$name, $c, &[$($about),+]),)+];
    };
}

statuses! {
    /// All was done.
    Done = "POSEIDON2_OK",
    /// A pointer to words is null.
    Null = "POSEIDON2_NULL",
    /// A pointer is not aligned as its type asks.
    Misaligned = "POSEIDON2_MISALIGNED",
    /// So many words cannot be there: they have more than PTRDIFF_MAX bytes, or go beyond the last
    /// address.
    TooLarge = "POSEIDON2_TOO_LARGE",
    /// What is written would overlap what is read.
    Overlap = "POSEIDON2_OVERLAP",
    /// A defect of this library: a panic, told on the standard error and stopped here.
    Defect = "POSEIDON2_DEFECT",
}

/// Does the work of a function that C calls. No panic goes further than this.
pub(crate) fn of(work: impl FnOnce() -> Result<(), Status>) -> c_int {
    // Nothing here is looked at after a panic; what the caller's words are then, the header says.
    let outcome = panic::catch_unwind(AssertUnwindSafe(work));
    let status = match outcome {
        Ok(Ok(())) => Status::Done,
        Ok(Err(status)) => status,
        Err(_) => Status::Defect,
    };
    status as c_int
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_went_wrong_is_a_number() {
        assert_eq!(of(|| Ok(())), 0);
        assert_eq!(of(|| Err(Status::Overlap)), Status::Overlap as c_int);
        assert_eq!(of(|| panic!("on purpose")), Status::Defect as c_int);
        let numbers = ALL.iter().map(|(status, ..)| *status as c_int);
        assert!(numbers.eq(0..6), "these are part of the interface");
    }
}
