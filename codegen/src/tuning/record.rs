//! From what `benches` tells to the cells of a table.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::{Cell, Figure, Key, Made, Shape, decide};
use crate::diag::Diagnostic;
use crate::kernel::KernelInfo;

/// What `benches compare --json` or `benches model --json` tells of a kernel; they tell more than is
/// read here.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Record {
    /// The full name.
    pub kernel: String,
    /// The shape; none: a model, which knows none.
    pub shape: Option<String>,
    /// Ours, for a permutation: nanoseconds or cycles.
    #[serde(alias = "ours_cycles")]
    pub ours_ns: Option<f64>,
    /// The peer, likewise.
    #[serde(alias = "peer_cycles")]
    pub peer_ns: Option<f64>,
    /// States of the peer in one of its calls; a model does not say.
    #[serde(default)]
    pub peer_states: usize,
    /// The peer's time by ours: the median over turns.
    pub ratio: Option<f64>,
    /// The interval of the middle half of the samples, by the median.
    #[serde(default)]
    pub spread: Option<f64>,
    /// Whether the result was right.
    pub verified: bool,
    /// The core of a model.
    #[serde(default)]
    pub core: Option<String>,
    /// Whose tables a model is made of.
    #[serde(default)]
    pub model: Option<String>,
    /// How it came about.
    #[serde(flatten)]
    pub origin: Origin,
}

/// How records came about, as their file tells.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Origin {
    /// The command.
    pub command: Option<String>,
    /// The CPU that ran it.
    pub cpu: Option<String>,
    /// The compiler.
    pub compiler: Option<String>,
    /// What the states were made from.
    pub seed: Option<u64>,
}

/// Time, ratio and spread, if they were found.
type Timed = Option<(f64, f64, f64)>;

/// The cells that records are about, each decided, and which kernels were not timed in which shapes:
/// there they are not used.
///
/// # Errors
/// A kernel came to a wrong result.
pub fn cells(
    records: &[Record],
    kernels: &[KernelInfo],
    made: &Made,
) -> Result<(Vec<Cell>, Vec<String>), Diagnostic> {
    if let Some(wrong) = records.iter().find(|record| !record.verified) {
        let message = format!("{} came to another result than Plonky3", wrong.kernel);
        return Err(Diagnostic::new(message).help("`cargo verify kernels` tells more"));
    }
    let mut timed: BTreeMap<&str, [Timed; 3]> = BTreeMap::new();
    for record in records {
        let Some((time, ratio)) = time(record, records, kernels) else {
            continue;
        };
        let figure = Some((time, ratio, record.spread.unwrap_or(0.0)));
        let row = timed.entry(&record.kernel).or_default();
        for (place, shape) in row.iter_mut().zip(Shape::ALL) {
            let named = record.shape.as_deref();
            // The size of a tree does not decide.
            if named.is_none_or(|named| named.split('-').next() == Some(shape.name())) {
                *place = figure;
            }
        }
    }
    let mut cells: BTreeMap<Key, Cell> = BTreeMap::new();
    let mut missing = Vec::new();
    for info in kernels {
        let (Some(key), Some(row)) = (Key::of(info), timed.get(info.name.as_str())) else {
            continue;
        };
        let cell = cells.entry(key.clone()).or_insert_with(|| Cell {
            key,
            made: made.clone(),
            figures: Default::default(),
        });
        let leaf = info.name.rsplit('/').next().unwrap_or_default();
        for ((figures, timed), shape) in cell.figures.iter_mut().zip(row).zip(Shape::ALL) {
            let Some((time, ratio, spread)) = *timed else {
                missing.push(format!("{} in {}", info.name, shape.name()));
                continue;
            };
            figures.push(Figure {
                kernel: leaf.to_owned(),
                states: info.states() as usize,
                lanes: info.lanes,
                // As the file has them: what is decided by is what is read.
                time: rounded(time, 10.0),
                ratio: rounded(ratio, 1000.0),
                spread: rounded(spread, 1000.0),
                used: false,
            });
        }
    }
    let mut cells: Vec<Cell> = cells.into_values().collect();
    for figures in cells.iter_mut().flat_map(|cell| &mut cell.figures) {
        decide(figures);
    }
    Ok((cells, missing))
}

/// Time and ratio. What slows the machine for a while slows both sides, so the time is told by the
/// ratio: that of the peer at its usual, the median over all matches of the same kind, by the ratio.
fn time(record: &Record, all: &[Record], kernels: &[KernelInfo]) -> Option<(f64, f64)> {
    let (ours, ratio) = (record.ours_ns?, record.ratio?);
    if record.shape.is_none() {
        return Some((ours, ratio));
    }
    let kind = |record: &Record| {
        let info = kernels.iter().find(|info| info.name == record.kernel)?;
        let Record {
            shape, peer_states, ..
        } = record;
        Some((Key::of(info)?, shape.clone(), *peer_states))
    };
    let own = kind(record)?;
    let same = all
        .iter()
        .filter(|other| kind(other).as_ref() == Some(&own));
    let mut peers: Vec<f64> = same.filter_map(|other| other.peer_ns).collect();
    peers.sort_by(f64::total_cmp);
    let usual = peers.get(peers.len() / 2)?;
    Some((usual / ratio, ratio))
}

fn rounded(value: f64, parts: f64) -> f64 {
    (value * parts).round() / parts
}

impl Key {
    /// Of a kernel; none if its instruction set is not known.
    #[must_use]
    pub fn of(info: &KernelInfo) -> Option<Self> {
        Some(Self {
            parameters: info.parameter_set.clone(),
            field: info.field.clone(),
            width: info.width,
            isa: info.isa.parse().ok()?,
        })
    }
}
