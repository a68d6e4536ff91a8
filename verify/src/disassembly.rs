//! A program's instructions and functions, by address.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::process::Command;

/// One disassembled instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Instruction {
    /// The mnemonic, such as `csel`.
    pub(crate) mnemonic: String,
    /// The operands, such as `x0`, `x1`, `x2`, `hs`.
    pub(crate) operands: Vec<String>,
    /// The address that the disassembler notes beside an operand relative to the program counter.
    pub(crate) note: Option<u64>,
}

impl Instruction {
    /// Whether it calls a function.
    pub(crate) fn is_call(&self) -> bool {
        matches!(self.mnemonic.as_str(), "bl" | "blr" | "call")
    }

    /// Whether it jumps, whatever happens.
    pub(crate) fn is_jump(&self) -> bool {
        matches!(self.mnemonic.as_str(), "b" | "jmp")
    }

    /// Whether it returns from a function.
    pub(crate) fn is_return(&self) -> bool {
        self.mnemonic == "ret"
    }

    /// Whether it stores an x86 vector of more than 16 bytes on the stack, wherever that lies.
    pub(crate) fn is_unaligned_spill(&self) -> bool {
        let moves = ["vmovdqu", "vmovups", "vmovupd"];
        let [from, to] = self.operands.as_slice() else {
            return false;
        };
        moves.iter().any(|name| self.mnemonic.starts_with(name))
            && (from.starts_with("%ymm") || from.starts_with("%zmm"))
            && to.contains("(%rsp")
    }

    fn parse(text: &str) -> Self {
        let text = text.split("//").next().unwrap_or_default();
        let (text, note) = text.split_once(" # ").unwrap_or((text, ""));
        let text = text.trim();
        let (mnemonic, operands) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        Self {
            mnemonic: mnemonic.to_owned(),
            operands: operands
                .split(',')
                .map(|operand| operand.trim().to_owned())
                .filter(|operand| !operand.is_empty())
                .collect(),
            note: address(note),
        }
    }
}

impl fmt::Display for Instruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            mnemonic, operands, ..
        } = self;
        write!(f, "{mnemonic} {}", operands.join(", "))
    }
}

/// The address at the start of a text such as `28a80 <memcpy>`.
fn address(text: &str) -> Option<u64> {
    u64::from_str_radix(text.trim_start().split(' ').next()?, 16).ok()
}

/// All instructions of a program, by address in the file.
#[derive(Clone, Debug)]
pub(crate) struct Disassembly {
    instructions: BTreeMap<u64, Instruction>,
    functions: BTreeMap<u64, String>,
    /// Words that the loader fills with addresses inside the program.
    slots: BTreeMap<u64, u64>,
    anchor: u64,
}

impl Disassembly {
    /// Disassembles a program, with a tool that has objdump's command line.
    pub(crate) fn of(objdump: &str, program: &Path) -> io::Result<Self> {
        let read = |arguments: &[&str]| {
            let output = Command::new(objdump)
                .args(arguments)
                .arg(program)
                .output()?;
            if output.status.success() {
                Ok(String::from_utf8_lossy(&output.stdout).into_owned())
            } else {
                let message = String::from_utf8_lossy(&output.stderr).into_owned();
                Err(io::Error::other(message))
            }
        };
        let listing = read(&["-d", "--no-show-raw-insn"])?;
        // A program that is not relocated has none, and says so as an error.
        let relocations = read(&["-R"]).unwrap_or_default();
        Self::parse(&listing, &relocations)
            .ok_or_else(|| io::Error::other("the program has no symbol `verify_anchor`"))
    }

    pub(crate) fn parse(listing: &str, relocations: &str) -> Option<Self> {
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
            slots: relocations.lines().filter_map(slot).collect(),
            anchor,
        })
    }

    /// An address in the file from one in memory, where the anchor is at `anchor`.
    pub(crate) fn in_file(&self, address: u64, anchor: u64) -> u64 {
        address.wrapping_sub(anchor).wrapping_add(self.anchor)
    }

    /// The instruction at an address in the file.
    pub(crate) fn at(&self, address: u64) -> Option<&Instruction> {
        self.instructions.get(&address)
    }

    /// Where a call or jump goes, if the program alone decides that.
    pub(crate) fn target(&self, instruction: &Instruction) -> Option<u64> {
        let operand = instruction.operands.first()?;
        if operand.starts_with('*') {
            return self.slots.get(&instruction.note?).copied();
        }
        address(operand)
    }

    /// The function that an address in the file lies in: its range and its instructions.
    pub(crate) fn function(
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

/// Reads `0000000000106290 R_X86_64_RELATIVE  *ABS*+0x0000000000057530`.
fn slot(line: &str) -> Option<(u64, u64)> {
    let (place, value) = line.split_once("_RELATIVE")?;
    let (_, value) = value.split_once("*ABS*+0x")?;
    Some((address(place)?, address(value)?))
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
        let disassembly = Disassembly::parse(listing, "").expect("it has an anchor");
        let at = |address| disassembly.at(disassembly.in_file(address, 0x1010));
        assert_eq!(at(0x1020), Some(&Instruction::parse("subs x1, x0, x9")));
        assert_eq!(at(0x1024), Some(&Instruction::parse("mov w8, #0x1")));
        assert_eq!(at(0x20), None);
        assert!(at(0x1010).is_some_and(Instruction::is_return));
    }
}
