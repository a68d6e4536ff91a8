//! The record of a comparison, for other programs.

use serde::{Deserialize, Serialize};

use crate::cell::Cell;
use crate::protocol::{Finding, Outcome};
use crate::statistics::{Comparison, Summary, Verdict};

/// One cell of the table. Figures are null where the results differed and nothing was timed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The kernel, and what was done with it.
    #[serde(flatten)]
    pub cell: Cell,
    /// Nanoseconds per permutation, ours: the median.
    pub ours_ns: Option<f64>,
    /// Its quartiles.
    pub ours_interval: Option<[f64; 2]>,
    /// Nanoseconds per permutation, the peer: the median.
    pub peer_ns: Option<f64>,
    /// Its quartiles.
    pub peer_interval: Option<[f64; 2]>,
    /// States of the peer in one of its calls.
    pub peer_states: usize,
    /// The peer's time in terms of ours.
    pub ratio: Option<f64>,
    /// The distance of the quartiles by the median, of the side where it is larger.
    pub spread: Option<f64>,
    /// What this allows to claim.
    pub verdict: Option<Verdict>,
    /// Samples of each side.
    pub turns: usize,
    /// Whether ours and the peer came to the same result.
    pub verified: bool,
    /// What the compiler was told of the CPU.
    pub target_cpu: String,
}

impl Record {
    /// Of an outcome. None: it was not run.
    #[must_use]
    pub fn new(outcome: &Outcome, target_cpu: &str) -> Option<Self> {
        let (comparison, turns) = match outcome.finding {
            Finding::OverBudget => return None,
            Finding::Differs => (None, 0),
            Finding::Measured { comparison, turns } => (Some(comparison), turns),
        };
        let figure = |of: fn(&Comparison) -> f64| comparison.as_ref().map(of);
        let interval = |summary: Summary| [summary.low, summary.high];
        Some(Self {
            cell: outcome.cell.clone(),
            ours_ns: figure(|comparison| comparison.ours.median),
            ours_interval: comparison.map(|comparison| interval(comparison.ours)),
            peer_ns: figure(|comparison| comparison.peer.median),
            peer_interval: comparison.map(|comparison| interval(comparison.peer)),
            peer_states: outcome.peer_states,
            ratio: figure(|comparison| comparison.ratio),
            spread: figure(|comparison| comparison.spread),
            verdict: comparison.map(|comparison| comparison.verdict()),
            turns,
            verified: comparison.is_some(),
            target_cpu: target_cpu.to_owned(),
        })
    }

    /// The kernel's name without parameter set and field.
    #[must_use]
    pub fn short(&self) -> &str {
        let name = &self.cell.kernel;
        name.rsplit('/').next().unwrap_or(name)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::shape::Shape;

    /// An outcome whose sides took about this long.
    pub(crate) fn outcome(batch: usize, shape: Shape, ours: f64, peer: f64, noise: f64) -> Outcome {
        let summary = |median: f64| Summary {
            low: median * (1.0 - noise),
            median,
            high: median * (1.0 + noise),
        };
        let comparison = Comparison {
            ours: summary(ours),
            peer: summary(peer),
            ratio: peer / ours,
            spread: 2.0 * noise,
        };
        Outcome {
            cell: Cell {
                kernel: format!("plonky3/goldilocks/w8_avx2_b{batch}"),
                field: "goldilocks".to_owned(),
                width: 8,
                isa: "avx2".to_owned(),
                layout: "lanes".to_owned(),
                strategy: "eager".to_owned(),
                batch,
                shape,
            },
            peer_states: 4,
            finding: Finding::Measured {
                comparison,
                turns: 21,
            },
        }
    }

    #[test]
    fn other_programs_find_the_fields_that_they_know() {
        let outcome = outcome(2, Shape::Merkle(16), 300.0, 400.0, 0.001);
        let record = Record::new(&outcome, "x86-64-v3").expect("it was measured");
        let json = serde_json::to_value([&record]).expect("it is plain data");
        let first = &json[0];
        for (name, kind) in [
            ("field", "string"),
            ("width", "number"),
            ("isa", "string"),
            ("layout", "string"),
            ("strategy", "string"),
            ("batch", "number"),
            ("shape", "string"),
            ("ours_ns", "number"),
            ("peer_ns", "number"),
            ("ratio", "number"),
            ("spread", "number"),
            ("verified", "boolean"),
        ] {
            let value = &first[name];
            let found = match kind {
                "string" => value.is_string(),
                "number" => value.is_number(),
                _ => value.is_boolean(),
            };
            assert!(found, "{name} is {value}, not a {kind}");
        }
        assert_eq!(first["shape"], "merkle-16");
        assert_eq!(first["verdict"], "win");
        let back: Vec<Record> = serde_json::from_value(json).expect("it reads what it writes");
        assert_eq!(back, [record]);
    }

    #[test]
    fn what_differs_has_no_figures_and_what_did_not_run_has_no_record() {
        let mut outcome = outcome(1, Shape::Chain, 300.0, 400.0, 0.001);
        outcome.finding = Finding::Differs;
        let record = Record::new(&outcome, "native").expect("it was run");
        assert!(!record.verified);
        assert_eq!(
            (record.ours_ns, record.ratio, record.verdict),
            (None, None, None)
        );
        outcome.finding = Finding::OverBudget;
        assert_eq!(Record::new(&outcome, "native"), None);
    }
}
