//! The tables of a comparison, as text.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

use super::record::Record;
use crate::shape::Shape;
use crate::statistics::Verdict;

/// Every cell in its own line.
pub struct Cells<'a>(pub &'a [Record]);

/// The phases of each kernel, next to the whole.
pub struct Phases<'a>(pub &'a [Record]);

/// The fastest kernel of each kind in each shape.
pub struct Best<'a>(pub &'a [Record]);

/// What a cell allows to say: a ratio is a claim only if the intervals are apart and narrow.
#[must_use]
pub fn claim(record: &Record) -> String {
    let (Some(ratio), Some(verdict)) = (record.ratio, record.verdict) else {
        return "WRONG RESULT".to_owned();
    };
    match verdict {
        Verdict::Win | Verdict::Loss => format!("{ratio:.2}"),
        Verdict::Noisy => format!("({ratio:.2}) noisy"),
        Verdict::Overlap => "overlap".to_owned(),
    }
}

/// Room for the longest name.
fn room(records: &[Record]) -> usize {
    let longest = records.iter().map(|record| record.cell.kernel.len()).max();
    longest.unwrap_or(0).max(30)
}

impl fmt::Display for Cells<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = room(self.0);
        writeln!(
            f,
            "{:<name$} {:<16} {:>9} {:>9} {:>5} {:>7}  p3 / ours",
            "kernel", "shape", "ours ns", "p3 ns", "p3 ×", "spread"
        )?;
        for record in self.0 {
            let figure =
                |figure: Option<f64>| figure.map_or("-".to_owned(), |ns| format!("{ns:.1}"));
            let spread = record
                .spread
                .map_or("-".to_owned(), |s| format!("{:.1} %", 100.0 * s));
            writeln!(
                f,
                "{:<name$} {:<16} {:>9} {:>9} {:>5} {spread:>7}  {}",
                record.cell.kernel,
                record.cell.shape,
                figure(record.ours_ns),
                figure(record.peer_ns),
                record.peer_states,
                claim(record),
            )?;
        }
        Ok(())
    }
}

/// Three phases and the whole, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timeline {
    /// The phases.
    pub phases: [f64; 3],
    /// The whole, timed next to them.
    pub natural: f64,
}

impl Timeline {
    /// The phases' sum, in terms of the whole.
    #[must_use]
    pub fn sum(&self) -> f64 {
        self.phases.iter().sum::<f64>() / self.natural
    }
}

/// For each kernel whose phases and whole were timed: ours and the peer's.
#[must_use]
pub fn timelines(records: &[Record]) -> Vec<(&Record, [Timeline; 2])> {
    let find = |kernel: &str, shape: Shape| {
        let mut found = records.iter();
        let found =
            found.find(|record| record.cell.kernel == kernel && record.cell.shape == shape)?;
        Some([found.ours_ns?, found.peer_ns?])
    };
    let timeline = |natural: &'_ Record| {
        let whole = [natural.ours_ns?, natural.peer_ns?];
        let mut phases = [[0.0; 3]; 2];
        for (index, shape) in Shape::PHASES.into_iter().enumerate() {
            let [ours, peer] = find(&natural.cell.kernel, shape)?;
            (phases[0][index], phases[1][index]) = (ours, peer);
        }
        let side = |side: usize| Timeline {
            phases: phases[side],
            natural: whole[side],
        };
        Some([side(0), side(1)])
    };
    let naturals = records
        .iter()
        .filter(|record| record.cell.shape == Shape::Natural);
    naturals
        .filter_map(|record| Some((record, timeline(record)?)))
        .collect()
}

impl fmt::Display for Phases<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let timelines = timelines(self.0);
        if timelines.is_empty() {
            return Ok(());
        }
        let name = room(self.0);
        writeln!(
            f,
            "{:<name$} {:<5} {:>9} {:>9} {:>9} {:>9} {:>9}  sum / natural",
            "phases, ns per permutation", "", "initial", "internal", "final", "sum", "natural"
        )?;
        for (record, sides) in timelines {
            for (who, side) in ["ours", "p3"].into_iter().zip(sides) {
                let kernel = if who == "ours" {
                    &record.cell.kernel
                } else {
                    ""
                };
                write!(f, "{kernel:<name$} {who:<5}")?;
                for phase in side.phases {
                    write!(f, " {phase:>9.1}")?;
                }
                let sum: f64 = side.phases.iter().sum();
                writeln!(f, " {sum:>9.1} {:>9.1}  {:.2}", side.natural, side.sum())?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Best<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shapes: Vec<Shape> = Shape::ALL
            .into_iter()
            .filter(|shape| shape.part() == crate::shape::Part::Whole && *shape != Shape::Natural)
            .filter(|shape| self.0.iter().any(|record| record.cell.shape == *shape))
            .collect();
        let mut kinds: BTreeMap<_, Vec<&Record>> = BTreeMap::new();
        for record in self.0 {
            let kind = (&record.cell.isa, &record.cell.field, record.cell.width);
            kinds.entry(kind).or_default().push(record);
        }
        write!(f, "{:<26}", "fastest kernel, p3 / ours")?;
        for shape in &shapes {
            write!(f, " {shape:<28}")?;
        }
        writeln!(f)?;
        for ((isa, field, width), records) in kinds {
            let mut line = format!("{:<26}", format!("{isa} {field} w{width}"));
            for shape in &shapes {
                let of_shape = records.iter().filter(|record| record.cell.shape == *shape);
                let timed = of_shape.filter_map(|record| Some((record, record.ours_ns?)));
                let best = timed.min_by(|a, b| a.1.total_cmp(&b.1));
                let said = best.map_or("not run".to_owned(), |(record, _)| {
                    format!("{} {}", claim(record), kind_of(record))
                });
                write!(line, " {said:<28}")?;
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

/// What sets a kernel apart from others of its instruction set, field and width.
fn kind_of(record: &Record) -> String {
    let name = record.short();
    let prefix = format!("w{}_{}_", record.cell.width, record.cell.isa);
    name.strip_prefix(&prefix).unwrap_or(name).to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::record::tests::outcome;
    use super::*;

    fn record(batch: usize, shape: Shape, ours: f64, peer: f64, noise: f64) -> Record {
        Record::new(&outcome(batch, shape, ours, peer, noise), "x86-64-v3").expect("measured")
    }

    fn records() -> Vec<Record> {
        let mut records = vec![
            record(1, Shape::Independent, 300.0, 402.0, 0.005),
            record(2, Shape::Independent, 250.0, 400.0, 0.004),
            record(1, Shape::Chain, 398.0, 400.0, 0.01),
            record(2, Shape::Chain, 300.0, 400.0, 0.06),
            record(1, Shape::Natural, 290.0, 400.0, 0.002),
            record(1, Shape::ExternalInitial, 100.0, 150.0, 0.002),
            record(1, Shape::Internal, 130.0, 130.0, 0.002),
            record(1, Shape::ExternalFinal, 95.0, 140.0, 0.002),
        ];
        let mut wrong = record(4, Shape::Chain, 1.0, 2.0, 0.0);
        (wrong.verified, wrong.ratio, wrong.verdict) = (false, None, None);
        (wrong.ours_ns, wrong.peer_ns, wrong.spread) = (None, None, None);
        records.push(wrong);
        records
    }

    #[test]
    fn an_overlap_is_never_printed_as_a_win() {
        let overlap = record(1, Shape::Chain, 398.0, 400.0, 0.01);
        assert!(overlap.ratio > Some(1.0));
        assert_eq!(claim(&overlap), "overlap");
        let noisy = record(2, Shape::Chain, 300.0, 400.0, 0.06);
        assert_eq!(claim(&noisy), "(1.33) noisy");
    }

    #[test]
    fn tables() {
        let records = records();
        insta::assert_snapshot!(format!(
            "{}\n{}\n{}",
            Cells(&records),
            Phases(&records),
            Best(&records)
        ));
    }

    #[test]
    fn phases_need_all_of_them() {
        let mut records = records();
        records.retain(|record| record.cell.shape != Shape::Internal);
        assert_eq!(timelines(&records).len(), 0);
        assert_eq!(Phases(&records).to_string(), "");
    }
}
