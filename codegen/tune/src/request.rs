//! What is asked for.

use std::path::{Path, PathBuf};

use clap::Args;

pub(crate) const HELP: &str = "\
Examples:
  cargo run -p tune -- --all                                      everything, in under ten minutes
  cargo run -p tune -- --all --cpu NAME                           on a CPU without a table: starts one
  cargo run -p tune -- --field goldilocks --width 8 --isa avx2    one cell, other settings too
  cargo run -p tune -- --isa neon --model neoverse-n1             for a core that is not here
  cargo run -p tune -- --figures FILE --cpu zen4                  what `benches compare --json` wrote
  cargo run -p tune -- --status                                   what no table knows, what is stale

How it works: each kernel of the selection does the same work as Plonky3, in turns in one process, at
three workloads: chain (the states of one call, again and again), independent (an array of states,
each once), merkle (2-to-1 compression, layer by layer). Only proved kernels are built, and only those
whose results are right are timed.

What is used: of the kernels that permute as many states in a call, the fastest; a larger one only if
it is faster for each permutation than all smaller ones, by 3 % and by more than the spreads of both.
Seed, command, compiler and CPU stand beside the figures, and the hash of the code that was timed: a
kernel whose code changes later is reported as stale, by this command and by `codegen generate`.

With a field, width or instruction set given, kernels are also tried with other numbers of S-boxes that
an external round interleaves (`sboxes` in a spec), in a copy of the workspace under target/tune. What
is better is printed; --write puts it into the spec and generates. --all times what the specs ask
for, and models the tables of cores that are not here.

No machine is quiet enough: look at the spread, and run it again. docs/performance.md has the rest.

Exit codes: 0 done; 2 bad input or a failed measurement.";

/// What to tune.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Request {
    /// Every kernel of the specs that this CPU can run, and every modelled core; tries no other settings.
    #[arg(long, conflicts_with_all = ["field", "width", "isa", "model", "figures"])]
    pub(crate) all: bool,
    /// The field [default: all].
    #[arg(long, value_name = "NAME")]
    pub(crate) field: Option<String>,
    /// Elements in a state [default: all].
    #[arg(long, value_name = "N")]
    pub(crate) width: Option<String>,
    /// Instruction sets, separated by commas [default: all that this CPU or the core has].
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(crate) isa: Vec<String>,
    /// Model them on a core, by LLVM's name, in place of timing them here.
    #[arg(long, value_name = "CORE")]
    pub(crate) model: Option<String>,
    /// The CPU's name in the table, if there is none that knows it.
    #[arg(long, value_name = "NAME")]
    pub(crate) cpu: Option<String>,
    /// Measure for a minute only.
    #[arg(long)]
    pub(crate) quick: bool,
    /// Seconds to measure, besides the time for builds.
    #[arg(
        long,
        value_name = "N",
        default_value_t = 240,
        value_parser = clap::value_parser!(u64).range(..=86_400),
        conflicts_with = "quick"
    )]
    pub(crate) seconds: u64,
    /// Make other states to begin with.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Try no settings but those of the specs.
    #[arg(long)]
    pub(crate) as_specified: bool,
    /// Put better settings into the specs, and generate.
    #[arg(long)]
    pub(crate) write: bool,
    /// Time nothing: take the figures from a file that `benches compare --json` wrote, for the table
    /// that --cpu names (it must be there), or `benches model --json`, for that of --model. The command,
    /// seed, compiler and CPU that the file tells go into the table, too.
    #[arg(long, value_name = "FILE")]
    pub(crate) figures: Option<PathBuf>,
    /// Time nothing: decide anew by the figures of all tables, and write what follows from them.
    #[arg(long, conflicts_with_all = SELECTION)]
    pub(crate) decide: bool,
    /// Time nothing and write nothing: tell which kernels have no figures in which table, and which
    /// have changed since they were timed.
    #[arg(long, conflicts_with_all = SELECTION, conflicts_with = "decide")]
    pub(crate) status: bool,
}

/// What says what to time.
const SELECTION: [&str; 8] = [
    "all", "field", "width", "isa", "model", "cpu", "figures", "write",
];

impl Request {
    /// The command that was given.
    pub(crate) fn command(&self) -> String {
        let mut command = "cargo run -p tune --".to_owned();
        let mut flag = |name: &str, value: Option<String>| {
            if let Some(value) = value {
                command += &format!(" --{name} {value}");
            }
        };
        flag("field", self.field.clone());
        flag("width", self.width.clone());
        flag("isa", (!self.isa.is_empty()).then(|| self.isa.join(",")));
        flag("model", self.model.clone());
        flag("cpu", self.cpu.clone());
        // Where the file lies is nobody else's concern, and the seed is what it was made with.
        let figures = self.figures.as_deref().and_then(Path::file_name);
        flag(
            "figures",
            figures.map(|name| name.to_string_lossy().into_owned()),
        );
        let seed = self.figures.is_none().then(|| self.seed.to_string());
        flag("seed", seed);
        for (given, name) in [
            (self.all, "all"),
            (self.quick, "quick"),
            (self.as_specified, "as-specified"),
            (self.write, "write"),
        ] {
            if given {
                command += &format!(" --{name}");
            }
        }
        command
    }
}
