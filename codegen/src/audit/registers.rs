//! Registers of an `asm!` block: each one declared, none read before it is written.

use std::collections::{BTreeMap, BTreeSet};

use super::asm::{AsmBlock, AsmLine};
use super::finding::{Fault, Finding};

/// Not for `asm!`: the platform register, LLVM's base pointer, frame pointer, stack pointer.
const RESERVED: &[&str] = &["x18", "x19", "x29", "sp"];

pub(super) fn check(block: &AsmBlock, findings: &mut Vec<Finding>) {
    let mut declared = BTreeMap::new();
    let mut defined = BTreeSet::new();
    for operand in &block.operands {
        let (direction, register) = (operand.direction.as_str(), operand.register.as_str());
        declared.insert(register, direction);
        if direction.starts_with("in") {
            defined.insert(register.to_owned());
        }
        if direction.contains("late") && !is_last(block, register) {
            let fault = Fault::LateOutput {
                direction: direction.to_owned(),
                register: register.to_owned(),
            };
            findings.push(Finding::at(block.line, fault));
        }
    }
    let in_memory = block.lines.iter().any(|line| line.touches_memory());
    let kept = |option: &str| match option {
        "nostack" => true,
        // Flags and operands are all that is left to depend on, and to change.
        "nomem" | "pure" => !in_memory,
        _ => false,
    };
    for option in block.options.iter().filter(|option| !kept(option)) {
        findings.push(Finding::at(block.line, Fault::Option(option.clone())));
    }
    for line in &block.lines {
        let mut object = |register: &str, fault: fn(String, String) -> Fault| {
            let fault = fault(register.to_owned(), line.text.clone());
            findings.push(Finding::at(line.line, fault));
        };
        let effect = line.effect();
        let touched: BTreeSet<&String> = effect.reads.iter().chain(&effect.writes).collect();
        for register in touched {
            if RESERVED.contains(&register.as_str()) {
                object(register, |register, text| Fault::Reserved {
                    register,
                    text,
                });
            } else if !declared.contains_key(register.as_str()) {
                object(register, |register, text| Fault::Undeclared {
                    register,
                    text,
                });
            } else if effect.reads.contains(register) && !defined.contains(register) {
                object(register, |register, text| Fault::Undefined {
                    register,
                    text,
                });
            }
        }
        for register in effect.writes {
            if declared.get(register.as_str()) == Some(&"in") {
                object(&register, |register, text| Fault::InputWritten {
                    register,
                    text,
                });
            }
            defined.insert(register);
        }
    }
}

/// Whether all is read when the register is written: it is by the last line only.
fn is_last(block: &AsmBlock, register: &str) -> bool {
    let before = block
        .lines
        .split_last()
        .map_or(&[][..], |(_, before)| before);
    let writes = |line: &AsmLine| line.effect().writes.iter().any(|name| name == register);
    !before.iter().any(writes)
}
