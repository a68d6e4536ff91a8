//! The shim for `AArch64` with the AAPCS64 calling convention.

use std::arch::naked_asm;
use std::ffi::c_void;

/// The preserved registers that the shim can check: all but the frame and stack pointers. Of the
/// vector registers 8 to 15 only the lower halves are preserved.
pub(super) const PRESERVED: [&str; 18] = [
    "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "d8", "d9", "d10", "d11",
    "d12", "d13", "d14", "d15",
];

/// Calls `function(argument)` with garbage in every other register, upper halves included, and
/// writes for each preserved register how it differs from what it was.
///
/// x18 is left alone: it belongs to the platform.
#[unsafe(naked)]
pub(super) unsafe extern "C" fn call_poisoned(
    function: extern "C" fn(*mut c_void),
    argument: *mut c_void,
    differences: &mut [u64; 18],
) {
    naked_asm!(
        "stp x29, x30, [sp, #-176]!",
        "mov x29, sp",
        "stp x19, x20, [sp, #16]",
        "stp x21, x22, [sp, #32]",
        "stp x23, x24, [sp, #48]",
        "stp x25, x26, [sp, #64]",
        "stp x27, x28, [sp, #80]",
        "stp d8, d9, [sp, #96]",
        "stp d10, d11, [sp, #112]",
        "stp d12, d13, [sp, #128]",
        "stp d14, d15, [sp, #144]",
        "str x2, [sp, #160]",
        "mov x16, x0",
        "mov x0, x1",
        "movz x17, #0xc3c3",
        "movk x17, #0xa5a5, lsl #16",
        "movk x17, #0xbeef, lsl #32",
        "movk x17, #0xdead, lsl #48",
        ".irp n, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28",
        "mov x\\n, x17",
        ".endr",
        ".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31",
        "dup v\\n\\().2d, x17",
        ".endr",
        "cmp x17, x0",
        "blr x16",
        "movz x17, #0xc3c3",
        "movk x17, #0xa5a5, lsl #16",
        "movk x17, #0xbeef, lsl #32",
        "movk x17, #0xdead, lsl #48",
        "ldr x2, [sp, #160]",
        ".irp n, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28",
        "eor x\\n, x\\n, x17",
        "str x\\n, [x2], #8",
        ".endr",
        ".irp n, 8, 9, 10, 11, 12, 13, 14, 15",
        "fmov x3, d\\n",
        "eor x3, x3, x17",
        "str x3, [x2], #8",
        ".endr",
        "ldp x19, x20, [sp, #16]",
        "ldp x21, x22, [sp, #32]",
        "ldp x23, x24, [sp, #48]",
        "ldp x25, x26, [sp, #64]",
        "ldp x27, x28, [sp, #80]",
        "ldp d8, d9, [sp, #96]",
        "ldp d10, d11, [sp, #112]",
        "ldp d12, d13, [sp, #128]",
        "ldp d14, d15, [sp, #144]",
        "ldp x29, x30, [sp], #176",
        "ret",
    )
}
