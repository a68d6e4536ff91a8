//! What of a kernel can be set otherwise than its spec sets it, to see what is the fastest.

use std::path::{Path, PathBuf};

use super::{Cell, MARGIN};
use crate::diag::Diagnostic;
use crate::spec::{KernelSpec, Strategy};

/// A kernel as some setting of its knobs would have it.
#[derive(Clone, Debug)]
pub struct Variant {
    /// What distinguishes its name.
    pub suffix: String,
    /// The spec's table with that setting.
    pub kernel: KernelSpec,
}

/// The greatest number of S-boxes that a spec may ask for.
const SBOXES: usize = 16;

/// The settings of `sboxes` that make different kernels of this width and batch; one, as it is, where
/// the strategy has no such knob.
#[must_use]
pub fn variants(kernel: &KernelSpec, width: usize, batch: usize) -> Vec<Variant> {
    let has_sboxes = matches!(kernel.strategy, Strategy::Columns | Strategy::Limbs);
    let mut stages: Vec<usize> = (1..=SBOXES)
        .filter(|sboxes| has_sboxes || *sboxes == kernel.sboxes)
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

/// Copies the packages that time kernels to `into`, with what they need to be built there; `generated/`
/// is not among them. Files that are already there as they should be are left alone, so that cargo
/// builds again only what changed.
///
/// # Errors
/// Something cannot be read or written.
pub fn workspace(root: &Path, into: &Path) -> Result<(), Diagnostic> {
    std::fs::create_dir_all(into)
        .map_err(|error| Diagnostic::new(format!("cannot make {}: {error}", into.display())))?;
    for name in ["Cargo.toml", "Cargo.lock", "README.md"] {
        copy(&root.join(name), &into.join(name))?;
    }
    for package in [
        "benches",
        "codegen",
        "poseidon2-kernels",
        "templates",
        "verify",
    ] {
        copy(&root.join(package), &into.join(package))?;
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result<(), Diagnostic> {
    let cannot = |path: &Path, error: std::io::Error| {
        Diagnostic::new(format!("cannot copy {}: {error}", path.display()))
    };
    if from.is_dir() {
        std::fs::create_dir_all(to).map_err(|error| cannot(to, error))?;
        for entry in std::fs::read_dir(from).map_err(|error| cannot(from, error))? {
            let entry: PathBuf = entry.map_err(|error| cannot(from, error))?.path();
            if let Some(name) = entry.file_name().filter(|name| *name != "target") {
                copy(&entry, &to.join(name))?;
            }
        }
        return Ok(());
    }
    let bytes = std::fs::read(from).map_err(|error| cannot(from, error))?;
    if std::fs::read(to).is_ok_and(|there| there == bytes) {
        return Ok(());
    }
    std::fs::write(to, bytes).map_err(|error| cannot(to, error))
}
