//! The command line: what is asked for, and what is reported.

mod diff;

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;

use clap::Parser;
use codegen::cli::places::{Workspace, quoted, shown};
use codegen::cli::produce::produce;
use codegen::cli::select::{Job, all, named};
use codegen::cli::{Exit, Places, program, tell};
use codegen::diag::number;
use codegen::diag::{Diagnostic, Diagnostics};

use super::checkout::Checkout;
use super::choice::{choose, deciding, told};
use super::package::Package;
use super::record::Wish;
use super::slots::{Candidate, PARAMETERS, Slots, by_name};
use super::vendored::{Vendored, Wanted};
use diff::changes;

const HELP: &str = "\
The crate's own type, such as `Poseidon2Goldilocks`, uses them from then on; which of them is decided
at compile time, by target features, as the crate decides everything. Kernels, certificates and a record
go into folders `poseidon2_generated`; five files of the crate are edited in a few places, and the diff
is printed. Other widths and other numbers of rounds stay with the crate's own implementation, which is
then called `Poseidon2GoldilocksStock`. The crates: p3-goldilocks 0.8.0; p3-baby-bear and p3-koala-bear,
0.8.0 and 0.4.3.

  cp -r ~/.cargo/registry/src/*/p3-goldilocks-0.8.0 DIR
  cargo run -p vendor -- --into DIR            write them, print the diff
  cargo run -p vendor -- --into DIR --check    are they current? exit code 1 if not
  cargo run -p vendor -- --into DIR --remove   take them out: the crate is as it was

and in the Cargo.toml of the program that is to use them:

  [patch.crates-io]
  p3-goldilocks = { path = \"DIR\" }

DIR is best outside of this repository: inside, cargo counts the copy as part of this workspace, and
refuses to build it alone.

The tuning tables (codegen/tuning/) decide which kernel serves where: the default of each architecture,
unless --cpu names others, and other CPUs' where these have no figure. Where the crate's own
implementation is faster, it stays, and the command says so. To choose by name, write for example
--kernels w8_avx2_b1,w8_neon_b1; everything else stays as it is. More in docs/vendoring.md.

Exit codes: 0 done; 1 `--check` found a difference; 2 bad input, nothing was written.";

/// Put generated kernels into a copy of Plonky3's crate of a field, or take them out again.
#[derive(Debug, Parser)]
#[command(
    name = "vendor",
    bin_name = "cargo run -p vendor --",
    version,
    after_help = HELP,
    arg_required_else_help = true,
    max_term_width = 100
)]
struct Cli {
    /// The folder of the crate: a copy of the published one, or a folder like `goldilocks/` in a clone
    /// of Plonky3.
    #[arg(long, value_name = "DIR")]
    into: PathBuf,
    /// Kernels by name, such as w8_avx2_b1 [default: what the tuning tables prefer].
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    kernels: Vec<String>,
    /// CPUs whose tuning tables decide, one for each architecture [default: the table that serves CPUs
    /// without one of their own].
    #[arg(
        long,
        value_name = "NAME",
        value_delimiter = ',',
        conflicts_with = "kernels"
    )]
    cpu: Vec<String>,
    /// Compare what was vendored with what would be written now. Writes nothing.
    #[arg(long)]
    check: bool,
    /// Take everything out again.
    #[arg(long, conflicts_with_all = ["check", "kernels", "cpu"])]
    remove: bool,
    /// One spec, in place of all under codegen/specs/.
    #[arg(long, value_name = "FILE")]
    spec: Option<PathBuf>,
    /// Templates, in place of templates/.
    #[arg(long, value_name = "DIR")]
    templates: Option<PathBuf>,
}

/// Runs the command line `arguments`, the program's name first; tells on `out`, complains on
/// standard error.
pub fn run(arguments: impl IntoIterator<Item = OsString>, out: &mut dyn Write) -> Exit {
    program(arguments, out, vendor)
}

fn vendor(cli: &Cli, out: &mut dyn Write) -> Result<Exit, Diagnostics> {
    let vendored = Vendored::read(Checkout::open(&cli.into)?)?;
    let folder = shown(&cli.into);
    if cli.remove {
        if vendored.record.is_none() {
            tell(out, &format!("{folder}: nothing is vendored there\n"))?;
            return Ok(Exit::Done);
        }
        return write(&vendored, &vendored.without()?, &folder, out);
    }
    let mut wish = Wish {
        kernels: cli.kernels.clone(),
        cpus: cli.cpu.clone(),
    };
    // A check is of what was asked for when it was written.
    if let Some(record) = vendored.record.as_ref().filter(|_| cli.check)
        && wish == Wish::default()
    {
        wish = record.wish.clone();
    }
    let workspace = Workspace::open(&Places {
        spec: cli.spec.clone(),
        templates: cli.templates.clone(),
        out: None,
    })?;
    let package = vendored.checkout.package;
    let (jobs, candidates, decided) = jobs(package, &workspace, &wish)?;
    let kernels = produce(&jobs, &workspace.templates()?)?;
    let slots = Slots::of(package, &candidates, &kernels);
    // A word in place of the folder, which is not everyone's.
    let word = package.name.to_uppercase().replace('-', "_");
    let command = workspace.command_of_spec(&wish.command(&word));
    let wanted = vendored.with(&slots, &wish, &command)?;
    if !cli.check {
        let exit = write(&vendored, &wanted, &folder, out)?;
        tell(out, &decided)?;
        return Ok(exit);
    }
    let fix = workspace.command_of_spec(&wish.command(&quoted(&cli.into.display().to_string())));
    if wanted.changes.is_empty() {
        let count = number(kernels.len(), "kernel");
        tell(out, &format!("{folder}: {count}, all as generated\n"))?;
        return Ok(Exit::Done);
    }
    tell(out, &changes(&wanted.changes))?;
    for change in &wanted.changes {
        let (kind, path) = (change.kind.name(), &change.path);
        tell(out, &format!("{kind:<14}  {path}\n"))?;
    }
    let bad = number(wanted.changes.len(), "file");
    tell(out, &format!("\n{folder}: {bad} not as generated; {fix}\n"))?;
    Ok(Exit::Differs)
}

/// The kernels that were asked for by name, or those that the tables prefer; where each serves; and
/// what the tables said.
fn jobs<'w>(
    package: &Package,
    workspace: &'w Workspace,
    wish: &Wish,
) -> Result<(Vec<Job<'w>>, Vec<Candidate>, String), Diagnostics> {
    if !wish.kernels.is_empty() {
        let (mut jobs, mut errors) = (Vec::<Job<'_>>::new(), Diagnostics::new());
        for name in &wish.kernels {
            // A name that several fields have is the crate's.
            let own = format!("{PARAMETERS}/{}/{name}", package.field);
            let specs = &workspace.specs;
            match named(specs, &own).or_else(|_| named(specs, name)) {
                Ok(job) if jobs.iter().any(|known| known.name() == job.name()) => {}
                Ok(job) => jobs.push(job),
                Err(error) => errors.push(error),
            }
        }
        errors.into_result()?;
        let candidates = by_name(package, &jobs)?;
        return Ok((jobs, candidates, String::new()));
    }
    let mut jobs = all(&workspace.specs);
    let candidates = jobs
        .iter()
        .filter_map(|job| Candidate::all(package, job).ok());
    let candidates: Vec<Candidate> = candidates.flatten().collect();
    if candidates.is_empty() {
        let name = package.name;
        let message = format!("the specs ask for no kernel that {name} has a place for");
        return Err(Diagnostic::new(message).into());
    }
    let tables = workspace.tables()?;
    let choices = choose(package, &candidates, &deciding(&tables, &wish.cpus)?);
    let told = told(&choices);
    let chosen = choices.into_iter().filter_map(|choice| choice.ours);
    let chosen: Vec<Candidate> = chosen.collect();
    if chosen.is_empty() {
        let message = format!("the tuning tables prefer the crate's own everywhere\n{told}");
        let help = "`--kernels` takes kernels by name; `--cpu` another CPU's table";
        return Err(Diagnostic::new(message).help(help).into());
    }
    jobs.retain(|job| chosen.iter().any(|one| one.kernel == job.name()));
    Ok((jobs, chosen, told))
}

fn write(
    vendored: &Vendored,
    wanted: &Wanted,
    folder: &str,
    out: &mut dyn Write,
) -> Result<Exit, Diagnostics> {
    let outcome = vendored.write(wanted)?;
    tell(out, &changes(&wanted.changes))?;
    let told = format!(
        "{folder}: {} written, {} unchanged, {} deleted\n",
        number(outcome.written.len(), "file"),
        outcome.unchanged.len(),
        outcome.deleted.len(),
    );
    tell(out, &told)?;
    Ok(Exit::Done)
}
