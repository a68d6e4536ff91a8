//! The command line.

use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, Parser, Subcommand};

/// Tests every kernel on every host that this machine is or can emulate, and ends with the ledger.
#[derive(Debug, Parser)]
#[command(
    name = "verify",
    bin_name = "cargo verify",
    version,
    args_conflicts_with_subcommands = true
)]
pub(super) struct Cli {
    /// What to do [default: everything].
    #[command(subcommand)]
    pub(super) verb: Option<Verb>,

    #[command(flatten)]
    pub(super) runs: Runs,

    #[command(flatten)]
    pub(super) emulated: Emulated,

    /// Multiply the time limits after which a program is ended and named.
    #[arg(long, global = true, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub(super) patience: u32,
}

/// Where random words come from.
#[derive(Args, Clone, Debug)]
pub(super) struct Seed {
    /// Seed of the random cases; printed in the ledger, drawn from the clock if not given.
    #[arg(long = "seed", value_name = "SEED")]
    given: Option<u64>,
}

impl Seed {
    /// The one that was given, or the clock.
    pub(super) fn value(&self) -> u64 {
        self.given.unwrap_or_else(|| {
            let since = SystemTime::now().duration_since(UNIX_EPOCH);
            let since = since.unwrap_or_default();
            u64::from(since.subsec_nanos()) ^ since.as_secs() << 20
        })
    }
}

/// How much the kernel suite does.
#[derive(Args, Clone, Debug)]
pub(super) struct Runs {
    #[command(flatten)]
    pub(super) seed: Seed,

    /// Random cases for each kernel [default: `PROPTEST_CASES`, or 1000; a tenth of that where kernels are
    /// emulated].
    #[arg(long)]
    pub(super) cases: Option<u32>,

    /// Also what takes too long for every change: as many random cases where kernels are emulated, 32-bit
    /// RISC-V; and if everything is tested, the test suite on emulated Arm, and kernels inside p3-goldilocks.
    #[arg(long, conflicts_with = "cases")]
    pub(super) thorough: bool,
}

/// What is emulated.
#[derive(Args, Clone, Debug)]
pub(super) struct Emulated {
    /// Leave out emulated Arm; its kernels are then "not run" in the ledger.
    #[arg(long)]
    pub(super) no_arm: bool,
}

/// Parts of the whole.
#[derive(Debug, Subcommand)]
pub(super) enum Verb {
    /// Install what is needed, where that is allowed; say what is missing, where it is not.
    Setup {
        /// Also what `benches model` needs: llvm-mca.
        #[arg(long)]
        model: bool,
        #[command(flatten)]
        emulated: Emulated,
    },
    /// Check the certificates and score the mutants alone.
    Proofs,
    /// Prove of every macro's body, from the text of the kernels, that it does what its macro-op gives.
    Lemmas {
        /// Who proves: some of z3, bitwuzla and cvc5, by commas; each must prove everything.
        #[arg(
            long,
            value_delimiter = ',',
            default_value = checker::SOLVERS[0],
            value_parser = clap::builder::PossibleValuesParser::new(checker::SOLVERS),
            value_name = "NAME"
        )]
        solver: Vec<String>,
    },
    /// Read certificates, kernels, specs and templates that are wrong at random: nothing may panic,
    /// overflow the stack, or take more than bounded time and memory.
    Fuzz {
        #[command(flatten)]
        seed: Seed,
        /// For so many seconds of its own time: it leaves the machine to others.
        #[arg(long, default_value_t = 60, value_name = "N")]
        seconds: u64,
        /// Read this one input of `--seed` alone.
        #[arg(long, value_name = "N")]
        input: Option<u64>,
        /// Read all inputs from that one on, and write into this file which it is at.
        #[arg(long, hide = true, requires = "input")]
        worker: Option<PathBuf>,
    },
    /// Count the lines that have to be believed if the proofs are.
    Trusted,
    /// Execute every instruction of the tables by itself, and compare it with its meaning.
    Instructions {
        #[command(flatten)]
        seed: Seed,
        #[command(flatten)]
        emulated: Emulated,
    },
    /// Vendor the kernels into copies of Plonky3's field crates, run their test suites and Clippy, and compare a
    /// proof made with a copy with one made without; or, with `--plonky3`, do the same, without Clippy, for our
    /// crate beside published versions of Plonky3.
    DropIn {
        /// Vendor into these crates, separated by commas: p3-goldilocks@0.8.0; p3-baby-bear and
        /// p3-koala-bear, @0.8.0 or @0.4.3.
        #[arg(
            long,
            value_delimiter = ',',
            default_value = "p3-goldilocks@0.8.0",
            value_parser = super::drop_in::package,
            value_name = "NAME@VERSION"
        )]
        crates: Vec<&'static vendor::Package>,
        /// Instead build the README's program and one that proves against these versions, separated by
        /// commas, with Plonky3's types and with ours, and compare the roots and proofs.
        #[arg(
            long,
            conflicts_with = "crates",
            value_delimiter = ',',
            value_parser = clap::builder::PossibleValuesParser::new(super::versions::NAMES),
            value_name = "VERSION"
        )]
        plonky3: Vec<String>,
        #[command(flatten)]
        emulated: Emulated,
    },
    /// Build programs in C and C++ with the C interface, run them, and compare what they find.
    C {
        #[command(flatten)]
        emulated: Emulated,
    },
    /// Build the page of `poseidon2-kernels/examples/browser`, open it in headless Chromium, and compare
    /// what it says of files with what the example `merkle_root` says.
    Browser {
        /// Only build it, into this folder.
        #[arg(long, value_name = "FOLDER")]
        into: Option<PathBuf>,
    },
    /// Build the programs of `poseidon2-kernels/examples/pico2` with openings by the example `merkle_root`, run
    /// the one for an emulated Cortex-M33, and tell how much flash and stack they need.
    Pico2,
    /// Make a crate of each spec in `codegen/instances`, and run its kernels on the answers that are
    /// known from outside.
    Instances {
        #[command(flatten)]
        only: Only,
        /// Judge every mutant of their programs that keep elements in parts, and run no kernel.
        #[arg(long)]
        mutants: bool,
        #[command(flatten)]
        emulated: Emulated,
    },
    /// Run all cases on the kernels of 32-bit RISC-V, in qemu, and count the instructions of a call of each
    /// and of Plonky3's own permutations.
    Rv32 {
        /// Write the counts to a file that `cargo run -p tune -- --figures` reads.
        #[arg(long, value_name = "FILE")]
        json: Option<PathBuf>,
        #[command(flatten)]
        runs: Runs,
    },
    /// Run all cases on the kernels of 32-bit Arm, compiled for a Cortex-M33, in qemu, and count the instructions
    /// of a call of each and of Plonky3's own permutations, and what cycles they would take.
    Armv8m {
        /// Write the cycles to a file that `cargo run -p tune -- --figures` reads.
        #[arg(long, value_name = "FILE")]
        json: Option<PathBuf>,
        #[command(flatten)]
        runs: Runs,
    },
    /// Run the kernel suite alone.
    Kernels {
        #[command(flatten)]
        only: Only,
        #[command(flatten)]
        runs: Runs,
        #[command(flatten)]
        emulated: Emulated,
    },
    /// Count the instructions that one call of a NEON or scalar kernel executes on Arm, in qemu.
    /// `peer/goldilocks/w8` is Plonky3's own kernel, `peer/goldilocks/w8_lanes` its packed one.
    Executed {
        /// The kernels' names, such as `plonky3/goldilocks/w8_neon_b1`.
        #[arg(required = true)]
        kernels: Vec<String>,
        /// Write the instructions themselves into this folder, a file for each kernel, one a line.
        #[arg(long, value_name = "FOLDER")]
        streams: Option<PathBuf>,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
}

/// Which ones to take; all, if there are no parts.
#[derive(Args, Clone, Debug)]
pub(super) struct Only {
    /// Only those whose names contain one of these, separated by commas.
    #[arg(
        long = "only",
        value_name = "PART",
        value_delimiter = ',',
        value_parser = NonEmptyStringValueParser::new()
    )]
    pub(super) parts: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> Option<Vec<String>> {
        let cli = Cli::try_parse_from(["verify", "kernels", "--only", text]).ok()?;
        let Some(Verb::Kernels { only, .. }) = cli.verb else {
            return None;
        };
        Some(only.parts)
    }

    /// Options of the whole before a verb would be ignored.
    #[test]
    fn a_verb_takes_the_options_that_it_uses() {
        let refused =
            |arguments: &[&str]| Cli::try_parse_from(["verify"].iter().chain(arguments)).is_err();
        assert!(refused(&["trusted", "--seed", "1"]) && refused(&["c", "--cases", "1"]));
        assert!(refused(&["--seed", "1", "kernels"]));
        assert!(!refused(&[
            "kernels",
            "--seed",
            "1",
            "--no-arm",
            "--patience",
            "2"
        ]));
        assert!(!refused(&["--seed", "1", "--no-arm"]) && !refused(&["fuzz", "--seed", "1"]));
    }

    #[test]
    fn an_empty_part_would_be_in_every_name_and_is_refused() {
        assert_eq!(
            parts("w8_neon,avx2"),
            Some(vec!["w8_neon".into(), "avx2".into()])
        );
        for empty in ["", "w8_neon,", ",w8_neon", "w8_neon,,avx2"] {
            assert_eq!(parts(empty), None, "{empty:?}");
        }
    }
}
