//! The order of blocks, on whatever a program is executed on.

use crate::certificate::{Operation, Program};
use crate::{Refused, Step};

/// What a program is executed on.
pub(crate) trait Domain<'p> {
    type Value: Clone;

    /// A constant as kernels read it: its parts.
    fn constant(&mut self, place: Constant) -> Step<Vec<Self::Value>>;

    /// A word that is the same in all states.
    fn number(&mut self, word: u64) -> Self::Value;

    /// The results of a macro-op.
    fn apply(
        &mut self,
        operation: &'p Operation,
        operands: &[Self::Value],
    ) -> Step<Vec<Self::Value>>;
}

/// A constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Constant {
    /// Of an external round, and an element.
    External(usize, usize),
    /// Of an internal round.
    Internal(usize),
}

impl Program {
    /// The blocks in the order that the paper gives (eprint 2023/323, section 6).
    pub(crate) fn permute<'p, D: Domain<'p>>(
        &'p self,
        domain: &mut D,
        state: Vec<D::Value>,
    ) -> Step<Vec<D::Value>> {
        let mut state = self.run(domain, "enter", state)?;
        let rounds = self.permutation.external.len();
        for step in 0..=rounds {
            if step > 0 {
                let mut next = Vec::new();
                for (element, words) in state.chunks(self.parts).enumerate() {
                    let constant = domain.constant(Constant::External(step - 1, element))?;
                    next.extend(self.run(domain, "external-sbox", [words, &constant].concat())?);
                }
                state = next;
            }
            let enters = step == rounds / 2 && self.blocks.contains_key("linear-enter");
            if !enters && (step > 0 || self.permutation.starts_linear()) {
                state = self.run(domain, "external-linear", state)?;
            }
            if step == rounds / 2 {
                state = self.internal_rounds(domain, state)?;
            }
        }
        self.run(domain, "leave", state)
    }

    fn internal_rounds<'p, D: Domain<'p>>(
        &'p self,
        domain: &mut D,
        state: Vec<D::Value>,
    ) -> Step<Vec<D::Value>> {
        let mut state = self.run(domain, "internal-enter", state)?;
        // With the linear layer before it.
        state = self.run(domain, "linear-enter", state)?;
        let mut round = 0;
        for run in &self.runs {
            if round > 0 {
                state = self.run(domain, "internal-normalise", state)?;
            }
            for _ in 0..*run {
                state.extend(domain.constant(Constant::Internal(round))?);
                let factors = self.factors.get(round).into_iter().flatten();
                state.extend(factors.map(|word| domain.number((*word).into())));
                state = self.run(domain, "internal-round", state)?;
                round += 1;
            }
        }
        self.run(domain, "internal-leave", state)
    }

    /// A block; one that is not there leaves the state as it is.
    pub(crate) fn run<'p, D: Domain<'p>>(
        &'p self,
        domain: &mut D,
        name: &str,
        mut values: Vec<D::Value>,
    ) -> Step<Vec<D::Value>> {
        let Some(block) = self.blocks.get(name) else {
            return Ok(values);
        };
        if values.len() != block.inputs {
            return Err(Refused::whole(format!(
                "{name} does not take what it is given"
            )));
        }
        for operation in &block.operations {
            let operands: Vec<D::Value> = operation
                .operands
                .iter()
                .map(|v| values[*v].clone())
                .collect();
            values.extend(domain.apply(operation, &operands)?);
        }
        Ok(block.outputs.iter().map(|v| values[*v].clone()).collect())
    }
}
