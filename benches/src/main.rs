//! Every Goldilocks kernel that this CPU can run, timed against Plonky3 in the same process.
//!
//! `cargo run --release -p benches`. Each kernel permutes its own states again and again (the
//! *chain* shape); the peer does the same with one state and with one packed state, which is as
//! wide as the flags of the build let it be (`RUSTFLAGS="-C target-cpu=native"`). Ours and the
//! peer take turns, results are compared before anything is timed, and figures are medians with
//! the quartiles as the spread, in nanoseconds per permutation.

use p3_field::{Field, PackedValue, PrimeCharacteristicRing, PrimeField64};
use p3_goldilocks::{
    Goldilocks, default_goldilocks_poseidon2_8, default_goldilocks_poseidon2_12,
    default_goldilocks_poseidon2_16,
};
use p3_symmetric::Permutation;
use poseidon2_generated::{Constants, GOLDILOCKS, Kernel, plonky3::goldilocks};
use std::hint::black_box;
use std::time::Instant;

type Packed = <Goldilocks as Field>::Packing;

/// Turns that each contestant takes.
const TURNS: usize = 21;
/// Permutation calls in one turn.
const CALLS: usize = 400;

fn main() {
    println!(
        "{:<40} {:>9} {:>13}  ratio to p3",
        "kernel", "ns/perm", "quartiles"
    );
    width(
        &default_goldilocks_poseidon2_8(),
        &goldilocks::constants_w8::CONSTANTS,
    );
    width(
        &default_goldilocks_poseidon2_12(),
        &goldilocks::constants_w12::CONSTANTS,
    );
    width(
        &default_goldilocks_poseidon2_16(),
        &goldilocks::constants_w16::CONSTANTS,
    );
}

fn width<const W: usize, const RF: usize, const RP: usize, P>(
    peer: &P,
    constants: &Constants<u64, W, RF, RP>,
) where
    P: Permutation<[Goldilocks; W]> + Permutation<[Packed; W]>,
{
    // Kernels that read prepared constants are not given the generated table.
    let kernels = GOLDILOCKS.iter().filter(|k| k.width == W && k.parts == 1);
    for kernel in kernels {
        if !poseidon2_kernels::is_supported(kernel.isa) {
            println!(
                "{:<40} not run: the CPU lacks {}",
                kernel.name,
                kernel.features.join(", ")
            );
            continue;
        }
        if !agrees(kernel, peer, constants) {
            println!(
                "{:<40} not timed: results differ from the peer's",
                kernel.name
            );
            continue;
        }
        let mut states = vec![1u64; kernel.state_words()];
        let mut one = [Goldilocks::ONE; W];
        let mut packed = [Packed::ONE; W];
        let (mut ours, mut scalar, mut wide) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..TURNS {
            ours.push(time(kernel.states(), || {
                call(kernel, black_box(&mut states), constants)
            }));
            scalar.push(time(1, || peer.permute_mut(black_box(&mut one))));
            wide.push(time(Packed::WIDTH, || {
                peer.permute_mut(black_box(&mut packed))
            }));
        }
        let [ours, scalar, wide] = [ours, scalar, wide].map(quartiles);
        println!(
            "{:<40} {:>9.1} {:>6.1}-{:<6.1}  one state {:.2}, packed x{} {:.2}",
            kernel.name,
            ours[1],
            ours[0],
            ours[2],
            scalar[1] / ours[1],
            Packed::WIDTH,
            wide[1] / ours[1],
        );
    }
}

fn call<const W: usize, const RF: usize, const RP: usize>(
    kernel: &Kernel<u64>,
    states: &mut [u64],
    constants: &Constants<u64, W, RF, RP>,
) {
    assert_eq!(states.len(), kernel.state_words());
    // SAFETY: `states` has the kernel's length; the table is the generated one of this width, so
    // its entries are below p, and `width` takes only kernels that read them as they are;
    // `is_supported` has vouched for the CPU.
    unsafe { (kernel.permute)(states.as_mut_ptr(), std::ptr::from_ref(constants).cast()) };
}

/// Whether the kernel gives what the peer gives, on one state in every place.
fn agrees<const W: usize, const RF: usize, const RP: usize>(
    kernel: &Kernel<u64>,
    peer: &impl Permutation<[Goldilocks; W]>,
    constants: &Constants<u64, W, RF, RP>,
) -> bool {
    let word = |i: usize| (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let want = peer.permute(std::array::from_fn(|i| Goldilocks::from_u64(word(i))));
    let element = |index: usize| index / kernel.lanes % W;
    let mut states: Vec<u64> = (0..kernel.state_words())
        .map(|index| word(element(index)))
        .collect();
    call(kernel, &mut states, constants);
    states.iter().enumerate().all(|(index, &x)| {
        Goldilocks::from_u64(x).as_canonical_u64() == want[element(index)].as_canonical_u64()
    })
}

/// Nanoseconds per permutation of a call that makes `permutations` of them.
fn time(permutations: usize, mut call: impl FnMut()) -> f64 {
    let start = Instant::now();
    for _ in 0..CALLS {
        call();
    }
    start.elapsed().as_nanos() as f64 / (CALLS * permutations) as f64
}

fn quartiles(mut samples: Vec<f64>) -> [f64; 3] {
    samples.sort_by(f64::total_cmp);
    [samples.len() / 4, samples.len() / 2, 3 * samples.len() / 4].map(|n| samples[n])
}
