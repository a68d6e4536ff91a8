//! A program's instructions, by address.

use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::process::Command;

/// One disassembled instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// The mnemonic, such as `csel`.
    pub mnemonic: String,
    /// The operands, such as `x0`, `x1`, `x2`, `hs`.
    pub operands: Vec<String>,
}

impl Instruction {
    /// Whether it calls a function.
    #[must_use]
    pub fn is_call(&self) -> bool {
        matches!(self.mnemonic.as_str(), "bl" | "blr")
    }

    /// Whether it returns from a function.
    #[must_use]
    pub fn is_return(&self) -> bool {
        self.mnemonic == "ret"
    }

    fn parse(text: &str) -> Self {
        let text = text.split("//").next().unwrap_or_default().trim();
        let (mnemonic, operands) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        Self {
            mnemonic: mnemonic.to_owned(),
            operands: operands
                .split(',')
                .map(|operand| operand.trim().to_owned())
                .filter(|operand| !operand.is_empty())
                .collect(),
        }
    }
}

/// All instructions of a program, by address in the file.
#[derive(Clone, Debug)]
pub(super) struct Disassembly {
    instructions: HashMap<u64, Instruction>,
    anchor: u64,
}

impl Disassembly {
    /// Disassembles a program.
    pub(super) fn of(objdump: &str, program: &Path) -> io::Result<Self> {
        let output = Command::new(objdump)
            .args(["-d", "--no-show-raw-insn"])
            .arg(program)
            .output()?;
        if !output.status.success() {
            let message = String::from_utf8_lossy(&output.stderr).into_owned();
            return Err(io::Error::other(message));
        }
        Self::parse(&String::from_utf8_lossy(&output.stdout))
            .ok_or_else(|| io::Error::other("the program has no symbol `verify_anchor`"))
    }

    fn parse(listing: &str) -> Option<Self> {
        let mut instructions = HashMap::new();
        let mut anchor = None;
        for line in listing.lines() {
            if let Some((address, "<verify_anchor>:")) = line.split_once(' ') {
                anchor = u64::from_str_radix(address, 16).ok();
            } else if let Some((address, text)) = line.split_once(':')
                && let Ok(address) = u64::from_str_radix(address.trim(), 16)
                && !text.is_empty()
            {
                instructions.insert(address, Instruction::parse(text));
            }
        }
        Some(Self {
            instructions,
            anchor: anchor?,
        })
    }

    /// The instruction at an address in memory, where the anchor is at `anchor` there.
    pub(super) fn at(&self, address: u64, anchor: u64) -> Option<&Instruction> {
        let in_file = address.wrapping_sub(anchor).wrapping_add(self.anchor);
        self.instructions.get(&in_file)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Instructions as objdump would list them.
    pub(crate) fn instructions(listing: &str) -> Vec<Instruction> {
        listing.lines().map(Instruction::parse).collect()
    }

    #[test]
    fn a_listing_is_read_by_address() {
        let listing = "\
0000000000000010 <verify_anchor>:
      10:\tret

0000000000000020 <kernel>:
      20:\tsubs\tx1, x0, x9
      24:\tmov\tw8, #0x1                   \t// #1
";
        let disassembly = Disassembly::parse(listing).expect("it has an anchor");
        let at = |address| disassembly.at(address, 0x1010);
        assert_eq!(at(0x1020), Some(&Instruction::parse("subs x1, x0, x9")));
        assert_eq!(at(0x1024), Some(&Instruction::parse("mov w8, #0x1")));
        assert_eq!(at(0x20), None);
        assert!(at(0x1010).is_some_and(Instruction::is_return));
    }
}
