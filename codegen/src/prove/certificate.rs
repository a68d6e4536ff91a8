//! Certificates: the program as text, for the independent checker in `verify`, and the proof beside
//! it, for people.
//!
//! What follows a `#` is the proof: ranges, the reasons for what is left out, bounds and what is
//! reached of them. The checker derives all of it anew and reads the rest, one macro-op a line.
//!
//! ```text
//! v8 = canonicalise v0  # external[*].mds.block[0].t01, 0 ..= 0xffffffff00000000
//! v9 = add v8 v1  # external[*].mds.block[0].t01, 0 ..= 2^64-1
//! #   a + b < 2^64 + p: 36893488143124135935 < 36893488143124135937
//! #   a is canonicalised here
//! ```
//!
//! An operand whose canonicalisation is left out has the reason there instead.

use super::{Proved, SiteProof};
use crate::arith::{Operation, Treatment};
use crate::ops::{MacroOp, NeedLeft};
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
        let runs = self.program.runs().map(|run| run.len().to_string());
        writeln!(f, "poseidon2-certificate 2")?;
        writeln!(f, "program {name}")?;
        writeln!(f, "parameter-set {}", instance.parameter_set)?;
        writeln!(f, "field {}", field.name)?;
        writeln!(f, "width {}", instance.width)?;
        writeln!(f, "external-rounds {}", instance.external_rounds)?;
        writeln!(f, "internal-rounds {}", instance.internal_rounds)?;
        writeln!(f, "alpha {}", instance.alpha)?;
        writeln!(f, "diagonal {}", diagonal.join(" "))?;
        writeln!(f, "parts {}", self.program.parts)?;
        if self.program.words != field {
            writeln!(f, "words {}", self.program.words.family)?;
        }
        writeln!(f, "runs {}", runs.collect::<Vec<_>>().join(" "))?;
        let (sites, elided) = (self.sites.len(), self.elided());
        writeln!(
            f,
            "# of {sites} sites {elided} canonicalise nothing; {} canonicalisations are executed",
            self.executed_canonicalisations()
        )?;
        for (index, block) in self.program.blocks.iter().enumerate() {
            let ranges = self.ranges(index);
            let sites = || self.sites.iter().filter(|site| site.block == index);
            let executions = self.program.executions(block.kind);
            writeln!(
                f,
                "\nblock {}  # executions: {executions}",
                block.kind.name()
            )?;
            for (n, (input, range)) in block.inputs.iter().zip(ranges).enumerate() {
                writeln!(f, "# v{n} is {input}, {range}")?;
            }
            for operation in block.operations.iter().filter(|o| o.is_coded()) {
                let results: Vec<String> = operation.results().map(|v| v.to_string()).collect();
                write!(f, "{} = {}", results.join(" "), operation.op)?;
                for operand in &operation.operands {
                    write!(f, " {operand}")?;
                }
                write!(f, "  # {}", operation.name)?;
                for result in operation.results() {
                    write!(f, ", {}", ranges[result.index()])?;
                }
                writeln!(f)?;
                if operation.op != MacroOp::Canonicalise {
                    let site = sites().find(|site| site.name == operation.name);
                    site.map_or(Ok(()), |site| write_site(f, site))?;
                }
            }
            for site in sites().filter(|site| site.op == "return") {
                write_site(f, site)?;
            }
            let outputs: Vec<String> = block.outputs.iter().map(ToString::to_string).collect();
            writeln!(f, "output {}", outputs.join(" "))?;
        }
        Ok(())
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
    for need in &site.needs {
        let (text, bound, reached) = (need.text, need.bound, need.reached(&site.operands).0);
        match need.left {
            NeedLeft::Carry => writeln!(f, "#   {text}")?,
            _ => writeln!(f, "#   {text}: {reached} < {bound}")?,
        }
    }
    for (letter, treatment) in site.letters().iter().zip(&site.treatments) {
        match treatment {
            Treatment::AsIs => {}
            Treatment::Canonicalised => writeln!(f, "#   {letter} is canonicalised here")?,
            Treatment::Elided(claim) => {
                let mut claims = site.claims.iter();
                let (_, reason) = claims.find(|(c, _)| c == claim).expect("discharged");
                writeln!(f, "#   {reason}")?;
            }
        }
    }
    Ok(())
}
