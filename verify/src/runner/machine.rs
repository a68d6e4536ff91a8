//! What programs are built for and run on: this machine, emulated Arm, or an engine of WebAssembly.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use super::Stop;
use super::arm::Arm;
use super::candidates::Candidates;
use super::rows::rustc;
use super::small::Small;
use super::wasm::Wasm;
use super::workspace::{PROFILE, WITHOUT_RUNNER, Workspace};

/// One of them.
#[derive(Clone, Copy, Debug)]
pub(super) enum Machine<'a> {
    Here,
    Arm(&'a Arm),
    Wasm(&'a Wasm),
    Small(Small),
}

impl<'a> Machine<'a> {
    /// This machine and others.
    pub(super) fn all(
        arm: Option<&'a Arm>,
        wasm: Option<&'a Wasm>,
        small: impl IntoIterator<Item = Small>,
    ) -> impl Iterator<Item = Self> {
        let here = [Self::Here].into_iter().chain(arm.map(Self::Arm));
        let others = wasm.map(Self::Wasm).into_iter();
        here.chain(others).chain(small.into_iter().map(Self::Small))
    }

    /// Its architecture, in the spelling of `target_arch`.
    pub(super) fn arch(self) -> &'static str {
        match self {
            Self::Here => std::env::consts::ARCH,
            Self::Arm(_) => "aarch64",
            Self::Wasm(_) => "wasm32",
            Self::Small(small) => small.arch,
        }
    }

    /// Its name in the ledger.
    pub(super) fn name(self) -> String {
        let how = match self {
            Self::Here => "native",
            Self::Arm(_) => "qemu-user",
            Self::Wasm(_) => "node",
            Self::Small(small) => small.qemu,
        };
        format!("{} ({how})", self.arch())
    }

    /// The command before a program; empty if there is none.
    pub(super) fn runner(self) -> Vec<OsString> {
        match self {
            Self::Here => Vec::new(),
            Self::Arm(arm) => arm.runner().into_iter().map(Into::into).collect(),
            Self::Wasm(wasm) => wasm.runner(),
            Self::Small(small) => vec![small.qemu.into()],
        }
    }

    /// The compiler for it.
    pub(super) fn rustc(self) -> Command {
        match self {
            Self::Here => Command::new(rustc()),
            Self::Arm(arm) => arm.rustc(),
            Self::Wasm(wasm) => wasm.rustc(),
            Self::Small(small) => small.rustc(),
        }
    }

    /// Whether its programs have a standard library.
    pub(super) fn has_std(self) -> bool {
        !matches!(self, Self::Small(_))
    }

    /// A disassembler of its programs; none if they have no machine code.
    pub(super) fn objdump(self) -> Option<&'static str> {
        match self {
            Self::Here => Some("objdump"),
            Self::Arm(arm) => Some(arm.objdump()),
            Self::Wasm(_) | Self::Small(_) => None,
        }
    }

    /// Builds the kernel suite's program and tells where it is.
    pub(super) fn build(
        self,
        workspace: &Workspace,
        candidates: &Candidates,
    ) -> Result<PathBuf, Stop> {
        match self {
            // Of small machines the suite is here, and kernels are elsewhere.
            Self::Here | Self::Small(_) => {
                let cargo = workspace.cargo(&["build"]);
                candidates.build(workspace, cargo, PROFILE, &WITHOUT_RUNNER)?;
                Ok(workspace.target().join(PROFILE).join("kernels"))
            }
            Self::Arm(arm) => arm.build(workspace, candidates),
            Self::Wasm(wasm) => wasm.build(workspace, candidates),
        }
    }
}

/// A command that runs a program behind what runs it.
pub(super) fn behind(runner: &[OsString], program: &std::path::Path) -> Command {
    match runner {
        [] => Command::new(program),
        [first, rest @ ..] => {
            let mut command = Command::new(first);
            command.args(rest).arg(program);
            command
        }
    }
}
