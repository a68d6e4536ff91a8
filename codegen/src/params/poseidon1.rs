//! Round constants of Poseidon1: one for each element in each round, of which kernels need fewer.

use super::grain::Grain;
use super::{Cut, Field, Mds, RoundConstants};

/// The constants of an instance with this matrix, derived by the Grain LFSR (eprint 2019/458, appendix F) in the
/// order of rounds.
#[must_use]
pub fn poseidon1_constants(
    field: &Field,
    mds: &Mds,
    full_rounds: usize,
    partial_rounds: usize,
) -> RoundConstants {
    let width = mds.rows.len();
    let mut grain = Grain::new(field, width, full_rounds, partial_rounds);
    let mut row = || (0..width).map(|_| grain.residue(field)).collect();
    let rounds = (0..full_rounds + partial_rounds).map(|_| row()).collect();
    RoundConstants {
        grain: Some(Cut::Paper),
        ..single_constants(field, mds, full_rounds, rounds)
    }
}

/// The same permutation's constants with those of element 0 alone in partial rounds.
///
/// In a partial round the constants of other elements pass by the S-box, and by linearity the matrix: they are
/// added to the next round's.
#[must_use]
pub fn single_constants(
    field: &Field,
    mds: &Mds,
    full_rounds: usize,
    mut rounds: Vec<Vec<u64>>,
) -> RoundConstants {
    let half = full_rounds / 2;
    let partial = half..rounds.len() - half;
    for round in partial.clone() {
        let mut passed = rounds[round].split_off(1);
        passed.insert(0, 0);
        mds.multiply(field, &mut passed);
        for (c, more) in rounds[round + 1].iter_mut().zip(passed) {
            *c = field.add(*c, more);
        }
    }
    let internal = rounds.drain(partial).flatten().collect();
    RoundConstants {
        external: rounds,
        internal,
        grain: None,
    }
}
