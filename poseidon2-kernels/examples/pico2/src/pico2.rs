//! The program for the Pico 2: its LED stays on if the opening is accepted and those that were tampered with
//! are refused; it blinks if not.

#![no_std]
#![no_main]

use core::hint::spin_loop;
use core::panic::PanicInfo;

use cortex_m_rt::entry;
use merkle_pico2::trials;

include!(concat!(env!("OUT_DIR"), "/opening.rs"));

/// What the boot ROM looks for in the first 4 KiB: an image that runs on an Arm core of an RP2350, in secure
/// state, and no other blocks. RP2350 datasheet, 5.9.5.1.
// SAFETY: no other code uses the section, which the linker script keeps behind the vector table.
#[unsafe(link_section = ".image_definition")]
#[used]
static IMAGE: [u32; 5] = [
    0xffff_ded3,
    0x1021_0142,
    0x0000_01ff,
    0x0000_0000,
    0xab12_3579,
];

/// The pin of the LED.
const PIN: usize = 25;

/// Registers, by the lists of the RP2350 datasheet; those that clear bits are 0x3000 behind.
const RESETS_CLEAR: *mut u32 = 0x4002_3000 as *mut u32;
const RESETS_DONE: *const u32 = 0x4002_0008 as *const u32;
const CONTROL: *mut u32 = (0x4002_8004 + 8 * PIN) as *mut u32;
const PAD_CLEAR: *mut u32 = (0x4003_b004 + 4 * PIN) as *mut u32;
const OUT_XOR: *mut u32 = 0xd000_0028 as *mut u32;
const ENABLE_SET: *mut u32 = 0xd000_0038 as *mut u32;

/// The banks of pins and of their pads.
const BANKS: u32 = 1 << 6 | 1 << 9;
/// The function of a pin that a program sets.
const SIO: u32 = 5;
/// A pad is isolated until this bit is cleared.
const ISOLATED: u32 = 1 << 8;

#[entry]
fn main() -> ! {
    let (whole, tampered) = trials(&TREE, &OPENING);
    let right = whole && !tampered.contains(&true);
    light(!right)
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    light(true)
}

/// Turns the LED on, for good or blinking.
fn light(blinking: bool) -> ! {
    // SAFETY: these are registers of peripherals that nothing else uses, and writing them affects no memory.
    unsafe {
        RESETS_CLEAR.write_volatile(BANKS);
        while RESETS_DONE.read_volatile() & BANKS != BANKS {}
        CONTROL.write_volatile(SIO);
        PAD_CLEAR.write_volatile(ISOLATED);
        ENABLE_SET.write_volatile(1 << PIN);
        OUT_XOR.write_volatile(1 << PIN);
    }
    loop {
        (0..1_000_000).for_each(|_| spin_loop());
        if blinking {
            // SAFETY: as above.
            unsafe { OUT_XOR.write_volatile(1 << PIN) };
        }
    }
}
