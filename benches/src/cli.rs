//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::cell::Filter;
use crate::flags::{Lto, TargetCpu};

/// Our kernels and Plonky3's, side by side.
#[derive(Debug, Parser)]
#[command(
    name = "benches",
    bin_name = "cargo run -p benches --release --",
    version,
    after_help = "For one kernel in detail: cargo bench -p shapes -- w8_scalar_redc_b1"
)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub verb: Verb,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Time every kernel that this CPU can run against Plonky3, in turns, in one process.
    #[command(after_help = COMPARE)]
    Compare(Compare),
    /// Model what kernels and Plonky3 take on Arm cores, from the instructions they execute.
    #[command(after_help = MODEL)]
    Model(Model),
}

const COMPARE: &str = "\
How: for each instruction set, the measuring process is built with the CPU flags that make Plonky3
use it too (its packed types are chosen when it is compiled). There, a kernel and Plonky3 do the same
work; only if they come to the same result do they take turns, at least 21 each. Figures are medians
in nanoseconds per permutation, the interval is that of the quartiles, the spread its width.

The ratio is Plonky3's time divided by ours. It is a claim only if the intervals do not overlap and the
spread is below 3 %: otherwise the table says `overlap`, or `(1.23) noisy`.

Shapes:
  independent   an array of 1024 states, each permuted in place; Plonky3 uses its packed type
  chain         the states of one call, again and again; against one state of Plonky3's, if the
                kernel's layout has one state to a group, against one packed one otherwise
  merkle-14     2-to-1 compression, layer by layer, of 2^14 leaves; also -16 and -18
  natural, external-initial, internal, external-final
                the whole as a chain, and its phases apart: `--shape phases` for the four of them
  `merkle` and `phases` stand for all of their kind.

Examples:
  cargo run -p benches --release -- compare --quick
  cargo run -p benches --release -- compare --isa avx2,avx512 --width 8 --shape independent,merkle
  cargo run -p benches --release -- compare --target-cpu avx512=native --json figures.json
  cargo run -p benches --release -- compare --shape independent,chain \
      --spec codegen/instances/plonky3_poseidon1-goldilocks-w8.toml";

const MODEL: &str = "\
How: the kernels and Plonky3's permutations are built for aarch64 and run under qemu, which tells
each instruction that one call executes; llvm-mca tells the cycles that this stream takes on a core.
That is a model: no cache misses, no branches, and a scheduling table instead of a machine. What is
missing is installed where that is allowed (Debian packages, as root), and asked for where it is not.

Examples:
  cargo run -p benches --release -- model
  cargo run -p benches --release -- model --width 8 --core neoverse-n1 --json model.json";

/// Options of `compare`.
#[derive(Debug, Args)]
pub struct Compare {
    /// Which kernels and shapes.
    #[command(flatten)]
    pub selection: Selection,

    /// Which shapes [default: all].
    #[arg(long, value_delimiter = ',')]
    pub shape: Vec<String>,

    /// End within a minute of the builds: what does not fit is not run.
    #[arg(long)]
    pub quick: bool,

    /// Seconds to measure for; 0: as long as it takes.
    #[arg(
        long,
        default_value_t = 180,
        value_parser = clap::value_parser!(u64).range(..=86_400),
        conflicts_with = "quick"
    )]
    pub seconds: u64,

    /// Make other states to begin with.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,

    /// Write an array of records to this file.
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,

    /// Write tables and plots to this file.
    #[arg(long, value_name = "FILE", default_value = "report.html")]
    pub report: PathBuf,

    /// Time the kernels that `codegen package` makes of this spec, in place of those that ship: one of
    /// Plonky3's Poseidon1, as there is nothing to compare others with.
    #[arg(long, value_name = "FILE")]
    pub spec: Option<PathBuf>,

    /// Tell the compiler another CPU for the kernels of an instruction set; may be repeated.
    #[arg(long, value_name = "ISA=CPU")]
    pub target_cpu: Vec<TargetCpu>,

    /// Link-time optimisation of the measuring process.
    #[arg(long, default_value = "thin")]
    pub lto: Lto,
}

/// Options of `model`.
#[derive(Debug, Args)]
pub struct Model {
    /// Which kernels.
    #[command(flatten)]
    pub selection: Selection,

    /// Which cores, by the names that LLVM has for them.
    #[arg(long, value_delimiter = ',', default_values = ["neoverse-n1", "neoverse-v2"])]
    pub core: Vec<String>,

    /// Write an array of records to this file.
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}

/// Which kernels: each option takes several values, separated by commas.
#[derive(Debug, Args)]
pub struct Selection {
    /// Which fields [default: all].
    #[arg(long, value_delimiter = ',')]
    pub field: Vec<String>,

    /// Which widths [default: all].
    #[arg(long, value_delimiter = ',')]
    pub width: Vec<usize>,

    /// Which instruction sets [default: all].
    #[arg(long, value_delimiter = ',')]
    pub isa: Vec<String>,

    /// Which batches [default: all].
    #[arg(long, value_delimiter = ',')]
    pub batch: Vec<usize>,

    /// Which strategies [default: all].
    #[arg(long, value_delimiter = ',')]
    pub strategy: Vec<String>,
}

impl Selection {
    /// The filter that it describes, for these shapes.
    #[must_use]
    pub fn filter(&self, shapes: &[String]) -> Filter {
        Filter {
            fields: self.field.clone(),
            widths: self.width.clone(),
            isas: self.isa.clone(),
            batches: self.batch.clone(),
            strategies: self.strategy.clone(),
            shapes: shapes.to_vec(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn lists_are_separated_by_commas() {
        let arguments = [
            "benches",
            "compare",
            "--width",
            "8,12",
            "--shape",
            "merkle,chain",
        ];
        let cli = Cli::parse_from(arguments);
        let Verb::Compare(compare) = cli.verb else {
            panic!("another verb");
        };
        let filter = compare.selection.filter(&compare.shape);
        assert_eq!(filter.widths, [8, 12]);
        assert_eq!(filter.shapes, ["merkle", "chain"]);
    }

    #[test]
    fn more_than_a_day_is_refused() {
        let seconds = |seconds| Cli::try_parse_from(["benches", "compare", "--seconds", seconds]);
        assert!(seconds("86400").is_ok());
        let refused = seconds("18446744073709551615").expect_err("it is too long");
        assert!(refused.to_string().contains("86400"), "{refused}");
    }

    #[test]
    fn help() {
        let compare = Cli::command()
            .find_subcommand_mut("compare")
            .map(|c| c.render_help());
        let model = Cli::command()
            .find_subcommand_mut("model")
            .map(|c| c.render_help());
        let both = [compare, model].map(|help| help.expect("a verb").to_string());
        insta::assert_snapshot!(both.join("\n\n"));
    }
}
