//! The control flow that every kernel has, over any domain: words, ranges, anything.

use super::{Block, Program};
use crate::ir::{BlockKind, Step};
use crate::ops::{Contract, NeedLeft, Range, Unmet};
use crate::params::{Field, Instance};
use std::cell::LazyCell;
use std::collections::HashMap;
use std::ops::Range as Indices;

/// The round constants in the words that blocks read: of each element in the external rounds, and of the
/// internal rounds, with the factors that these have.
#[derive(Clone, Debug)]
pub struct Constants<T> {
    external: Vec<Vec<Vec<T>>>,
    internal: Vec<Vec<T>>,
}

impl<T> Constants<T> {
    /// Those that `words` makes of residues; what is the same for all tables is a `number`.
    #[must_use]
    pub fn new(
        program: &Program,
        external: &[Vec<u64>],
        internal: &[u64],
        words: impl Fn(u64) -> Vec<T>,
        number: impl Fn(u64) -> T,
    ) -> Self {
        let all = |row: &[u64]| row.iter().map(|c| words(*c)).collect();
        let mut internal: Vec<Vec<T>> = all(internal);
        let factors = program
            .basis
            .growth
            .iter()
            .flat_map(|growth| &growth.factors);
        for (words, factors) in internal.iter_mut().zip(factors) {
            words.extend(factors.iter().map(|word| number(*word)));
        }
        Self {
            external: external.iter().map(|row| all(row)).collect(),
            internal,
        }
    }
}

impl Program {
    /// Index of the block of that kind, if the program has one.
    #[must_use]
    pub fn block(&self, kind: BlockKind) -> Option<usize> {
        self.blocks.iter().position(|block| block.kind == kind)
    }

    /// How often one permutation executes the block of that kind.
    #[must_use]
    pub fn executions(&self, kind: BlockKind) -> usize {
        let width = self.instance.width;
        let steps = self.flow.iter().map(|step| step.executions(kind, width));
        let in_another = kind == BlockKind::ExternalLinear && self.enters_linearly();
        steps.sum::<usize>() - usize::from(in_another)
    }

    /// Whether what leads into internal rounds is one with the linear layer before them.
    #[must_use]
    pub fn enters_linearly(&self) -> bool {
        self.block(BlockKind::LinearEnter).is_some()
    }

    /// Internal rounds at a stretch: their constants, by index.
    pub fn runs(&self) -> impl Iterator<Item = &Indices<usize>> {
        self.flow.iter().filter_map(|step| match step {
            Step::Internal(rounds) => Some(rounds),
            Step::Once(_) | Step::External(_) => None,
        })
    }

    /// The flow of Poseidon2 (eprint 2023/323, section 5), and of Poseidon1, on these blocks: those that lead in
    /// and out stand where they belong, and internal rounds are normalised between two of `runs`.
    #[must_use]
    pub fn in_order(instance: &Instance, blocks: &[Block], runs: &[usize]) -> Vec<Step> {
        let half = instance.external_rounds / 2;
        let mut flow = vec![
            Step::Once(BlockKind::Enter),
            Step::Once(BlockKind::ExternalLinear),
            Step::External(0..half),
            Step::Once(BlockKind::InternalEnter),
            Step::Once(BlockKind::LinearEnter),
        ];
        let mut done = 0;
        for run in runs {
            if done > 0 {
                flow.push(Step::Once(BlockKind::InternalNormalise));
            }
            flow.push(Step::Internal(done..done + run));
            done += run;
        }
        flow.extend([
            Step::Once(BlockKind::InternalLeave),
            Step::External(half..instance.external_rounds),
            Step::Once(BlockKind::Leave),
        ]);
        let there = |kind| blocks.iter().any(|block: &Block| block.kind == kind);
        if !instance.starts_linear() {
            flow.retain(|step| *step != Step::Once(BlockKind::ExternalLinear));
        }
        flow.retain(|step| !matches!(step, Step::Once(kind) if !there(*kind)));
        flow
    }

    /// The instance's round constants, of which `words` makes what blocks read, beside what is a `number`.
    #[must_use]
    pub fn constants<T>(
        &self,
        words: impl Fn(u64) -> Vec<T>,
        number: impl Fn(u64) -> T,
    ) -> Constants<T> {
        let constants = &self.instance.constants;
        Constants::new(
            self,
            &constants.external,
            &constants.internal,
            words,
            number,
        )
    }

    /// Executes the permutation.
    ///
    /// `execute` gets the index of a block and its inputs in the order of the block's input list (the
    /// state, element by element, then the constant where there is one), and appends the new state to
    /// a list.
    ///
    /// # Panics
    /// If the flow has a step whose block the program lacks.
    pub fn execute<T: Clone>(
        &self,
        mut state: Vec<T>,
        constants: &Constants<T>,
        mut execute: impl FnMut(usize, &[T], &mut Vec<T>),
    ) -> Vec<T> {
        let (mut next, mut inputs) = (Vec::new(), Vec::new());
        let mut run = |kind, inputs: &[T], next: &mut Vec<T>| {
            let block = self.block(kind).expect("a flow's blocks are the program's");
            execute(block, inputs, next);
        };
        for step in &self.flow {
            match step {
                Step::Once(kind) => {
                    run(*kind, &state, &mut next);
                    advance(&mut state, &mut next);
                }
                Step::External(rounds) => {
                    for round in rounds.clone() {
                        let row = &constants.external[round];
                        let parts = state.len() / self.instance.width;
                        for (element, constant) in state.chunks(parts).zip(row) {
                            inputs.clear();
                            inputs.extend(element.iter().chain(constant).cloned());
                            run(BlockKind::ExternalSbox, &inputs, &mut next);
                        }
                        advance(&mut state, &mut next);
                        let is_last = 2 * (round + 1) == self.instance.external_rounds;
                        if is_last && self.enters_linearly() {
                            continue;
                        }
                        run(BlockKind::ExternalLinear, &state, &mut next);
                        advance(&mut state, &mut next);
                    }
                }
                Step::Internal(rounds) => {
                    for constant in &constants.internal[rounds.clone()] {
                        state.extend_from_slice(constant);
                        run(BlockKind::InternalRound, &state, &mut next);
                        advance(&mut state, &mut next);
                    }
                }
            }
        }
        state
    }
}

/// The next state becomes the state, and its list is used again.
fn advance<T>(state: &mut Vec<T>, next: &mut Vec<T>) {
    std::mem::swap(state, next);
    next.clear();
}

/// The ranges of a block's outputs, by those of its inputs.
pub(crate) type Outputs = HashMap<Vec<Range>, Vec<Range>>;

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
        self.ranges_by(field, &self.contracts(field), inputs)
    }

    /// What each operation needs and gives.
    pub(crate) fn contracts(&self, field: &'static Field) -> Vec<Option<Contract>> {
        let operations = self.operations.iter();
        operations.map(|o| Contract::of(field, o.op)).collect()
    }

    pub(crate) fn ranges_by(
        &self,
        field: &'static Field,
        contracts: &[Option<Contract>],
        inputs: &[Range],
    ) -> (Vec<Range>, Vec<Broken>) {
        let mut broken = Vec::new();
        let ranges = self.run(inputs, |operation, operands| {
            let at = operation.result.index() - self.inputs.len();
            let contract = contracts[at].as_ref().expect("macro-op of the field");
            let unmet = contract.unmet(operands).filter(|unmet| {
                let carry = unmet.need.left == NeedLeft::Carry;
                !(carry && self.carries(field, operation, operands))
            });
            let Some(unmet) = unmet else {
                return contract.result_ranges(operands);
            };
            broken.push(Broken {
                operation: at,
                operands: operands.to_vec(),
                unmet,
            });
            vec![Range::word(contract.field.word_bits()); operation.op.results()]
        });
        (ranges, broken)
    }
}

impl Program {
    /// The ranges of every block's inputs.
    ///
    /// Where an element is one word, that is the loop invariant [`Program::boundary`]. Where it
    /// is kept otherwise, the permutation is executed on ranges, from any state words and any canonical
    /// constants: it has no branches, so every execution runs the same blocks in the same order,
    /// and a block's inputs lie in the join of what it is given.
    #[must_use]
    pub fn input_ranges(&self) -> Vec<Vec<Range>> {
        self.input_ranges_of(Range::below(self.instance.field.modulus))
    }

    /// The same where words of constants are in that range.
    #[must_use]
    pub fn input_ranges_of(&self, constant: Range) -> Vec<Vec<Range>> {
        self.input_ranges_beside(constant, |_, _| None).0
    }

    /// The same where `known` tells outputs of some blocks for some inputs; with those that are derived, by
    /// blocks and inputs.
    pub(crate) fn input_ranges_beside(
        &self,
        constant: Range,
        known: impl Fn(usize, &[Range]) -> Option<Vec<Range>>,
    ) -> (Vec<Vec<Range>>, Vec<Outputs>) {
        let field = self.instance.field;
        let mut derived = vec![Outputs::new(); self.blocks.len()];
        if !self.is_inner() {
            let of = |block: &Block| {
                let inputs = block.inputs.iter();
                inputs.map(|&i| Self::input_range(field, i)).collect()
            };
            return (self.blocks.iter().map(of).collect(), derived);
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
        let contracts = self.blocks.iter();
        let contracts: Vec<_> = contracts
            .map(|block| LazyCell::new(|| block.contracts(self.words_of(block.kind))))
            .collect();
        // Most executions of a block are given the same ranges as the one before.
        let mut outputs = |block: usize, inputs: &[Range]| -> Vec<Range> {
            if let Some(outputs) = derived[block].get(inputs) {
                return outputs.clone();
            }
            let outputs = known(block, inputs).unwrap_or_else(|| {
                let (block, contracts) = (&self.blocks[block], &contracts[block]);
                let field = self.words_of(block.kind);
                let (ranges, _) = block.ranges_by(field, contracts, inputs);
                block.outputs.iter().map(|v| ranges[v.index()]).collect()
            });
            derived[block].insert(inputs.to_vec(), outputs.clone());
            outputs
        };
        let constant = match self.block(BlockKind::Constant) {
            Some(block) => {
                join(block, &[constant]);
                outputs(block, &[constant])
            }
            None => vec![constant],
        };
        let state = vec![Self::boundary(field); self.instance.width];
        self.execute(
            state,
            &self.constants(|_| constant.clone(), Range::only),
            |block, inputs, next| {
                join(block, inputs);
                next.extend(outputs(block, inputs));
            },
        );
        let joined = joined.into_iter().zip(&self.blocks);
        let joined = joined.map(|(ranges, block)| {
            ranges.unwrap_or_else(|| vec![Self::boundary(field); block.inputs.len()])
        });
        (joined.collect(), derived)
    }
}
