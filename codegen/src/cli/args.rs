//! The command line as clap reads it.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use super::vendor;

const EXAMPLES: &str = "\
Examples:
  codegen --isa neon --width 12 --batch 2    generate that kernel, tell what was decided and why
  codegen generate --all                     generate everything that the specs ask for
  codegen diff                               what would change, by instruction
  codegen sites w8_neon_b2                   every addition, its ranges, bound and verdict
  codegen explain w8_neon_b2 internal.rc     how one verdict is derived
  codegen check                              is everything under generated/ as it would be made?
  codegen vendor --into DIR                  kernels inside a copy of Plonky3's p3-goldilocks

A first tour: run the first example, open the file it names and the certificate beside it; change
a line of a template under templates/neon/, run `codegen diff`, and see whether the prover agrees.

Kernels are timed, and the fastest chosen for each CPU, by `cargo run -p tune -- --help`.

Exit codes: 0 done; 1 `check` found a difference; 2 bad input, nothing was written.";

const VENDOR: &str = "\
The crate's own `Poseidon2Goldilocks` uses them from then on; which of them is decided at compile
time, by target features, as the crate decides everything. Kernels, certificates and a record go
into folders `poseidon2_generated`; five files of the crate are edited in a few places, and the diff
is printed. Width 20 and other numbers of rounds stay with the crate's own implementation, which is
then called `Poseidon2GoldilocksStock`.

  cp -r ~/.cargo/registry/src/*/p3-goldilocks-0.8.0 vendored
  codegen vendor --into vendored             write them, print the diff
  codegen vendor --into vendored --check     are they current? exit code 1 if not
  codegen vendor --into vendored --remove    take them out; the crate is as it was, byte for byte

and in the Cargo.toml of the program that is to use them:

  [patch.crates-io]
  p3-goldilocks = { path = \"vendored\" }

By name, one or several: --kernels w8_avx2_b1,w8_neon_b1; places without a kernel stay as they are.
More in docs/vendoring.md.";

/// Generates proved Poseidon2 kernels from declarative specs.
///
/// A spec (codegen/specs/*.toml) asks for kernels and claims where a canonicalisation may be left
/// out; the prover derives each claim or refuses it; templates (templates/) speak the machine's
/// language; the result goes to generated/, each kernel with its certificate. Without a verb the
/// kernels that match the flags are generated.
#[derive(Debug, Parser)]
#[command(
    name = "codegen",
    version,
    after_help = EXAMPLES,
    after_long_help = EXAMPLES,
    arg_required_else_help = true,
    disable_help_subcommand = true,
    max_term_width = 100
)]
pub(super) struct Cli {
    #[command(subcommand)]
    pub(super) verb: Option<Verb>,
    #[command(flatten)]
    pub(super) selection: Option<Selection>,
    #[command(flatten)]
    pub(super) output: Option<Output>,
    #[command(flatten)]
    pub(super) places: Places,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(super) enum Verb {
    /// Generate kernels: all of them, or those that match the flags.
    #[command(after_help = "\
Writes only what changed, everything or nothing. With --all, files that no spec asks for any more
are deleted; a file that codegen did not write is never touched.")]
    Generate {
        /// Everything the specs ask for, the crate around it and the table in the README.
        #[arg(long, conflicts_with_all = ["stdout", "selection"])]
        all: bool,
        #[command(flatten)]
        selection: Selection,
        #[command(flatten)]
        output: Output,
    },
    /// Is everything in the output folder as it would be generated? Writes nothing.
    #[command(after_help = "\
Names each file that is stale, missing, orphaned or edited by hand, and the command that mends it.
Exit code 1 if there is one.")]
    Check,
    /// What would change, by instruction: added, removed, moved, and counts by mnemonic.
    #[command(after_help = "\
Also shows what generation refuses, a template without its proof for instance, and says so.")]
    Diff {
        /// A kernel, in full or its last part; without it all of them.
        kernel: Option<String>,
    },
    /// Every add-site of a kernel: exact ranges, the bound it needs, the claim, the verdict.
    Sites {
        /// The kernel, in full (plonky3/goldilocks/w8_neon_b2) or its last part if that is unique.
        kernel: String,
    },
    /// How the verdict on one add-site is derived, step by step.
    Explain {
        /// The kernel, in full (plonky3/goldilocks/w8_neon_b2) or its last part if that is unique.
        kernel: String,
        /// The site, as `sites` lists it.
        site: String,
    },
    /// Prove that every template keeps its macro-op's contract, and record it.
    #[command(after_help = "\
Proves what codegen/lemmas.json does not record, with z3, and writes that file; build again
afterwards. Proving everything anew takes a few minutes.")]
    Prove {
        /// Everything anew, recorded or not.
        #[arg(long)]
        force: bool,
    },
    /// Put kernels into a checkout of Plonky3's p3-goldilocks, or take them out again.
    #[command(after_help = VENDOR)]
    Vendor(vendor::Request),
    /// The kernels that the specs ask for: features, proofs, counts.
    #[command(after_help = "\
Counts are those of the last generation; a kernel that was not generated yet has none.")]
    List {
        /// As JSON, one object for each kernel.
        #[arg(long)]
        json: bool,
    },
}

/// Which kernels.
#[derive(Clone, Debug, Default, Args)]
#[group(id = "selection", multiple = true)]
#[command(next_help_heading = "Which kernels")]
pub struct Selection {
    /// The field [default: goldilocks, or that of --spec].
    #[arg(long, value_name = "NAME")]
    pub field: Option<String>,
    /// Elements in a state: 8, 12 or 16.
    #[arg(long, value_name = "N")]
    pub width: Option<String>,
    /// Instruction set: scalar, x86_64, neon, avx2, avx512 or avx512ifma.
    #[arg(long, value_name = "NAME")]
    pub isa: Option<String>,
    /// Where states live: registers or lanes [default: all that the ISA has].
    #[arg(long, value_name = "NAME")]
    pub layout: Option<String>,
    /// Interleaved groups of states: 1, 2 or 4.
    #[arg(long, value_name = "N")]
    pub batch: Option<String>,
    /// How values are represented and reduced: eager.
    #[arg(long, value_name = "NAME")]
    pub strategy: Option<String>,
}

/// What to do with them.
#[derive(Clone, Debug, Default, Args)]
#[group(id = "output", multiple = true)]
#[command(next_help_heading = "What to do with them")]
pub struct Output {
    /// Print the kernels and write nothing.
    #[arg(long)]
    pub stdout: bool,
    /// First write the largest set of claims that can be proved into the spec.
    #[arg(long)]
    pub infer: bool,
}

/// Where things are.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Where things are")]
pub struct Places {
    /// One spec, in place of all under codegen/specs/.
    #[arg(long, value_name = "FILE", global = true)]
    pub spec: Option<PathBuf>,
    /// Templates, in place of templates/.
    #[arg(long, value_name = "DIR", global = true)]
    pub templates: Option<PathBuf>,
    /// The folder to write to, in place of generated/.
    #[arg(long, value_name = "DIR", global = true)]
    pub out: Option<PathBuf>,
}
