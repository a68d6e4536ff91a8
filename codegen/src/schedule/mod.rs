//! Interleaving: B independent streams become one, in an order that keeps every dependence.

mod list;

pub use list::{is_order, list_schedule};

use crate::asm::{Action, Code, Line};
use crate::isa::Kind;
use crate::machine::Reg;

/// Interleaves streams line by line, the least advanced stream first.
///
/// There is one flags register: while a stream's flags are still to be read, no other stream may
/// write them, so a flag's writer and readers stay together as far as other writers go.
#[must_use]
pub fn interleave(streams: &[Code]) -> Code {
    let mut merged = Code::default();
    let mut cursors: Vec<Cursor<'_>> = streams
        .iter()
        .map(|code| {
            let offset = merged.registers.len() as u32;
            merged.registers.extend(&code.registers);
            Cursor::new(code, offset)
        })
        .collect();
    loop {
        let holder = cursors.iter().position(|c| c.flags_pending > 0);
        let next = (0..cursors.len())
            .filter(|&n| cursors[n].line().is_some())
            .filter(|&n| holder.is_none_or(|h| h == n) || !cursors[n].writes_flags())
            .min_by_key(|&n| cursors[n].next);
        match next {
            Some(n) => merged.lines.push(cursors[n].advance()),
            None => return merged,
        }
    }
}

struct Cursor<'a> {
    code: &'a Code,
    offset: u32,
    next: usize,
    /// Reads of the flags last written that are still to come.
    flags_pending: usize,
}

impl<'a> Cursor<'a> {
    fn new(code: &'a Code, offset: u32) -> Self {
        Self {
            code,
            offset,
            next: 0,
            flags_pending: 0,
        }
    }

    fn line(&self) -> Option<&'a Line> {
        self.code.lines.get(self.next)
    }

    fn flags_written(&self, line: &Line) -> Option<Reg> {
        let results = line.action.results().iter();
        results
            .copied()
            .find(|&reg| self.code.kind(reg) == Kind::Flags)
    }

    fn writes_flags(&self) -> bool {
        self.line()
            .is_some_and(|line| self.flags_written(line).is_some())
    }

    fn advance(&mut self) -> Line {
        let line = &self.code.lines[self.next];
        self.next += 1;
        let reads = line
            .action
            .sources()
            .filter(|&r| self.code.kind(r) == Kind::Flags)
            .count();
        self.flags_pending -= reads;
        if let Some(flags) = self.flags_written(line) {
            let readers = self.code.lines[self.next..].iter();
            self.flags_pending = readers
                .flat_map(|l| l.action.sources())
                .filter(|&r| r == flags)
                .count();
        }
        Line {
            action: shift(&line.action, self.offset),
            operation: line.operation,
        }
    }
}

/// The action with every register number moved up.
fn shift(action: &Action, offset: u32) -> Action {
    let up = |reg: Reg| Reg(reg.0 + offset);
    action.renamed(up, up)
}

/// Checks that `merged` is `streams` in another order and no more: each stream's lines occur in
/// its own order, and between a flags value and its readers no other flags value is written.
#[must_use]
pub fn is_faithful(streams: &[Code], merged: &Code) -> bool {
    let mut offset = 0;
    let mut owner = Vec::new();
    for (n, code) in streams.iter().enumerate() {
        owner.extend(std::iter::repeat_n((n, offset), code.registers.len()));
        offset += code.registers.len() as u32;
    }
    let mut next = vec![0; streams.len()];
    let mut flags = None;
    for line in &merged.lines {
        let some_register = line
            .action
            .sources()
            .chain(line.action.results().iter().copied())
            .next();
        let Some(&(n, offset)) = some_register.and_then(|reg| owner.get(reg.0 as usize)) else {
            return false;
        };
        let Some(original) = streams[n].lines.get(next[n]) else {
            return false;
        };
        next[n] += 1;
        if format!("{:?}", shift(&original.action, offset)) != format!("{:?}", line.action) {
            return false;
        }
        for reg in line.action.sources() {
            if merged.kind(reg) == Kind::Flags && flags != Some(reg) {
                return false;
            }
        }
        for &reg in line.action.results() {
            if merged.kind(reg) == Kind::Flags {
                flags = Some(reg);
            }
        }
    }
    next.iter()
        .zip(streams)
        .all(|(&n, code)| n == code.lines.len())
}
