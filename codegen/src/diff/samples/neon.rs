//! A kernel of blocks of assembly that name their registers.

use crate::Constants;
use core::arch::asm;

const EPSILON: u64 = 0xffffffff;

/// Permutes.
#[target_feature(enable = "neon")]
pub fn permute(states: &mut [[[u64; 1]; 8]; 1], constants: &Constants<u64, 8, 8, 22>) {
    let state = states.as_mut_ptr().cast::<u64>();
    for step in 0..=8 {
        if step > 0 {
            let _ = core::ptr::from_ref(&constants.external[step - 1]);
        }
        // SAFETY: all registers are declared; state points at the whole state.
        unsafe {
            asm!(
                "ldr x4, [x0]",
                "ldr x5, [x0, #8]",
                "adds x4, x4, x5", // external[*].mds.out[0]
                "csel x5, x3, xzr, hs",
                "add x4, x4, x5",
                "str x4, [x0]",
                in("x0") state,
                in("x3") EPSILON,
                out("x4") _,
                out("x5") _,
                options(nostack),
            );
        }
        if step == 4 {
            for round in 0..22 {
                let constant = &constants.internal[round];
                // SAFETY: as above.
                unsafe {
                    asm!(
                        "ldr x4, [x0]",
                        "ldr x6, [x1]",
                        "adds x4, x4, x6", // internal.rc
                        "umulh x6, x4, x4",
                        "str x4, [x0]",
                        in("x0") state,
                        in("x1") core::ptr::from_ref(constant),
                        out("x4") _,
                        out("x6") _,
                        options(nostack),
                    );
                }
            }
        }
    }
}

/// On raw memory.
///
/// # Safety
/// As documented.
pub unsafe fn permute_raw(states: *mut u64, constants: *const u64) {
    // SAFETY: the caller vouches.
    unsafe { permute(&mut *states.cast(), &*constants.cast()) }
}
