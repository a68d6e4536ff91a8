//! Canonicalisations in an instruction stream.

use crate::disassembly::Instruction;

/// Counts `subs t, x, p` whose flags are next read by a `csel` that chooses between `t` and `x`:
/// x mod p, for x < 2p.
pub(crate) fn canonicalisation_pairs(stream: &[&Instruction]) -> u64 {
    let mut pairs = 0;
    let mut difference: Option<(&str, &str)> = None;
    for executed in stream {
        match (executed.mnemonic.as_str(), executed.operands.as_slice()) {
            ("subs", [t, x, ..]) => difference = Some((t, x)),
            ("csel", [_, a, b, _]) => {
                if let Some((t, x)) = difference
                    && ((t, x) == (a, b) || (x, t) == (a, b))
                {
                    pairs += 1;
                    difference = None;
                }
            }
            (mnemonic, _) if sets_flags(mnemonic) => difference = None,
            _ => {}
        }
    }
    pairs
}

fn sets_flags(mnemonic: &str) -> bool {
    const FLAGS: [&str; 14] = [
        "adds", "adcs", "sbcs", "negs", "ngcs", "ands", "bics", "cmp", "cmn", "tst", "ccmp",
        "ccmn", "fcmp", "fcmpe",
    ];
    FLAGS.contains(&mnemonic)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disassembly::tests::instructions;

    fn pairs(listing: &str) -> u64 {
        let stream = instructions(listing);
        canonicalisation_pairs(&stream.iter().collect::<Vec<_>>())
    }

    #[test]
    fn a_pair_is_linked_by_flags_and_data() {
        assert_eq!(pairs("subs x1, x0, x9\ncsel x0, x1, x0, cs"), 1);
        assert_eq!(
            pairs("subs x1, x0, x9\nmul x5, x6, x7\ncsel x0, x0, x1, cc"),
            1
        );
        // A borrow correction chooses between a constant and zero.
        assert_eq!(pairs("subs x1, x0, x9\ncsel x2, x8, xzr, cc"), 0);
        // Another instruction's flags.
        assert_eq!(
            pairs("subs x1, x0, x9\nadds x3, x3, x4\ncsel x0, x1, x0, cs"),
            0
        );
        assert_eq!(
            pairs("subs x1, x0, x9\ncsel x0, x1, x0, cs\ncsel x2, x1, x0, cs"),
            1
        );
    }
}
