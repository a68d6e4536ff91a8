//! Constants of Poseidon1 (eprint 2019/458, section 2): of the same function, with one for each of its partial rounds.

use super::permutation::{Layer, Permutation};

/// The constants of full and of partial rounds that a permutation has, made of those that the paper has: one for each
/// element in each round, in the order of rounds.
///
/// Of a partial round's constants, those of the other elements pass by the S-box. So they can be added
/// after it, and by linearity behind the matrix, where they join the next round's. What is left behind the
/// last partial round joins the constants of the full round that follows.
pub(crate) fn single_constants(
    permutation: &Permutation,
    all: &[u64],
) -> (Vec<Vec<u64>>, Vec<u64>) {
    let (width, half) = (permutation.width(), permutation.external.len() / 2);
    let rounds: Vec<Vec<u64>> = all.chunks(width).map(<[u64]>::to_vec).collect();
    let (first, rest) = rounds.split_at(half);
    let (partial, last) = rest.split_at(permutation.internal.len());
    let (mut external, mut internal) = ([first, last].concat(), Vec::new());
    let mut left = vec![0; width];
    for constants in partial {
        permutation.add_all(&mut left, constants);
        internal.push(left[0]);
        left[0] = 0;
        permutation.apply(Layer::InternalLinear, &mut left);
    }
    permutation.add_all(&mut external[half], &left);
    (external, internal)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Instance;

    /// Poseidon1 as the paper writes it, with a constant for each element in each round.
    fn permute(permutation: &Permutation, constants: &[Vec<u64>], state: &mut [u64]) {
        let half = permutation.external.len() / 2;
        for (round, constants) in constants.iter().enumerate() {
            permutation.add_all(state, constants);
            let is_full = !(half..half + permutation.internal.len()).contains(&round);
            let raised = if is_full { state.len() } else { 1 };
            for x in &mut state[..raised] {
                *x = permutation.pow(*x, permutation.alpha);
            }
            permutation.apply(Layer::ExternalLinear, state);
        }
    }

    fn text(field: &str, rounds: usize, alpha: u64, mds: &str) -> String {
        format!(
            "poseidon2-instance 1
parameter-set plonky3_poseidon1
field {field}
width {}
external-rounds 8
internal-rounds {rounds}
alpha {alpha}
mds {mds}
constants grain
",
            mds.split(' ').count()
        )
    }

    fn stated(field: &str, rounds: usize, alpha: u64, mds: &str) -> Permutation {
        let text = text(field, rounds, alpha, mds);
        Instance::read(&text).expect("an instance").permutation
    }

    /// Its constants are for all rounds in their order; in another, they would be of another permutation.
    #[test]
    fn constants_are_in_the_order_of_rounds() {
        let text = text("goldilocks", 22, 7, "7 1 3 8 8 3 4 9");
        let other = text.replace("grain", "grain external-first");
        let refused = Instance::read(&other).expect_err("an order that Poseidon1 has not");
        assert!(refused.what.contains("Poseidon2 alone"), "{refused:?}");
    }

    #[test]
    fn answers_are_those_of_other_code() {
        // p3-goldilocks 0.8.0, src/poseidon1.rs, `test_poseidon_goldilocks_width_8`.
        let permutation = stated("goldilocks", 22, 7, "7 1 3 8 8 3 4 9");
        let mut state: Vec<u64> = (0..8).collect();
        permutation.permute(&mut state);
        let wanted = [
            2_431_226_948_502_761_687,
            9_427_563_026_145_807_618,
            6_827_549_936_272_051_660,
            16_907_684_411_084_503_785,
            10_131_745_626_715_172_913,
            17_448_305_483_431_576_765,
            9_066_501_914_269_485_014,
            12_095_238_468_458_521_303,
        ];
        assert_eq!(state, wanted);

        // leanEthereum, PR 216: the image of 0, 1, …, 15.
        let row = "1 1 51 1 11 17 2 1 101 63 15 2 67 22 13 3";
        let permutation = stated("koala-bear", 20, 3, row);
        let mut state: Vec<u64> = (0..16).collect();
        permutation.permute(&mut state);
        assert_eq!(
            state[..4],
            [610_090_613, 935_319_874, 1_893_335_292, 796_792_199]
        );
    }

    #[test]
    fn single_constants_change_nothing() {
        let mut permutation = stated("goldilocks", 22, 7, "7 1 3 8 8 3 4 9");
        let p = permutation.modulus;
        for (full, partial) in [(8, 22), (2, 1), (6, 1)] {
            permutation.external = vec![Vec::new(); full];
            permutation.internal = vec![0; partial];
            let constant = |n: u64| 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(n + 1) % p;
            let all: Vec<u64> = (0..8 * (full + partial) as u64).map(constant).collect();
            let constants: Vec<Vec<u64>> = all.chunks(8).map(<[u64]>::to_vec).collect();
            let mut state: Vec<u64> = (1..9).map(|n| p - n * n).collect();
            let mut same = state.clone();
            permute(&permutation, &constants, &mut state);
            let (external, internal) = single_constants(&permutation, &all);
            assert_eq!((external.len(), internal.len()), (full, partial));
            (permutation.external, permutation.internal) = (external, internal);
            permutation.permute(&mut same);
            assert_eq!(state, same);
        }
    }
}
