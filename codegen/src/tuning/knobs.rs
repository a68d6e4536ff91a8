//! What of a kernel can be set otherwise than its spec sets it, to see what is the fastest.

use super::{Cell, MARGIN};
use crate::spec::{KernelSpec, SBOXES};

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
    cell: &Cell,
    names: &[(usize, String)],
    kernel: &KernelSpec,
    sboxes: usize,
) -> Cell {
    let mut cell = cell.clone();
    let width = cell.key.width;
    for figures in &mut cell.figures {
        for (batch, name) in names {
            let wanted = name.clone() + &suffix(with(kernel, sboxes).stage(width, *batch));
            let is_variant = |given: &str| {
                let rest = given.strip_prefix(name.as_str());
                let stage = rest.and_then(|rest| rest.strip_prefix("_s"));
                stage.is_some_and(|stage| stage.parse::<usize>().is_ok())
            };
            figures.retain_mut(|figure| {
                if figure.kernel == wanted {
                    figure.kernel.clone_from(name);
                    return true;
                }
                !is_variant(&figure.kernel)
            });
        }
        super::decide(figures);
    }
    cell
}

/// The setting of `sboxes` whose best batch is the fastest, over all shapes; that of the spec, unless
/// another one is better by more than the margin.
#[must_use]
pub fn best_sboxes(cell: &Cell, names: &[(usize, String)], kernel: &KernelSpec) -> usize {
    let time = |sboxes: usize| {
        let cell = with_sboxes(cell, names, kernel, sboxes);
        let best = |figures: &Vec<super::Figure>| {
            let own = figures
                .iter()
                .filter(|figure| names.iter().any(|(_, name)| *name == figure.kernel));
            own.map(|figure| figure.time).fold(f64::INFINITY, f64::min)
        };
        cell.figures.iter().map(best).map(f64::ln).sum::<f64>() / cell.figures.len() as f64
    };
    let now = time(kernel.sboxes);
    let best = (1..=SBOXES).min_by(|a, b| time(*a).total_cmp(&time(*b)));
    best.filter(|best| time(*best) < now + (1.0 - MARGIN).ln())
        .unwrap_or(kernel.sboxes)
}
