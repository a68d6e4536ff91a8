//! Every kernel that this build has beside Plonky3's own permutation with the same flags: both do the same
//! work, by turns in one instance. Prints what `tune --figures` reads. docs/measuring.md has the command.

use std::array::from_fn;
use std::hint::black_box;

use p3_baby_bear::{BabyBear, default_babybear_poseidon2_16, default_babybear_poseidon2_24};
use p3_field::{Field, PackedValue, PrimeField64};
use p3_goldilocks::{
    Goldilocks, default_goldilocks_poseidon2_8, default_goldilocks_poseidon2_12,
    default_goldilocks_poseidon2_16,
};
use p3_koala_bear::{KoalaBear, default_koalabear_poseidon2_16, default_koalabear_poseidon2_24};
use p3_symmetric::Permutation;
use poseidon2_generated::plonky3::{baby_bear, goldilocks, koala_bear};
use poseidon2_generated::{BABY_BEAR, GOLDILOCKS, Instance, KOALA_BEAR, Kernel};
use serde_json::{Value, json};

/// Turns of each side.
const TURNS: usize = 41;
/// States of a workload that takes each once: whole calls of every kernel.
const STATES: usize = 1024;

/// A field whose elements in memory are the words of kernels.
trait Words: Field + PrimeField64 {
    type Word: Copy + Default + PartialEq;
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

/// States as a kernel has them: group, element, lane.
fn laid_out<F: Words, const W: usize>(states: &[[F; W]], lanes: usize) -> Vec<F> {
    let groups = states.chunks_exact(lanes);
    let elements = groups.flat_map(|group| (0..W).flat_map(|i| group.iter().map(move |s| s[i])));
    elements.collect()
}

/// States as Plonky3's packed type has them.
fn packed<F: Field, const W: usize>(states: &[[F; W]]) -> Vec<[F::Packing; W]> {
    let groups = states.chunks_exact(F::Packing::WIDTH);
    let packed = |group: &[[F; W]]| from_fn(|i| F::Packing::from_fn(|lane| group[lane][i]));
    groups.map(packed).collect()
}

/// A kernel with constants that it reads.
struct Ours<F: Words> {
    kernel: &'static Kernel<F::Word>,
    constants: Vec<F::Word>,
}

impl<F: Words> Ours<F> {
    fn new(kernel: &'static Kernel<F::Word>, instance: &Instance<F::Word>) -> Self {
        let count = kernel.external_rounds * kernel.width + kernel.internal_rounds;
        let mut constants = instance.table[..count].to_vec();
        if let Some(prepare) = kernel.prepare {
            constants = vec![F::Word::default(); kernel.constant_words()];
            prepare(&instance.table[..count], &mut constants);
        }
        Self { kernel, constants }
    }

    /// Permutes the states of whole calls.
    fn permute(&self, words: &mut [F]) {
        for call in words.chunks_exact_mut(self.kernel.state_words()) {
            // SAFETY: a call's words, whose elements are the kernel's words and below p where it wants
            // that, and its own constants; this build has what all its kernels need.
            unsafe {
                (self.kernel.permute)(call.as_mut_ptr().cast(), self.constants.as_ptr());
            }
        }
    }
}

/// Nanoseconds of this thread's own time, so that other load on the machine does not count.
#[cfg(target_os = "wasi")]
fn now() -> f64 {
    #[link(wasm_import_module = "wasi_snapshot_preview1")]
    unsafe extern "C" {
        fn clock_time_get(clock: u32, precision: u64, time: *mut u64) -> u16;
    }
    const THREAD_CPUTIME: u32 = 3;
    let mut time = 0;
    // SAFETY: WASI writes the time there.
    let error = unsafe { clock_time_get(THREAD_CPUTIME, 1, &mut time) };
    assert_eq!(error, 0, "no clock of the thread");
    time as f64
}

/// There is nothing to measure elsewhere.
#[cfg(not(target_os = "wasi"))]
fn now() -> f64 {
    panic!("build it for wasm32-wasip1: docs/measuring.md");
}

/// Nanoseconds of a permutation: of each turn, ours and theirs.
fn turns(states: [usize; 2], mut ours: impl FnMut(), mut theirs: impl FnMut()) -> Vec<[f64; 2]> {
    let time = |side: &mut dyn FnMut(), states: usize| {
        let calls = (2_000 / states).max(1);
        let start = now();
        (0..calls).for_each(|_| side());
        (now() - start) / (calls * states) as f64
    };
    // Who goes first changes, so that neither always finds the other's traces.
    let mut turn = |n: usize| {
        let first = (n % 2 == 1).then(|| time(&mut theirs, states[1]));
        let ours = time(&mut ours, states[0]);
        [ours, first.unwrap_or_else(|| time(&mut theirs, states[1]))]
    };
    // An engine compiles anew what runs often.
    for n in 0..10 {
        let _ = turn(n);
    }
    (0..TURNS).map(turn).collect()
}

fn quantile(of: &[f64], part: f64) -> f64 {
    let mut sorted = of.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[((sorted.len() - 1) as f64 * part).round() as usize]
}

/// What `tune` reads of a contest.
fn record(name: &str, shape: &str, peer_states: usize, turns: &[[f64; 2]]) -> Value {
    let side = |n: usize| -> Vec<f64> { turns.iter().map(|turn| turn[n]).collect() };
    let [ours, theirs] = [side(0), side(1)];
    let ratios: Vec<f64> = turns.iter().map(|[ours, theirs]| theirs / ours).collect();
    let middle = |of: &[f64]| quantile(of, 0.5);
    let spread = |of: &[f64]| (quantile(of, 0.75) - quantile(of, 0.25)) / middle(of);
    eprintln!(
        "{name:<44} {shape:<12} {:>8.1} {:>8.1} ns  {:.3} ({:.3} to {:.3})",
        middle(&ours),
        middle(&theirs),
        middle(&ratios),
        quantile(&ratios, 0.1),
        quantile(&ratios, 0.9),
    );
    json!({
        "kernel": name, "shape": shape, "verified": true,
        "ours_ns": middle(&ours), "peer_ns": middle(&theirs), "peer_states": peer_states,
        "ratio": middle(&ratios), "spread": spread(&ours).max(spread(&theirs)),
        "cpu": option_env!("CONTEST_CPU"), "compiler": option_env!("CONTEST_COMPILER"),
        "command": "benches/wasm, as docs/measuring.md has it", "plonky3": "0.8.0", "seed": 1,
    })
}

/// The contests of one permutation.
fn contests<F: Words, const W: usize>(
    kernels: &'static [Kernel<F::Word>],
    instance: &Instance<F::Word>,
    peer: &(impl Permutation<[F; W]> + Permutation<[F::Packing; W]>),
    only: &[String],
    records: &mut Vec<Value>,
) {
    let states: Vec<[F; W]> = (0..STATES)
        .map(|n| from_fn(|i| F::from_u64((n * W + i) as u64 * 0x9e37_79b9 + 1)))
        .collect();
    let mut wanted = states.clone();
    wanted.iter_mut().for_each(|state| peer.permute_mut(state));
    let lanes = F::Packing::WIDTH;
    for kernel in kernels {
        let asked = only.is_empty() || only.iter().any(|part| kernel.name.contains(part));
        if kernel.width != W || kernel.parameter_set != "plonky3" || !asked {
            continue;
        }
        let ours = Ours::<F>::new(kernel, instance);
        let mut own = laid_out(&states, kernel.lanes);
        ours.permute(&mut own);
        assert!(
            own == laid_out(&wanted, kernel.lanes),
            "{} is wrong",
            kernel.name
        );

        let (mut call, mut one) = (own[..kernel.state_words()].to_vec(), states[0]);
        let mut vector = packed(&states[..lanes]);
        let name = kernel.name;
        let chain = || ours.permute(black_box(&mut call));
        let (peer_states, chained) = match kernel.lanes {
            1 => (
                1,
                turns([kernel.states(), 1], chain, || {
                    peer.permute_mut(black_box(&mut one))
                }),
            ),
            _ => {
                let theirs = || peer.permute_mut(&mut black_box(&mut vector)[0]);
                (lanes, turns([kernel.states(), lanes], chain, theirs))
            }
        };
        records.push(record(name, "chain", peer_states, &chained));

        let mut vectors = packed(&states);
        let once = turns(
            [STATES; 2],
            || ours.permute(black_box(&mut own)),
            || {
                black_box(&mut vectors)
                    .iter_mut()
                    .for_each(|v| peer.permute_mut(v))
            },
        );
        records.push(record(name, "independent", lanes, &once));

        // Of a layer of digests as they lie in memory: half of a state is the next layer's.
        let (mut words, mut next) = (laid_out(&states, kernel.lanes), states.clone());
        let theirs_next = &mut states.clone();
        let merkle = turns(
            [STATES; 2],
            || {
                let layer = black_box(&mut next);
                words.copy_from_slice(&laid_out(layer, kernel.lanes));
                ours.permute(&mut words);
                for (n, state) in layer.iter_mut().enumerate() {
                    let group = &words[n / kernel.lanes * W * kernel.lanes..];
                    let lane = n % kernel.lanes;
                    (0..W / 2).for_each(|i| state[i] = group[i * kernel.lanes + lane]);
                }
            },
            || {
                let layer = black_box(&mut *theirs_next);
                for group in layer.chunks_exact_mut(lanes) {
                    let mut vector = packed::<F, W>(group);
                    peer.permute_mut(&mut vector[0]);
                    for (lane, state) in group.iter_mut().enumerate() {
                        (0..W / 2).for_each(|i| state[i] = vector[0][i].as_slice()[lane]);
                    }
                }
            },
        );
        records.push(record(name, "merkle", lanes, &merkle));
    }
}

fn main() {
    let only: Vec<String> = std::env::args().skip(1).collect();
    let mut records = Vec::new();
    macro_rules! contest {
        ($field:ty, $width:literal, $kernels:ident, $constants:path, $peer:ident) => {
            contests::<$field, $width>($kernels, &$constants, &$peer(), &only, &mut records);
        };
    }
    use {baby_bear as bb, goldilocks as gl, koala_bear as kb};
    contest!(
        Goldilocks,
        8,
        GOLDILOCKS,
        gl::constants_w8::INSTANCE,
        default_goldilocks_poseidon2_8
    );
    contest!(
        Goldilocks,
        12,
        GOLDILOCKS,
        gl::constants_w12::INSTANCE,
        default_goldilocks_poseidon2_12
    );
    contest!(
        Goldilocks,
        16,
        GOLDILOCKS,
        gl::constants_w16::INSTANCE,
        default_goldilocks_poseidon2_16
    );
    contest!(
        KoalaBear,
        16,
        KOALA_BEAR,
        kb::constants_w16::INSTANCE,
        default_koalabear_poseidon2_16
    );
    contest!(
        KoalaBear,
        24,
        KOALA_BEAR,
        kb::constants_w24::INSTANCE,
        default_koalabear_poseidon2_24
    );
    contest!(
        BabyBear,
        16,
        BABY_BEAR,
        bb::constants_w16::INSTANCE,
        default_babybear_poseidon2_16
    );
    contest!(
        BabyBear,
        24,
        BABY_BEAR,
        bb::constants_w24::INSTANCE,
        default_babybear_poseidon2_24
    );
    println!("{}", Value::Array(records));
}
