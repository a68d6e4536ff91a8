//! Figures for the kernels of a package: those of the nearest permutation's.

use std::collections::BTreeSet;

use super::Chosen;
use crate::cli::places::Workspace;
use crate::cli::select::{Job, all};
use crate::diag::Diagnostics;
use crate::kernel::KernelInfo;
use crate::names::{Isa, Strategy};
use crate::tuning::{Figure, Key, TuningCell, TuningTable};

impl Chosen {
    /// The tuning tables with the figures of the nearest permutation for this one, and those of kernels
    /// [without figures](without_figures).
    pub(super) fn tables(
        &self,
        workspace: &Workspace,
        kernels: &[KernelInfo],
    ) -> Result<Vec<TuningTable>, Diagnostics> {
        let instance = &self.spec.instance;
        let (field, width) = self.nearest.unwrap_or_default();
        let [theirs, ours] = [width, instance.width].map(|width| format!("w{width}_"));
        let renamed = |kernel: &str| {
            let kernel = kernel.replacen(&theirs, &ours, 1);
            match self.renamed {
                Some([isa, from, to]) if kernel.contains(isa) => kernel.replace(from, to),
                _ => kernel,
            }
        };
        let outdone = self.outdone();
        let moved = |cell: &TuningCell| {
            let key = Key {
                parameters: instance.parameter_set.clone(),
                field: instance.field.name.to_owned(),
                width: instance.width,
                ..cell.key.clone()
            };
            let figures = cell.figures.clone().map(|figures| {
                let of = |figure: Figure| Figure {
                    kernel: renamed(&figure.kernel),
                    used: true,
                    ..figure
                };
                let mut figures: Vec<Figure> = figures.into_iter().map(of).collect();
                if self.is_poseidon1() && key.isa == Isa::Avx512Ifma {
                    side_by_side(&mut figures);
                }
                figures.extend(without_figures(&key, &figures, kernels));
                figures.retain(|figure| !outdone.contains(&key.full(&figure.kernel)));
                figures
            });
            TuningCell {
                key,
                made: cell.made.clone(),
                figures,
                code: Default::default(),
            }
        };
        let is_nearest = |cell: &&TuningCell| {
            let key = &cell.key;
            key.field == field && key.width == width
        };
        let mut tables = workspace.tables()?;
        for table in &mut tables {
            table.cells = table.cells.iter().filter(is_nearest).map(moved).collect();
        }
        Ok(tables)
    }

    /// Names of kernels that serve nothing for Poseidon1 where certain others are, which figures of Poseidon2 do not
    /// tell. They are those of `eager` where the same registers have others: it reduces at every operation, and with
    /// dense matrices takes up to seven times as many instructions. For one state they are those of `redc` where
    /// `beside` is: it adds both columns at once.
    fn outdone(&self) -> BTreeSet<String> {
        let jobs = all(std::slice::from_ref(&self.spec));
        let is_outdone = |job: &&Job<'_>| {
            jobs.iter().any(|other| {
                let [own, other] = [job.kernel, other.kernel];
                own.isa == other.isa
                    && match own.strategy {
                        Strategy::DEFAULT => {
                            own.layout == other.layout && other.strategy != Strategy::DEFAULT
                        }
                        Strategy::Redc => job.batch == 1 && other.strategy == Strategy::Beside,
                        _ => false,
                    }
            })
        };
        let outdone = jobs.iter().filter(is_outdone);
        match self.is_poseidon1() {
            true => outdone.map(Job::name).collect(),
            false => BTreeSet::new(),
        }
    }
}

/// Has kernels of more groups take the lesser times: of Poseidon1's partial rounds each waits for its S-box and for sums
/// of many products, which another group makes up for. On Golden Cove KoalaBear 24 by one group takes a third
/// longer than by two, where Poseidon2's takes a twentieth less.
pub(super) fn side_by_side(figures: &mut [Figure]) {
    let own = |figure: &&mut Figure| figure.kernel.contains("_avx512ifma_radix52_");
    let mut own: Vec<&mut Figure> = figures.iter_mut().filter(own).collect();
    let mut times: Vec<f64> = own.iter().map(|figure| figure.time).collect();
    times.sort_by(f64::total_cmp);
    own.sort_by_key(|figure| std::cmp::Reverse(figure.states));
    for (figure, time) in own.into_iter().zip(times) {
        figure.time = time;
    }
}

/// Figures for kernels of a cell that have none: those of the slowest with as many states in a group. Where there is
/// none to compare with, as where one kernel alone has a state across lanes, nothing is known of a kernel.
pub(super) fn without_figures(
    key: &Key,
    figures: &[Figure],
    kernels: &[KernelInfo],
) -> Vec<Figure> {
    let slowest = |lanes: usize| {
        let alike = figures.iter().filter(|figure| figure.lanes == lanes);
        alike.map(|figure| figure.time).max_by(f64::total_cmp)
    };
    let own = kernels
        .iter()
        .filter(|info| Key::of(info).as_ref() == Some(key));
    let names = own.filter_map(|info| Some((info, info.name.rsplit('/').next()?)));
    let missing = names.filter(|(_, name)| !figures.iter().any(|figure| figure.kernel == *name));
    missing
        .filter_map(|(info, name)| {
            Some(Figure {
                kernel: name.to_owned(),
                states: info.batch * info.lanes,
                lanes: info.lanes,
                time: slowest(info.lanes)?,
                // As if the peer took as long; nothing is compared with it.
                ratio: 1.0,
                spread: 0.0,
                used: true,
            })
        })
        .collect()
}
