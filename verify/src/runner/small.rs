//! Small machines: programs without a standard library, which qemu runs.

use std::path::Path;
use std::process::Command;

use codegen::names::Isa;

use super::candidates::Candidates;
use super::cli::Runs;
use super::kernels::{self, Host, Orders};
use super::ledger::Ledger;
use super::machine::Machine;
use super::rows::{Rows, rustc};
use super::wasm::cargo;
use super::workspace::{PROFILE, Workspace};
use super::{Stop, column, counted, finish, limits, pico2, setup};

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
    /// The verb that counts instructions, and the name of the tuning table that they make.
    pub(super) verb: &'static str,
    pub(super) cpu: &'static str,
    /// Whose timings cycles are told by; none: an instruction is a cycle.
    pub(super) timings: Option<&'static str>,
}

/// Guests of zero-knowledge virtual machines: no instructions but those of RV32IM. What Plonky3's packages
/// depend on, though not what is counted, asks for atomic ones.
pub(super) const RV32: Small = Small {
    about: "32-bit RISC-V",
    arch: "riscv32",
    triple: "riscv32im-unknown-none-elf",
    of_plonky3: "riscv32imac-unknown-none-elf",
    qemu: "qemu-riscv32",
    verb: "rv32",
    cpu: "rv32im",
    timings: None,
};

/// Microcontrollers such as a Cortex-M33. What runs under Linux is none of them: the emulator has a larger core,
/// whose Thumb instructions are the same.
pub(super) const ARMV8M: Small = Small {
    about: "32-bit Arm",
    arch: "arm",
    triple: pico2::TRIPLE,
    of_plonky3: pico2::TRIPLE,
    qemu: "qemu-arm",
    verb: "armv8m",
    cpu: "cortex-m33",
    timings: Some("the table of timings of Arm's manual of the Cortex-M4"),
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
pub(super) fn all(
    workspace: &Workspace,
    runs: &Runs,
    small: Small,
    json: Option<&Path>,
) -> Result<(), Stop> {
    let missing = || Stop::Blocked(format!("not run: {}", small.about));
    let small = setup::for_small(small).ok_or_else(missing)?;
    let mut candidates = Candidates::generate(workspace, &[])?;
    candidates
        .manifest
        .retain(|listed| listed.is_for(small.arch));
    let orders = Orders::new(runs, Vec::new());
    let corpus = kernels::corpus(workspace, &candidates.manifest)?;
    let host = Host::on_small(small, workspace, &candidates, 1)?;
    let column = column(&host, &orders, &corpus, workspace)?;
    let mut rows = Rows::default();
    rows.add(workspace, Machine::Small(small), orders.seed)?;
    let ledger = Ledger::new(&candidates.manifest, vec![column], rows, &orders);
    finish(workspace, &ledger, Vec::new())?;
    counted::all(workspace, small, &candidates, json)
}
