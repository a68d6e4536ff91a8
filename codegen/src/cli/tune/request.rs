//! What is asked for.

use std::path::{Path, PathBuf};

use clap::Args;

pub(in crate::cli) const HELP: &str = "\
How: each kernel of the selection does the same work as Plonky3, in turns in one process, in three
shapes: chain (the states of one call, again and again), independent (an array of states, each once),
merkle (2-to-1 compression, layer by layer). Only kernels that are proved are built, and only those
whose results are right are timed. Of as many states the fastest kernel is used, and a larger one only
if it is faster for each permutation than all smaller ones. This is written into the table of this
CPU, codegen/tuning/CPU.toml, with seed, command, compiler and CPU, and from there into
generated/src/tuning.rs, by which programs choose at run time.

With a field, width or instruction set given, kernels are also tried with other numbers of S-boxes
that an external round interleaves (`sboxes` in a spec); what is better is told, and with --write put
into the spec and generated. --all times what the specs ask for, and models the tables of cores that
are not here.

  codegen tune --field goldilocks --width 8 --isa avx512ifma    one cell, other settings too
  codegen tune --isa neon --model neoverse-n1                   on a core that is not here
  codegen tune --all                                            everything, in under ten minutes
  codegen tune --figures FILE --cpu zen4                        what `benches compare --json` wrote

Machines are never quiet enough: look at the spread, and run it again.";

/// What to tune.
#[derive(Clone, Debug, Default, Args)]
pub(in crate::cli) struct Request {
    /// Everything that this CPU can run, and what is modelled; nothing but what the specs ask for.
    #[arg(long, conflicts_with_all = ["field", "width", "isa", "model", "figures"])]
    pub(super) all: bool,
    /// The field [default: all].
    #[arg(long, value_name = "NAME")]
    pub(super) field: Option<String>,
    /// Elements in a state [default: all].
    #[arg(long, value_name = "N")]
    pub(super) width: Option<String>,
    /// Instruction sets, separated by commas [default: all that this CPU or the core has].
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(super) isa: Vec<String>,
    /// Model them on a core, by LLVM's name, in place of timing them here.
    #[arg(long, value_name = "CORE")]
    pub(super) model: Option<String>,
    /// The CPU's name in the table, if there is none that knows it.
    #[arg(long, value_name = "NAME")]
    pub(super) cpu: Option<String>,
    /// Measure for a minute only.
    #[arg(long)]
    pub(super) quick: bool,
    /// Measure for so long; builds come on top.
    #[arg(
        long,
        value_name = "N",
        default_value_t = 240,
        conflicts_with = "quick"
    )]
    pub(super) seconds: u64,
    /// Make other states to begin with.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) seed: u64,
    /// Try no settings but those of the specs.
    #[arg(long)]
    pub(super) as_specified: bool,
    /// Put better settings into the specs, and generate.
    #[arg(long)]
    pub(super) write: bool,
    /// Time nothing: take the figures from a file that `benches compare --json` wrote, or with
    /// --model `benches model --json`. The command, seed, compiler and CPU that the file tells go
    /// into the table.
    #[arg(long, value_name = "FILE")]
    pub(super) figures: Option<PathBuf>,
}

impl Request {
    /// The command that was given.
    pub(super) fn command(&self) -> String {
        let mut command = "cargo run -p codegen -- tune".to_owned();
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
