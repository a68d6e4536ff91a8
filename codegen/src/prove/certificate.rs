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
//! An operand whose canonicalisation is left out has the reason there instead. A bound of the result itself is
//! not repeated: its range says that it holds.

use super::{Proved, SiteProof};
use crate::arith::{Operation, Treatment};
use crate::ops::{Bound, MacroOp, Need, NeedLeft};
use std::fmt::{self, Write as _};

impl Proved {
    /// The certificate of the program, which is named by its strategy, or by what else tells it from others.
    #[must_use]
    pub fn certificate(&self, variant: &str) -> String {
        let mut text = String::new();
        self.write(variant, &mut text)
            .expect("writing to a string cannot fail");
        text
    }

    fn write(&self, variant: &str, f: &mut String) -> fmt::Result {
        let instance = &self.program.instance;
        let field = instance.field;
        let runs = self.program.runs().map(|run| run.len().to_string());
        writeln!(f, "poseidon2-certificate 2")?;
        writeln!(f, "program {}", instance.program(variant))?;
        f.push_str(&instance.head());
        writeln!(f, "parts {}", self.program.parts)?;
        if self.program.words != field {
            writeln!(f, "words {}", self.program.words.family)?;
        }
        writeln!(f, "runs {}", runs.collect::<Vec<_>>().join(" "))?;
        if let Some(growth) = &self.program.basis.growth {
            let factors = growth.factors.as_flattened().iter();
            let factors: Vec<_> = factors.map(ToString::to_string).collect();
            writeln!(f, "factors {}", factors.join(" "))?;
        }
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
            writeln!(f, "block {}  # executions: {executions}", block.kind.name())?;
            let inputs: Vec<_> = block.inputs.iter().zip(ranges).enumerate().collect();
            for inputs in inputs.chunks(4) {
                let inputs = inputs.iter();
                let inputs = inputs.map(|(n, (input, range))| format!("v{n} is {input}, {range}"));
                writeln!(f, "# {}", inputs.collect::<Vec<_>>().join("; "))?;
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
                let own = |site: &&SiteProof| site.name == operation.name;
                if operation.op != MacroOp::Canonicalise
                    && let Some(site) = sites().find(own)
                {
                    let row = self.program.contract(block.kind, operation.op).row;
                    let mut reasons = reasons(site, |need| !row.bounds_result(need));
                    reasons.try_for_each(|reason| write!(f, "; {reason}"))?;
                }
                writeln!(f)?;
            }
            for site in sites().filter(|site| site.op == "return") {
                let reasons: Vec<String> = reasons(site, |_| true).collect();
                writeln!(f, "# {}: {}", site.name, reasons.join("; "))?;
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

/// What a site needs and how it holds, of the needs that are told, and what becomes of its operands.
fn reasons(site: &SiteProof, told: impl Fn(&Need) -> bool) -> impl Iterator<Item = String> {
    let needs = site.needs.iter().filter(move |need| told(need));
    let needs = needs.map(|need| {
        let (text, bound, reached) = (need.text, need.bound, need.reached(&site.operands).0);
        match need.left {
            NeedLeft::Carry => text.to_owned(),
            _ => format!("{text}: {} < {}", Bound(reached), Bound(bound)),
        }
    });
    let treated = site.letters().iter().zip(&site.treatments);
    let treated = treated.filter_map(|(letter, treatment)| match treatment {
        Treatment::AsIs => None,
        Treatment::Canonicalised => Some(format!("{letter} is canonicalised here")),
        Treatment::Elided(claim) => {
            let mut claims = site.claims.iter();
            let (_, reason) = claims.find(|(c, _)| c == claim).expect("discharged");
            Some(reason.clone())
        }
    });
    needs.chain(treated)
}
