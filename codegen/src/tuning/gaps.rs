//! Gaps in tuning tables: kernels without figures, and figures of code that is no longer generated.

use std::collections::{BTreeMap, BTreeSet};

use super::{Key, TuningTable};
use crate::diag::{Diagnostic, Diagnostics, number};
use crate::kernel::KernelInfo;

/// What one table does not know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gaps {
    /// Kernels without a figure for some workload: there they are not used.
    pub missing: Option<Gap>,
    /// Kernels of which other code was timed than is generated.
    pub stale: Option<Gap>,
    /// Kernels of which it is not recorded what code was timed.
    pub unrecorded: Option<Gap>,
}

/// What one table does not know of some kernels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gap {
    /// In a line.
    pub message: String,
    /// The kernels, a line for each cell.
    pub cells: Vec<String>,
    /// The command that finds out.
    pub command: String,
}

impl Gap {
    fn new(
        table: &TuningTable,
        what: &str,
        why: &str,
        cells: &BTreeMap<Key, Vec<String>>,
    ) -> Option<Self> {
        let count: usize = cells.values().map(Vec::len).sum();
        (count > 0).then(|| Self {
            message: format!(
                "tuning table of {}: {}; {why}",
                table.cpu,
                number(count, &format!("{what} kernel"))
            ),
            cells: cells
                .iter()
                .map(|(key, kernels)| format!("{key}: {}", kernels.join(", ")))
                .collect(),
            command: table.command(cells.keys()),
        })
    }
}

/// What `table` does not know of those of `kernels` that its CPU can run.
#[must_use]
pub fn gaps(table: &TuningTable, kernels: &[KernelInfo]) -> Gaps {
    let [mut missing, mut stale, mut unrecorded] = [(); 3].map(|()| BTreeMap::new());
    for info in kernels {
        let (Some(key), Some((_, name))) = (Key::of(info), info.name.rsplit_once('/')) else {
            continue;
        };
        let runs = info.target_arch.as_ref();
        if runs.is_some_and(|arch| *arch != table.arch) || table.lacks.contains(&key.isa) {
            continue;
        }
        let cell = table.cells.iter().find(|cell| cell.key == key);
        let timed = cell.map_or(0, |cell| {
            let has = |kernel: &super::Figure| kernel.kernel == name;
            let figures = cell.figures.iter();
            figures.filter(|figures| figures.iter().any(has)).count()
        });
        let add = |to: &mut BTreeMap<Key, Vec<String>>| {
            to.entry(key.clone()).or_default().push(name.to_owned());
        };
        if cell.is_none_or(|cell| timed < cell.figures.len()) {
            add(&mut missing);
        }
        match cell.filter(|_| timed > 0).map(|cell| cell.code.get(name)) {
            Some(Some(code)) if *code != info.code => add(&mut stale),
            Some(None) => add(&mut unrecorded),
            _ => {}
        }
    }
    let why = "a kernel without figures is not used";
    let missing = Gap::new(table, "untimed", why, &missing);
    let why = "the code has changed since it was timed";
    let stale = Gap::new(table, "stale", why, &stale);
    let why = "it is not recorded which code was timed";
    let unrecorded = Gap::new(table, "possibly stale", why, &unrecorded);
    Gaps {
        missing,
        stale,
        unrecorded,
    }
}

/// Warnings of kernels whose code has changed since it was timed.
#[must_use]
pub fn warnings(tables: &[TuningTable], kernels: &[KernelInfo]) -> Diagnostics {
    let warning = |table: &TuningTable| {
        let gap = gaps(table, kernels).stale?;
        let place = if table.modelled {
            ""
        } else {
            ", on such a CPU"
        };
        let cells = gap.cells.join("\n");
        let help = format!("to time them{place}: `{}`\n{cells}", gap.command);
        Some(Diagnostic::warning(gap.message).help(help))
    };
    tables.iter().filter_map(warning).collect()
}

impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} w{} {}", self.field, self.width, self.isa)
    }
}

impl TuningTable {
    /// Whether `benches model` makes its figures: those of Arm's cores, from LLVM's tables.
    #[must_use]
    pub fn is_of_a_core(&self) -> bool {
        self.modelled && self.arch == "aarch64"
    }

    /// The command that times cells of this table, or models them; without keys, all that there can be.
    /// Where programs do not time themselves, that is the one which did.
    #[must_use]
    pub fn command<'k>(&self, keys: impl Iterator<Item = &'k Key> + Clone) -> String {
        if !["aarch64", "x86_64"].contains(&&*self.arch)
            && let Some(cell) = self.cells.first()
        {
            return cell.made.command.clone();
        }
        let (cpu, mut command) = (&self.cpu, "cargo run -p tune --".to_owned());
        let fields: BTreeSet<_> = keys.clone().map(|key| &key.field).collect();
        let widths: BTreeSet<_> = keys.clone().map(|key| key.width).collect();
        let isas: BTreeSet<_> = keys.map(|key| key.isa).collect();
        if let (Some(field), 1) = (fields.first(), fields.len()) {
            command += &format!(" --field {field}");
        }
        if let (Some(width), 1) = (widths.first(), widths.len()) {
            command += &format!(" --width {width}");
        }
        let isas: Vec<_> = isas.into_iter().map(|isa| isa.name()).collect();
        if !isas.is_empty() {
            command += &format!(" --isa {}", isas.join(","));
        } else if !self.modelled {
            command += " --all";
        }
        let how = if self.modelled { "model" } else { "cpu" };
        command + &format!(" --{how} {cpu}")
    }
}
