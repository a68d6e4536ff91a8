//! The oracles against each other: a wrong oracle would fail every kernel, or worse, pass one.

use p3_field::{PrimeCharacteristicRing, PrimeField64};
use p3_koala_bear::KoalaBear;
use p3_symmetric::Permutation;
use proptest::prelude::*;
use serde::Deserialize;

use super::plonky3;
use super::{Instance, Inverse, Modes, instances, known_answers};

#[derive(Deserialize)]
struct Constants {
    external_initial: Vec<Vec<String>>,
    internal: Vec<String>,
    external_final: Vec<Vec<String>>,
}

fn hexadecimal(words: &[String]) -> Vec<u64> {
    let digits = |word: &String| {
        let digits = word.trim_start_matches("0x");
        u64::from_str_radix(digits, 16).expect("a hexadecimal word")
    };
    words.iter().map(digits).collect()
}

fn published(instance: &Instance) -> Constants {
    let text = match (instance.field.name, instance.permutation.width()) {
        ("goldilocks", 8) => include_str!("../../vectors/constants_goldilocks_8.json"),
        ("goldilocks", 12) => include_str!("../../vectors/constants_goldilocks_12.json"),
        ("goldilocks", 16) => include_str!("../../vectors/constants_goldilocks_16.json"),
        ("koala-bear", 16) => include_str!("../../vectors/constants_koalabear_16.json"),
        ("koala-bear", 24) => include_str!("../../vectors/constants_koalabear_24.json"),
        ("baby-bear", 16) => include_str!("../../vectors/constants_babybear_16.json"),
        ("baby-bear", 24) => include_str!("../../vectors/constants_babybear_24.json"),
        other => panic!("no published constants for {other:?}"),
    };
    serde_json::from_str(text).expect("well-formed constants")
}

#[test]
fn grain_derives_the_published_constants() {
    for instance in instances() {
        let published = published(&instance);
        let external: Vec<_> = published
            .external_initial
            .iter()
            .chain(&published.external_final)
            .map(|round| hexadecimal(round))
            .collect();
        assert_eq!(instance.permutation.external, external);
        let internal = hexadecimal(&published.internal);
        assert_eq!(instance.permutation.internal, internal);
    }
}

#[test]
fn the_reference_gives_the_known_answers() {
    for instance in instances() {
        let answers = known_answers(&instance);
        assert_eq!(answers.len(), 8, "{instance:?}");
        for answer in answers {
            let mut state = answer.input.clone();
            instance.permutation.permute(&mut state);
            assert_eq!(state, answer.output);
        }
    }
}

#[test]
fn plonky3_gives_the_known_answers() {
    for instance in instances() {
        let peer = plonky3::permutation(&instance).expect("the peer has all our instances");
        for answer in known_answers(&instance) {
            let mut state = answer.input.clone();
            peer(&mut state);
            assert_eq!(state, answer.output);
        }
    }
}

proptest! {
    #[test]
    fn the_reference_is_plonky3(seed in prop::array::uniform24(any::<u64>())) {
        for instance in instances() {
            let peer = plonky3::permutation(&instance).expect("the peer has all our instances");
            let raw = &seed[..instance.permutation.width()];
            let keep = |x: &u64| match instance.field.montgomery_bits {
                0 => *x,
                _ => *x % instance.field.modulus,
            };
            let mut ours: Vec<u64> = raw.iter().map(keep).collect();
            let mut theirs = ours.clone();
            instance.permutation.permute(&mut ours);
            peer(&mut theirs);
            prop_assert_eq!(ours, theirs);
        }
    }

    #[test]
    fn backwards_undoes_forwards(seed in prop::array::uniform24(any::<u64>()), cut in any::<prop::sample::Index>()) {
        for instance in instances() {
            let permutation = &instance.permutation;
            let inverse = Inverse::new(permutation).expect("every layer is a bijection");
            let cut = cut.index(inverse.layers().len() + 1);
            let wanted: Vec<u64> = seed[..permutation.width()].iter().map(|x| x % permutation.modulus).collect();
            let mut state = wanted.clone();
            inverse.input_for(cut, &mut state);
            for layer in &inverse.layers()[..cut] {
                permutation.apply(*layer, &mut state);
            }
            prop_assert_eq!(state, wanted);
        }
    }
}

/// leanVM's, over KoalaBear's Poseidon1.
#[derive(Deserialize)]
struct ModesOfLeanVm {
    permutation_0_to_15: Vec<u64>,
    permutation_zero: Vec<u64>,
    compress_feed_forward_first8_0_to_15: Vec<u64>,
    overwrite_rtl_rate8_n24: Vec<u64>,
    overwrite_rtl_rate12_n28: Vec<u64>,
    mmo_rtl_rate12_n28: Vec<u64>,
}

#[test]
fn the_modes_give_known_answers_of_leanvm() {
    let answers = include_str!("../../vectors/leanvm_modes.json");
    let answers: ModesOfLeanVm = serde_json::from_str(answers).expect("well-formed answers");
    let poseidon1 = p3_koala_bear::default_koalabear_poseidon1_16();
    let permute = |state: &mut [u64]| {
        let mut elements = core::array::from_fn(|i| KoalaBear::from_u64(state[i]));
        poseidon1.permute_mut(&mut elements);
        state.copy_from_slice(&elements.map(|element: KoalaBear| element.as_canonical_u64()));
    };
    let modes = Modes {
        modulus: KoalaBear::ORDER_U64,
        width: 16,
        permute: &permute,
    };
    let message: Vec<u64> = (0..28).collect();
    let front = |state: Vec<u64>| state[..8].to_vec();
    assert_eq!(modes.truncated(&message[..16]), answers.permutation_0_to_15);
    assert_eq!(modes.truncated(&[]), answers.permutation_zero);
    assert_eq!(
        front(modes.feed_forward(&message[..16])),
        answers.compress_feed_forward_first8_0_to_15
    );
    assert_eq!(
        front(modes.right_to_left(8, false, &message[..24])),
        answers.overwrite_rtl_rate8_n24
    );
    assert_eq!(
        front(modes.right_to_left(12, false, &message)),
        answers.overwrite_rtl_rate12_n28
    );
    assert_eq!(
        front(modes.right_to_left(12, true, &message)),
        answers.mmo_rtl_rate12_n28
    );
}
