//! Machine programs as functions: what they compute, read off the instruction meanings.

use super::{Body, Reg, Source};
use crate::term::Term;

impl Body {
    /// The results as terms of the operands.
    ///
    /// # Panics
    /// If a register is read before it is written, or an operand has another width than its
    /// register; selection produces no such body.
    #[must_use]
    pub fn terms(&self, operands: &[Term]) -> Vec<Term> {
        let values = self.values(operands);
        let value = |r: &Reg| values[r.0 as usize].clone().expect("results are written");
        self.results.iter().map(value).collect()
    }

    /// Every register as a term of the operands; `None` for registers that nothing writes.
    ///
    /// # Panics
    /// As [`Body::terms`].
    #[must_use]
    pub fn values(&self, operands: &[Term]) -> Vec<Option<Term>> {
        let mut values: Vec<Option<Term>> = vec![None; self.registers.len()];
        for (register, operand) in self.operands.iter().zip(operands) {
            let width = self.kind(*register).bits();
            assert_eq!(operand.width(), width, "operand width differs");
            values[register.0 as usize] = Some(operand.clone());
        }
        for instruction in &self.instructions {
            let row = instruction.row;
            let sources = instruction.sources.iter().zip(row.sources);
            let sources = sources.map(|(source, kind)| match source {
                Source::Reg(reg) => values[reg.0 as usize].clone().expect("written before read"),
                Source::Constant(named) => Term::constant(named.word.into(), kind.bits()),
            });
            let results = row.apply(&sources.collect::<Vec<_>>(), &instruction.immediates);
            for (register, result) in instruction.results.iter().zip(results) {
                values[register.0 as usize] = Some(result);
            }
        }
        values
    }

    /// A variable for each operand.
    #[must_use]
    pub fn variables(&self) -> Vec<Term> {
        let operands = self.operands.iter().enumerate();
        let variable = |(n, reg): (usize, &Reg)| Term::var(n, self.kind(*reg).bits());
        operands.map(variable).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::isa::Target;
    use crate::ops::MacroOp;
    use crate::params::KOALA_BEAR;
    use crate::template::TemplateSet;
    use crate::term::tape::Tape;
    use std::path::Path;

    /// A body is all that is asked for what it computes: it has no names that somebody could know
    /// otherwise, or not at all. Where a lane holds two elements, both have the constant.
    #[test]
    fn constants_are_words_of_the_body() {
        let templates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../templates");
        let templates = TemplateSet::load(&templates).unwrap();
        let p = u128::from(KOALA_BEAR.modulus);
        for (target, twice) in [(Target::Scalar, false), (Target::Avx2, true)] {
            let lane = |x: u128| if twice { x << 32 | x } else { x };
            let op = MacroOp::Canonicalise;
            let body = templates.render_body(target, &KOALA_BEAR, op).unwrap().body;
            let words: Vec<u64> = body.constants().map(|(named, _)| named.word).collect();
            assert_eq!(words, [lane(p) as u64], "{target:?}");
            let computed = Tape::new(&body.terms(&body.variables()), 1);
            assert_eq!(computed.eval(&[lane(p + 5)]), [lane(5)], "{target:?}");
        }
    }
}
