//! How many instructions a permutation executes on a small machine, by each kernel and by Plonky3, and how many
//! cycles they would take.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Serialize;

use super::candidates::{Candidates, manifest};
use super::rows::rustc;
use super::small::Small;
use super::wasm::cargo;
use super::workspace::Workspace;
use super::{Stop, limits, setup};
use crate::executed::one_at_a_time;

/// Plonky3's own permutation, in the contest: the first of each.
const PEER: &str = "p3";
/// One of its packages.
const PLONKY3: &str = "p3-goldilocks";

/// What became of a kernel, as `cargo run -p tune -- --figures` reads it.
#[derive(Serialize)]
struct Record<'a> {
    kernel: &'a str,
    ours_cycles: f64,
    peer_cycles: f64,
    ratio: f64,
    verified: bool,
    core: &'a str,
    model: &'a str,
    code: &'a str,
    command: String,
    compiler: &'a str,
    plonky3: &'a str,
}

/// Prints the counts of all kernels of the manifest, and writes the cycles of those that ship to a file.
pub(super) fn all(
    workspace: &Workspace,
    small: Small,
    candidates: &Candidates,
    json: Option<&Path>,
) -> Result<(), Stop> {
    let Small {
        about,
        arch,
        of_plonky3,
        qemu,
        verb,
        cpu,
        timings,
        ..
    } = small;
    setup::for_plonky3_on(small)?;
    let build = ["build", "--release", "-p", "guest-contest"];
    let mut build = cargo(workspace, &build, of_plonky3, "");
    candidates.stand_in(&mut build);
    let what = format!("building the contest for {about}");
    workspace.run(build, &what, limits::BUILD)?;
    let folder = workspace.target().join(of_plonky3).join("release");
    let contest = Contest {
        qemu,
        program: folder.join("guest-contest"),
        log: workspace.scratch()?.join(format!("executed-{arch}.log")),
    };
    println!("instructions of a permutation on {arch}, counted in {qemu}");
    if let Some(timings) = timings {
        println!("and modelled cycles of a {cpu}, by {timings}");
    }
    let (of_cost, model): (fn(&Costs) -> f64, _) = match timings {
        Some(timings) => (|costs| costs.cycles, timings),
        None => (|costs| costs.instructions, "a cycle for each instruction"),
    };
    let compiler = workspace.text(version(), "the compiler's version", limits::CALL)?;
    let plonky3 = peer_version(&std::fs::read_to_string(
        workspace.root().join("Cargo.lock"),
    )?);
    let shipped = manifest(&workspace.root().join("generated"))?;
    let (mut peer, mut records) = (Costs::default(), Vec::new());
    let mut counted = BTreeSet::new();
    for number in 0.. {
        let Some(one) = contest.run(number, 1)? else {
            break;
        };
        let Run {
            name,
            permutation,
            states,
            costs,
        } = one;
        let two = contest.run(number, 2)?.map_or(costs, |two| two.costs);
        let each = |of: fn(&Costs) -> f64| (of(&two) - of(&costs)) / f64::from(states);
        let own = Costs {
            instructions: each(|costs| costs.instructions),
            cycles: each(|costs| costs.cycles),
        };
        // A log that is not understood has none.
        if own.instructions <= 0.0 || own.cycles <= 0.0 {
            let what = format!("{permutation} {name}: no instruction was counted");
            return Err(Stop::Failed(what));
        }
        if name == PEER {
            peer = own;
        }
        let told =
            |of: fn(&Costs) -> f64| format!("{:>8.0} {:>7.3}", of(&own), of(&peer) / of(&own));
        let cycles = timings.map(|_| told(|costs| costs.cycles));
        let cycles = cycles.unwrap_or_default();
        let instructions = told(|costs| costs.instructions);
        println!("{permutation:<16} {name:<40} {instructions} {cycles}");
        if let Some(listed) = shipped.iter().find(|own| own.name == name) {
            records.push(Record {
                kernel: &listed.name,
                ours_cycles: of_cost(&own),
                peer_cycles: of_cost(&peer),
                ratio: of_cost(&peer) / of_cost(&own),
                verified: true,
                core: cpu,
                model,
                code: &listed.code,
                command: format!("cargo verify {verb} --json figures.json"),
                compiler: compiler.trim(),
                plonky3: &plonky3,
            });
        }
        counted.insert(name);
    }
    let listed = candidates.manifest.iter().map(|listed| &*listed.name);
    let mut wanted = [PEER].into_iter().chain(listed);
    if let Some(name) = wanted.find(|name| !counted.contains(*name)) {
        return Err(Stop::Failed(format!("{name} was not in the contest")));
    }
    if let Some(path) = json {
        let text = serde_json::to_string_pretty(&records).map_err(std::io::Error::from)?;
        std::fs::write(path, text)?;
    }
    Ok(())
}

fn version() -> Command {
    let mut command = Command::new(rustc());
    command.arg("-V");
    command
}

/// The version of Plonky3 that the contest is compiled with.
fn peer_version(lock: &str) -> String {
    let mut packages = lock.split("[[package]]\n");
    let contest = packages.find(|package| package.starts_with("name = \"guest-contest\"\n"));
    let mut words = contest.unwrap_or_default().split([' ', '"']);
    words.find(|word| *word == PLONKY3);
    words.next().unwrap_or("of unknown version").to_owned()
}

struct Contest {
    qemu: &'static str,
    program: PathBuf,
    log: PathBuf,
}

/// Of a whole program, or of a permutation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Costs {
    instructions: f64,
    cycles: f64,
}

/// What a contestant says of itself, and what the whole program costs.
struct Run {
    name: String,
    permutation: String,
    states: u32,
    costs: Costs,
}

impl Contest {
    /// Runs so many calls of a contestant; none if there are not so many contestants.
    fn run(&self, number: u32, calls: u32) -> Result<Option<Run>, Stop> {
        let mut command = Command::new(self.qemu);
        command.args([one_at_a_time(self.qemu)?, "-d", "in_asm,exec,nochain", "-D"]);
        command.arg(&self.log).arg(&self.program);
        let mut process = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        if let Some(mut input) = process.stdin.take() {
            input.write_all([number, calls].map(u32::to_le_bytes).as_flattened())?;
        }
        let output = process.wait_with_output()?;
        if !output.status.success() {
            return Err(Stop::Failed(format!("the contest: {}", output.status)));
        }
        let mut told = Told(&output.stdout);
        let said = told.text().zip(told.text()).zip(told.number());
        let costs = costs(BufReader::new(File::open(&self.log)?))?;
        Ok(said.map(|((name, permutation), states)| Run {
            name,
            permutation,
            states,
            costs,
        }))
    }
}

/// What the instructions of a log cost. It has each one's text when it is met first, and its address whenever
/// it is executed.
fn costs(log: impl BufRead) -> Result<Costs, Stop> {
    let mut known: BTreeMap<u64, (u64, f64)> = BTreeMap::new();
    let mut costs = Costs::default();
    let mut next = None;
    for line in log.lines() {
        let line = line?;
        if let Some((address, text)) = line
            .strip_prefix("0x")
            .and_then(|rest| rest.split_once(':'))
        {
            if let Ok(address) = u64::from_str_radix(address, 16) {
                known.insert(address, (address + length(text), cycles(text)));
            }
        } else if let Some(place) = line
            .strip_prefix("Trace")
            .and_then(|rest| rest.split('/').nth(1))
        {
            let at = u64::from_str_radix(place, 16).unwrap_or_default();
            let (after, cycles) = known.get(&at).copied().unwrap_or_default();
            costs.instructions += 1.0;
            costs.cycles += cycles;
            if next.is_some_and(|next| next != at) {
                costs.cycles += REFILL;
            }
            next = Some(after);
        }
    }
    Ok(costs)
}

/// What comes before an instruction's mnemonic: its halves.
fn halves(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split_whitespace();
    words.take_while(|word| word.len() == 4 && word.chars().all(|c| c.is_ascii_hexdigit()))
}

/// An instruction's length in bytes.
fn length(text: &str) -> u64 {
    2 * halves(text).count() as u64
}

/// Cycles of filling the pipeline again after a branch that is taken: 1 to 3.
const REFILL: f64 = 2.0;

/// The cycles of an instruction but for [`REFILL`], as section 3.3 of Arm's manual of the Cortex-M4 has them
/// (Arm DDI 0439, table 3-1). There is no such table of the Cortex-M33, whose pipeline has as many stages: some
/// pairs of short instructions take it one cycle, which is left out here on both sides.
fn cycles(text: &str) -> f64 {
    let mut words = text.split_whitespace().skip(halves(text).count());
    let mnemonic = words.next().unwrap_or_default();
    let registers = text
        .split_once('{')
        .map_or(0, |(_, list)| list.split(',').count());
    let is = |all: &[&str]| all.iter().any(|start| mnemonic.starts_with(start));
    let more = match () {
        () if is(&["push", "pop", "ldm", "stm"]) => registers,
        () if is(&["ldrd", "strd"]) => 2,
        () if is(&["ldr", "str", "vldr", "vstr"]) => 1,
        () => 0,
    };
    1.0 + more as f64
}

/// What a contestant has written.
struct Told<'a>(&'a [u8]);

impl Told<'_> {
    fn number(&mut self) -> Option<u32> {
        let (bytes, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u32::from_le_bytes(*bytes))
    }

    fn text(&mut self) -> Option<String> {
        let length = self.number()? as usize;
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        String::from_utf8(text.to_vec()).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A load and a branch back to it, which is taken once.
    #[test]
    fn a_log_is_counted() {
        let log = "----------------\nIN: _start\n0x00000100:  6808       ldr      r0, [r1]\n\n\
            Trace 0: 0x7f [00/00000100/02/03] _start\n\
            0x00000102:  e7fd       b        #0x100\n\
            Trace 0: 0x7f [00/00000102/02/03] \n\
            Trace 0: 0x7f [00/00000100/02/03] \n";
        let counted = costs(log.as_bytes()).unwrap();
        assert_eq!((counted.instructions, counted.cycles), (3.0, 7.0));
    }

    #[test]
    fn loads_and_stores_take_a_cycle_for_each_register() {
        for (text, wanted) in [
            ("  b5f0       push     {r4, r5, r6, r7, lr}", 6.0),
            ("  e8bc 0075  ldm.w    ip!, {r0, r2, r4, r5, r6}", 6.0),
            ("  e9d1 0100  ldrd     r0, r1, [r1]", 3.0),
            ("  f8dd c010  ldr.w    ip, [sp, #0x10]", 2.0),
            ("  fba2 0105  umull    r0, r1, r2, r5", 1.0),
            ("  bf04       itt      eq", 1.0),
        ] {
            assert_eq!(cycles(text), wanted, "{text}");
            assert_eq!(
                length(text),
                if text[6..].starts_with("  ") { 2 } else { 4 }
            );
        }
    }

    #[test]
    fn the_lock_file_tells_the_peer() {
        let lock = "[[package]]\nname = \"guest-contest\"\ndependencies = [\n \"p3-goldilocks 0.8.0\",\n]\n";
        assert_eq!(peer_version(lock), "0.8.0");
        assert_eq!(peer_version(""), "of unknown version");
    }

    #[test]
    fn what_a_contestant_does_not_say_is_missed() {
        let said = [&2_u32.to_le_bytes()[..], b"p3", &7_u32.to_le_bytes()].concat();
        let mut told = Told(&said);
        assert_eq!(
            (told.text().as_deref(), told.number()),
            (Some("p3"), Some(7))
        );
        assert_eq!((told.text(), told.number()), (None, None));
        assert_eq!(Told(&said[..5]).text(), None, "cut off");
    }
}
