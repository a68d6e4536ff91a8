//! Registers of an `asm!` block: each one declared, none read before it is written.

use std::collections::{BTreeMap, BTreeSet};

use super::Finding;
use super::asm::{AsmBlock, effect, touches_memory};

/// Not for `asm!`: the platform register, LLVM's base pointer, frame pointer, stack pointer.
const RESERVED: &[&str] = &["x18", "x19", "x29", "sp"];

pub(super) fn check(block: &AsmBlock, findings: &mut Vec<Finding>) {
    let mut declared = BTreeMap::new();
    let mut defined = BTreeSet::new();
    for (direction, register) in &block.operands {
        declared.insert(register.as_str(), direction.as_str());
        if direction.starts_with("in") {
            defined.insert(register.clone());
        }
        // It may share the register of an input that is still to be read.
        if direction.contains("late") && !is_last(block, register) {
            let early = direction.replace("late", "");
            let fault =
                format!("asm: `{direction}({register})` may alias an input; declare it `{early}`");
            findings.push(Finding::at(block.line, fault));
        }
    }
    let in_memory = block.lines.iter().any(|line| touches_memory(&line.text));
    for option in &block.options {
        let kept = match option.as_str() {
            "nostack" => true,
            // Flags and operands are all that is left to depend on, and to change.
            "nomem" | "pure" => !in_memory,
            _ => false,
        };
        if !kept {
            let fault = format!("asm: option `{option}` promises what the block does not keep");
            findings.push(Finding::at(block.line, fault));
        }
    }
    for line in &block.lines {
        let mut object = |register: &str, fault: &str| {
            let fault = format!("asm: {register} is {fault}: `{}`", line.text);
            findings.push(Finding::at(line.line, fault));
        };
        let (reads, writes) = effect(&line.text);
        let touched: BTreeSet<&String> = reads.iter().chain(&writes).collect();
        for register in touched {
            if RESERVED.contains(&register.as_str()) {
                object(register, "reserved");
            } else if !declared.contains_key(register.as_str()) {
                object(register, "used but not declared");
            } else if reads.contains(register) && !defined.contains(register) {
                object(register, "read before it is written");
            }
        }
        for register in writes {
            if declared.get(register.as_str()) == Some(&"in") {
                object(&register, "written but declared `in`");
            }
            defined.insert(register);
        }
    }
}

/// Whether all is read when the register is written: it is by the last line only.
fn is_last(block: &AsmBlock, register: &str) -> bool {
    let mut writers = block.lines.iter().rev().skip(1);
    !writers.any(|line| effect(&line.text).1.iter().any(|name| name == register))
}
