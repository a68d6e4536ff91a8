//! The shim for x86-64 with the System V calling convention.

use std::arch::naked_asm;
use std::ffi::c_void;

/// The preserved registers that the shim can check; it needs the stack pointer itself.
pub(super) const PRESERVED: [&str; 6] = ["rbx", "rbp", "r12", "r13", "r14", "r15"];

/// Calls `function(argument)` with garbage in every other register, and writes for each preserved
/// register how it differs from what it was.
#[unsafe(naked)]
pub(super) unsafe extern "C" fn call_poisoned(
    function: extern "C" fn(*mut c_void),
    argument: *mut c_void,
    differences: &mut [u64; 6],
) {
    naked_asm!(
        "push rbx",
        "push rbp",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        "push rdx",
        "mov rax, rdi",
        "mov rdi, rsi",
        "movabs r11, 0xdeadbeefa5a5c3c3",
        "mov rbx, r11",
        "mov rbp, r11",
        "mov r12, r11",
        "mov r13, r11",
        "mov r14, r11",
        "mov r15, r11",
        "mov rcx, r11",
        "mov rdx, r11",
        "mov rsi, r11",
        "mov r8, r11",
        "mov r9, r11",
        "mov r10, r11",
        ".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15",
        "movq xmm\\n, r11",
        "punpcklqdq xmm\\n, xmm\\n",
        ".endr",
        "cmp r11, rdi",
        "call rax",
        "movabs r11, 0xdeadbeefa5a5c3c3",
        "pop rdx",
        "xor rbx, r11",
        "mov [rdx], rbx",
        "xor rbp, r11",
        "mov [rdx + 8], rbp",
        "xor r12, r11",
        "mov [rdx + 16], r12",
        "xor r13, r11",
        "mov [rdx + 24], r13",
        "xor r14, r11",
        "mov [rdx + 32], r14",
        "xor r15, r11",
        "mov [rdx + 40], r15",
        "pop r15",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbp",
        "pop rbx",
        "ret",
    )
}
