//! Small machines: programs without a standard library, which qemu runs.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use codegen::names::Isa;

use super::candidates::Candidates;
use super::cli::Cli;
use super::kernels::{self, Host, Orders};
use super::ledger::Ledger;
use super::machine::Machine;
use super::rows::{Rows, rustc};
use super::wasm::cargo;
use super::workspace::{PROFILE, Workspace};
use super::{Stop, column, finish, limits, pico2, setup};
use crate::executed::one_at_a_time;

/// A compiler and an emulator.
#[derive(Clone, Copy, Debug)]
pub(super) struct Small {
    /// In messages.
    pub(super) about: &'static str,
    /// The architecture, in the spelling of `target_arch`.
    pub(super) arch: &'static str,
    /// What kernels are compiled for.
    pub(super) triple: &'static str,
    /// What Plonky3's packages are compiled for, and kernels beside them.
    pub(super) of_plonky3: &'static str,
    /// qemu's user-mode emulator.
    pub(super) qemu: &'static str,
}

/// Guests of zero-knowledge virtual machines: no instructions but those of RV32IM. What Plonky3's packages
/// depend on, though not what is counted, asks for atomic ones.
pub(super) const RV32: Small = Small {
    about: "32-bit RISC-V",
    arch: "riscv32",
    triple: "riscv32im-unknown-none-elf",
    of_plonky3: "riscv32imac-unknown-none-elf",
    qemu: "qemu-riscv32",
};

/// Microcontrollers such as a Cortex-M33. What runs under Linux is none of them: the emulator has a larger core,
/// whose Thumb instructions are the same.
pub(super) const ARMV8M: Small = Small {
    about: "32-bit Arm",
    arch: "arm",
    triple: pico2::TRIPLE,
    of_plonky3: pico2::TRIPLE,
    qemu: "qemu-arm",
};

/// All of them.
pub(super) const ALL: [Small; 2] = [RV32, ARMV8M];

/// One of so many cases is run where those of all machines are.
pub(super) const SOME: u32 = 64;

impl Small {
    /// Whether there are kernels for it alone: then it takes part in every run.
    pub(super) fn has_own(&self) -> bool {
        Isa::all()
            .iter()
            .any(|isa| isa.target_arch() == Some(self.arch))
    }

    /// Its name in the ledger, which says whether all cases run.
    pub(super) fn name(self, stride: u32) -> String {
        let some = if stride > 1 { ", some cases" } else { "" };
        format!("{} ({}{some})", self.arch, self.qemu)
    }

    /// The compiler for it.
    pub(super) fn rustc(self) -> Command {
        let mut command = Command::new(rustc());
        command.args(["--target", self.triple]);
        command
    }

    /// Builds the program that runs kernels, and tells the command that runs it.
    pub(super) fn build(
        self,
        workspace: &Workspace,
        candidates: &Candidates,
    ) -> Result<Vec<String>, Stop> {
        let arguments = ["build", "--profile", PROFILE, "-p", "guest"];
        let mut command = cargo(workspace, &arguments, self.triple, "");
        candidates.stand_in(&mut command);
        let what = format!("building kernels for {}", self.about);
        workspace.run(command, &what, limits::BUILD)?;
        let folder = workspace.target().join(self.triple).join(PROFILE);
        let program = folder.join("guest").display().to_string();
        Ok(vec![self.qemu.to_owned(), program])
    }
}

/// Every case on every kernel, and the instructions of a call.
pub(super) fn all(workspace: &Workspace, cli: &Cli, small: Small) -> Result<(), Stop> {
    let missing = || Stop::Blocked(format!("not run: {}", small.about));
    let small = setup::for_small(small).ok_or_else(missing)?;
    let mut candidates = Candidates::generate(workspace, &[])?;
    candidates
        .manifest
        .retain(|listed| listed.is_for(small.arch));
    let orders = Orders::new(cli, Vec::new());
    let corpus = kernels::corpus(workspace, &candidates.manifest)?;
    let host = Host::on_small(small, workspace, &candidates, 1)?;
    let column = column(&host, &orders, &corpus, workspace)?;
    let mut rows = Rows::default();
    rows.add(workspace, Machine::Small(small), orders.seed)?;
    let ledger = Ledger::new(&candidates.manifest, vec![column], rows, &orders);
    finish(workspace, &ledger, Vec::new())?;
    count(workspace, small)
}

/// Prints how many instructions a permutation executes, by each kernel and by Plonky3.
fn count(workspace: &Workspace, small: Small) -> Result<(), Stop> {
    let Small {
        about,
        arch,
        of_plonky3,
        qemu,
        ..
    } = small;
    setup::for_plonky3_on(small)?;
    let build = ["build", "--release", "-p", "guest-contest"];
    let build = cargo(workspace, &build, of_plonky3, "");
    let what = format!("building the contest for {about}");
    workspace.run(build, &what, limits::BUILD)?;
    let folder = workspace.target().join(of_plonky3).join("release");
    let contest = Contest {
        qemu,
        program: folder.join("guest-contest"),
        log: workspace.scratch()?.join(format!("executed-{arch}.log")),
    };
    println!("instructions of a permutation on {arch}, counted in {qemu}");
    let mut peer = 1.0;
    for number in 0.. {
        let Some(one) = contest.run(number, 1)? else {
            break;
        };
        let two = contest.run(number, 2)?.map_or(0, |two| two.instructions);
        let each = (two - one.instructions) as f64 / f64::from(one.states);
        if one.name == PEER {
            peer = each;
        }
        let Run {
            name, permutation, ..
        } = one;
        println!(
            "{permutation:<16} {name:<40} {each:>8.0} {:>7.3}",
            peer / each
        );
    }
    Ok(())
}

/// Plonky3's own permutation, in the contest: the first of each.
const PEER: &str = "p3";

struct Contest {
    qemu: &'static str,
    program: PathBuf,
    log: PathBuf,
}

/// What a contestant says of itself, and the instructions of the whole program.
struct Run {
    name: String,
    permutation: String,
    states: u32,
    instructions: u64,
}

impl Contest {
    /// Runs so many calls of a contestant; none if there are not so many contestants.
    fn run(&self, number: u32, calls: u32) -> Result<Option<Run>, Stop> {
        let mut command = Command::new(self.qemu);
        command.args([one_at_a_time(self.qemu)?, "-d", "exec,nochain", "-D"]);
        command.arg(&self.log).arg(&self.program);
        let mut process = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        if let Some(mut input) = process.stdin.take() {
            input.write_all([number, calls].map(u32::to_le_bytes).as_flattened())?;
        }
        let output = process.wait_with_output()?;
        if !output.status.success() {
            return Err(Stop::Failed(format!("the contest: {}", output.status)));
        }
        let mut told = Told(&output.stdout);
        let said = told.text().zip(told.text()).zip(told.number());
        let instructions = executed(&self.log)?;
        Ok(said.map(|((name, permutation), states)| Run {
            name,
            permutation,
            states,
            instructions,
        }))
    }
}

/// How many instructions a log has.
fn executed(log: &Path) -> Result<u64, Stop> {
    let mut lines = BufReader::new(File::open(log)?).lines();
    lines.try_fold(0, |sum, line| {
        Ok(sum + u64::from(line?.starts_with("Trace")))
    })
}

/// What a contestant has written.
struct Told<'a>(&'a [u8]);

impl Told<'_> {
    fn number(&mut self) -> Option<u32> {
        let (bytes, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u32::from_le_bytes(*bytes))
    }

    fn text(&mut self) -> Option<String> {
        let length = self.number()? as usize;
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        String::from_utf8(text.to_vec()).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_are_lines_of_their_own() {
        let path = std::env::temp_dir().join(format!("verify-log-{}", std::process::id()));
        let log =
            "----------------\nTrace 0: 0x7f [00/01/02/03] _start\nTrace 0: 0x7f [00/05/02/03] \n";
        std::fs::write(&path, log).unwrap();
        let count = executed(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(count, 2);
    }

    #[test]
    fn what_a_contestant_does_not_say_is_missed() {
        let said = [&2_u32.to_le_bytes()[..], b"p3", &7_u32.to_le_bytes()].concat();
        let mut told = Told(&said);
        assert_eq!(
            (told.text().as_deref(), told.number()),
            (Some("p3"), Some(7))
        );
        assert_eq!((told.text(), told.number()), (None, None));
        assert_eq!(Told(&said[..5]).text(), None, "cut off");
    }
}
