//! Whole proofs: the same bytes from stock types and from ours, and each verifies the other's.

use p3_baby_bear::BabyBear;
use p3_goldilocks::Goldilocks;
use p3_koala_bear::KoalaBear;
use plonky3_examples::contest::Statement;
use poseidon2_kernels::supported;

const STATEMENT: Statement = Statement {
    hashes: 2,
    queries: 3,
    grinding: 6,
};

macro_rules! the_same_bytes {
    ($($test:ident: $module:ident, $element:ty;)+) => {$(
        #[test]
        fn $test() {
            use plonky3_examples::contest::$module::{ours, stock, trace};

            let trace = trace(STATEMENT.hashes);
            let stock = stock(STATEMENT);
            let proof = stock.prove(trace.clone()).unwrap();
            stock.verify(&proof).unwrap();

            for isa in supported() {
                let ours = ours::<[$element; 16]>(Some(isa), STATEMENT).unwrap();
                let made = ours.prove(trace.clone()).unwrap();
                assert!(made == proof, "{}", isa.name());
                ours.verify(&proof).unwrap();
                stock.verify(&made).unwrap();

                // A verifier that accepts anything would have passed.
                let mut other = proof.clone();
                let middle = other.len() / 2;
                other[middle] ^= 1;
                ours.verify(&other).unwrap_err();
            }
        }
    )+};
}

the_same_bytes! {
    proofs_over_goldilocks: goldilocks, Goldilocks;
    proofs_over_koala_bear: koala_bear, KoalaBear;
    proofs_over_baby_bear: baby_bear, BabyBear;
}
