//! KoalaBear: the interface against the reference, on each instruction set that can run here.

use crate::common::{image, instance, on_each_isa};
use poseidon2_kernels::{KoalaBearConstants, Poseidon2KoalaBear, default_koalabear_poseidon2_16};
use verify::corpus::values::{Fill, KOALA_BEAR_EDGES};
use verify::oracle::{Permutation, known_answers};

const P: u32 = 0x7f00_0001;
const MOST: usize = 70;

/// What the reference makes of any words.
fn expected(reference: &Permutation, state: [u32; 16]) -> [u32; 16] {
    image(reference, state.map(|x| u64::from(x % P))).map(|x| x as u32)
}

#[test]
fn known_answers_16() {
    let answers = known_answers(&instance("koala-bear", 16));
    assert!(!answers.is_empty());
    let state = |words: &[u64]| core::array::from_fn(|i| words[i] as u32);
    for poseidon2 in on_each_isa(default_koalabear_poseidon2_16()) {
        let mut states: Vec<_> = answers.iter().map(|answer| state(&answer.input)).collect();
        poseidon2.permute_many(&mut states);
        for (permuted, answer) in states.iter().zip(&answers) {
            assert_eq!(
                *permuted,
                state(&answer.output),
                "{}",
                poseidon2.isa().name()
            );
            let mut single = state(&answer.input);
            poseidon2.permute_one(&mut single);
            assert_eq!(single, *permuted, "{}", poseidon2.isa().name());
        }
    }
}

#[test]
fn any_number_of_states_of_any_words() {
    let reference = instance("koala-bear", 16).permutation;
    let mut fill = Fill::new(16);
    let mut states: Vec<[u32; 16]> = (0..MOST)
        .map(|_| [(); 16].map(|()| fill.bits() as u32))
        .collect();
    for (state, edge) in states.iter_mut().zip(KOALA_BEAR_EDGES) {
        *state = [edge as u32; 16];
    }
    states[20] = [u32::MAX; 16];
    states[21] = [P; 16];
    let images: Vec<_> = states
        .iter()
        .map(|state| expected(&reference, *state))
        .collect();
    let to_montgomery = |x: u32| ((u64::from(x) << 32) % u64::from(P)) as u32;
    for poseidon2 in on_each_isa(Poseidon2KoalaBear::<16>::plonky3()) {
        let isa = poseidon2.isa().name();
        for length in 0..=MOST {
            let mut permuted = states.clone();
            poseidon2.permute_many(&mut permuted[..length]);
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
        let mut words: Vec<_> = states
            .iter()
            .map(|state| state.map(to_montgomery))
            .collect();
        // A Montgomery word at or above p stands for its residue, too.
        words[0][0] += P;
        poseidon2.permute_many_montgomery(&mut words);
        let images: Vec<_> = images
            .iter()
            .map(|image| image.map(to_montgomery))
            .collect();
        assert_eq!(words, images, "{isa}");
    }
}

#[test]
fn any_constant_is_accepted() {
    for constant in [u32::MAX, P, P + 1, P - 1, 2 * P] {
        let reference = Permutation {
            external: vec![vec![u64::from(constant % P); 16]; 8],
            internal: vec![u64::from(constant % P); 20],
            ..instance("koala-bear", 16).permutation
        };
        let rows = [[constant; 16]; 4];
        let constants = KoalaBearConstants::<16>::new(&rows, &[constant; 20], &rows);
        assert!(constants.external().iter().flatten().all(|word| *word < P));
        let state = core::array::from_fn(|i| u32::MAX - i as u32);
        for poseidon2 in on_each_isa(Poseidon2KoalaBear::with_constants(constants)) {
            let mut states = [state; 17];
            poseidon2.permute_many(&mut states);
            assert_eq!(
                states,
                [expected(&reference, state); 17],
                "{}",
                poseidon2.isa().name()
            );
        }
    }
}
