//! What has to be believed if a kernel's proof is: its lines, counted.

use checker::below;

use super::Stop;
use super::workspace::Workspace;

/// What is trusted, and where it is. Everything else is checked by these.
const TRUSTED: [(&str, &str); 6] = [
    (
        "the permutation, its constants, instances by name",
        "verify/reference/src",
    ),
    (
        "instructions: spellings and meanings",
        "verify/checker/instructions.smt2",
    ),
    (
        "macro-ops, certificates: that a program is the permutation",
        "verify/checker/src",
    ),
    ("macro-ops of families of fields", "verify/checker/src/ops"),
    (
        "the reader: that a kernel's text is its program",
        "verify/checker/src/reader",
    ),
    (
        "lemmas: that a macro's body is its macro-op",
        "verify/checker/src/lemma",
    ),
];

/// What is among these and cannot make anything accepted that is wrong.
const UNTRUSTED: [(&str, &str); 5] = [
    (
        "counterexamples, and guesses that are proved before they are used",
        "verify/checker/src/lemma/example.rs",
    ),
    (
        "lemmas that the generator asks for by themselves",
        "verify/checker/src/lemma/generator.rs",
    ),
    (
        "bounds that keep the parser from ending the program",
        "verify/checker/src/reader/bounds.rs",
    ),
    (
        "what a text that is refused says",
        "verify/checker/src/reader/message.rs",
    ),
    (
        "mutants of files that hold",
        "verify/checker/src/changed.rs",
    ),
];

/// Prints the lines that are trusted.
pub(super) fn print(workspace: &Workspace) -> Result<(), Stop> {
    println!("{:<62} {:>6} {:>6}", "trusted", "code", "lines");
    let mut totals = [0, 0];
    for (what, path) in TRUSTED {
        let mut counts = [0, 0];
        let path = workspace.root().join(path);
        let files = match path.is_file() {
            true => vec![path.clone()],
            false => below(&path, "rs")?,
        };
        for file in files {
            // A row of its own counts for a folder within another's.
            let folder = file.parent().unwrap_or(&path);
            let apart = UNTRUSTED
                .iter()
                .any(|(_, untrusted)| file.ends_with(untrusted));
            if path.is_dir() && folder != path || file.ends_with("tests.rs") || apart {
                continue;
            }
            let text = std::fs::read_to_string(&file)?;
            let text = text
                .split("#[cfg(test)]\nmod tests {")
                .next()
                .unwrap_or_default();
            let is_code = |line: &&str| {
                let line = line.trim();
                !line.is_empty() && !line.starts_with("//") && !line.starts_with(';')
            };
            counts[0] += text.lines().filter(is_code).count();
            counts[1] += text.lines().count();
        }
        println!("{what:<62} {:>6} {:>6}", counts[0], counts[1]);
        totals = [totals[0] + counts[0], totals[1] + counts[1]];
    }
    println!("{:<62} {:>6} {:>6}", "all", totals[0], totals[1]);
    for (what, path) in UNTRUSTED {
        println!("not among them: {path} ({what})");
    }
    println!(
        "beside them: the solvers, the Rust compiler with LLVM, CPUs, and the parser of Rust (syn); \
         docs/trust.md says what would notice an error in each"
    );
    Ok(())
}
