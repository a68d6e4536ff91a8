//! The program: reads the number of a contestant and of calls, tells who that is, and calls it.
//!
//! Between two numbers of calls nothing differs but the calls.

extern crate alloc;

use alloc::vec;
use alloc::vec::Vec;
use core::alloc::{GlobalAlloc, Layout};
use core::array::from_fn;
use core::cell::UnsafeCell;
use core::hint::black_box;
use core::ptr;

use guest::{exit, read_u32, write, write_u32};
use p3_baby_bear::{
    BabyBear, default_babybear_poseidon2_16 as bb16, default_babybear_poseidon2_24 as bb24,
};
use p3_field::PrimeField64;
use p3_goldilocks::{
    Goldilocks, default_goldilocks_poseidon2_8 as gl8, default_goldilocks_poseidon2_12 as gl12,
    default_goldilocks_poseidon2_16 as gl16,
};
use p3_koala_bear::{
    KoalaBear, default_koalabear_poseidon2_16 as kb16, default_koalabear_poseidon2_24 as kb24,
};
use p3_symmetric::Permutation;
use poseidon2_generated::plonky3::{baby_bear as bb, goldilocks as gl, koala_bear as kb};
use poseidon2_generated::{BABY_BEAR, GOLDILOCKS, Instance, KOALA_BEAR, Kernel};

/// Memory that is never given back: constants are all that asks for it.
struct Heap(UnsafeCell<(usize, [u64; 1 << 13])>);

// SAFETY: the program has one thread.
unsafe impl Sync for Heap {}

// SAFETY: what is given out is inside the array, aligned as asked for, and given out once.
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: nobody else has a reference to it: there is one thread, and this function calls nobody.
        let (used, words) = unsafe { &mut *self.0.get() };
        let start = used.next_multiple_of(layout.align().max(8));
        if layout.align() > 8 || start + layout.size() > size_of_val(words) {
            return ptr::null_mut();
        }
        *used = start + layout.size();
        words.as_mut_ptr().cast::<u8>().wrapping_add(start)
    }

    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
}

#[global_allocator]
static HEAP: Heap = Heap(UnsafeCell::new((0, [0; 1 << 13])));

/// A field whose elements in memory are the words of kernels.
trait Words: PrimeField64 {
    type Word: Copy + Default;
}

impl Words for Goldilocks {
    type Word = u64;
}
impl Words for KoalaBear {
    type Word = u32;
}
impl Words for BabyBear {
    type Word = u32;
}

/// Who is asked for.
struct Asked {
    /// Its number among all.
    number: usize,
    calls: u32,
}

/// Tells who is called, whose permutation it computes, and how many states a call permutes; calls it; and
/// ends the program.
fn call(asked: &Asked, [name, permutation]: [&str; 2], states: usize, mut call: impl FnMut()) -> ! {
    for text in [name, permutation] {
        write_u32(text.len() as u32);
        write(text.as_bytes());
    }
    write_u32(states as u32);
    (0..asked.calls).for_each(|_| call());
    exit(0)
}

/// The contestants of one permutation: Plonky3's own, and all kernels.
fn contest<F: Words, const W: usize>(
    asked: &mut Asked,
    permutation: &str,
    kernels: &'static [Kernel<F::Word>],
    instance: &Instance<F::Word>,
    peer: &impl Permutation<[F; W]>,
) {
    let state: [F; W] = from_fn(|i| F::from_u64((i as u64 + 1) * 0x9e37_79b9_7f4a_7c15));
    let of_it = |kernel: &&Kernel<F::Word>| kernel.width == W && kernel.parameter_set == "plonky3";
    let kernels: Vec<_> = kernels.iter().filter(of_it).collect();
    if asked.number > kernels.len() {
        asked.number -= 1 + kernels.len();
        return;
    }
    let Some(number) = asked.number.checked_sub(1) else {
        let mut state = state;
        call(asked, ["p3", permutation], 1, || {
            peer.permute_mut(black_box(&mut state))
        });
    };
    let kernel = kernels[number];
    let count = kernel.external_rounds * W + kernel.internal_rounds;
    let mut constants = instance.table[..count].to_vec();
    if let Some(prepare) = kernel.prepare {
        constants = vec![F::Word::default(); kernel.constant_words()];
        prepare(&instance.table[..count], &mut constants);
    }
    let mut states = vec![state; kernel.states()];
    let permute = |states: &mut [[F; W]]| {
        let words = black_box(states).as_mut_ptr().cast();
        // SAFETY: as many states as a call takes, whose elements are the kernel's words and below p where it
        // wants that, and its own constants. States in general registers lie one after the other.
        unsafe { (kernel.permute)(words, constants.as_ptr()) };
    };
    permute(&mut states);
    let wanted = peer.permute(state);
    assert!(
        states.iter().all(|state| *state == wanted),
        "{} is wrong",
        kernel.name
    );
    call(asked, [kernel.name, permutation], kernel.states(), || {
        permute(&mut states)
    });
}

#[unsafe(no_mangle)]
extern "C" fn guest_main() -> ! {
    let (Some(number), Some(calls)) = (read_u32(), read_u32()) else {
        exit(1);
    };
    let number = number as usize;
    let mut asked = Asked { number, calls };
    macro_rules! contest {
        ($name:literal, $field:ty, $width:literal, $kernels:ident, $constants:path, $peer:ident) => {
            contest::<$field, $width>(&mut asked, $name, $kernels, &$constants, &$peer());
        };
    }
    contest!(
        "goldilocks/w8",
        Goldilocks,
        8,
        GOLDILOCKS,
        gl::constants_w8::INSTANCE,
        gl8
    );
    contest!(
        "goldilocks/w12",
        Goldilocks,
        12,
        GOLDILOCKS,
        gl::constants_w12::INSTANCE,
        gl12
    );
    contest!(
        "goldilocks/w16",
        Goldilocks,
        16,
        GOLDILOCKS,
        gl::constants_w16::INSTANCE,
        gl16
    );
    contest!(
        "koala-bear/w16",
        KoalaBear,
        16,
        KOALA_BEAR,
        kb::constants_w16::INSTANCE,
        kb16
    );
    contest!(
        "koala-bear/w24",
        KoalaBear,
        24,
        KOALA_BEAR,
        kb::constants_w24::INSTANCE,
        kb24
    );
    contest!(
        "baby-bear/w16",
        BabyBear,
        16,
        BABY_BEAR,
        bb::constants_w16::INSTANCE,
        bb16
    );
    contest!(
        "baby-bear/w24",
        BabyBear,
        24,
        BABY_BEAR,
        bb::constants_w24::INSTANCE,
        bb24
    );
    // There are no more.
    exit(0)
}
