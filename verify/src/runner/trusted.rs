//! What has to be believed if a kernel's proof is: its lines, counted.

use std::io;
use std::path::{Path, PathBuf};

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
        for file in files(workspace.root(), path)? {
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

/// The files that a row counts: those below it that no row within it has.
fn files(root: &Path, row: &str) -> io::Result<Vec<PathBuf>> {
    let path = root.join(row);
    if path.is_file() {
        return Ok(vec![path]);
    }
    let mut files = below(&path, "rs")?;
    files.retain(|file| {
        let rows = TRUSTED.iter().map(|(_, row)| *row);
        let around = rows.filter(|row| file.starts_with(root.join(row)));
        let innermost = around.max_by_key(|row| row.len());
        let apart = UNTRUSTED.iter().any(|(_, path)| file.ends_with(path));
        innermost == Some(row) && !is_test(root, file) && !apart
    });
    Ok(files)
}

fn is_test(root: &Path, file: &Path) -> bool {
    let within = file.strip_prefix(root).unwrap_or(file);
    within
        .iter()
        .any(|part| part == "tests" || part == "tests.rs")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder without a row of its own would be believed and not counted.
    #[test]
    fn each_file_of_the_checker_is_counted_once_or_named() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let rows = TRUSTED.iter().map(|(_, row)| files(&root, row).unwrap());
        let mut told: Vec<PathBuf> = rows.flatten().collect();
        told.retain(|file| file.extension().is_some_and(|e| e == "rs"));
        told.extend(UNTRUSTED.iter().map(|(_, path)| root.join(path)));
        told.sort();
        let folders = ["verify/checker/src", "verify/reference/src"];
        let all = folders
            .iter()
            .map(|folder| below(&root.join(folder), "rs").unwrap());
        let mut all: Vec<PathBuf> = all.flatten().collect();
        all.retain(|file| !is_test(&root, file));
        all.sort();
        assert_eq!(told, all);
    }
}
