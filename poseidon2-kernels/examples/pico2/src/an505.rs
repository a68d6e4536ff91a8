//! The program for the machine `mps2-an505` of qemu, whose core is the Pico 2's: prints what it found, and
//! how much of the stack it took.

#![no_std]
#![no_main]

use cortex_m_rt::{STACK_PAINT_VALUE, entry, exception};
use merkle_pico2::{TAMPERED, trials};
use semihosting::{eprintln, println, process::exit};

include!(concat!(env!("OUT_DIR"), "/opening.rs"));

unsafe extern "C" {
    static _stack_end: u32;
    static _stack_start: u32;
}

#[entry]
fn main() -> ! {
    let (whole, tampered) = trials(&TREE, &OPENING);
    // Printing takes stack, too.
    let stack = stack();
    let told = |accepted| if accepted { "accepted" } else { "refused" };
    println!("the opening: {}", told(whole));
    for (what, accepted) in TAMPERED.iter().zip(tampered) {
        println!("{what} tampered with: {}", told(accepted));
    }
    println!("stack: {stack}");
    exit(i32::from(!whole || tampered.contains(&true)))
}

/// Bytes of the stack that were written since the start.
fn stack() -> usize {
    let (end, start) = (&raw const _stack_end, &raw const _stack_start);
    let words = (start as usize - end as usize) / size_of::<u32>();
    // SAFETY: the linker puts the stack between these symbols, whole words of RAM. Nothing else is there.
    let at = |word: usize| unsafe { end.add(word).read_volatile() };
    let painted = (0..words).take_while(|&word| at(word) == STACK_PAINT_VALUE);
    (words - painted.count()) * size_of::<u32>()
}

// SAFETY: it needs no stack that is intact but its own.
#[exception(trampoline = false)]
unsafe fn HardFault() -> ! {
    eprintln!("a fault");
    exit(3)
}
