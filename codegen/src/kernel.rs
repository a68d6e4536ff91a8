//! What the pipeline produces for one kernel: text, certificate, and everything worth reporting.

mod code;

use std::collections::BTreeMap;
use std::sync::Arc;

pub use code::code_hash;

use serde::{Deserialize, Serialize};

use crate::names::{Isa, Operand, Strategy};
use crate::ops::Range;
use crate::params::{Field, Instance};
use crate::spec::KernelSpec;

/// One finished kernel.
#[derive(Clone, Debug)]
pub struct Generated {
    /// Its description.
    pub info: KernelInfo,
    /// The Rust file, formatted, without the ownership header (which [`crate::emit`] adds).
    pub source: String,
    /// The program that it executes.
    pub program: Arc<ProgramFiles>,
}

/// What is written once for all kernels of a program. Paths are relative to the generated crate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProgramFiles {
    /// Name: `plonky3/goldilocks/w8_columns`.
    pub name: String,
    /// Path of the certificate.
    pub path: String,
    /// The certificate, without the ownership header.
    pub certificate: String,
    /// The module that prepares constants, which all programs of the field by the strategy share: path
    /// and text.
    pub preparation: Option<(String, String)>,
    /// The add-sites, in the order of the program.
    pub sites: Vec<SiteReport>,
}

/// One kernel, described for the manifest, the registry and people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelInfo {
    /// Full name, such as `plonky3/goldilocks/w8_neon_b2`; see [`kernel_name`].
    pub name: String,
    /// Named parameter set.
    pub parameter_set: String,
    /// Field.
    pub field: String,
    /// Elements in a state.
    pub width: usize,
    /// External rounds, both halves together.
    pub external_rounds: usize,
    /// Internal rounds.
    pub internal_rounds: usize,
    /// Instruction set.
    pub isa: String,
    /// Where states live.
    pub layout: String,
    /// How values are represented and reduced.
    pub strategy: String,
    /// Interleaved groups of states.
    pub batch: usize,
    /// States in one group.
    pub lanes: usize,
    /// CPU features it needs, in the spelling of `target_feature`.
    pub features: Vec<String>,
    /// The architecture it compiles for, in the spelling of `target_arch`; none: all of them.
    pub target_arch: Option<String>,
    /// Bits of the word that holds one element.
    pub word_bits: u32,
    /// Words that stand for one round constant: 1, or those that preparation makes of it.
    #[serde(default = "one")]
    pub parts: usize,
    /// The module that prepares round constants; none: kernels read them as they are.
    pub preparation: Option<String>,
    /// The hash of its code: of the tokens of its file, without comments. It tells whether figures
    /// are of this code, whatever its headers say.
    pub code: String,
    /// Path of the Rust file, relative to the generated crate.
    pub file: String,
    /// Path of its program's certificate, relative to the generated crate.
    pub certificate: String,
    /// Add-sites in total.
    pub sites: usize,
    /// Sites whose canonicalisation is left out.
    pub elided: usize,
    /// Sites whose canonicalisation is kept.
    pub kept: usize,
    /// Instructions that one call executes, by class.
    pub counts: BTreeMap<String, u64>,
}

fn one() -> usize {
    1
}

/// The entry of [`KernelInfo::counts`] that is no class of instructions: canonicalisations.
pub const CANONICALISATIONS: &str = "canonicalisations";

impl KernelInfo {
    /// Its permutation's [`Instance::key`].
    #[must_use]
    pub fn instance(&self) -> (&str, &str, usize) {
        (&self.parameter_set, &self.field, self.width)
    }

    /// The files that it is made of, relative to the generated crate.
    pub fn files(&self) -> impl Iterator<Item = String> {
        let preparation = self.preparation.as_deref().map(source_path);
        let own = [self.file.clone(), self.certificate.clone()];
        own.into_iter().chain(preparation)
    }

    /// The architecture that it is not compiled for, though it is for every other.
    #[must_use]
    pub fn except(&self) -> Option<&'static str> {
        let (isa, strategy) = (self.isa.parse::<Isa>(), self.strategy.parse());
        isa.ok()?.except(strategy.ok()?)
    }

    /// Whether it is compiled for an architecture.
    #[must_use]
    pub fn is_for(&self, arch: &str) -> bool {
        match &self.target_arch {
            Some(own) => own == arch,
            None => self.except() != Some(arch),
        }
    }

    /// Independent states permuted by one call.
    #[must_use]
    pub const fn states(&self) -> usize {
        self.batch * self.lanes
    }

    /// Instructions that one call executes, by class.
    pub fn classes(&self) -> impl Iterator<Item = (&str, u64)> {
        let classes = self.counts.iter().map(|(class, n)| (class.as_str(), *n));
        classes.filter(|(class, _)| *class != CANONICALISATIONS)
    }

    /// Instructions that one call executes: arithmetic, without loads, stores and control flow.
    #[must_use]
    pub fn instructions(&self) -> u64 {
        self.classes().map(|(_, n)| n).sum()
    }

    /// The same for each state that it permutes.
    #[must_use]
    pub fn instructions_each(&self) -> u64 {
        self.instructions() / self.states().max(1) as u64
    }
}

/// What was decided at one add-site, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteReport {
    /// Stable name, such as `external[*].mds.sum[2].0`.
    pub name: String,
    /// Name of the block it belongs to, such as `external-linear`.
    pub block: String,
    /// The operation, such as `add`; `return` where an output returns to the range between blocks.
    pub op: String,
    /// Exact range of the left operand, as the operation reads it.
    pub a: Range,
    /// Exact range of the right operand, as the operation reads it.
    pub b: Range,
    /// What the operation needs, such as `a + b < 2^64 + p`.
    pub bound: String,
    /// What the spec says about the site; empty if it says nothing.
    pub claim: String,
    /// What was decided.
    pub verdict: Verdict,
    /// Why, in one line.
    pub reason: String,
    /// The derivation, one step a line.
    pub derivation: Vec<String>,
}

/// What was decided at an add-site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No canonicalisation: proved unneeded.
    Elided,
    /// A canonicalisation is done.
    Kept {
        /// On this operand.
        operand: Operand,
    },
}

/// The full name of a kernel, which is also its module path: `plonky3/goldilocks/w8_neon_b2`.
///
/// The layout is left out if it is the ISA's default, the strategy if it is the default one.
#[must_use]
pub fn kernel_name(instance: &Instance, kernel: &KernelSpec, batch: usize) -> String {
    let mut leaf = format!("w{}_{}", instance.width, kernel.isa);
    if kernel.layout != kernel.isa.default_layout() {
        leaf.push('_');
        leaf.push_str(kernel.layout.name());
    }
    if kernel.strategy != Strategy::DEFAULT {
        leaf.push('_');
        leaf.push_str(kernel.strategy.name());
    }
    format!("{}/{leaf}_b{batch}", instance.folder())
}

/// The module that prepares constants of a field for a strategy.
#[must_use]
pub fn preparation_module(field: &Field, strategy: Strategy) -> String {
    format!("{}_{strategy}", field.module())
}

/// Path of a kernel's Rust file, relative to the generated crate.
#[must_use]
pub fn source_path(name: &str) -> String {
    format!("src/{name}.rs")
}

/// Path of a program's certificate, relative to the generated crate.
#[must_use]
pub fn proof_path(program: &str) -> String {
    format!("proofs/{program}.cert")
}
