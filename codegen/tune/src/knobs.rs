//! What of a kernel can be set otherwise than its spec sets it, to see what is the fastest.

use codegen::spec::{KernelSpec, SBOXES};
use codegen::tuning::{Figure, TuningCell, faster};

use crate::decide::decide;

/// A kernel as some setting of its knobs would have it.
#[derive(Clone, Debug)]
pub struct Variant {
    /// What distinguishes its name.
    pub suffix: String,
    /// The spec's table with that setting.
    pub kernel: KernelSpec,
}

/// The settings of `sboxes` that make different kernels of this width and batch; one, as it is, where
/// the strategy has no such knob.
#[must_use]
pub fn variants(kernel: &KernelSpec, width: usize, batch: usize) -> Vec<Variant> {
    let takes_sboxes = kernel.strategy.takes_sboxes();
    let mut stages: Vec<usize> = (1..=SBOXES)
        .filter(|sboxes| takes_sboxes || *sboxes == kernel.sboxes)
        .map(|sboxes| with(kernel, sboxes).stage(width, batch))
        .collect();
    stages.sort_unstable();
    stages.dedup();
    if let [_] = stages[..] {
        // The only one there is keeps its name.
        return vec![Variant {
            suffix: String::new(),
            kernel: kernel.clone(),
        }];
    }
    let variant = |stage: usize| Variant {
        suffix: suffix(stage),
        kernel: with(kernel, stage * batch),
    };
    stages.into_iter().map(variant).collect()
}

fn suffix(stage: usize) -> String {
    format!("_s{stage}")
}

fn with(kernel: &KernelSpec, sboxes: usize) -> KernelSpec {
    KernelSpec {
        sboxes,
        ..kernel.clone()
    }
}

/// The cell as it would be with `sboxes` in the spec, of one with all variants of a kernel; what is
/// not of that kernel stays.
#[must_use]
pub fn with_sboxes(
    cell: &TuningCell,
    names: &[(usize, String)],
    kernel: &KernelSpec,
    sboxes: usize,
) -> TuningCell {
    let mut cell = cell.clone();
    let width = cell.key.width;
    for (batch, name) in names {
        let wanted = name.clone() + &suffix(with(kernel, sboxes).stage(width, *batch));
        let is_variant = |given: &str| {
            let rest = given.strip_prefix(name.as_str());
            let stage = rest.and_then(|rest| rest.strip_prefix("_s"));
            stage.is_some_and(|stage| stage.parse::<usize>().is_ok())
        };
        if let Some(code) = cell.code.get(&wanted).cloned() {
            cell.code.insert(name.clone(), code);
        }
        cell.code.retain(|given, _| !is_variant(given));
        for figures in &mut cell.figures {
            figures.retain_mut(|figure| {
                if figure.kernel == wanted {
                    figure.kernel.clone_from(name);
                    return true;
                }
                !is_variant(&figure.kernel)
            });
        }
    }
    cell.figures.iter_mut().for_each(|figures| decide(figures));
    cell
}

/// The setting of `sboxes` whose best batch is the fastest, over all workloads; that of the spec, unless
/// another one is surely faster.
#[must_use]
pub fn best_sboxes(cell: &TuningCell, names: &[(usize, String)], kernel: &KernelSpec) -> usize {
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
    let best = (1..=SBOXES).min_by(|a, b| timing(*a).0.total_cmp(&timing(*b).0));
    best.filter(|best| faster(timing(*best), timing(kernel.sboxes)))
        .unwrap_or(kernel.sboxes)
}
