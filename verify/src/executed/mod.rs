//! Counts the instructions that one call of an `AArch64` kernel executes, by watching it in qemu.
//!
//! qemu is told to translate one instruction at a time and to log each one it runs; the log, cut
//! to the call and read against a disassembly, is the exact instruction stream.

mod pairs;
mod stream;

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::disassembly::{Disassembly, Instruction};
use crate::process;
use crate::request::{Request, Traced};

pub(crate) use pairs::canonicalisation_pairs;

/// Programs that the count needs.
#[derive(Clone, Debug)]
pub(crate) struct Tools {
    /// qemu's user-mode emulator, with the arguments that make it find the C library.
    pub(crate) qemu: Vec<String>,
    /// A disassembler with objdump's command line.
    pub(crate) objdump: String,
    /// How long a call may take.
    pub(crate) limit: Duration,
}

/// What one call executed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Counts {
    /// The kernel.
    pub(crate) kernel: String,
    /// States that the call permuted.
    pub(crate) states: usize,
    /// Whether they came to what the peer makes of them.
    pub(crate) agrees: bool,
    /// Instructions in total.
    pub(crate) instructions: u64,
    /// Instructions by mnemonic.
    pub(crate) mnemonics: BTreeMap<String, u64>,
    /// `subs t, x, p` whose `t` and `x` the `csel` that reads its flags chooses between.
    pub(crate) canonicalisations: u64,
    /// `bl` and `blr` inside the call.
    pub(crate) calls: u64,
}

/// One call, as executed.
#[derive(Clone, Debug)]
pub(crate) struct Watched<'a> {
    /// States that the call permuted.
    pub(crate) states: usize,
    /// Whether they came to what the peer makes of them.
    pub(crate) agrees: bool,
    /// Its instructions, in the order of execution.
    pub(crate) stream: Vec<&'a Instruction>,
}

/// Runs one call of `kernel` in `program`, which must be the kernel suite built for `AArch64`, and
/// whose disassembly is given.
pub(crate) fn watch<'a>(
    tools: &Tools,
    program: &Path,
    disassembly: &'a Disassembly,
    kernel: &str,
    scratch: &Path,
) -> io::Result<Watched<'a>> {
    let request = Request::Trace {
        kernel: kernel.to_owned(),
    };
    let Some((qemu, arguments)) = tools.qemu.split_first() else {
        return Err(io::Error::other("no emulator"));
    };
    let log = scratch.join("executed.log");
    let mut command = Command::new(qemu);
    command
        .args(arguments)
        .args([one_at_a_time(qemu)?, "-d", "exec,nochain", "-D"])
        .arg(&log)
        .arg(program)
        .arg(serde_json::to_string(&request)?);
    let output = process::output(&mut command, tools.limit)?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(io::Error::other(message));
    }
    let traced: Traced = serde_json::from_slice(&output.stdout)?;
    let stream = stream::of_call(&log, disassembly, &traced)?;
    std::fs::remove_file(&log)?;
    Ok(Watched {
        states: traced.states,
        agrees: traced.agrees,
        stream,
    })
}

impl Counts {
    /// Of a call of a kernel.
    pub(crate) fn of(kernel: &str, watched: &Watched<'_>) -> Self {
        let stream = &watched.stream;
        let mut counts = Self {
            kernel: kernel.to_owned(),
            states: watched.states,
            agrees: watched.agrees,
            instructions: stream.len() as u64,
            mnemonics: BTreeMap::new(),
            canonicalisations: canonicalisation_pairs(stream),
            calls: stream.iter().filter(|executed| executed.is_call()).count() as u64,
        };
        for executed in stream {
            let mnemonic = executed.mnemonic.clone();
            *counts.mnemonics.entry(mnemonic).or_default() += 1;
        }
        counts
    }
}

/// The option for one instruction per translation block has been renamed along the way.
fn one_at_a_time(qemu: &str) -> io::Result<&'static str> {
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
