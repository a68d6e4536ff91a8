//! Goldilocks: the interface against the reference, on each instruction set that can run here.

use crate::common::{image, instance, on_each_isa};
use poseidon2_kernels::field::Goldilocks;
use poseidon2_kernels::{
    CanonicalConstants, GoldilocksConstants, ParameterSet, Plonky3, Poseidon2Goldilocks,
    default_goldilocks_poseidon2_8, default_goldilocks_poseidon2_12,
    default_goldilocks_poseidon2_16,
};
use proptest::prelude::*;
use verify::corpus::values::{Fill, GOLDILOCKS_EDGES};
use verify::oracle::{Permutation, known_answers};

const P: u64 = 0xffff_ffff_0000_0001;

/// Runs a test for each width.
macro_rules! widths {
    ($($test:ident: $($name:ident $width:literal),+;)+) => {$($(
        #[test]
        fn $name() {
            $test::<$width>();
        }
    )+)+};
}

widths! {
    known: known_answers_8 8, known_answers_12 12, known_answers_16 16;
    lengths: any_number_of_states_8 8, any_number_of_states_12 12, any_number_of_states_16 16;
    loose_words: any_word_is_accepted_8 8, any_word_is_accepted_12 12, any_word_is_accepted_16 16;
    loose_constants: any_constant_is_accepted_8 8, any_constant_is_accepted_12 12,
        any_constant_is_accepted_16 16;
}

fn known<const W: usize>()
where
    Plonky3: ParameterSet<Goldilocks, W>,
{
    let answers = known_answers(&instance("goldilocks", W));
    assert!(!answers.is_empty());
    let word = |words: &[u64]| <[u64; W]>::try_from(words).expect("as wide as the instance");
    for poseidon2 in on_each_isa(Poseidon2Goldilocks::<W>::plonky3()) {
        let mut states: Vec<[u64; W]> = answers.iter().map(|answer| word(&answer.input)).collect();
        poseidon2.permute_many(&mut states);
        for (state, answer) in states.iter().zip(&answers) {
            assert_eq!(state[..], answer.output, "{}", poseidon2.isa().name());
            let mut single = word(&answer.input);
            poseidon2.permute_one(&mut single);
            assert_eq!(single[..], answer.output, "{}", poseidon2.isa().name());
        }
    }
}

/// So many states that each kernel runs, whole and with lanes left empty, and every rest occurs.
const MOST: usize = 70;

fn lengths<const W: usize>()
where
    Plonky3: ParameterSet<Goldilocks, W>,
{
    let reference = instance("goldilocks", W).permutation;
    let mut fill = Fill::new(W as u64);
    let states: Vec<[u64; W]> = (0..MOST).map(|_| [(); W].map(|()| fill.bits())).collect();
    let images: Vec<[u64; W]> = states
        .iter()
        .map(|state| image(&reference, *state))
        .collect();
    for poseidon2 in on_each_isa(Poseidon2Goldilocks::<W>::plonky3()) {
        for length in 0..=MOST {
            let mut permuted = states.clone();
            poseidon2.permute_many(&mut permuted[..length]);
            let isa = poseidon2.isa().name();
            assert_eq!(
                permuted[..length],
                images[..length],
                "{isa}, {length} states"
            );
            assert_eq!(
                permuted[length..],
                states[length..],
                "{isa}, {length} states"
            );
        }
    }
}

fn loose_words<const W: usize>()
where
    Plonky3: ParameterSet<Goldilocks, W>,
{
    let reference = instance("goldilocks", W).permutation;
    let mut fill = Fill::new(W as u64);
    let mut edge = || GOLDILOCKS_EDGES[fill.index(GOLDILOCKS_EDGES.len())];
    let mut states: Vec<[u64; W]> = GOLDILOCKS_EDGES.iter().map(|edge| [*edge; W]).collect();
    states.extend((0..100).map(|_| [(); W].map(|()| edge())));
    let images: Vec<[u64; W]> = states
        .iter()
        .map(|state| image(&reference, *state))
        .collect();
    for poseidon2 in on_each_isa(Poseidon2Goldilocks::<W>::plonky3()) {
        let mut permuted = states.clone();
        poseidon2.permute_many(&mut permuted);
        assert_eq!(permuted, images, "{}", poseidon2.isa().name());
        for (mut state, image) in states.iter().copied().zip(&images) {
            poseidon2.permute_one(&mut state);
            assert_eq!(state, *image, "{}", poseidon2.isa().name());
        }
    }
    assert!(images.iter().flatten().all(|word| *word < P));
}

/// The reference with other round constants.
fn reference<const W: usize>(external: &[[u64; W]], internal: &[u64]) -> Permutation {
    Permutation {
        external: external.iter().map(|row| row.to_vec()).collect(),
        internal: internal.to_vec(),
        ..instance("goldilocks", W).permutation
    }
}

fn constants<const W: usize>(
    external: &[[u64; W]; 8],
    internal: &[u64; 22],
) -> GoldilocksConstants<W>
where
    Plonky3: ParameterSet<Goldilocks, W>,
{
    let half = |rows: &[[u64; W]]| <[[u64; W]; 4]>::try_from(rows).expect("four rows");
    CanonicalConstants::new(&half(&external[..4]), internal, &half(&external[4..]))
}

fn loose_constants<const W: usize>()
where
    Plonky3: ParameterSet<Goldilocks, W>,
{
    // Plonky3 issue 2262: a constant of 2^64 - 1 on a state that begins with 2^64 - 1.
    let mut state = [0; W];
    state[0] = u64::MAX;
    for constant in [u64::MAX, P, P + 1, P - 1] {
        let (external, internal) = ([[constant; W]; 8], [constant; 22]);
        let expected = image(&reference(&external, &internal), state);
        let poseidon2 = Poseidon2Goldilocks::with_constants(constants(&external, &internal));
        for poseidon2 in on_each_isa(poseidon2) {
            let mut states = [state; 9];
            poseidon2.permute_many(&mut states);
            assert_eq!(states, [expected; 9], "{}", poseidon2.isa().name());
            states[0] = state;
            poseidon2.permute_one(&mut states[0]);
            assert_eq!(states[0], expected, "{}", poseidon2.isa().name());
        }
    }
}

#[test]
fn constants_are_reduced_once_and_for_all() {
    let loose = constants::<8>(&[[u64::MAX; 8]; 8], &[P; 22]);
    assert_eq!(loose.external(), &[[0xffff_fffe; 8]; 8]);
    assert_eq!(loose.internal(), &[0; 22]);
    let standard = instance("goldilocks", 8).permutation;
    let poseidon2 = default_goldilocks_poseidon2_8();
    let external: Vec<_> = poseidon2
        .constants()
        .external()
        .iter()
        .map(Vec::from)
        .collect();
    assert_eq!(external, standard.external);
    assert_eq!(poseidon2.constants().internal(), standard.internal);
}

#[test]
fn the_peers_names_build_the_standard_permutations() {
    fn first<const W: usize>(poseidon2: &Poseidon2Goldilocks<W>) -> u64 {
        let mut state = core::array::from_fn(|i| i as u64);
        poseidon2.permute_one(&mut state);
        state[0]
    }
    let expected = [8, 12, 16].map(|width| {
        let mut state: Vec<u64> = (0..width as u64).collect();
        instance("goldilocks", width)
            .permutation
            .permute(&mut state);
        state[0]
    });
    let [w8, w12, w16] = expected;
    assert_eq!(first(&default_goldilocks_poseidon2_8()), w8);
    assert_eq!(first(&default_goldilocks_poseidon2_12()), w12);
    assert_eq!(first(&default_goldilocks_poseidon2_16()), w16);
}

/// Words of which every other one is not below p: uniform ones hardly ever are not.
fn word() -> impl Strategy<Value = u64> {
    prop_oneof![any::<u64>(), P..=u64::MAX]
}

/// A seed's words, three in four of them not below p.
fn words(seed: u64) -> impl FnMut() -> u64 {
    let mut fill = Fill::new(seed);
    move || match fill.below(4) {
        0 => fill.bits(),
        _ => P + fill.below(u64::MAX - P + 1),
    }
}

proptest! {
    #[test]
    fn any_constants_and_any_states(
        constants_seed: u64,
        states in prop::collection::vec(prop::array::uniform12(word()), 1..20),
    ) {
        let mut words = words(constants_seed);
        let external = [(); 8].map(|()| [(); 12].map(|()| words()));
        let internal = [(); 22].map(|()| words());
        let reference = reference(&external, &internal);
        let images: Vec<_> = states.iter().map(|state| image(&reference, *state)).collect();
        let poseidon2 = Poseidon2Goldilocks::with_constants(constants(&external, &internal));
        for poseidon2 in on_each_isa(poseidon2) {
            let mut permuted = states.clone();
            poseidon2.permute_many(&mut permuted);
            prop_assert_eq!(&permuted, &images, "{}", poseidon2.isa().name());
        }
    }
}
