//! From what `benches` tells to the cells of a table.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use codegen::diag::Diagnostic;
use codegen::kernel::KernelInfo;
use codegen::tuning::{Figure, Key, Provenance, TuningCell, Workload, median};

use crate::decide::decide;

/// What `benches compare --json` or `benches model --json` tells of a kernel; they tell more than is
/// read here.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct Record {
    /// The full name.
    pub(crate) kernel: String,
    /// The workload, which `benches` calls a shape; none: a model, which knows none.
    pub(crate) shape: Option<String>,
    /// Ours, for a permutation: nanoseconds or cycles.
    #[serde(alias = "ours_cycles")]
    pub(crate) ours_ns: Option<f64>,
    /// The peer, likewise.
    #[serde(alias = "peer_cycles")]
    pub(crate) peer_ns: Option<f64>,
    /// States of the peer in one of its calls; a model does not say.
    #[serde(default)]
    pub(crate) peer_states: usize,
    /// The peer's time by ours: the median over turns.
    pub(crate) ratio: Option<f64>,
    /// The interval of the middle half of the samples, by the median.
    #[serde(default)]
    pub(crate) spread: Option<f64>,
    /// Whether the result was right.
    pub(crate) verified: bool,
    /// The core of a model.
    #[serde(default)]
    pub(crate) core: Option<String>,
    /// Whose tables a model is made of.
    #[serde(default)]
    pub(crate) model: Option<String>,
    /// How it came about.
    #[serde(flatten)]
    pub(crate) origin: Origin,
}

/// How records came about, as their file tells.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct Origin {
    /// The command.
    pub(crate) command: Option<String>,
    /// The hash of the kernel's code.
    pub(crate) code: Option<String>,
    /// The CPU that ran it.
    pub(crate) cpu: Option<String>,
    /// The compiler.
    pub(crate) compiler: Option<String>,
    /// The peer's version.
    pub(crate) plonky3: Option<String>,
    /// What the states were made from.
    pub(crate) seed: Option<u64>,
}

/// The records of a file.
///
/// # Errors
/// Why it has none.
pub(crate) fn read(path: &Path) -> Result<Vec<Record>, String> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    serde_json::from_str(&text).map_err(|error| error.to_string())
}

/// The cells that records are about, each decided, and which kernels were not timed at which
/// workloads: there they are not used.
///
/// # Errors
/// A kernel came to a wrong result, or has figures that cannot be.
pub(crate) fn cells(
    records: &[Record],
    kernels: &[KernelInfo],
    made: impl Fn(&Key) -> Provenance,
) -> Result<(Vec<TuningCell>, Vec<String>), Diagnostic> {
    if let Some(wrong) = records.iter().find(|record| !record.verified) {
        let message = format!("{} came to another result than Plonky3", wrong.kernel);
        return Err(Diagnostic::new(message).help("`cargo verify kernels` tells more"));
    }
    let mut cells: BTreeMap<Key, TuningCell> = BTreeMap::new();
    let mut missing = Vec::new();
    for info in kernels {
        let own = || records.iter().filter(|record| record.kernel == info.name);
        let timed = Workload::ALL.map(|workload| {
            let mut timed = own().filter(|record| record.is_at(workload)).rev();
            timed.find_map(|record| figure(record, info, records, kernels))
        });
        for (figure, workload) in timed.iter().zip(Workload::ALL) {
            figure
                .iter()
                .try_for_each(|figure| possible(figure, info, workload))?;
        }
        let Some(key) = Key::of(info).filter(|_| timed.iter().any(Option::is_some)) else {
            continue;
        };
        let cell = cells.entry(key.clone()).or_insert_with(|| TuningCell {
            made: made(&key),
            key,
            figures: Default::default(),
            code: BTreeMap::new(),
        });
        if let Some(code) = own().find_map(|record| record.origin.code.clone()) {
            cell.code.insert(leaf(info).to_owned(), code);
        }
        for ((figures, timed), workload) in cell.figures.iter_mut().zip(timed).zip(Workload::ALL) {
            match timed {
                Some(figure) => figures.push(figure),
                None => missing.push(format!("{} in {}", info.name, workload.name())),
            }
        }
    }
    let mut cells: Vec<TuningCell> = cells.into_values().collect();
    for figures in cells.iter_mut().flat_map(|cell| &mut cell.figures) {
        decide(figures);
    }
    Ok((cells, missing))
}

/// Refuses what no table could be read with.
fn possible(figure: &Figure, info: &KernelInfo, workload: Workload) -> Result<(), Diagnostic> {
    let Figure {
        time,
        ratio,
        spread,
        ..
    } = *figure;
    let positive = |value: f64| value.is_finite() && value > 0.0;
    if positive(time) && positive(ratio) && spread.is_finite() && spread >= 0.0 {
        return Ok(());
    }
    let (kernel, workload) = (&info.name, workload.name());
    let message =
        format!("{kernel} in {workload}: time {time}, ratio {ratio}, spread {spread} cannot be");
    let help =
        "time it again: time and ratio are positive, the spread is at least 0, and all are finite";
    Err(Diagnostic::new(message).help(help))
}

impl Record {
    /// Whether it tells of a workload: a model, which knows none, tells of all of them.
    fn is_at(&self, workload: Workload) -> bool {
        self.shape.as_ref().is_none_or(|shape| {
            // Times of trees of several sizes cannot be compared.
            let tree = workload == Workload::Merkle && shape == "merkle-14";
            shape == workload.name() || tree
        })
    }
}

fn leaf(info: &KernelInfo) -> &str {
    info.name.rsplit('/').next().unwrap_or_default()
}

/// What a record tells of its kernel, as the file has it: what is decided by is what is read.
fn figure(
    record: &Record,
    info: &KernelInfo,
    all: &[Record],
    kernels: &[KernelInfo],
) -> Option<Figure> {
    let (time, ratio) = time(record, all, kernels)?;
    Some(Figure {
        kernel: leaf(info).to_owned(),
        states: info.states(),
        lanes: info.lanes,
        time: rounded(time, 10.0),
        ratio: rounded(ratio, 1000.0),
        spread: rounded(record.spread.unwrap_or(0.0), 1000.0),
        used: false,
    })
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
        Some((Key::of(info)?, record.shape.clone(), record.peer_states))
    };
    let own = Some(kind(record)?);
    let same = all.iter().filter(|other| kind(other) == own);
    let usual = median(same.filter_map(|other| other.peer_ns).collect())?;
    Some((usual / ratio, ratio))
}

fn rounded(value: f64, parts: f64) -> f64 {
    (value * parts).round() / parts
}

#[cfg(test)]
mod tests {
    use codegen::names::Isa;

    use super::*;
    use crate::tests::kernels;

    fn used(figures: &[Figure]) -> Vec<&str> {
        let used = figures.iter().filter(|figure| figure.used);
        used.map(|figure| figure.kernel.as_str()).collect()
    }

    fn record(kernel: &str, shape: &str, ours: f64, peer: f64) -> Record {
        Record {
            kernel: format!("plonky3/goldilocks/{kernel}"),
            shape: Some(shape.to_owned()),
            ours_ns: Some(ours),
            peer_ns: Some(peer),
            peer_states: 4,
            ratio: Some(peer / ours),
            spread: Some(0.01),
            verified: true,
            core: None,
            model: None,
            origin: Origin::default(),
        }
    }

    #[test]
    fn times_are_told_by_the_peer() {
        const AVX2: [&str; 3] = [
            "w8_avx2_halves_b1",
            "w8_avx2_halves_b2",
            "w8_avx2_halves_b4",
        ];
        // The machine was at half its speed while the second kernel had its turns.
        let shapes = ["chain", "independent", "merkle-14"];
        let records: Vec<_> = shapes
            .iter()
            .flat_map(|shape| {
                [
                    record("w8_avx2_halves_b1", shape, 300.0, 400.0),
                    record("w8_avx2_halves_b2", shape, 500.0, 800.0),
                    record("w8_avx2_halves_b4", shape, 300.0, 400.0),
                ]
            })
            .collect();
        let (cells, missing) = cells(&records, &kernels(&AVX2), |_| Provenance::default()).unwrap();
        let [cell] = &cells[..] else {
            panic!("one key")
        };
        assert_eq!(missing, [""; 0]);
        for figures in &cell.figures {
            let times: Vec<_> = figures.iter().map(|figure| figure.time).collect();
            assert_eq!(times, [300.0, 250.0, 300.0]);
            assert_eq!(used(figures), ["w8_avx2_halves_b2", "w8_avx2_halves_b1"]);
        }
    }

    #[test]
    fn a_model_knows_no_shape_and_a_lost_figure_is_told() {
        let mut model = record("w8_neon_b1", "", 5000.0, 6000.0);
        model.shape = None;
        let lost = record("w8_scalar_b1", "chain", 5.0, 6.0);
        let kernels = kernels(&["w8_neon_b1", "w8_scalar_b1"]);
        let (cells, missing) = cells(&[model, lost], &kernels, |_| Provenance::default()).unwrap();
        assert_eq!(cells.len(), 2);
        assert!(cells.iter().all(|cell| cell.figures[0].len() == 1));
        let neon = cells.iter().find(|cell| cell.key.isa == Isa::Neon).unwrap();
        assert!(neon.figures.iter().all(|figures| figures[0].time == 5000.0));
        assert_eq!(missing.len(), 2);
    }

    #[test]
    fn trees_of_one_size_decide() {
        let shapes = ["chain", "merkle-14", "merkle-16", "merkle-18"];
        let records = shapes.map(|shape| {
            let time = if shape.ends_with("14") { 5.0 } else { 7.0 };
            record("w8_scalar_b1", shape, time, 10.0)
        });
        let kernels = kernels(&["w8_scalar_b1"]);
        let (cells, _) = cells(&records, &kernels, |_| Provenance::default()).unwrap();
        assert_eq!(cells[0].figures[2][0].time, 5.0);
        let large = record("w8_scalar_b1", "merkle-16", 5.0, 6.0);
        assert!(!Workload::ALL.iter().any(|workload| large.is_at(*workload)));
    }

    #[test]
    fn impossible_figures_are_refused() {
        let good = record("w8_scalar_b1", "chain", 5.0, 10.0);
        type Spoil = fn(&mut Record);
        let spoils: [Spoil; 5] = [
            |record| record.peer_ns = Some(-1.0),
            |record| record.peer_ns = Some(f64::INFINITY),
            |record| record.ratio = Some(0.0),
            |record| record.ratio = Some(f64::NAN),
            |record| record.spread = Some(-0.1),
        ];
        for spoil in spoils {
            let mut bad = good.clone();
            spoil(&mut bad);
            let kernels = kernels(&["w8_scalar_b1"]);
            let refused = cells(&[bad], &kernels, |_| Provenance::default()).unwrap_err();
            let told = refused.message();
            assert!(told.contains("w8_scalar_b1 in chain: time ") && told.ends_with("cannot be"));
        }
    }

    #[test]
    fn a_wrong_result_is_refused() {
        let wrong = Record {
            verified: false,
            ours_ns: None,
            ratio: None,
            ..record("w8_scalar_b1", "chain", 5.0, 6.0)
        };
        let refused = cells(&[wrong], &kernels(&["w8_scalar_b1"]), |_| {
            Provenance::default()
        })
        .unwrap_err();
        assert!(
            refused
                .message()
                .contains("w8_scalar_b1 came to another result")
        );
    }
}
