//! Counts the instructions that one call of an `AArch64` kernel executes, by watching it in qemu.
//!
//! qemu is told to translate one instruction at a time and to log each one it runs; the log, cut
//! to the call and read against a disassembly, is the exact instruction stream.

mod pairs;
mod stream;

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use serde::Serialize;

use crate::disassembly::{Disassembly, Instruction};
use crate::process;
use crate::request::{Request, Traced};

/// qemu's user-mode emulator.
pub(crate) const QEMU: &str = "qemu-aarch64";

/// What one call executed.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Counts {
    pub(crate) kernel: String,
    /// States that the call permuted.
    pub(crate) states: usize,
    /// Whether they came to what the peer makes of them.
    pub(crate) agrees: bool,
    pub(crate) instructions: u64,
    pub(crate) mnemonics: BTreeMap<String, u64>,
    /// `subs t, x, p` whose `t` and `x` the `csel` that reads its flags chooses between.
    pub(crate) canonicalisations: u64,
    /// `bl` and `blr` inside the call.
    pub(crate) calls: u64,
}

/// Watches calls in one program.
pub(crate) struct Watcher {
    /// The kernel suite built for `AArch64`.
    pub(crate) program: PathBuf,
    /// That program's.
    pub(crate) disassembly: Disassembly,
    /// A folder for qemu's logs.
    pub(crate) scratch: PathBuf,
    /// How long a call may take.
    pub(crate) limit: Duration,
}

impl Watcher {
    /// Runs one call of a kernel, and gives its instructions in the order of execution, too.
    pub(crate) fn watch(&self, kernel: &str) -> io::Result<(Counts, Vec<&Instruction>)> {
        let request = Request::Trace {
            kernel: kernel.to_owned(),
        };
        let name = format!("executed-{}.log", kernel.replace('/', "."));
        let log = self.scratch.join(name);
        let mut command = Command::new(QEMU);
        command.args([one_at_a_time(QEMU)?, "-d", "exec,nochain", "-D"]);
        command.arg(&log).arg(&self.program);
        command.arg(serde_json::to_string(&request)?);
        let output = process::output(&mut command, self.limit)?;
        if !output.status.success() {
            let message = String::from_utf8_lossy(&output.stderr).into_owned();
            return Err(io::Error::other(message));
        }
        let traced: Traced = serde_json::from_slice(&output.stdout)?;
        let stream = stream::of_call(&log, &self.disassembly, &traced)?;
        std::fs::remove_file(&log)?;
        let mut mnemonics: BTreeMap<String, u64> = BTreeMap::new();
        for executed in &stream {
            *mnemonics.entry(executed.mnemonic.clone()).or_default() += 1;
        }
        let counts = Counts {
            kernel: kernel.to_owned(),
            states: traced.states,
            agrees: traced.agrees,
            instructions: stream.len() as u64,
            mnemonics,
            canonicalisations: pairs::canonicalisation_pairs(&stream),
            calls: stream.iter().filter(|executed| executed.is_call()).count() as u64,
        };
        Ok((counts, stream))
    }
}

/// The option for one instruction per translation block has been renamed along the way.
pub(crate) fn one_at_a_time(qemu: &str) -> io::Result<&'static str> {
    let help = Command::new(qemu).arg("--help").output()?.stdout;
    let help = String::from_utf8_lossy(&help);
    let spellings = ["-one-insn-per-tb", "-singlestep"];
    let known = |spelling: &&str| help.contains(*spelling);
    let error = || io::Error::other(format!("{qemu} cannot run one instruction at a time"));
    spellings.into_iter().find(known).ok_or_else(error)
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: one call, {} states", self.kernel, self.states)?;
        let mut mnemonics: Vec<_> = self.mnemonics.iter().collect();
        mnemonics.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        for (mnemonic, count) in mnemonics {
            writeln!(f, "{count:>8}  {mnemonic}")?;
        }
        writeln!(f, "{:>8}  instructions", self.instructions)?;
        writeln!(f, "{:>8}  of them calls", self.calls)?;
        write!(
            f,
            "{:>8}  subs/csel canonicalisation pairs",
            self.canonicalisations
        )
    }
}
