//! The suite itself, on a kernel that is right by construction and on kernels that are not.

use std::sync::LazyLock;

use poseidon2_generated::{Isa, Kernel};

use super::report::Outcome;
use super::{Plan, Word, test};
use crate::corpus::{Section, build};
use crate::oracle::{Instance, Layer, Permutation, find};

const LANES: usize = 2;
const BATCH: usize = 2;

type Permute<T> = unsafe fn(*mut T, *const T);

static GOLDILOCKS_8: LazyLock<Instance> =
    LazyLock::new(|| find("plonky3", "goldilocks", 8).expect("a known instance"));
static KOALA_BEAR_16: LazyLock<Instance> =
    LazyLock::new(|| find("plonky3", "koala-bear", 16).expect("a known instance"));

static CORPUS: LazyLock<Vec<Section>> = LazyLock::new(|| {
    let small = [&*GOLDILOCKS_8, &*KOALA_BEAR_16].map(build::small);
    small.concat()
});

/// The kernel's contract, by the reference: `step` replaces one layer's work.
///
/// # Safety
/// As for [`Kernel::permute`] of two groups of two lanes.
unsafe fn simulate<T: Word>(
    instance: &Instance,
    states: *mut T,
    constants: *const T,
    step: fn(&Permutation, Layer, &mut [u64]),
    permuted: &[usize],
) {
    let mut permutation = instance.permutation.clone();
    let (width, field) = (permutation.width(), instance.field);
    let table = permutation
        .external
        .iter_mut()
        .flatten()
        .chain(&mut permutation.internal);
    for (i, x) in table.enumerate() {
        // SAFETY: the caller passes a whole table.
        *x = field.decode(unsafe { *constants.add(i) }.to_u64());
    }
    let index = |state: usize, i: usize| (state / LANES * width + i) * LANES + state % LANES;
    for state in permuted {
        // SAFETY: the caller passes whole states.
        let word = |i| unsafe { states.add(index(*state, i)) };
        // SAFETY: as above.
        let read = |i| field.decode(unsafe { *word(i) }.to_u64());
        let mut values: Vec<u64> = (0..width).map(read).collect();
        for layer in permutation.layers() {
            step(&permutation, layer, &mut values);
        }
        for (i, x) in values.iter().enumerate() {
            // SAFETY: as above.
            unsafe { *word(i) = T::from_u64(field.encode(*x)) };
        }
    }
}

const ALL: [usize; 4] = [0, 1, 2, 3];

unsafe fn right(states: *mut u64, constants: *const u64) {
    // SAFETY: passed on.
    unsafe { simulate(&GOLDILOCKS_8, states, constants, Permutation::apply, &ALL) }
}

unsafe fn right_31(states: *mut u32, constants: *const u32) {
    // SAFETY: passed on.
    unsafe { simulate(&KOALA_BEAR_16, states, constants, Permutation::apply, &ALL) }
}

/// A word at or above p, though congruent: fine for Goldilocks, not for Montgomery words.
unsafe fn not_canonical(states: *mut u32, constants: *const u32) {
    // SAFETY: passed on, and the first word is inside.
    unsafe {
        right_31(states, constants);
        *states += 0x7f00_0001;
    }
}

unsafe fn forgets_a_lane(states: *mut u64, constants: *const u64) {
    // SAFETY: passed on.
    unsafe {
        simulate(
            &GOLDILOCKS_8,
            states,
            constants,
            Permutation::apply,
            &ALL[..3],
        )
    }
}

unsafe fn swaps_lanes(states: *mut u64, constants: *const u64) {
    // SAFETY: passed on, and the first two words are inside.
    unsafe {
        right(states, constants);
        std::ptr::swap(states, states.add(1));
    }
}

unsafe fn drops_a_round(states: *mut u64, constants: *const u64) {
    let step = |permutation: &Permutation, layer, state: &mut [u64]| {
        if layer != Layer::InternalConstant(21) {
            permutation.apply(layer, state);
        }
    };
    // SAFETY: passed on.
    unsafe { simulate(&GOLDILOCKS_8, states, constants, step, &ALL) }
}

/// p3 #1580 put back: 2^64 − p is added after an overflow, and the second overflow is lost. Rare
/// inside the permutation: both operands must sit in a band of 2^32 words.
unsafe fn loses_a_second_carry(states: *mut u64, constants: *const u64) {
    let step = |permutation: &Permutation, layer, state: &mut [u64]| {
        let band = |x: u64| x < 0_u64.wrapping_sub(permutation.modulus);
        let lost = layer == Layer::InternalLinear && state[..4].iter().all(|x| band(*x));
        permutation.apply(layer, state);
        if lost {
            state[3] = permutation.add(state[3], 0xffff_ffff);
        }
    };
    // SAFETY: passed on.
    unsafe { simulate(&GOLDILOCKS_8, states, constants, step, &ALL) }
}

unsafe fn writes_past_the_end(states: *mut u64, constants: *const u64) {
    // SAFETY: one word past the end; the placements with room there have a canary, and the first
    // placement, which faults instead, never sees the 2nd call of the known answers.
    unsafe {
        right(states, constants);
        if states.addr() % 4096 == 72 {
            *states.add(32) = 0;
        }
    }
}

unsafe fn writes_constants(states: *mut u64, constants: *const u64) {
    // SAFETY: the memory is writable, though it should not be written.
    unsafe {
        right(states, constants);
        *constants.cast_mut() = 7;
    }
}

fn kernel<T>(field: &'static str, width: usize, rounds: usize, permute: Permute<T>) -> Kernel<T> {
    Kernel {
        name: "plonky3/test",
        parameter_set: "plonky3",
        field,
        width,
        external_rounds: 8,
        internal_rounds: rounds,
        isa: Isa::Scalar,
        layout: "lanes",
        strategy: "eager",
        batch: BATCH,
        lanes: LANES,
        features: &[],
        parts: 1,
        prepare: None,
        permute,
    }
}

fn outcome<T: Word>(kernel: &Kernel<T>) -> Outcome {
    let plan = Plan {
        cases: 4,
        seed: 1,
        shard: (0, 1),
        skip: Vec::new(),
        only: Vec::new(),
        stride: 1,
    };
    test(kernel, &plan, &CORPUS).outcome
}

fn goldilocks(permute: Permute<u64>) -> Outcome {
    outcome(&kernel("goldilocks", 8, 22, permute))
}

#[test]
fn right_kernels_pass() {
    assert_eq!(goldilocks(right), Outcome::Passed);
    assert_eq!(
        outcome(&kernel("koala-bear", 16, 20, right_31)),
        Outcome::Passed
    );
}

#[test]
fn wrong_kernels_fail() {
    let wrong: [(Permute<u64>, &str, &str); 6] = [
        (
            forgets_a_lane,
            "known answers",
            "state 3 of the batch came out wrong",
        ),
        (
            swaps_lanes,
            "known answers",
            "state 0 of the batch came out wrong",
        ),
        (
            drops_a_round,
            "known answers",
            "state 0 of the batch came out wrong",
        ),
        (loses_a_second_carry, "run backwards", "came out wrong"),
        (
            writes_past_the_end,
            "known answers",
            "wrote 1 words after the states",
        ),
        (
            writes_constants,
            "known answers",
            "wrote to the table of constants",
        ),
    ];
    for (permute, check, problem) in wrong {
        let Outcome::Failed(failure) = goldilocks(permute) else {
            panic!("passed, but {problem} was to be found");
        };
        assert_eq!(failure.check, check, "{failure}");
        assert!(failure.problem.contains(problem), "{failure}");
    }
}

#[test]
fn montgomery_words_must_be_canonical() {
    let failed = outcome(&kernel("koala-bear", 16, 20, not_canonical));
    assert!(matches!(failed, Outcome::Failed(_)), "{failed:?}");
}

#[test]
fn kernels_that_cannot_be_judged_do_not_pass() {
    let unknown = kernel("goldilocks", 20, 22, right);
    assert!(matches!(outcome(&unknown), Outcome::Died(_)));
    let shape = kernel("goldilocks", 8, 21, right);
    assert!(matches!(outcome(&shape), Outcome::Died(_)));
    let mut features = kernel("goldilocks", 8, 22, right);
    features.features = &["made-up"];
    let reason = "no CPU is known to have made-up".to_owned();
    assert_eq!(outcome(&features), Outcome::Died(reason));
}
