//! Known answers from an implementation that is neither ours nor the peer's.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::Instance;

const FILE: &str = include_str!("../../vectors/poseidon2_kats.json");

/// One input of an instance, and its image; both as residues.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownAnswer {
    /// The state before the permutation.
    pub input: Vec<u64>,
    /// The state after it.
    pub output: Vec<u64>,
}

#[derive(Deserialize)]
struct Group {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    #[serde(rename = "in")]
    input: Vec<String>,
    out: Vec<String>,
}

/// The known answers of an instance: empty where the vectors have none.
///
/// # Panics
/// Where the vectors, which are part of this crate, are malformed.
#[must_use]
pub fn known_answers(instance: &Instance) -> Vec<KnownAnswer> {
    let mut groups: BTreeMap<String, Group> =
        serde_json::from_str(FILE).expect("the vectors are well-formed JSON");
    // They are those of one parameter set.
    if reference::find(
        &instance.parameter_set,
        instance.field.name,
        instance.permutation.width(),
    )
    .is_none()
    {
        return Vec::new();
    }
    let field = instance.field.name.replace('-', "");
    let key = format!("poseidon2_{field}_{}", instance.permutation.width());
    let cases = groups
        .remove(&key)
        .map_or_else(Vec::new, |group| group.cases);
    cases
        .into_iter()
        .map(|case| KnownAnswer {
            input: residues(&case.input),
            output: residues(&case.out),
        })
        .collect()
}

fn residues(words: &[String]) -> Vec<u64> {
    words
        .iter()
        .map(|word| u64::from_str_radix(word, 16).expect("the vectors hold hexadecimal words"))
        .collect()
}
