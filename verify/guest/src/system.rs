//! Linux's system calls, and what a linker starts at.

use core::arch::{asm, global_asm};
use core::fmt::{self, Write};
use core::panic::PanicInfo;

// Programs define `guest_main`, which does not return.
#[cfg(target_arch = "riscv32")]
global_asm!(
    ".globl _start",
    "_start:",
    ".option push",
    ".option norelax",
    "la gp, __global_pointer$",
    ".option pop",
    "andi sp, sp, -16",
    "call guest_main",
);

#[cfg(target_arch = "arm")]
global_asm!(".thumb_func", ".globl _start", "_start:", "bl guest_main",);

/// Numbers of the calls that read, write and exit.
#[cfg(target_arch = "riscv32")]
const CALLS: [usize; 3] = [63, 64, 93];
#[cfg(target_arch = "arm")]
const CALLS: [usize; 3] = [3, 4, 1];

const READ: usize = CALLS[0];
const WRITE: usize = CALLS[1];
const EXIT: usize = CALLS[2];

const INPUT: usize = 0;
const OUTPUT: usize = 1;
const ERRORS: usize = 2;

/// A call with a file, an address and a length.
///
/// # Safety
/// The memory must be valid for what the call does with it.
unsafe fn call(number: usize, file: usize, address: usize, length: usize) -> isize {
    let result;
    // SAFETY: Linux changes no register but that of the result, and the caller vouches for the memory.
    #[cfg(target_arch = "riscv32")]
    unsafe {
        asm!(
            "ecall",
            in("a7") number,
            inlateout("a0") file => result,
            in("a1") address,
            in("a2") length,
        );
    }
    // SAFETY: as above. The number's register is the compiler's frame pointer, which is put back.
    #[cfg(target_arch = "arm")]
    unsafe {
        asm!(
            "mov {kept}, r7",
            "mov r7, {number}",
            "svc #0",
            "mov r7, {kept}",
            number = in(reg) number,
            kept = out(reg) _,
            inlateout("r0") file => result,
            in("r1") address,
            in("r2") length,
        );
    }
    result
}

/// Fills a buffer from the input; tells whether there was so much.
pub fn read(mut buffer: &mut [u8]) -> bool {
    while !buffer.is_empty() {
        // SAFETY: the kernel writes into the buffer, at most its length.
        let count = unsafe { call(READ, INPUT, buffer.as_mut_ptr() as usize, buffer.len()) };
        let Some(rest) = usize::try_from(count).ok().filter(|count| *count > 0) else {
            return false;
        };
        buffer = &mut buffer[rest..];
    }
    true
}

/// A number of the input, if there is one.
pub fn read_u32() -> Option<u32> {
    let mut bytes = [0; 4];
    read(&mut bytes).then(|| u32::from_le_bytes(bytes))
}

/// Writes to the output.
pub fn write(bytes: &[u8]) {
    write_to(OUTPUT, bytes);
}

/// Writes a number to the output.
pub fn write_u32(number: u32) {
    write(&number.to_le_bytes());
}

fn write_to(file: usize, mut bytes: &[u8]) {
    while !bytes.is_empty() {
        // SAFETY: the kernel reads the bytes.
        let count = unsafe { call(WRITE, file, bytes.as_ptr() as usize, bytes.len()) };
        match usize::try_from(count) {
            Ok(count) => bytes = &bytes[count..],
            Err(_) => exit(1),
        }
    }
}

/// Ends the program.
pub fn exit(code: u8) -> ! {
    // SAFETY: no memory is named.
    unsafe { call(EXIT, usize::from(code), 0, 0) };
    unreachable!("Linux ends a program that asks for it")
}

/// What a panic says.
struct Errors;

impl Write for Errors {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        write_to(ERRORS, text.as_bytes());
        Ok(())
    }
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    // There is nobody to tell that telling failed.
    let _ = writeln!(Errors, "{info}");
    exit(2)
}
