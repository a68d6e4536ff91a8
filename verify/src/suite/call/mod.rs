//! Calls into kernels through a shim that fills registers with garbage and checks afterwards that
//! those which a function must preserve are as they were.

use std::ffi::c_void;

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(target_arch = "x86_64")]
mod x86_64;

#[cfg(target_arch = "aarch64")]
use aarch64 as poison;
#[cfg(target_arch = "x86_64")]
use x86_64 as poison;

/// A kernel and its operands, as one word for the shim to pass on.
struct Call<T: 'static> {
    permute: unsafe fn(*mut T, *const T),
    states: *mut T,
    constants: *const T,
}

/// What the shim calls: it gives the C calling convention to a Rust function pointer.
extern "C" fn enter<T: 'static>(call: *mut c_void) {
    let call = call.cast::<Call<T>>();
    // SAFETY: `call` below is the only caller; its caller vouches for the kernel's operands.
    unsafe { ((*call).permute)((*call).states, (*call).constants) }
}

/// Runs a kernel from poisoned registers.
///
/// # Errors
/// The register that came back changed, though the calling convention has it preserved.
///
/// # Safety
/// As for [`poseidon2_generated::Kernel::permute`].
pub unsafe fn call<T: 'static>(
    permute: unsafe fn(*mut T, *const T),
    states: *mut T,
    constants: *const T,
) -> Result<(), &'static str> {
    let mut call = Call {
        permute,
        states,
        constants,
    };
    let call = (&raw mut call).cast();
    #[cfg(any(target_arch = "aarch64", target_arch = "x86_64"))]
    {
        let mut differences = [0; poison::PRESERVED.len()];
        // SAFETY: the shim keeps the C calling convention; `enter` gets the call it expects.
        unsafe { poison::call_poisoned(enter::<T>, call, &mut differences) };
        match differences.iter().position(|difference| *difference != 0) {
            Some(i) => Err(poison::PRESERVED[i]),
            None => Ok(()),
        }
    }
    #[cfg(not(any(target_arch = "aarch64", target_arch = "x86_64")))]
    {
        enter::<T>(call);
        Ok(())
    }
}

#[cfg(test)]
#[cfg(any(target_arch = "aarch64", target_arch = "x86_64"))]
mod tests {
    use std::arch::asm;

    unsafe fn honest(states: *mut u64, _constants: *const u64) {
        // SAFETY: the test below passes one word.
        unsafe { *states += 1 };
    }

    /// Changes a preserved register without saying so.
    unsafe fn rude(_states: *mut u64, _constants: *const u64) {
        // SAFETY: none; this is the mistake that the shim is there to find.
        unsafe {
            #[cfg(target_arch = "aarch64")]
            asm!("mov x21, 1", "fmov d9, x21", options(nomem, nostack));
            #[cfg(target_arch = "x86_64")]
            asm!("mov r13, 1", options(nomem, nostack));
        }
    }

    #[test]
    fn a_clobbered_register_is_named() {
        let mut state = 1;
        // SAFETY: both functions need no more than one word.
        let results = unsafe {
            [
                super::call(honest, &raw mut state, &raw const state),
                super::call(rude, &raw mut state, &raw const state),
            ]
        };
        assert_eq!(state, 2);
        let register = if cfg!(target_arch = "aarch64") {
            "x21"
        } else {
            "r13"
        };
        assert_eq!(results, [Ok(()), Err(register)]);
    }
}
