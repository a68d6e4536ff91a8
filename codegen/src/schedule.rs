//! List scheduling: in each cycle of a core the ready pieces with the longest critical path.
//!
//! A piece waits for the values that it reads and for a pipe. One that would hold more values than
//! the core has registers waits until others have given up theirs. What a block hands to its next
//! execution has as long a way to go as that has from there.

use crate::asm::{Bank, Mixed, Piece, Work};
use crate::machine::Reg;
use crate::names::{Core, Cost};
use std::collections::{BTreeMap, BTreeSet};

/// Cycles without a piece after which pressure no longer holds one back.
const PATIENCE: usize = 2;

/// Where a round has more values than there are registers, only so many of the pieces that are not yet in order are
/// considered, from the first one on: later ones would only start work that then has to wait.
const NEAR: usize = 40;

/// Reads of a constant, beyond which it stays in a register.
const OFTEN: usize = 4;

/// Executions of a block that are looked ahead.
const AHEAD: usize = 3;

/// An order of the pieces of `code` for `core`.
#[must_use]
pub fn list_schedule(code: &Mixed, core: &Core) -> Vec<usize> {
    let mut scheduler = Scheduler::new(code, core);
    let mut order = Vec::with_capacity(code.pieces.len());
    let mut idle = 0;
    while order.len() < code.pieces.len() {
        let before = order.len();
        scheduler.budget = (scheduler.budget + scheduler.width).min(scheduler.width);
        while scheduler.budget > 0 {
            let Some(next) = scheduler.choose(idle >= PATIENCE) else {
                break;
            };
            scheduler.issue(next);
            order.push(next);
        }
        idle = if order.len() > before { 0 } else { idle + 1 };
        scheduler.cycle += 1;
    }
    order
}

/// Whether `order` has every piece once, each value written before it is read, and no word of the
/// state overwritten before it is loaded.
#[must_use]
pub fn is_order(code: &Mixed, order: &[usize]) -> bool {
    let mut written: BTreeSet<Reg> = code.inputs.iter().copied().collect();
    let (mut seen, mut stored) = (BTreeSet::new(), BTreeSet::new());
    let right = order.iter().all(|&n| {
        let Some(piece) = code.pieces.get(n) else {
            return false;
        };
        let defined = piece.reads().all(|reg| written.contains(&reg));
        let new = piece.results.iter().all(|&reg| written.insert(reg));
        let memory = match piece.work {
            // Streams of a round have other names for the words that its last block stores.
            Work::Load(..) if code.rounds => stored.is_empty(),
            Work::Load(stream, input) => !stored.contains(&(stream, input)),
            Work::Store(stream, output) => stored.insert((stream, output)),
            _ => true,
        };
        defined && new && memory && seen.insert(n)
    });
    right && seen.len() == code.pieces.len()
}

struct Scheduler<'a> {
    code: &'a Mixed,
    /// What the instructions of each piece ask for, one after the other.
    costs: Vec<Vec<&'a Cost>>,
    width: isize,
    cycle: usize,
    /// Micro-ops that may still begin in this cycle; below zero, the next ones pay.
    budget: isize,
    /// Values that each piece still waits for.
    waits: Vec<usize>,
    /// The cycle from which a piece can begin, as far as is known.
    ready: Vec<usize>,
    /// Cycles from a piece's beginning to the end of the code, at least.
    height: Vec<usize>,
    /// The first piece that is not issued.
    head: usize,
    issued: Vec<bool>,
    /// The cycle from which each pipe is free.
    free: BTreeMap<&'a str, usize>,
    /// Pieces that read each register.
    readers: Vec<Vec<usize>>,
    /// Reads of each register that are to come; outputs have one more.
    left: Vec<usize>,
    /// Values held in vectors and in general registers.
    live: [usize; 2],
    room: [usize; 2],
}

impl<'a> Scheduler<'a> {
    fn new(code: &'a Mixed, core: &'a Core) -> Self {
        let mut readers = vec![Vec::new(); code.registers.len()];
        for (n, piece) in code.pieces.iter().enumerate() {
            for reg in piece.reads() {
                readers[reg.0 as usize].push(n);
            }
        }
        let mut left: Vec<usize> = readers.iter().map(Vec::len).collect();
        for reg in &code.outputs {
            left[reg.0 as usize] += 1;
        }
        let inputs: BTreeSet<Reg> = code.inputs.iter().copied().collect();
        let awaited = |piece: &Piece| piece.reads().filter(|r| !inputs.contains(r)).count();
        let waits: Vec<usize> = code.pieces.iter().map(awaited).collect();
        let held = |bank| {
            let of_bank = |reg: &&Reg| code.bank(**reg) == bank && left[reg.0 as usize] > 0;
            inputs.iter().filter(of_bank).count()
        };
        let live = [held(Bank::Vector), held(Bank::General)];
        // Named constants that are read often are in registers all the time; others are loaded, or made, when wanted.
        let mut constants = [BTreeMap::new(), BTreeMap::new()];
        for piece in &code.pieces {
            if let Work::Rows { body, .. } = &piece.work {
                let read = piece.sources.iter().zip(&body.registers);
                let named = read.filter_map(|(source, kind)| Some((source.constant()?, *kind)));
                let constants = &mut constants[code.bank(piece.results[0]) as usize];
                for constant in named {
                    *constants.entry(constant).or_insert(0) += 1;
                }
            }
        }
        let kept = constants.map(|read| read.into_values().filter(|times| *times > OFTEN).count());
        let costs = code.pieces.iter().map(|piece| costs(code, core, piece));
        let costs: Vec<_> = costs.collect();
        Self {
            code,
            width: core.width.cast_signed(),
            cycle: 0,
            budget: 0,
            ready: vec![0; waits.len()],
            height: heights(code, &costs, &readers),
            costs,
            head: 0,
            issued: vec![false; code.pieces.len()],
            free: core.pipes.iter().map(|pipe| (pipe.as_str(), 0)).collect(),
            waits,
            readers,
            left,
            live,
            room: [
                core.vectors.saturating_sub(kept[0]),
                core.registers.saturating_sub(kept[1]),
            ],
        }
    }

    /// The piece to issue next in this cycle. Where none fits, the one that gives up most.
    fn choose(&self, impatient: bool) -> Option<usize> {
        let ready = |among: usize| {
            let left = (self.head..self.issued.len()).filter(|&n| !self.issued[n]);
            let ready = |n: &usize| self.waits[*n] == 0 && self.ready[*n] <= self.cycle;
            left.take(among)
                .filter(ready)
                .filter(|&n| self.pipes(n).is_some())
        };
        // What is read from memory can be read whenever it is wanted.
        let waits = |n: usize| !matches!(self.code.pieces[n].work, Work::Load(..));
        let urgent = |n: &usize| (waits(*n), self.height[*n], usize::MAX - n);
        let fits = |n: &usize| {
            let (gained, lost) = self.pressure(*n);
            (0..2)
                .all(|b| gained[b] <= lost[b] || self.live[b] + gained[b] - lost[b] <= self.room[b])
        };
        let relief = |n: &usize| self.pressure(*n).1.iter().sum::<usize>();
        let chosen = ready(usize::MAX).filter(fits).max_by_key(urgent);
        chosen.or_else(|| {
            let among = if self.code.rounds { NEAR } else { usize::MAX };
            let ready = ready(among).filter(|_| impatient);
            ready.max_by_key(|n| (relief(n), urgent(n)))
        })
    }

    /// Pipes that are free for what the piece does, one for each of its instructions.
    fn pipes(&self, n: usize) -> Option<Vec<(&'a str, usize)>> {
        let mut taken: Vec<(&str, usize)> = Vec::new();
        for (step, cost) in self.costs[n].iter().enumerate() {
            let free = |pipe: &&str| {
                let busy = taken
                    .iter()
                    .filter(|(name, _)| name == pipe)
                    .map(|t| t.1)
                    .max();
                self.free[pipe].max(busy.unwrap_or(0)) <= self.cycle + step
            };
            let pipe = cost.pipes.iter().map(String::as_str).find(free)?;
            taken.push((pipe, self.cycle + step + cost.busy));
        }
        Some(taken)
    }

    /// Values that the piece begins to hold, and those that it is the last to read.
    fn pressure(&self, n: usize) -> ([usize; 2], [usize; 2]) {
        let (mut gained, mut lost) = ([0; 2], [0; 2]);
        let piece = &self.code.pieces[n];
        for reg in &piece.results {
            if self.left[reg.0 as usize] > 0 {
                gained[self.code.bank(*reg) as usize] += self.code.room(*reg);
            }
        }
        for reg in piece.reads().collect::<BTreeSet<Reg>>() {
            let reads = piece.reads().filter(|r| *r == reg).count();
            if self.left[reg.0 as usize] == reads {
                lost[self.code.bank(reg) as usize] += self.code.room(reg);
            }
        }
        (gained, lost)
    }

    fn issue(&mut self, n: usize) {
        let (gained, lost) = self.pressure(n);
        for bank in 0..2 {
            self.live[bank] = (self.live[bank] + gained[bank]).saturating_sub(lost[bank]);
        }
        for (pipe, until) in self.pipes(n).unwrap_or_default() {
            self.free.insert(pipe, until);
        }
        let piece = &self.code.pieces[n];
        let uops: usize = self.costs[n].iter().map(|cost| cost.uops).sum();
        self.budget -= uops.cast_signed();
        for reg in piece.reads() {
            self.left[reg.0 as usize] -= 1;
        }
        self.issued[n] = true;
        while self.issued.get(self.head) == Some(&true) {
            self.head += 1;
        }
        let done = self.cycle + latency(&self.costs[n]);
        for reg in &piece.results {
            for &next in &self.readers[reg.0 as usize] {
                self.waits[next] -= 1;
                self.ready[next] = self.ready[next].max(done);
            }
        }
    }
}

/// Cycles from each piece's beginning to the end of the last execution that is looked at.
fn heights(code: &Mixed, costs: &[Vec<&Cost>], readers: &[Vec<usize>]) -> Vec<usize> {
    let mut heights = vec![0; code.pieces.len()];
    let above = |heights: &[usize], reg: Reg| {
        let readers = readers[reg.0 as usize].iter();
        readers.map(|&n| heights[n]).max().unwrap_or(0)
    };
    for _ in 0..AHEAD {
        let carried: BTreeMap<Reg, usize> = code
            .carried
            .iter()
            .map(|&(output, input)| (output, above(&heights, input)))
            .collect();
        for (n, piece) in code.pieces.iter().enumerate().rev() {
            let rest = piece.results.iter().map(|&reg| {
                let next = carried.get(&reg).copied().unwrap_or(0);
                above(&heights, reg).max(next)
            });
            let rest = rest.max().unwrap_or(0);
            heights[n] = latency(&costs[n]) + rest;
        }
    }
    if !code.rounds && code.inputs.is_empty() {
        begin_in_turn(code, &mut heights);
    }
    heights
}

/// S-boxes begin one after another, evenly over the time that one takes: fewer values are held at once than side by
/// side, and the last ones of an execution end beside the first ones of the next. Beside S-boxes on general registers
/// that gains nothing, and lost 4 % of Goldilocks's at width 8.
fn begin_in_turn(code: &Mixed, heights: &mut [usize]) {
    if code
        .registers
        .iter()
        .any(|(bank, _)| *bank == Bank::General)
    {
        return;
    }
    let mut of: BTreeMap<Reg, usize> = BTreeMap::new();
    let streams = code.pieces.iter().map(|piece| {
        let stream = match piece.work {
            Work::Load(stream, _) | Work::Store(stream, _) => stream,
            _ => piece.reads().map(|reg| of[&reg]).max().unwrap_or(0),
        };
        of.extend(piece.results.iter().map(|&reg| (reg, stream)));
        stream
    });
    let streams: Vec<usize> = streams.collect();
    let count = streams.iter().max().map_or(1, |last| last + 1);
    let longest = heights.iter().max().copied().unwrap_or(0);
    for (height, stream) in heights.iter_mut().zip(streams) {
        *height += longest * (count - 1 - stream) / count;
    }
}

/// What the instructions of a piece ask for, one after the other.
fn costs<'a>(code: &Mixed, core: &'a Core, piece: &Piece) -> Vec<&'a Cost> {
    let bank = piece.results.first().map(|reg| code.bank(*reg));
    match (&piece.work, bank) {
        (Work::Rows { body, .. }, bank) => {
            let other = match bank {
                Some(Bank::General) => &core.word,
                _ => &core.vector,
            };
            let cost = |row: &str| core.instructions.get(row).unwrap_or(other);
            let rows = body.instructions.iter();
            rows.map(|i| cost(i.row.name)).collect()
        }
        (Work::Take(_), _) => vec![&core.take],
        (Work::Join, _) => vec![&core.join],
        (Work::Load(_, input), Some(Bank::Vector)) if input.is_constant() => vec![&core.broadcast],
        (Work::Load(..), _) => vec![&core.load],
        (Work::Store(..), _) => vec![&core.store],
    }
}

fn latency(costs: &[&Cost]) -> usize {
    costs.iter().map(|cost| cost.latency).sum()
}

#[cfg(test)]
mod tests;
