//! The permutation executed on ranges, where elements have parts: there the ranges between blocks
//! are no invariant but what the executions lead to.

use super::block::Block;
use super::header::Header;
use super::rules::Range;
use super::{Fault, Step, refuse};

/// Executions of blocks, and the ranges that each block's inputs have taken so far.
struct Execution<'a> {
    blocks: &'a [Block<'a>],
    taken: Vec<Option<Vec<Range>>>,
}

impl Execution<'_> {
    fn run(&mut self, name: &str, inputs: Vec<Range>) -> Step<Vec<Range>> {
        let Some(n) = self.blocks.iter().position(|block| block.name == name) else {
            return refuse(Fault::Syntax, format!("there is no block {name}"));
        };
        let outputs = self.blocks[n].replay(&inputs)?;
        let taken = self.taken[n].get_or_insert_with(|| inputs.clone());
        for (all, new) in taken.iter_mut().zip(&inputs) {
            *all = (all.0.min(new.0), all.1.max(new.1));
        }
        Ok(outputs)
    }
}

/// Checks that the stated ranges of all inputs are those of all executions.
pub(super) fn check(header: &Header<'_>, blocks: &[Block<'_>]) -> Step<()> {
    let taken = vec![None; blocks.len()];
    let mut execution = Execution { blocks, taken };
    let constant = execution.run("constant", vec![(0, header.p - 1)])?;
    let words = vec![(0, header.boundary); header.p2.width()];
    let mut state = execution.run("enter", words)?;
    let rounds = header.p2.external.len();
    for step in 0..=rounds {
        if step > 0 {
            let mut next = Vec::new();
            for element in state.chunks(header.parts) {
                next.extend(execution.run("external-sbox", [element, &constant].concat())?);
            }
            state = next;
        }
        state = execution.run("external-linear", state)?;
        if step != rounds / 2 {
            continue;
        }
        state = execution.run("internal-enter", state)?;
        for (n, run) in header.runs.iter().enumerate() {
            if n > 0 {
                state = execution.run("internal-normalise", state)?;
            }
            for _ in 0..*run {
                state.extend(&constant);
                state = execution.run("internal-round", state)?;
            }
        }
        if !header.pairs.is_empty() {
            state = execution.run("internal-leave", state)?;
        }
    }
    execution.run("leave", state)?;
    for (block, taken) in blocks.iter().zip(execution.taken) {
        if taken.is_some_and(|taken| taken != block.input_ranges()) {
            let what = format!("inputs of {} take other values", block.name);
            return refuse(Fault::Range, what);
        }
    }
    Ok(())
}
