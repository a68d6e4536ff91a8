//! Machine programs as functions: what they compute, read off the instruction meanings.

use super::{Body, Source};
use crate::isa::constants::Constant;
use crate::isa::{Kind, Target};
use crate::params::Field;
use crate::term::Term;
use crate::term::tape::Tape;

impl Body {
    /// The results as terms of the operands. `constant` gives the word of a named constant in a
    /// register of the given kind.
    ///
    /// # Panics
    /// If a register is read before it is written, or an operand has another width than its
    /// register; selection produces no such body.
    #[must_use]
    pub fn terms(&self, operands: &[Term], constant: impl Fn(&str, Kind) -> u128) -> Vec<Term> {
        let values = self.values(operands, constant);
        let value = |r: &super::Reg| values[r.0 as usize].clone().expect("results are written");
        self.results.iter().map(value).collect()
    }

    /// Every register as a term of the operands; `None` for registers that nothing writes.
    ///
    /// # Panics
    /// As [`Body::terms`].
    #[must_use]
    pub fn values(
        &self,
        operands: &[Term],
        constant: impl Fn(&str, Kind) -> u128,
    ) -> Vec<Option<Term>> {
        let mut values: Vec<Option<Term>> = vec![None; self.registers.len()];
        for (register, operand) in self.operands.iter().zip(operands) {
            let width = self.registers[register.0 as usize].bits();
            assert_eq!(operand.width(), width, "operand width differs");
            values[register.0 as usize] = Some(operand.clone());
        }
        for instruction in &self.instructions {
            let sources: Vec<Term> = instruction
                .sources
                .iter()
                .zip(instruction.row.sources)
                .map(|(source, &kind)| match source {
                    Source::Reg(r) => values[r.0 as usize].clone().expect("written before read"),
                    Source::Constant(name) => Term::constant(constant(name, kind), kind.bits()),
                })
                .collect();
            let results = instruction.row.apply(&sources, &instruction.immediates);
            for (register, result) in instruction.results.iter().zip(results) {
                values[register.0 as usize] = Some(result);
            }
        }
        values
    }

    /// The body compiled for emulation.
    #[must_use]
    pub fn tape(&self, constant: impl Fn(&str, Kind) -> u128) -> Tape {
        let width = |r: &super::Reg| self.registers[r.0 as usize].bits();
        let operands: Vec<Term> = self
            .operands
            .iter()
            .enumerate()
            .map(|(n, r)| Term::var(n, width(r)))
            .collect();
        Tape::new(&self.terms(&operands, constant), operands.len())
    }

    /// The results for concrete operands. To run a body many times, keep its [`Body::tape`].
    #[must_use]
    pub fn eval(&self, operands: &[u128], constant: impl Fn(&str, Kind) -> u128) -> Vec<u128> {
        self.tape(constant).eval(operands)
    }
}

/// The constants of a field in the registers of a target, as [`Body::terms`] wants them.
///
/// A name that the field does not have reads as zero; bodies that name one are refused when their
/// template is read.
pub fn constants(field: &'static Field, target: Target) -> impl Fn(&str, Kind) -> u128 + Copy {
    move |name, kind| {
        let constant = Constant::by_name(field, name);
        constant.map_or(0, |c| u128::from(c.word(field, target, kind)))
    }
}
