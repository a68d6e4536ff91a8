//! What of a kernel can be set otherwise than its spec sets it, to see what is the fastest.

use std::collections::BTreeSet;

use codegen::spec::{KernelSpec, SBOXES};
use codegen::tuning::{Figure, TuningCell, faster};

use crate::decide::decide;

/// A kernel as some setting of its knobs would have it.
#[derive(Clone, Debug)]
pub(crate) struct Variant {
    /// What distinguishes its name.
    pub(crate) suffix: String,
    /// The spec's table with that setting.
    pub(crate) kernel: KernelSpec,
}

impl Variant {
    /// The kernel as it is.
    pub(crate) fn as_specified(kernel: &KernelSpec) -> Self {
        Self {
            suffix: String::new(),
            kernel: kernel.clone(),
        }
    }
}

/// The settings of `sboxes` that make different kernels of this width and batch; one, as it is, where
/// the strategy has no such knob.
pub(crate) fn variants(kernel: &KernelSpec, width: usize, batch: usize) -> Vec<Variant> {
    let stages = (1..=SBOXES).map(|sboxes| with(kernel, sboxes).stage(width, batch));
    let stages: BTreeSet<usize> = stages.collect();
    if stages.len() == 1 || !kernel.strategy.takes_sboxes() {
        // The only one there is keeps its name.
        return vec![Variant::as_specified(kernel)];
    }
    let variant = |stage: usize| Variant {
        suffix: format!("_s{stage}"),
        kernel: with(kernel, stage * batch),
    };
    stages.into_iter().map(variant).collect()
}

fn with(kernel: &KernelSpec, sboxes: usize) -> KernelSpec {
    KernelSpec {
        sboxes,
        ..kernel.clone()
    }
}

/// The cell as it would be with `sboxes` in the spec, of one with all variants of a kernel; what is
/// not of that kernel stays.
pub(crate) fn with_sboxes(
    cell: &TuningCell,
    names: &[(usize, String)],
    kernel: &KernelSpec,
    sboxes: usize,
) -> TuningCell {
    let kernel = with(kernel, sboxes);
    // A variant has the kernel's own name then, and the other variants none.
    let renamed = |given: &str| {
        let stage = |name: &str| -> Option<usize> {
            given.strip_prefix(name)?.strip_prefix("_s")?.parse().ok()
        };
        let mut variants = names
            .iter()
            .filter_map(|(batch, name)| Some((batch, name, stage(name)?)));
        match variants.next() {
            Some((batch, name, stage)) => {
                let wanted = kernel.stage(cell.key.width, *batch);
                (stage == wanted).then(|| name.clone())
            }
            None => Some(given.to_owned()),
        }
    };
    let mut with = cell.clone();
    let code = cell.code.iter();
    with.code = code
        .filter_map(|(given, code)| Some((renamed(given)?, code.clone())))
        .collect();
    for figures in &mut with.figures {
        figures.retain_mut(|figure| {
            let name = renamed(&figure.kernel);
            name.map(|name| figure.kernel = name).is_some()
        });
        decide(figures);
    }
    with
}

/// The setting of `sboxes` whose best batch is the fastest, over all workloads; that of the spec, unless
/// another one is surely faster.
pub(crate) fn best_sboxes(
    cell: &TuningCell,
    names: &[(usize, String)],
    kernel: &KernelSpec,
) -> usize {
    let timing = |sboxes: usize| {
        let cell = with_sboxes(cell, names, kernel, sboxes);
        let best = |figures: &Vec<Figure>| {
            let own = figures
                .iter()
                .filter(|figure| names.iter().any(|(_, name)| *name == figure.kernel));
            own.map(Figure::timing).min_by(|a, b| a.0.total_cmp(&b.0))
        };
        let best = cell.figures.iter().filter_map(best);
        let (times, spreads): (Vec<f64>, Vec<f64>) = best.unzip();
        if times.len() < cell.figures.len() {
            return (f64::INFINITY, 0.0);
        }
        let mean = |all: &[f64]| all.iter().sum::<f64>() / all.len() as f64;
        let logarithms: Vec<f64> = times.into_iter().map(f64::ln).collect();
        (mean(&logarithms).exp(), mean(&spreads))
    };
    let own = timing(kernel.sboxes);
    if own.0.is_infinite() {
        // What was not timed has not lost.
        return kernel.sboxes;
    }
    let best = (1..=SBOXES).min_by(|a, b| timing(*a).0.total_cmp(&timing(*b).0));
    best.filter(|best| faster(timing(*best), own))
        .unwrap_or(kernel.sboxes)
}
