//! A program's instructions and functions, by address.

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
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
        matches!(self.mnemonic.as_str(), "bl" | "blr" | "call")
    }

    /// Whether it jumps, whatever happens.
    #[must_use]
    pub fn is_jump(&self) -> bool {
        matches!(self.mnemonic.as_str(), "b" | "jmp")
    }

    /// The address that a call or jump names, such as the first word of `28a80 <memcpy>`.
    #[must_use]
    pub fn target(&self) -> Option<u64> {
        let address = self.operands.first()?.split(' ').next()?;
        u64::from_str_radix(address, 16).ok()
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
pub struct Disassembly {
    instructions: BTreeMap<u64, Instruction>,
    functions: BTreeMap<u64, String>,
    anchor: u64,
}

impl Disassembly {
    /// Disassembles a program, with a tool that has objdump's command line.
    ///
    /// # Errors
    /// Where the tool fails or the program has no anchor.
    pub fn of(objdump: &str, program: &Path) -> io::Result<Self> {
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

    pub(crate) fn parse(listing: &str) -> Option<Self> {
        let mut instructions = BTreeMap::new();
        let mut functions = BTreeMap::new();
        for line in listing.lines() {
            if let Some((address, name)) = line.split_once(" <")
                && let Some(name) = name.strip_suffix(">:")
                && let Ok(address) = u64::from_str_radix(address, 16)
            {
                functions.insert(address, name.to_owned());
            } else if let Some((address, text)) = line.split_once(':')
                && let Ok(address) = u64::from_str_radix(address.trim(), 16)
                && !text.is_empty()
            {
                instructions.insert(address, Instruction::parse(text));
            }
        }
        let mut names = functions.iter();
        let anchor = names.find(|(_, name)| *name == "verify_anchor");
        let anchor = *anchor?.0;
        Some(Self {
            instructions,
            functions,
            anchor,
        })
    }

    /// An address in the file from one in memory, where the anchor is at `anchor`.
    #[must_use]
    pub fn in_file(&self, address: u64, anchor: u64) -> u64 {
        address.wrapping_sub(anchor).wrapping_add(self.anchor)
    }

    /// The instruction at an address in the file.
    #[must_use]
    pub fn at(&self, address: u64) -> Option<&Instruction> {
        self.instructions.get(&address)
    }

    /// The function that an address in the file lies in: its range and its instructions.
    pub fn function(
        &self,
        address: u64,
    ) -> Option<(Range<u64>, impl Iterator<Item = &Instruction>)> {
        let (start, _) = self.functions.range(..=address).next_back()?;
        let next = self.functions.range(address + 1..).next();
        let end = match next {
            Some((next, _)) => *next,
            None => self.instructions.last_key_value()?.0 + 1,
        };
        let range = *start..end;
        let instructions = self.instructions.range(range.clone());
        Some((range, instructions.map(|(_, instruction)| instruction)))
    }
}

#[cfg(test)]
pub(crate) mod tests {
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
        let at = |address| disassembly.at(disassembly.in_file(address, 0x1010));
        assert_eq!(at(0x1020), Some(&Instruction::parse("subs x1, x0, x9")));
        assert_eq!(at(0x1024), Some(&Instruction::parse("mov w8, #0x1")));
        assert_eq!(at(0x20), None);
        assert!(at(0x1010).is_some_and(Instruction::is_return));
    }
}
