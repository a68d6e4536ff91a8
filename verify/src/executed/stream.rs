//! The instructions of one call, in the order of execution.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use crate::disassembly::{Disassembly, Instruction};
use crate::request::Traced;

/// Reads the first call of `traced.entry` out of qemu's log.
pub(super) fn of_call<'a>(
    log: &Path,
    disassembly: &'a Disassembly,
    traced: &Traced,
) -> io::Result<Vec<&'a Instruction>> {
    let mut counters = Vec::new();
    for line in BufReader::new(File::open(log)?).lines() {
        counters.extend(program_counter(&line?));
    }
    let at = |address| disassembly.at(disassembly.in_file(address, traced.anchor));
    cut(&counters, traced.entry, at).map_err(io::Error::other)
}

/// The program counter in a line such as `Trace 0: 0x7fb6 [00000000/000000550000c040/1/201] f`.
fn program_counter(line: &str) -> Option<u64> {
    let (_, bracketed) = line.strip_prefix("Trace ")?.split_once('[')?;
    u64::from_str_radix(bracketed.split('/').nth(1)?, 16).ok()
}

/// The stretch from the entry to the return that leaves it.
fn cut<'a>(
    counters: &[u64],
    entry: u64,
    at: impl Fn(u64) -> Option<&'a Instruction>,
) -> Result<Vec<&'a Instruction>, String> {
    let start = counters.iter().position(|counter| *counter == entry);
    let start = start.ok_or("the log never enters the kernel")?;
    let mut stream = Vec::new();
    let mut depth = 0_u64;
    for counter in &counters[start..] {
        let instruction = at(*counter).ok_or("the kernel leaves the program")?;
        stream.push(instruction);
        if instruction.is_call() {
            depth += 1;
        } else if instruction.is_return() {
            match depth.checked_sub(1) {
                Some(outer) => depth = outer,
                None => return Ok(stream),
            }
        }
    }
    Err("the log ends before the kernel returns".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disassembly::tests::instructions;

    #[test]
    fn the_program_counter_is_the_second_field() {
        let line = "Trace 0: 0x7fb6dae00100 [0000000001009331/00000055028bcc40/00000001/00000201] ";
        assert_eq!(program_counter(line), Some(0x55_028b_cc40));
        assert_eq!(program_counter("Stopped execution of TB chain"), None);
    }

    #[test]
    fn a_call_ends_with_its_own_return() {
        let program = instructions("nop\nadd x0, x0, x1\nbl 4\nret\nmul x0, x0, x1\nret");
        let at = |counter: u64| program.get(usize::try_from(counter).expect("small"));
        let counters = [0, 1, 2, 4, 5, 3, 0, 1];
        let stream = cut(&counters, 1, at).expect("entered and left");
        let mnemonics: Vec<_> = stream
            .iter()
            .map(|executed| executed.mnemonic.as_str())
            .collect();
        assert_eq!(mnemonics, ["add", "bl", "mul", "ret", "ret"]);
        assert!(cut(&counters[..5], 1, at).is_err());
        assert!(cut(&[7], 7, at).is_err());
    }
}
