//! `llvm-mca`: the cycles that an instruction stream takes on a core, by LLVM's tables.

use std::io::Write;
use std::process::{Command, Stdio};

/// The first version whose tables for the Neoverse cores are their own.
const OLDEST: u32 = 18;

/// A version that is good enough.
#[derive(Clone, Debug)]
pub(super) struct Mca {
    program: String,
    /// What it says of itself.
    pub(super) version: String,
}

impl Mca {
    /// The newest one that is installed.
    pub(super) fn find() -> Option<Self> {
        let named = (OLDEST..40)
            .rev()
            .map(|version| format!("llvm-mca-{version}"));
        named.chain(["llvm-mca".to_owned()]).find_map(|program| {
            let output = Command::new(&program).arg("--version").output().ok()?;
            let said = String::from_utf8_lossy(&output.stdout).into_owned();
            let version = version(&said)?;
            (major(version)? >= OLDEST).then(|| Self {
                program,
                version: format!("LLVM {version}"),
            })
        })
    }

    /// Cycles from the first instruction's dispatch to the last one's retirement.
    pub(super) fn cycles(&self, core: &str, assembly: &str) -> Result<u64, String> {
        let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", self.program);
        let mut child = Command::new(&self.program)
            .args(["-mtriple=aarch64", "-iterations=1", "-instruction-info=0"])
            .args(["-resource-pressure=0", &format!("-mcpu={core}")])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| failed(&error))?;
        if let Some(mut stdin) = child.stdin.take() {
            let text = assembly.to_owned();
            // It reads everything before it says anything.
            stdin
                .write_all(text.as_bytes())
                .map_err(|error| failed(&error))?;
        }
        let output = child.wait_with_output().map_err(|error| failed(&error))?;
        let (said, complaints) = (output.stdout, String::from_utf8_lossy(&output.stderr));
        // It goes on without a processor that it does not know.
        let ignored = complaints.contains("not a recognized processor");
        if !output.status.success() || ignored || complaints.contains("error:") {
            return Err(failed(&complaints.lines().next().unwrap_or("failed")));
        }
        total(&String::from_utf8_lossy(&said)).ok_or_else(|| failed(&"no total of cycles"))
    }
}

fn version(said: &str) -> Option<&str> {
    let (_, rest) = said.split_once("LLVM version ")?;
    rest.split_whitespace().next()
}

fn major(version: &str) -> Option<u32> {
    version.split('.').next()?.parse().ok()
}

fn total(said: &str) -> Option<u64> {
    let (_, rest) = said.split_once("Total Cycles:")?;
    rest.split_whitespace().next()?.parse().ok()
}

/// An executed instruction as input: without what only a disassembler writes. Jumps have happened,
/// so they take a slot and nothing else.
pub(super) fn assembly(instruction: &str) -> String {
    let (mnemonic, operands) = instruction.split_once(' ').unwrap_or((instruction, ""));
    let jump = matches!(
        mnemonic,
        "b" | "bl" | "blr" | "br" | "ret" | "cbz" | "cbnz" | "tbz" | "tbnz"
    );
    if jump || mnemonic.starts_with("b.") {
        return "nop".to_owned();
    }
    let named = operands.split(" <").next().unwrap_or(operands);
    match mnemonic {
        // The page is a number of no consequence.
        "adr" | "adrp" => {
            let register = named.split(',').next().unwrap_or("x0");
            format!("{mnemonic} {register}, #0")
        }
        _ => write_back(mnemonic, named).unwrap_or_else(|| format!("{mnemonic} {named}")),
    }
}

/// A load or store that writes its address back, as the access and the addition that cores make of
/// it. In LLVM's tables the new address waits for the data that is stored, which no core does: a
/// loop of such stores would be a chain of what they store.
fn write_back(mnemonic: &str, operands: &str) -> Option<String> {
    let (data, address) = operands.split_once(", [")?;
    let (first, base, step) = if let Some((base, step)) = address.split_once("], #") {
        (true, base, step)
    } else {
        let (base, step) = address.strip_suffix("]!")?.split_once(", #")?;
        (false, base, step)
    };
    let add = match step.strip_prefix('-') {
        Some(step) => format!("sub {base}, {base}, #{step}"),
        None => format!("add {base}, {base}, #{step}"),
    };
    let access = format!("{mnemonic} {data}, [{base}]");
    Some(if first {
        format!("{access}\n{add}")
    } else {
        format!("{add}\n{access}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_an_assembler_reads_is_left() {
        assert_eq!(assembly("csel x0, x1, x2, cs"), "csel x0, x1, x2, cs");
        assert_eq!(assembly("b.ne 4010 <kernel+0x10>"), "nop");
        assert_eq!(assembly("ret "), "nop");
        assert_eq!(assembly("ldr x1, [x2, #8]"), "ldr x1, [x2, #8]");
        assert_eq!(
            assembly("str x17, [x16], #8"),
            "str x17, [x16]\nadd x16, x16, #8"
        );
        assert_eq!(
            assembly("stp x29, x30, [sp, #-16]!"),
            "sub sp, sp, #16\nstp x29, x30, [sp]"
        );
        assert_eq!(assembly("adrp x8, 5b000 <table>"), "adrp x8, #0");
        assert_eq!(
            assembly("umlal v0.2d, v1.2s, v2.2s"),
            "umlal v0.2d, v1.2s, v2.2s"
        );
    }

    #[test]
    fn totals_and_versions_are_found() {
        let said = "Iterations:        1\nInstructions:      9\nTotal Cycles:      42\n";
        assert_eq!(total(said), Some(42));
        let said = "Debian LLVM version 22.1.8\n  Optimized build.";
        assert_eq!(version(said).and_then(major), Some(22));
        assert_eq!(total("nothing"), None);
    }
}
