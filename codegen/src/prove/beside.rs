//! Proving programs beside one that is proved, as its mutants are: what is the same in both is not derived
//! again, and what is cheap to refuse is asked first.

use super::forms::{self, Known};
use super::{Proved, Refusal, derive_beside, other_function, proved};
use crate::arith::{Block, Outputs, Program};
use crate::lower::Claims;
use crate::ops::Range;

/// A program that is proved, with what was derived on the way.
#[derive(Debug)]
pub struct Original<'a> {
    proved: &'a Proved,
    /// What each block computes.
    functions: Vec<Known<'a>>,
    /// The ranges of its outputs.
    outputs: Vec<Outputs>,
}

impl<'a> Original<'a> {
    /// Derives of a program what others beside it need.
    ///
    /// # Panics
    /// If a block computes something else than it has to, of which there is no proof.
    #[must_use]
    pub fn new(proved: &'a Proved) -> Self {
        let program = &proved.program;
        let known = |block| forms::check(program, block, None).expect("it is proved");
        Self {
            proved,
            functions: program.blocks.iter().map(known).collect(),
            outputs: program
                .input_ranges_beside(Range::below(program.instance.field.modulus), |_, _| None)
                .1,
        }
    }

    /// Proves another program.
    ///
    /// # Errors
    /// Every block that computes something else; if there is none, every other refusal.
    pub fn prove(&self, program: &Program, claims: &Claims<'_>) -> Result<Proved, Vec<Refusal>> {
        let original = &self.proved.program;
        let alike = forms::asks_the_same(original, program);
        let checked = program.blocks.iter().filter_map(|block| {
            let known = original.block(block.kind).filter(|_| alike);
            let same = known.is_some_and(|at| computes_the_same(&original.blocks[at], block));
            let known = known.map(|at| &self.functions[at]);
            let checked = (!same).then(|| forms::check(program, block, known));
            let mismatch = checked?.err()?;
            Some(other_function(block, mismatch))
        });
        let refusals: Vec<Refusal> = checked.collect();
        if refusals.is_empty() {
            proved(derive_beside(Some(self), program.clone(), claims), claims)
        } else {
            Err(refusals)
        }
    }

    /// The ranges of the outputs of a block of another program, if they are known.
    pub(super) fn outputs(
        &self,
        program: &Program,
        block: usize,
        inputs: &[Range],
    ) -> Option<Vec<Range>> {
        let [own, other] = [&self.proved.program, program].map(|program| {
            let block = program.blocks.get(block)?;
            Some((block, program.words_of(block.kind)))
        });
        let ((own, words), (other, others)) = (own?, other?);
        let same = words == others && computes_the_same(own, other);
        same.then(|| self.outputs[block].get(inputs).cloned())?
    }
}

/// Whether two blocks are made of the same operations, whatever these are called.
fn computes_the_same(a: &Block, b: &Block) -> bool {
    let operation = |n: usize| {
        let [a, b] = [a, b].map(|block| &block.operations[n]);
        (a.op, &a.operands) == (b.op, &b.operands)
    };
    (a.kind, &a.inputs, &a.outputs) == (b.kind, &b.inputs, &b.outputs)
        && a.operations.len() == b.operations.len()
        && (0..a.operations.len()).all(operation)
}
