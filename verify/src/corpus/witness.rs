//! The second oracle's word on a corpus: kernels are compared with images that two independent
//! implementations agree on.

use super::Section;
use crate::oracle::{instances, plonky3};

/// Compares all cases with the standard constants, and tells the first that the peer sees
/// differently.
///
/// # Errors
/// The case, in words.
pub fn witness(corpus: &[Section]) -> Result<usize, String> {
    let mut witnessed = 0;
    for instance in instances() {
        let Some(peer) = plonky3::permutation(&instance) else {
            continue;
        };
        let standard =
            |section: &&Section| section.is_for(&instance) && section.table.is_standard();
        for section in corpus.iter().filter(standard) {
            for (group, range) in section.ranges() {
                for index in range {
                    let (input, expected) = section.case(index);
                    // KoalaBear words become residues; the peer takes any Goldilocks word as it is.
                    let mut state: Vec<u64> = match instance.field.montgomery_bits {
                        0 => input.to_vec(),
                        _ => input
                            .iter()
                            .map(|word| instance.field.decode(*word))
                            .collect(),
                    };
                    peer(&mut state);
                    if state != expected {
                        let name = &section.instance;
                        let origin = &group.origin;
                        return Err(format!(
                            "the oracles differ on {name:?}, {origin}: {input:x?} gives {expected:x?} \
                             by the paper, {state:x?} by the peer"
                        ));
                    }
                    witnessed += 1;
                }
            }
        }
    }
    Ok(witnessed)
}

#[cfg(test)]
mod tests {
    use super::super::build::small;
    use super::*;

    #[test]
    fn a_wrong_image_is_noticed() {
        let mut corpus: Vec<_> = instances().iter().flat_map(small).collect();
        let cases: usize = corpus.iter().map(Section::len).sum();
        assert_eq!(witness(&corpus), Ok(cases));
        if let Some(last) = corpus[1].words.last_mut() {
            *last ^= 1;
        }
        assert!(witness(&corpus).is_err_and(|error| error.contains("oracles differ")));
    }
}
