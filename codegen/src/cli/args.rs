//! The command line as clap reads it.

use std::path::PathBuf;

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, Parser, Subcommand};

use super::places::flags;
use crate::kernel::KernelInfo;
use crate::names::{Isa, Strategy};

const EXAMPLES: &str = "\
Examples:
  codegen --isa neon --width 12 --batch 2    generate that kernel, tell what was decided and why
  codegen generate --all                     generate everything that the specs ask for
  codegen diff                               what would change, by instruction
  codegen sites w8_neon_b2                   every addition, its ranges, bound and verdict
  codegen explain w8_neon_b2 internal.rc     how one verdict is derived
  codegen check                              compare generated/ with what would be generated

A first tour: run the first example, open the kernel and the certificate that it names; change
a line of a template under templates/neon/, run `codegen diff`, and see whether the prover agrees.

`cargo run -p tune -- --help` explains how kernels are timed, and the fastest chosen for each CPU, and
`cargo run -p vendor -- --help` how kernels get into a copy of Plonky3's own crates.

Exit codes: 0 done; 1 `check`, `package --check` or `prove --force` found a difference, or `identify` found no
permutation; 2 bad input or a kernel that is refused, and nothing was written.";

/// Generates proved Poseidon2 kernels from declarative specs.
///
/// A spec (codegen/specs/*.toml) asks for kernels and claims where a canonicalisation may be left
/// out; the prover derives each claim or refuses it; templates (templates/) speak the machine's
/// language; the result goes to generated/, with a certificate for each program. Without a
/// command, the kernels that match the flags are generated.
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

impl Cli {
    /// Whether claims are to be inferred before anything else.
    pub(super) fn infers(&self) -> bool {
        let output = match &self.verb {
            None => self.output.as_ref(),
            Some(Verb::Generate { output, .. }) => Some(output),
            Some(_) => None,
        };
        output.is_some_and(|output| output.infer)
    }
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(super) enum Verb {
    /// Generate kernels: with --all what is used, else those that match the flags.
    #[command(after_help = "\
Writes only what changed, everything or nothing. With --all, files of kernels that nothing uses any
more are deleted; a file that codegen did not write is never touched. A kernel is used if a tuning
table uses it or its spec ships it; `codegen list` says which, and why. Kernels that match the flags and
that nothing uses go to target/candidates, unless --out says otherwise.")]
    Generate {
        /// Every kernel that is used, the crate around them and the table in the README.
        #[arg(long, conflicts_with_all = ["stdout", "selection"])]
        all: bool,
        /// With --all: also the kernels that nothing uses, for tests and timing, into
        /// target/candidates unless --out says otherwise.
        // What is refused beside --all counts as a reason to do without it.
        #[arg(long, requires = "all", conflicts_with = "selection")]
        candidates: bool,
        /// With --candidates: only kernels whose name contains one of these, and plain ones, which no
        /// crate can be without; into target/only unless --out says otherwise.
        #[arg(
            long,
            requires = "candidates",
            value_delimiter = ',',
            value_name = "PART",
            value_parser = NonEmptyStringValueParser::new()
        )]
        only: Vec<String>,
        #[command(flatten)]
        selection: Selection,
        #[command(flatten)]
        output: Output,
    },
    /// Write a crate of your own: the spec's kernels, a safe interface, proofs and tests.
    #[command(after_help = "\
--spec is required, and --out is refused. If the spec asks for no kernels, the crate gets those that the
tuning tables use for the most similar permutation of the repository. The crate builds and passes
`cargo test` without a network; its tests run every kernel on known answers, and the checker on every
proof. If a file is in the way that `package` did not write, `package` names it, and writes nothing. A
file that it wrote and that you edited is replaced, and named. With --check it writes nothing, and the
exit code is 1 if a file differs from what would be written.")]
    Package {
        /// The crate's folder, whose name becomes the crate's.
        #[arg(long, value_name = "DIR")]
        into: PathBuf,
        /// Only compare what is there.
        #[arg(long)]
        check: bool,
    },
    /// Whose permutation has this known answer?
    #[command(after_help = "\
Tries Plonky3's sets and those of codegen/instances/, on residues and on Montgomery forms. OUT may be the
first elements of the image alone. Exit code 1 if no set has the answer.")]
    Identify {
        /// A state and its image: elements like 42 or 0x2a, with commas between them.
        #[arg(long, num_args = 2, value_names = ["IN", "OUT"], required = true)]
        known_answer: Vec<String>,
    },
    /// Compare the output folder with what would be generated. Writes nothing.
    #[command(after_help = "\
Names each file that is stale, missing, orphaned or edited by hand, and the command that fixes it.
Exit code 1 if there is one.")]
    Check,
    /// What would change, by instruction: added, removed, moved, and counts by mnemonic.
    #[command(after_help = "\
Also shows what generation refuses, a template without its proof for instance; then the exit code is 2.")]
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
afterwards. The file says which solvers proved a lemma: with --solver z3,bitwuzla each is asked for what
it has not proved yet, and what it proves is written each minute. On two cores z3 takes about five minutes
for all, bitwuzla six; cvc5 takes hours, and does not prove all. docs/trust.md says how to get bitwuzla.
With --force, lemmas that the file lacks (+) or has in excess (-) are named, and the exit code is 1 if
there are any.")]
    Prove {
        /// Prove everything anew, and compare the file with it.
        #[arg(long)]
        force: bool,
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
    /// The kernels that the specs ask for: features, counts, and which are used, and why.
    #[command(after_help = "\
Counts are those of the last generation. A kernel is used, and so in generated/, if a tuning table uses
it (the CPU is named), if it is the fallback where no table has a row, if no table has timed its
permutation at all, or if its spec says `ship`; never if its spec says `packaged`. The others are
candidates: `generate --all --candidates` writes them to target/candidates, where they are tested and timed.")]
    List {
        /// As JSON, one object for each kernel.
        #[arg(long)]
        json: bool,
    },
}

/// Which kernels.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
#[group(id = "selection", multiple = true)]
#[command(next_help_heading = "Which kernels")]
pub struct Selection {
    /// The field [default: goldilocks, or that of --spec].
    #[arg(long, value_name = "NAME")]
    pub field: Option<String>,
    /// Elements in a state: 8, 12, 16, 20 or 24.
    #[arg(long, value_name = "N")]
    pub width: Option<String>,
    /// The instruction set.
    #[arg(long, value_name = "NAME", help = isas())]
    pub isa: Option<String>,
    /// Where states live: registers, lanes, across or staggered [default: all that the ISA has].
    #[arg(long, value_name = "NAME")]
    pub layout: Option<String>,
    /// Interleaved groups of states: 1, 2 or 4.
    #[arg(long, value_name = "N")]
    pub batch: Option<String>,
    /// How values are represented and reduced: eager, columns, redc, halves, limbs, accumulated, radix32, radix64,
    /// radix48, radix52, rescaled52, signed, long, uniform or beside [default: all].
    #[arg(long, value_name = "NAME")]
    pub strategy: Option<String>,
}

impl Selection {
    /// Of one kernel.
    pub(super) fn of(kernel: &KernelInfo) -> Self {
        let strategy = Some(kernel.strategy.clone());
        Self {
            field: Some(kernel.field.clone()),
            width: Some(kernel.width.to_string()),
            isa: Some(kernel.isa.clone()),
            layout: Some(kernel.layout.clone()),
            batch: Some(kernel.batch.to_string()),
            strategy: strategy.filter(|strategy| strategy != Strategy::DEFAULT.name()),
        }
    }

    /// The command that generates these kernels.
    pub(super) fn command(&self) -> String {
        format!("cargo run -p codegen --{}", self.flags())
    }

    /// The flags, each after a space.
    pub(super) fn flags(&self) -> String {
        let flags = [
            ("field", &self.field),
            ("isa", &self.isa),
            ("layout", &self.layout),
            ("width", &self.width),
            ("batch", &self.batch),
            ("strategy", &self.strategy),
        ];
        let given = flags
            .into_iter()
            .filter_map(|(flag, value)| Some(format!(" --{flag} {}", value.as_ref()?)));
        given.collect()
    }
}

/// What to do with them.
#[derive(Clone, Debug, Default, Args)]
#[group(id = "output", multiple = true)]
#[command(next_help_heading = "What to do with them")]
pub struct Output {
    /// Print the kernels and write no file, not even the spec with --infer.
    #[arg(long)]
    pub stdout: bool,
    /// Infer the largest set of claims that can be proved, and write it into the spec, too.
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

impl Places {
    /// A text that advises commands like `codegen list` in backticks, with these places in each.
    pub(super) fn advice(&self, text: &str) -> String {
        let parts = text.split('`').enumerate().map(|(n, part)| {
            let advised = n % 2 == 1 && part.starts_with("codegen ") && !part.contains(" --");
            match advised {
                true => format!("{part}{}", self.flags(!part.starts_with("codegen prove"))),
                false => part.to_owned(),
            }
        });
        parts.collect::<Vec<_>>().join("`")
    }

    /// As they were given.
    fn flags(&self, writes: bool) -> String {
        let out = self.out.as_ref().filter(|_| writes);
        flags([
            ("spec", self.spec.as_ref()),
            ("templates", self.templates.as_ref()),
            ("out", out),
        ])
    }
}

/// What `--isa` takes.
fn isas() -> String {
    let names: Vec<&str> = Isa::all().iter().map(|isa| isa.name()).collect();
    let (last, others) = names.split_last().expect("there are some");
    format!("Instruction set: {} or {last}", others.join(", "))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::names::Layout;

    #[test]
    fn flags_name_every_value_that_they_take() {
        let command = Cli::command();
        let help = |flag: &str| {
            let found = command.get_arguments().find(|a| a.get_id() == flag);
            found.unwrap().get_help().unwrap().to_string()
        };
        let names = |flag: &str, names: Vec<&str>| {
            let help = help(flag);
            let words: Vec<_> = help.split([' ', ',', '.']).collect();
            for name in names {
                assert!(words.contains(&name), "--{flag}: {name} is not in `{help}`");
            }
        };
        names("isa", Isa::all().iter().map(|isa| isa.name()).collect());
        names("layout", Layout::all().iter().map(|l| l.name()).collect());
        names(
            "strategy",
            Strategy::all().iter().map(|s| s.name()).collect(),
        );
    }
}
