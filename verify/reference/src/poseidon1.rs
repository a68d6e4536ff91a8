//! Poseidon1 as the paper writes it (eprint 2019/458, section 2), and the same function with one constant for
//! each of its partial rounds.

use super::permutation::{Layer, Linear, Permutation};

/// A Poseidon1 permutation, given by its numbers alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Poseidon1 {
    /// The prime p, below 2^64.
    pub modulus: u64,
    /// The exponent of the S-box x ↦ x^α.
    pub alpha: u64,
    /// The MDS matrix, row by row, as residues.
    pub mds: Vec<Vec<u64>>,
    /// Full rounds, both halves together; the partial rounds are between the halves.
    pub full_rounds: usize,
    /// A constant for each element in each round, in the order of rounds.
    pub constants: Vec<Vec<u64>>,
}

impl Poseidon1 {
    /// Permutes a state of residues. Outputs are below p.
    ///
    /// # Panics
    /// Where `state` is not as wide as the matrix.
    pub fn permute(&self, state: &mut [u64]) {
        let arithmetic = self.without_constants();
        let half = self.full_rounds / 2;
        for (round, constants) in self.constants.iter().enumerate() {
            for (x, c) in state.iter_mut().zip(constants) {
                *x = arithmetic.add(*x, *c);
            }
            let is_full = round < half || round >= self.constants.len() - half;
            let raised = if is_full { state.len() } else { 1 };
            for x in &mut state[..raised] {
                *x = arithmetic.pow(*x, self.alpha);
            }
            arithmetic.apply(Layer::ExternalLinear, state);
        }
    }

    /// The same function, with constants of element 0 alone in partial rounds.
    ///
    /// Of a partial round's constants, those of the other elements pass by the S-box. So they can be added
    /// after it, and by linearity behind the matrix, where they join the next round's. What is left behind the
    /// last partial round joins the constants of the full round that follows.
    #[must_use]
    pub fn with_single_constants(&self) -> Permutation {
        let mut permutation = self.without_constants();
        let (half, full) = (self.full_rounds / 2, self.full_rounds);
        let partial = self.constants.len() - full;
        let mut left = vec![0; self.mds.len()];
        for constants in &self.constants[half..half + partial] {
            permutation.add_all(&mut left, constants);
            permutation.internal.push(left[0]);
            left[0] = 0;
            permutation.apply(Layer::InternalLinear, &mut left);
        }
        permutation.external = self.constants[..half].to_vec();
        permutation
            .external
            .extend_from_slice(&self.constants[half + partial..]);
        if let Some(next) = permutation.external.get_mut(half) {
            let mut sum = next.clone();
            permutation.add_all(&mut sum, &left);
            permutation.external[half] = sum;
        }
        permutation
    }

    fn without_constants(&self) -> Permutation {
        Permutation {
            modulus: self.modulus,
            alpha: self.alpha,
            linear: Linear::Poseidon1(self.mds.clone()),
            external: Vec::new(),
            internal: Vec::new(),
        }
    }
}

/// The constants that a permutation with this matrix has, external and internal, made of those of all rounds.
pub(crate) fn single_constants(
    permutation: &Permutation,
    mds: &[Vec<u64>],
    all: &[u64],
) -> (Vec<Vec<u64>>, Vec<u64>) {
    let poseidon1 = Poseidon1 {
        modulus: permutation.modulus,
        alpha: permutation.alpha,
        mds: mds.to_vec(),
        full_rounds: permutation.external.len(),
        constants: all.chunks(mds.len()).map(<[u64]>::to_vec).collect(),
    };
    let single = poseidon1.with_single_constants();
    (single.external, single.internal)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Instance;

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
        let Permutation {
            modulus,
            alpha,
            linear: Linear::Poseidon1(mds),
            ..
        } = stated("goldilocks", 22, 7, "7 1 3 8 8 3 4 9")
        else {
            panic!("its matrix is stated");
        };
        for (full_rounds, rounds) in [(8, 30), (2, 3), (6, 7)] {
            let constant =
                |n: usize| 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(n as u64 + 1) % modulus;
            let constants = (0..rounds).map(|n| (8 * n..8 * n + 8).map(constant).collect());
            let poseidon1 = Poseidon1 {
                modulus,
                alpha,
                mds: mds.clone(),
                full_rounds,
                constants: constants.collect(),
            };
            let single = poseidon1.with_single_constants();
            let shape = (single.external.len(), single.internal.len());
            assert_eq!(shape, (full_rounds, rounds - full_rounds));
            let mut state: Vec<u64> = (1..9).map(|n| modulus - n * n).collect();
            let mut same = state.clone();
            poseidon1.permute(&mut state);
            single.permute(&mut same);
            assert_eq!(state, same);
        }
    }
}
