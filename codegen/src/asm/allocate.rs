//! Register allocation of straight-line code: furthest next use goes first.

use super::code::{Action, Code, Line, Pointer};
use crate::isa::Kind;
use crate::machine::Reg;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The registers that code may use.
#[derive(Clone, Debug)]
pub struct RegisterFile {
    /// Numbers of the general registers that values may be put in.
    pub general: Vec<u32>,
}

/// Code in physical registers: `Reg(n)` is general register `n`; flags keep virtual numbers, for
/// there is only one flags register and the schedule never has two flag values alive.
#[derive(Clone, Debug)]
pub struct Allocation {
    /// The lines.
    pub lines: Vec<Line>,
    /// Words of scratch memory.
    pub scratch_words: usize,
    /// General registers written.
    pub clobbered: BTreeSet<u32>,
    /// Stores to and loads from scratch.
    pub spills: usize,
}

struct Allocator<'a> {
    code: &'a Code,
    /// Lines that still read each register, in order.
    uses: Vec<VecDeque<usize>>,
    place: BTreeMap<Reg, u32>,
    free: BTreeSet<u32>,
    slot: BTreeMap<Reg, usize>,
    free_slots: BTreeSet<usize>,
    out: Allocation,
}

/// Assigns physical registers, spilling to scratch memory where they do not suffice.
///
/// # Panics
/// If a single line needs more registers than there are.
#[must_use]
pub fn allocate(code: &Code, file: &RegisterFile) -> Allocation {
    let mut uses = vec![VecDeque::new(); code.registers.len()];
    for (n, line) in code.lines.iter().enumerate() {
        for reg in line.action.sources() {
            uses[reg.0 as usize].push_back(n);
        }
    }
    let mut allocator = Allocator {
        code,
        uses,
        place: BTreeMap::new(),
        free: file.general.iter().copied().collect(),
        slot: BTreeMap::new(),
        free_slots: BTreeSet::new(),
        out: Allocation {
            lines: Vec::with_capacity(code.lines.len()),
            scratch_words: 0,
            clobbered: BTreeSet::new(),
            spills: 0,
        },
    };
    for line in &code.lines {
        allocator.line(line);
    }
    allocator.out
}

impl Allocator<'_> {
    fn is_general(&self, reg: Reg) -> bool {
        self.code.kind(reg) != Kind::Flags
    }

    fn line(&mut self, line: &Line) {
        let sources: Vec<Reg> = line
            .action
            .sources()
            .filter(|&r| self.is_general(r))
            .collect();
        for &reg in &sources {
            if !self.place.contains_key(&reg) {
                self.reload(reg, &sources);
            }
        }
        let renamed: BTreeMap<Reg, Reg> = sources
            .iter()
            .map(|&reg| (reg, Reg(self.place[&reg])))
            .collect();
        for reg in line.action.sources() {
            self.uses[reg.0 as usize].pop_front();
        }
        for &reg in &sources {
            self.release_if_dead(reg);
        }
        let mut results = Vec::new();
        for &reg in line.action.results() {
            if !self.is_general(reg) {
                results.push(reg);
                continue;
            }
            let register = self.take(&sources);
            self.place.insert(reg, register);
            results.push(Reg(register));
        }
        for &reg in line.action.results() {
            if self.is_general(reg) {
                self.release_if_dead(reg);
            }
        }
        let mut results = results.into_iter();
        let action = line.action.renamed(
            |reg| renamed.get(&reg).copied().unwrap_or(reg),
            |_| results.next().expect("one for each"),
        );
        self.out.lines.push(Line {
            action,
            operation: line.operation,
        });
    }

    /// A free register; if there is none, the value read furthest ahead gives up its own.
    fn take(&mut self, pinned: &[Reg]) -> u32 {
        let register = match self.free.pop_first() {
            Some(register) => register,
            None => {
                let victim = *self
                    .place
                    .keys()
                    .filter(|reg| !pinned.contains(reg))
                    .max_by_key(|reg| self.uses[reg.0 as usize].front().copied())
                    .expect("a line needs fewer registers than there are");
                self.spill(victim)
            }
        };
        self.out.clobbered.insert(register);
        register
    }

    fn spill(&mut self, reg: Reg) -> u32 {
        let register = self.place.remove(&reg).expect("a placed value");
        if !self.slot.contains_key(&reg) {
            let slot = self.free_slots.pop_first().unwrap_or_else(|| {
                self.out.scratch_words += 1;
                self.out.scratch_words - 1
            });
            self.slot.insert(reg, slot);
            self.out.spills += 1;
            let action = Action::Store {
                source: Reg(register),
                pointer: Pointer::Scratch,
                word: slot,
            };
            self.out.lines.push(Line {
                action,
                operation: None,
            });
        }
        register
    }

    fn reload(&mut self, reg: Reg, pinned: &[Reg]) {
        let slot = self.slot[&reg];
        let register = self.take(pinned);
        self.place.insert(reg, register);
        self.out.spills += 1;
        let action = Action::Load {
            result: Reg(register),
            pointer: Pointer::Scratch,
            word: slot,
        };
        self.out.lines.push(Line {
            action,
            operation: None,
        });
    }

    fn release_if_dead(&mut self, reg: Reg) {
        if self.uses[reg.0 as usize].is_empty() {
            if let Some(register) = self.place.remove(&reg) {
                self.free.insert(register);
            }
            if let Some(slot) = self.slot.remove(&reg) {
                self.free_slots.insert(slot);
            }
        }
    }
}
