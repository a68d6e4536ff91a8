//! `check KERNEL.rs PROOF.cert`: whether a kernel's text, wherever it is from, computes what its
//! certificate proves, and what that is. No generator is needed.

use std::collections::BTreeSet;
use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::process::ExitCode;

use checker::{SOLVERS, Solver};
use clap::Parser;

/// Checks one kernel: its certificate, its text, and with a solver each macro's body.
#[derive(Debug, Parser)]
#[command(name = "check", version, after_help = HELP)]
struct Cli {
    /// The kernel's file.
    kernel: PathBuf,
    /// The certificate that its header names.
    certificate: PathBuf,
}

const HELP: &str = "\
What is printed first is the permutation that the certificate is about: whether it is the one that is meant
is for the reader to see. Parameter sets that the reference knows are compared with it by their names.

Exit codes: 0 if it holds, 1 if it is refused, 2 if a file cannot be read or there is no solver.

Example:
  cargo run -p verify --bin check -- generated/src/plonky3/goldilocks/w8_avx2_halves_b1.rs \
      generated/proofs/plonky3/goldilocks/w8_halves.cert";

fn main() -> ExitCode {
    let cli = Cli::parse();
    let solver = SOLVERS.into_iter().find_map(Solver::find);
    let read = |path: &PathBuf| {
        std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
    };
    let (kernel, certificate) = match (read(&cli.kernel), read(&cli.certificate)) {
        (Ok(kernel), Ok(certificate)) => (kernel, certificate),
        (Err(error), _) | (_, Err(error)) => return blocked(&error),
    };
    let Some(solver) = solver else {
        let names = SOLVERS.join(" nor ");
        return blocked(&format!(
            "neither {names} can be run: install one, such as Debian's package `z3` (docs/trust.md)"
        ));
    };
    let solvers = [solver];
    let refused = |path: &PathBuf, refused: &dyn std::fmt::Display| {
        eprintln!("refused: {}: {refused}", path.display());
        ExitCode::FAILURE
    };
    let program = match checker::check(&certificate) {
        Ok(program) => program,
        Err(error) => return refused(&cli.certificate, &error),
    };
    println!("certificate: {}, proved", program.name);
    println!("permutation: {}", program.told());
    let mut lemmas = match program.lemmas_of(&kernel) {
        Ok(lemmas) => lemmas,
        Err(error) => return refused(&cli.kernel, &error),
    };
    lemmas.extend(program.lemmas_of_ranges());
    let targets: BTreeSet<_> = lemmas.iter().filter_map(checker::Lemma::target).collect();
    let targets = targets
        .iter()
        .map(|target| format!("{target:?}").to_lowercase());
    let targets: Vec<String> = targets.collect();
    println!(
        "text: computes that program, as instructions of {}; it rests on {} lemmas, which {} has to prove",
        targets.join(" and "),
        lemmas.len(),
        solvers[0],
    );
    if let Some(module) = program.preparation() {
        println!("constants: as {module}.rs prepares them, which is not read here");
    }
    let seen = std::io::stderr().is_terminal();
    let tell = |done, all| {
        if seen {
            eprint!(
                "\rlemmas: {done} of {all}{}",
                if done < all { "" } else { "\n" }
            );
        } else if done > 0 && done % 10 == 0 {
            eprintln!("lemmas: {done} of {all}");
        }
    };
    // The first may take a minute.
    tell(0, lemmas.len());
    let proofs = checker::prove(&lemmas, &solvers, &tell);
    if proofs.faults.is_empty() {
        println!("lemmas: all proved by {}", solvers[0]);
        return ExitCode::SUCCESS;
    }
    refused(&cli.kernel, &proofs.faults.join("\n"))
}

fn blocked(why: &str) -> ExitCode {
    eprintln!("check: {why}");
    ExitCode::from(2)
}
