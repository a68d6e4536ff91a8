//! Tables as files, as `codegen` reads them.

use std::fmt::Write as _;
use std::path::Path;

use codegen::diag::Diagnostics;
use codegen::emit::{FileSet, Scope, bless};
use codegen::kernel::KernelInfo;
use codegen::tuning::{Figure, TuningCell, TuningTable, Workload};
use serde::Serialize;

use crate::decide::why_not;

const HEAD: &str = "\
# Which kernels are the fastest on this CPU, and so which of them programs use there. Written by
# `cargo run -p tune`, which docs/performance.md explains; `codegen generate --all` puts it into
# generated/. What may be edited by hand: default, note, known_by, kin, lacks.
#
# known_by  the CPUs that the figures are of
# kin       CPUs without figures of their own that use these; of several tables, the one that asks most
# lacks     instruction sets of the architecture that the CPU does not have
# time      UNIT for a permutation, the median
# ratio     how often it fits into Plonky3's time for the same work
# spread    the interval of the middle half of the samples, by the median
# used      the fastest of the kernels for as many states, if it is faster for a permutation than every
#           smaller one, by 3 % at least and by more than the spreads; the others say why not
# code      a hash of the code that was timed; absent where it was not recorded

";

/// A table's text. Of `kernels`, it tells which have changed since they were timed.
pub(crate) fn write(table: &TuningTable, kernels: &[KernelInfo]) -> String {
    let unit = if table.modelled {
        "modelled cycles"
    } else {
        "nanoseconds"
    };
    let mut text = HEAD.replace("UNIT", unit);
    line(&mut text, "cpu", value(&table.cpu));
    line(&mut text, "arch", value(&table.arch));
    line(&mut text, "default", table.default.to_string());
    if table.packaged {
        line(&mut text, "packaged", table.packaged.to_string());
    }
    line(&mut text, "modelled", table.modelled.to_string());
    if !table.note.is_empty() {
        line(&mut text, "note", value(&table.note));
    }
    if let Some(known) = &table.known_by {
        line(&mut text, "known_by", value(known));
    }
    if !table.kin.is_empty() {
        line(&mut text, "kin", value(&table.kin));
    }
    if !table.lacks.is_empty() {
        let names: Vec<_> = table.lacks.iter().map(|isa| isa.name()).collect();
        line(&mut text, "lacks", value(&names));
    }
    for cell in &table.cells {
        write_cell(&mut text, cell, kernels);
    }
    text
}

fn line(text: &mut String, name: &str, value: String) {
    let _ = writeln!(text, "{name} = {value}");
}

fn write_cell(text: &mut String, cell: &TuningCell, kernels: &[KernelInfo]) {
    let (key, made) = (&cell.key, &cell.made);
    text.push_str("\n[[cell]]\n");
    line(text, "parameters", value(&key.parameters));
    line(text, "field", value(&key.field));
    line(text, "width", key.width.to_string());
    line(text, "isa", value(key.isa.name()));
    line(text, "command", value(&made.command));
    line(text, "machine", value(&made.machine));
    line(text, "compiler", value(&made.compiler));
    line(text, "peer", value(&made.peer));
    line(text, "seed", made.seed.to_string());
    for (workload, figures) in Workload::ALL.iter().zip(&cell.figures) {
        let _ = writeln!(text, "{} = [", workload.name());
        let widest = figures.iter().map(|f| f.kernel.len()).max().unwrap_or(0) + 2;
        for figure in figures {
            write_figure(text, figure, figures, widest);
        }
        text.push_str("]\n");
    }
    text.push_str("[cell.code]\n");
    for (kernel, code) in &cell.code {
        let full = key.full(kernel);
        let now = kernels.iter().find(|info| info.name == full);
        let note = match now.filter(|now| now.code != *code) {
            Some(now) => format!(" {STALE}, it is {}", now.code),
            None => String::new(),
        };
        line(text, kernel, value(code) + &note);
    }
    for kernel in cell
        .kernels()
        .filter(|kernel| !cell.code.contains_key(*kernel))
    {
        let _ = writeln!(
            text,
            "# {kernel} may be stale: which code was timed is not recorded"
        );
    }
}

/// What stands beside the hash of code that has changed since it was timed.
pub(crate) const STALE: &str = "# stale: the code has changed since";

fn write_figure(text: &mut String, figure: &Figure, all: &[Figure], widest: usize) {
    let note = why_not(figure, all).map_or_else(String::new, |why| format!(" # {why}"));
    let _ = writeln!(
        text,
        "  {{ kernel = {:<widest$}, states = {:>2}, lanes = {:>2}, time = {:>8.1}, ratio = {:.3}, spread = {:.3}, used = {:<5} }},{note}",
        value(&figure.kernel),
        figure.states,
        figure.lanes,
        figure.time,
        figure.ratio,
        figure.spread,
        figure.used,
    );
}

/// As TOML has it, in a line.
fn value(value: &(impl Serialize + ?Sized)) -> String {
    let mut text = String::new();
    // These are plain data, which it has words for.
    let _ = value.serialize(toml::ser::ValueSerializer::new(&mut text));
    text
}

/// Writes a table to its file, in whole or not at all.
///
/// # Errors
/// It cannot be written; then nothing was changed.
pub(crate) fn save(table: &TuningTable, kernels: &[KernelInfo]) -> Result<(), Diagnostics> {
    let mut files = FileSet::new();
    let path = table.path.display().to_string();
    files.insert_whole(path, "", write(table, kernels));
    bless(&files, Path::new(""), Scope::Part).map(drop)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use std::path::PathBuf;

    use codegen::tuning::{CpuPattern, load_all, read};

    use super::*;
    use crate::decide::decide;

    fn root() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
    }

    /// The tables that are checked in.
    fn tables() -> Vec<TuningTable> {
        load_all(&root().join("codegen/tuning"))
            .unwrap_or_else(|wrong| panic!("{}", wrong.render()))
    }

    const SAMPLE: &str = include_str!("../../src/tuning/samples/zen9.toml");

    #[test]
    fn tables_are_read_back_as_they_were_written() {
        let path = Path::new("zen9.toml");
        let table = read(path, SAMPLE).unwrap();
        assert_eq!(write(&table, &[]), SAMPLE);
        let modelled = TuningTable {
            modelled: true,
            default: false,
            note: String::new(),
            known_by: Some(CpuPattern {
                features: vec!["sve2".to_owned()],
                ..CpuPattern::default()
            }),
            kin: Vec::new(),
            ..table
        };
        assert_eq!(read(path, &write(&modelled, &[])).unwrap(), modelled);
    }

    #[test]
    fn the_text_tells_what_has_changed_since_it_was_timed() {
        let table = read(Path::new("zen9.toml"), SAMPLE).unwrap();
        let timed: BTreeMap<&str, &String> = table
            .cells
            .iter()
            .flat_map(|cell| cell.code.iter().map(|(name, code)| (name.as_str(), code)))
            .collect();
        let names: Vec<&str> = timed.keys().copied().collect();
        let mut kernels = crate::tests::kernels(&names);
        for (kernel, code) in kernels.iter_mut().zip(timed.values()) {
            kernel.code.clone_from(code);
        }
        assert_eq!(write(&table, &kernels), SAMPLE);
        let changed = kernels
            .iter_mut()
            .find(|k| k.name == "plonky3/goldilocks/w8_scalar_b2");
        changed.unwrap().code = "0123456789abcdef".to_owned();
        let line = "w8_scalar_b2 = \"0000000000000001\"";
        let told = format!("{line} {STALE}, it is 0123456789abcdef");
        assert_eq!(write(&table, &kernels), SAMPLE.replace(line, &told));
    }

    #[test]
    fn checked_in_tables_use_what_is_the_fastest_by_their_own_figures() {
        for table in tables() {
            for cell in &table.cells {
                for figures in &cell.figures {
                    let mut decided = figures.clone();
                    decide(&mut decided);
                    assert_eq!(&decided, figures, "{}", table.cpu);
                    let chosen: Vec<_> = figures.iter().filter(|f| f.used).collect();
                    for pair in chosen.windows(2) {
                        assert!(pair[0].states > pair[1].states && pair[0].time < pair[1].time);
                    }
                }
            }
        }
    }

    #[test]
    fn checked_in_tables_are_files_as_they_would_be_written() {
        for table in tables() {
            let text = std::fs::read_to_string(&table.path).unwrap();
            // What has changed since they were written is told when they are written again.
            let lines = text
                .lines()
                .map(|line| line.split(STALE).next().unwrap_or_default());
            let plain: String = lines
                .map(|line| line.trim_end().to_owned() + "\n")
                .collect();
            assert_eq!(write(&table, &[]), plain, "{}", table.path.display());
        }
    }
}
