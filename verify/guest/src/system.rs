//! Linux's system calls, and what a linker starts at.

use core::arch::{asm, global_asm};
use core::fmt::{self, Write};
use core::panic::PanicInfo;

// Programs define `guest_main`, which does not return.
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

const READ: usize = 63;
const WRITE: usize = 64;
const EXIT: usize = 93;

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
    unsafe {
        asm!(
            "ecall",
            in("a7") number,
            inlateout("a0") file => result,
            in("a1") address,
            in("a2") length,
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
    // SAFETY: it does not return.
    unsafe {
        asm!("ecall", in("a7") EXIT, in("a0") usize::from(code), options(noreturn));
    }
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
