//! The programs of `poseidon2-kernels/examples/pico2`: on a Cortex-M33 that qemu emulates, one has to accept an
//! opening of a tree of `merkle_root`, and to refuse what was tampered with. The other is for a board.

mod image;

use std::path::{Path, PathBuf};
use std::process::Command;

use super::merkle_root::MerkleRoot;
use super::workspace::Workspace;
use super::{Stop, limits, setup, wasm, wrong};
use image::Image;

/// What the programs are compiled for.
pub(super) const TRIPLE: &str = "thumbv8m.main-none-eabihf";

/// The emulator.
pub(super) const QEMU: &str = "qemu-system-arm";

/// Its machine with the Pico 2's core.
const MACHINE: &str = "mps2-an505";

/// What the program tampers with.
const TAMPERED: [&str; 4] = ["the row", "a sibling", "the root", "the index"];

/// A tree, and the row that is opened.
struct Case {
    name: &'static str,
    rows: usize,
    columns: usize,
    index: usize,
    /// Whether the file says the row above it.
    wrong: bool,
}

/// The last row of a tree whose layers are filled up, and one in the middle; and what has to be refused.
const CASES: [Case; 3] = [
    Case {
        name: "last",
        rows: 5,
        columns: 7,
        index: 4,
        wrong: false,
    },
    Case {
        name: "refused",
        rows: 1000,
        columns: 4,
        index: 321,
        wrong: true,
    },
    Case {
        name: "middle",
        rows: 1000,
        columns: 4,
        index: 321,
        wrong: false,
    },
];

/// Builds the programs with openings, runs the one for qemu, and tells how large they are.
pub(super) fn all(workspace: &Workspace) -> Result<(), Stop> {
    setup::for_pico2()?;
    let scratch = workspace.scratch()?.join("pico2");
    std::fs::create_dir_all(&scratch)?;
    let merkle_root = MerkleRoot::build(workspace)?;
    let mut faults = Vec::new();
    for case in &CASES {
        let opening = opening(workspace, &scratch, &merkle_root, case)?;
        let [emulated, board] = build(workspace, &opening)?;
        let stack = match run(workspace, &emulated, case)? {
            Ok(stack) => stack,
            Err(fault) => {
                faults.push(format!("{}: {fault}", case.name));
                continue;
            }
        };
        let Case { rows, index, .. } = case;
        let told = if case.wrong { "refused" } else { "accepted" };
        println!("row {index} of {rows}, on {MACHINE}: {told}, {stack} bytes of stack");
        let (here, there) = (Image::read(&emulated)?, Image::read(&board)?);
        println!("  {MACHINE}: {here}");
        println!("  Pico 2, not run: {there}");
        let told = [here.fault(), there.fault(), there.unbootable()];
        faults.extend(told.into_iter().flatten());
    }
    wrong(faults)
}

/// Writes a file of rows, and that of an opening by `merkle_root`.
fn opening(
    workspace: &Workspace,
    scratch: &Path,
    merkle_root: &MerkleRoot,
    case: &Case,
) -> Result<PathBuf, Stop> {
    let leaves = scratch.join(format!("{}.leaves", case.name));
    let words = (0..case.rows * case.columns).map(|n| n as u64);
    let words = words.map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 1);
    let bytes: Vec<u8> = words.flat_map(u64::to_le_bytes).collect();
    std::fs::write(&leaves, bytes)?;
    let columns = case.columns.to_string();
    let told = |more: &[&str]| {
        let arguments = [&["--binary", &columns], more].concat();
        let told = merkle_root.of(workspace, &leaves, &arguments)?;
        told.map_err(|error| Stop::Failed(format!("merkle_root: {error}")))
    };
    let root = told(&[])?;
    let index = case.index.to_string();
    let mut opening = told(&["--open", &index])?;
    if opening.lines().next() != Some(&format!("root {root}")) {
        let message = format!("merkle_root opens another tree than that of {root}:\n{opening}");
        return Err(Stop::Failed(message));
    }
    if case.wrong {
        let (right, wrong) = (case.index, case.index + 1);
        opening = opening.replace(&format!("\nindex {right}\n"), &format!("\nindex {wrong}\n"));
    }
    let file = scratch.join(format!("{}.opening", case.name));
    std::fs::write(&file, opening)?;
    Ok(file)
}

/// Builds both programs, as users compile them: the one for qemu, and the one for the board.
fn build(workspace: &Workspace, opening: &Path) -> Result<[PathBuf; 2], Stop> {
    let arguments = ["build", "--release", "--package", "merkle-pico2"];
    let mut cargo = wasm::cargo(workspace, &arguments, TRIPLE, "");
    cargo
        .args(["--features", "firmware"])
        .env("OPENING", opening);
    workspace.run(
        cargo,
        "building the programs for a Cortex-M33",
        limits::BUILD,
    )?;
    let programs = workspace.target().join(TRIPLE).join("release");
    Ok(["an505", "pico2"].map(|program| programs.join(program)))
}

/// Runs the program for qemu. Gives the bytes of stack, or what it found that is not as it should be.
fn run(workspace: &Workspace, program: &Path, case: &Case) -> Result<Result<usize, String>, Stop> {
    let mut qemu = Command::new(QEMU);
    qemu.args([
        "-machine",
        MACHINE,
        "-display",
        "none",
        "-semihosting",
        "-kernel",
    ]);
    qemu.arg(program);
    let output = workspace.output(qemu, QEMU, limits::CALL)?;
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    let found = stack(&text, case.wrong).filter(|_| output.status.success() != case.wrong);
    let otherwise = || {
        format!(
            "it ended with {} and printed\n{text}{errors}",
            output.status
        )
    };
    Ok(found.ok_or_else(otherwise))
}

/// The bytes of stack in what a program printed, if all else is as it should be.
fn stack(text: &str, wrong: bool) -> Option<usize> {
    let whole = if wrong { "refused" } else { "accepted" };
    let refused = TAMPERED.map(|what| format!("{what} tampered with: refused\n"));
    let before = format!("the opening: {whole}\n{}stack: ", refused.concat());
    text.strip_prefix(&before)?.trim_end().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_accepts_too_much_or_too_little_is_told() {
        let right = "the opening: accepted\nthe row tampered with: refused\n\
                     a sibling tampered with: refused\nthe root tampered with: refused\n\
                     the index tampered with: refused\nstack: 3240\n";
        assert_eq!(stack(right, false), Some(3240));
        assert_eq!(stack(right, true), None);
        for what in TAMPERED {
            let line = |told| format!("{what} tampered with: {told}\n");
            assert_eq!(
                stack(&right.replace(&line("refused"), &line("accepted")), false),
                None
            );
            assert_eq!(stack(&right.replace(&line("refused"), ""), false), None);
        }
        let refused = right.replace("accepted", "refused");
        assert_eq!(stack(&refused, true), Some(3240));
        assert_eq!(stack(&refused, false), None);
        assert_eq!(stack("", false), None);
    }
}
