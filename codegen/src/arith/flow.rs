//! The control flow that every kernel has, over any domain: words, ranges, anything.

use super::{Block, Contract, MacroOp, Program, Range, Unmet};
use crate::ir::BlockKind;
use crate::params::Field;

impl Program {
    /// Index of the block of that kind, if the program has one.
    #[must_use]
    pub fn block(&self, kind: BlockKind) -> Option<usize> {
        self.blocks.iter().position(|block| block.kind == kind)
    }

    /// How often one permutation executes the block of that kind.
    #[must_use]
    pub fn executions(&self, kind: BlockKind) -> usize {
        let instance = &self.instance;
        match kind {
            BlockKind::ExternalLinear => instance.external_rounds + 1,
            BlockKind::ExternalSbox => instance.external_rounds * instance.width,
            BlockKind::InternalRound => instance.internal_rounds,
            BlockKind::Enter
            | BlockKind::Leave
            | BlockKind::InternalEnter
            | BlockKind::InternalLeave => 1,
            BlockKind::InternalNormalise => self.runs.len() - 1,
            BlockKind::Constant => 0,
        }
    }

    /// Executes the permutation.
    ///
    /// `constant` gives the words of a round constant from its residue; `execute` gets the index
    /// of a block and its inputs in the order of the block's input list (the state, element by
    /// element, then the constant where there is one), and returns the new state. A block that
    /// the program lacks is left out.
    pub fn flow<T: Clone>(
        &self,
        mut state: Vec<T>,
        constant: impl Fn(u64) -> Vec<T>,
        mut execute: impl FnMut(usize, &[T]) -> Vec<T>,
    ) -> Vec<T> {
        let instance = &self.instance;
        let mut run = |kind, state: Vec<T>| match self.block(kind) {
            Some(block) => execute(block, &state),
            None => state,
        };
        state = run(BlockKind::Enter, state);
        let parts = state.len() / instance.width;
        for step in 0..=instance.external_rounds {
            if step > 0 {
                let constants = &instance.constants.external[step - 1];
                state = state
                    .chunks(parts)
                    .zip(constants)
                    .flat_map(|(element, &c)| {
                        run(BlockKind::ExternalSbox, [element, &constant(c)].concat())
                    })
                    .collect();
            }
            state = run(BlockKind::ExternalLinear, state);
            if step != instance.external_rounds / 2 {
                continue;
            }
            state = run(BlockKind::InternalEnter, state);
            let mut constants = instance.constants.internal.iter();
            for (n, &rounds) in self.runs.iter().enumerate() {
                if n > 0 {
                    state = run(BlockKind::InternalNormalise, state);
                }
                for &c in constants.by_ref().take(rounds) {
                    state.extend(constant(c));
                    state = run(BlockKind::InternalRound, state);
                }
            }
            state = run(BlockKind::InternalLeave, state);
        }
        run(BlockKind::Leave, state)
    }
}

/// A precondition that some inputs of a block break.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// Index of the operation.
    pub operation: usize,
    /// Ranges of its operands.
    pub operands: Vec<Range>,
    /// What they break.
    pub unmet: Unmet,
}

impl Block {
    /// The range of every value for inputs within the given ranges, and what is broken on the way.
    ///
    /// Where a precondition does not hold, anything may be in the results' registers; later
    /// operations are judged on that.
    #[must_use]
    pub fn ranges(&self, field: &'static Field, inputs: &[Range]) -> (Vec<Range>, Vec<Broken>) {
        let mut ranges = inputs.to_vec();
        let mut broken = Vec::new();
        let mut second = None;
        for (n, operation) in self.operations.iter().enumerate() {
            if operation.op == MacroOp::Second {
                ranges.push(second.take().unwrap_or(Range::word(field.word_bits())));
                continue;
            }
            let contract = Contract::of(field, operation.op).expect("macro-op of the field");
            let operands: Vec<Range> = operation
                .operands
                .iter()
                .map(|v| ranges[v.index()])
                .collect();
            let mut results = match contract.unmet(&operands) {
                None => contract.result_ranges(&operands),
                Some(unmet) => {
                    broken.push(Broken {
                        operation: n,
                        operands,
                        unmet,
                    });
                    vec![Range::word(field.word_bits()); operation.op.results()]
                }
            };
            second = results.get(1).copied();
            ranges.push(results.swap_remove(0));
        }
        (ranges, broken)
    }
}

impl Program {
    /// The ranges of every block's inputs.
    ///
    /// Where an element is one word, that is the loop invariant [`Program::boundary`]. Where it
    /// has parts, the permutation is executed on ranges, from any state words and any canonical
    /// constants: it has no branches, so every execution runs the same blocks in the same order,
    /// and a block's inputs lie in the join of what it is given.
    #[must_use]
    pub fn input_ranges(&self) -> Vec<Vec<Range>> {
        let field = self.instance.field;
        if self.parts == 1 {
            let of = |block: &Block| {
                let inputs = block.inputs.iter();
                inputs.map(|&i| Self::input_range(field, i)).collect()
            };
            return self.blocks.iter().map(of).collect();
        }
        let mut joined: Vec<Option<Vec<Range>>> = vec![None; self.blocks.len()];
        let mut join = |block: usize, inputs: &[Range]| match &mut joined[block] {
            Some(known) => {
                for (a, b) in known.iter_mut().zip(inputs) {
                    *a = a.join(b);
                }
            }
            unknown => *unknown = Some(inputs.to_vec()),
        };
        let outputs = |block: usize, inputs: &[Range]| -> Vec<Range> {
            let block = &self.blocks[block];
            let (ranges, _) = block.ranges(field, inputs);
            block.outputs.iter().map(|v| ranges[v.index()]).collect()
        };
        let canonical = Range::below(field.modulus);
        let constant = match self.block(BlockKind::Constant) {
            Some(block) => {
                join(block, &[canonical]);
                outputs(block, &[canonical])
            }
            None => vec![canonical],
        };
        let state = vec![Self::boundary(field); self.instance.width];
        self.flow(
            state,
            |_| constant.clone(),
            |block, inputs| {
                join(block, inputs);
                outputs(block, inputs)
            },
        );
        let known = joined.into_iter().zip(&self.blocks);
        known
            .map(|(ranges, block)| {
                ranges.unwrap_or_else(|| vec![Self::boundary(field); block.inputs.len()])
            })
            .collect()
    }
}
