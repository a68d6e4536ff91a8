//! Certificates: the proof as text, for people and for the independent checker in `verify`.
//!
//! Line-based; the first word of a line says what it is. Ranges are decimal and inclusive.
//!
//! ```text
//! op v8 canonicalise v0 range 0 18446744069414584320 name external[*].mds.block[0].t01
//! op v9 add v8 v1 range 0 18446744073709551615 name external[*].mds.block[0].t01
//! site external[*].mds.block[0].t01 op add v8 v1
//!   need a + b < 2^64 + p reached 36893488143124135935 bound 36893488143124135937
//!   a kept: canonicalised here
//! ```
//!
//! An operand whose canonicalisation is left out has `elided:` in place of `kept:`, and the reason.

use super::{Proved, SiteProof};
use crate::arith::{Operation, Program, Treatment};
use crate::ops::{MacroOp, Range};
use std::fmt::{self, Write as _};

impl Proved {
    /// The certificate of the program, under a name.
    #[must_use]
    pub fn certificate(&self, name: &str) -> String {
        let mut text = String::new();
        self.write(name, &mut text)
            .expect("writing to a string cannot fail");
        text
    }

    fn write(&self, name: &str, f: &mut String) -> fmt::Result {
        let instance = &self.program.instance;
        let field = instance.field;
        let diagonal: Vec<String> = instance.diagonal.iter().map(ToString::to_string).collect();
        let boundary = Program::boundary(field);
        writeln!(f, "poseidon2-certificate 1")?;
        writeln!(f, "program {name}")?;
        writeln!(f, "parameter-set {}", instance.parameter_set)?;
        writeln!(f, "field {}", field.name)?;
        writeln!(f, "modulus {}", field.modulus)?;
        writeln!(f, "word-bits {}", field.word_bits())?;
        writeln!(f, "montgomery {}", field.is_montgomery())?;
        writeln!(f, "width {}", instance.width)?;
        writeln!(f, "external-rounds {}", instance.external_rounds)?;
        writeln!(f, "internal-rounds {}", instance.internal_rounds)?;
        writeln!(f, "alpha {}", instance.alpha)?;
        writeln!(f, "diagonal {}", diagonal.join(" "))?;
        writeln!(f, "boundary {} {}", boundary.lo, boundary.hi)?;
        if self.program.parts > 1 {
            writeln!(f, "parts {}", self.program.parts)?;
            for pair in &self.program.pairs {
                let (sum, difference) = (pair.sum, pair.difference);
                writeln!(f, "pair {sum} {difference} {}", pair.shift)?;
            }
        }
        for step in &self.program.flow {
            writeln!(f, "flow {step}")?;
        }
        for (index, block) in self.program.blocks.iter().enumerate() {
            let ranges = self.ranges(index);
            let sites = || self.sites.iter().filter(|site| site.block == index);
            writeln!(f)?;
            let executions = self.program.executions(block.kind);
            writeln!(f, "block {} executions {executions}", block.kind.name())?;
            for (n, (input, Range { lo, hi })) in block.inputs.iter().zip(ranges).enumerate() {
                writeln!(f, "input v{n} {input} range {lo} {hi}")?;
            }
            for operation in &block.operations {
                let Range { lo, hi } = ranges[operation.result.index()];
                write!(f, "op {} {}", operation.result, operation.op.template())?;
                if let Some(k) = operation.op.parameter() {
                    write!(f, " #{k}")?;
                }
                for operand in &operation.operands {
                    write!(f, " {operand}")?;
                }
                writeln!(f, " range {lo} {hi} name {}", operation.name)?;
                if operation.op != MacroOp::Canonicalise {
                    let site = sites().find(|site| site.name == operation.name);
                    site.map_or(Ok(()), |site| write_site(f, site))?;
                }
            }
            for site in sites().filter(|site| site.op == "return") {
                write_site(f, site)?;
            }
            for (place, value) in block.places().iter().zip(&block.outputs) {
                writeln!(f, "output {place} {value}")?;
            }
        }
        writeln!(f)?;
        writeln!(
            f,
            "sites {} elided {} kept {} assumed 0",
            self.sites.len(),
            self.elided(),
            self.kept()
        )?;
        writeln!(
            f,
            "executed-canonicalisations {}",
            self.executed_canonicalisations()
        )
    }

    /// Sites where no canonicalisation is left.
    #[must_use]
    pub fn elided(&self) -> usize {
        let elided = |site: &&SiteProof| site.kept().next().is_none();
        self.sites.iter().filter(elided).count()
    }

    /// Sites where a canonicalisation is kept.
    #[must_use]
    pub fn kept(&self) -> usize {
        self.sites.len() - self.elided()
    }

    /// Canonicalisations that one permutation of one state executes.
    #[must_use]
    pub fn executed_canonicalisations(&self) -> usize {
        let here = |operation: &&Operation| operation.op == MacroOp::Canonicalise;
        let blocks = self.program.blocks.iter();
        blocks
            .map(|b| b.operations.iter().filter(here).count() * self.program.executions(b.kind))
            .sum()
    }
}

fn write_site(f: &mut String, site: &SiteProof) -> fmt::Result {
    write!(f, "site {} op {}", site.name, site.op)?;
    for value in &site.values {
        write!(f, " {value}")?;
    }
    writeln!(f)?;
    for need in &site.needs {
        let (text, bound, reached) = (need.text, need.bound, need.reached(&site.operands).0);
        writeln!(f, "  need {text} reached {reached} bound {bound}")?;
    }
    for (letter, treatment) in site.letters().iter().zip(&site.treatments) {
        match treatment {
            Treatment::AsIs => {}
            Treatment::Canonicalised => writeln!(f, "  {letter} kept: canonicalised here")?,
            Treatment::Elided(claim) => {
                let mut claims = site.claims.iter();
                let (_, reason) = claims.find(|(c, _)| c == claim).expect("discharged");
                writeln!(f, "  {letter} elided: {reason}")?;
            }
        }
    }
    Ok(())
}
