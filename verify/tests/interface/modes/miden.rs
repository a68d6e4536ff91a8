//! Known answers of miden-crypto: modes from a capacity that names a domain.

use poseidon2_kernels::field::Goldilocks;
use poseidon2_kernels::modes::{State, ZeroPaddedSponge};
use poseidon2_kernels::{Compression, Poseidon2Goldilocks};
use serde::Deserialize;

use crate::common::on_each_isa;

#[derive(Deserialize)]
struct Answers {
    hash_elements_in_domain: Vec<Hash>,
    merge_in_domain_5: [u64; 4],
}

#[derive(Deserialize)]
struct Hash {
    elements: u64,
    domain: u64,
    digest: [u64; 4],
}

fn answers() -> Answers {
    let answers = include_str!("../../../vectors/miden_modes.json");
    serde_json::from_str(answers).expect("well-formed answers")
}

fn state(elements: u64, domain: u64) -> State<Goldilocks, 12> {
    State::new(core::array::from_fn(|i| match i {
        8 => elements % 8,
        9 => domain,
        _ => 0,
    }))
}

#[test]
fn elements_are_hashed_in_a_domain() {
    for poseidon2 in on_each_isa(Poseidon2Goldilocks::<12>::plonky3()) {
        let sponge = ZeroPaddedSponge::<_, 12, 8, 4>::new(poseidon2);
        for Hash {
            elements,
            domain,
            digest,
        } in answers().hash_elements_in_domain
        {
            let row: Vec<u64> = (0..elements).collect();
            let sponge = sponge.clone().starting_from(state(elements, domain));
            assert_eq!(sponge.hash_row(&row), digest, "{elements} in {domain}");
            let mut digests = [[0; 4]; 21];
            sponge
                .hash_rows_into(&row.repeat(21), &mut digests)
                .unwrap();
            assert_eq!(digests, [digest; 21]);
        }
    }
}

#[test]
fn digests_are_merged_in_a_domain() {
    for poseidon2 in on_each_isa(Poseidon2Goldilocks::<12>::plonky3()) {
        let merge = Compression::<_, 2, 4, 12>::new(poseidon2).starting_from(state(0, 5));
        let merged = merge.compress_group([[0, 1, 2, 3], [4, 5, 6, 7]]);
        assert_eq!(merged, answers().merge_in_domain_5);
    }
}
