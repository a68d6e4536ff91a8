//! From field level to arithmetic: which macro-op does each operation, and where operands are
//! canonicalised.
//!
//! Strategy `eager` keeps every value in one machine word. By default it canonicalises at every
//! site whatever the site's bound might need; each claim of the proof set removes one such
//! canonicalisation. Nothing is decided by ranges here: whether the claims are true is the prover's
//! business, and an unproved program cannot be rendered.
//!
//! Strategies `columns`, `redc`, `limbs`, `accumulated` and `radix48` keep every element in two words and reduce
//! where ranges ask for it. Strategies `radix52`, `rescaled52` and `radix32` keep 31-bit elements in words of 64
//! bits: two reduce in products alone, the last what leads into them. Strategy `signed` keeps them in one word as
//! `eager` does; what leads into products and out of them may be negative. Strategy `uniform` does the same with one
//! state across the lanes of vectors.

mod claims;
mod columns;
mod eager;
pub mod infer;
mod limbs;
mod parts;
mod products;
mod reduced;
mod ring;
mod signed;
#[cfg(test)]
mod tests;
mod transform;
mod uniform;
mod wide;

pub use claims::{Claims, Conflict};

use crate::arith::{Block, Program};
use crate::ir::{self, BlockKind};
use crate::names::Strategy;
use crate::ops::{MacroOp, Range};

/// Why a strategy makes no program of a permutation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unsuited {
    /// The claims of the proof set contradict each other.
    #[error("two entries decide on the same operand of `{}`", .0.site)]
    Conflict(Conflict),
    /// The strategy keeps elements in words that those of the field do not fit.
    #[error("strategy `{0}` is not for {1}: its words are those of other fields")]
    Field(Strategy, &'static str),
    /// Elements of the external layer are not reduced between its sums.
    #[error("strategy `{0}` is not for an M4 with entries that are no small positive numbers")]
    External(Strategy),
    /// Elements are reduced before they grow further.
    #[error(
        "strategy `{0}` is not for an external layer with a row of entries that sum to {1}; {most} is the most",
        most = wide::MOST
    )]
    Row(Strategy, u64),
    /// What elements are divided by grows because the layer is scaled.
    #[error(
        "strategy `{0}` is not for these linear layers: it takes an internal layer with a `scale`, whose entries but \
         the first are whole numbers so small that their products with elements stay below 2^52; rows of this \
         external layer sum to {1}"
    )]
    Scale(Strategy, u64),
    /// A state is not a number of vectors.
    #[error("strategy `{0}` is not for width {1}: it takes a multiple of {lanes}", lanes = crate::arith::LANES)]
    Width(Strategy, usize),
    /// The external layer is made by moving words between lanes.
    #[error("strategy `{0}` is not for this external layer: it takes circ(2, 3, 1, 1) in blocks")]
    M4(Strategy),
    /// Internal rounds have the layer of Poseidon2.
    #[error("strategy `{0}` is not for Poseidon1")]
    Poseidon1(Strategy),
    /// There is no basis for Poseidon1's partial rounds.
    #[error(
        "strategy `{0}` is not for this matrix: its first column and what it makes of that are in a subspace"
    )]
    Partial(Strategy),
    /// The balances of limbs are those of `x^7`.
    #[error("strategy `{0}` is not for x^{1}: its balances are those of x^7")]
    LimbsSbox(Strategy, u64),
    /// Products that are reduced from below leave a power of two.
    #[error(
        "strategy `{0}` is not for x^{1}: the powers of two that its products leave do not cancel"
    )]
    RedcSbox(Strategy, u64),
    /// A power is the square of another, by the element.
    #[error("strategy `{0}` is not for x^{1}: it takes x^3 and x^7")]
    LongSbox(Strategy, u64),
    /// What is not reduced in sums or between products is negative, or longer than a word.
    #[error(
        "strategy `{0}` is not for this permutation: its words do not hold what S-boxes or sums give"
    )]
    Words(Strategy),
    /// No number of normalisations makes the ranges fit.
    #[error("parts overflow even if they are normalised after every internal round")]
    Overflow,
}

/// Lowers a field-level program by a strategy, under the claims of a proof set.
///
/// # Errors
/// If the strategy has no program for the permutation, or the claims contradict each other.
pub fn lower(
    program: &ir::Program,
    strategy: Strategy,
    claims: &Claims<'_>,
) -> Result<Program, Unsuited> {
    let field = program.instance.field;
    match strategy {
        Strategy::Eager => eager::lower(program, claims).map_err(Unsuited::Conflict),
        Strategy::Radix52 | Strategy::Rescaled52 | Strategy::Radix32 | Strategy::Radix64 => {
            wide::lower(program, strategy)
        }
        Strategy::Signed => signed::lower(program, strategy),
        Strategy::Long => signed::lower(program, strategy).map(with_long_products),
        Strategy::Uniform => uniform::lower(program),
        _ if field.is_montgomery() => Err(Unsuited::Field(strategy, field.name)),
        _ => columns::lower(program, strategy),
    }
}

/// The same, with other products in S-boxes, but where these are in the compiler's order.
fn with_long_products(mut lowered: Program) -> Program {
    let blocks = lowered.blocks.iter_mut();
    let blocks = blocks.filter(|block| block.has_sboxes_to_order());
    let operations = blocks.flat_map(|block| &mut block.operations);
    for product in operations.filter(|operation| operation.op == MacroOp::MulSigned) {
        product.op = match product.operands[..] {
            [a, b] if a == b => {
                product.operands.truncate(1);
                MacroOp::SquareLong
            }
            _ => MacroOp::MulLong,
        };
    }
    lowered
}

/// Normalises between internal rounds as seldom as ranges allow, in runs as even as can be.
fn in_longest_runs(mut lowered: Program) -> Result<Program, Unsuited> {
    let rounds = lowered.instance.internal_rounds;
    let blocks = std::mem::take(&mut lowered.blocks);
    for runs in 1..=rounds {
        // Nothing is known of the inputs of a block that is never executed.
        let is_executed = |block: &&Block| runs > 1 || block.kind != BlockKind::InternalNormalise;
        lowered.blocks = blocks.iter().filter(is_executed).cloned().collect();
        let runs = even_runs(rounds, runs);
        lowered.flow = Program::in_order(&lowered.instance, &lowered.blocks, &runs);
        let inputs = lowered.input_ranges();
        let mut blocks = lowered.blocks.iter().zip(&inputs);
        let fits = |(block, inputs): (&Block, &Vec<Range>)| {
            let words = lowered.words_of(block.kind);
            block.ranges(words, inputs).1.is_empty()
        };
        if blocks.all(fits) {
            return Ok(lowered);
        }
    }
    Err(Unsuited::Overflow)
}

/// The lengths of so many runs of rounds.
fn even_runs(rounds: usize, runs: usize) -> Vec<usize> {
    let run = |n: usize| rounds * (n + 1) / runs - rounds * n / runs;
    (0..runs).map(run).collect()
}
