//! Cores as a scheduler knows them: pipes, latencies and registers, from data files.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// What one instruction asks of a core.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Cost {
    /// The pipes that can take it, by name.
    pub pipes: Vec<String>,
    /// Cycles until its result can be read.
    pub latency: usize,
    /// Cycles for which its pipe takes nothing else.
    #[serde(default = "one")]
    pub busy: usize,
    /// Of those that the core begins in a cycle, how many it counts for.
    #[serde(default = "one")]
    pub uops: usize,
}

fn one() -> usize {
    1
}

/// A core.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Core {
    /// Micro-ops that begin in one cycle.
    pub width: usize,
    /// Vectors that values can be in at a time.
    pub vectors: usize,
    /// General registers that values can be in at a time.
    pub registers: usize,
    /// Names of the pipes.
    pub pipes: Vec<String>,
    /// An instruction on vectors that is not listed.
    pub vector: Cost,
    /// An instruction on general registers that is not listed.
    pub word: Cost,
    /// A load of a vector, or of a word.
    pub load: Cost,
    /// A load of a word into every lane.
    pub broadcast: Cost,
    /// A store of a vector.
    pub store: Cost,
    /// A lane's word into a general register.
    pub take: Cost,
    /// Two words into a vector.
    pub join: Cost,
    /// The others, by the name of their row.
    pub instructions: BTreeMap<String, Cost>,
}

/// Every core with the text of its file.
const FILES: [(&str, &str); 1] = [("neoverse-n1", include_str!("../../cores/neoverse-n1.toml"))];

static CORES: LazyLock<BTreeMap<&'static str, Core>> = LazyLock::new(|| {
    let read = |(name, text)| (name, toml::from_str(text).expect("tests read every file"));
    FILES.into_iter().map(read).collect()
});

impl Core {
    /// Names of all cores.
    pub fn names() -> impl Iterator<Item = &'static str> {
        FILES.into_iter().map(|(name, _)| name)
    }

    /// The core of that name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<&'static Self> {
        CORES.get(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::{Target, table};

    #[test]
    fn files_speak_of_rows_and_pipes_that_there_are() {
        for name in Core::names() {
            let core = Core::by_name(name).unwrap();
            let tables = [table(Target::Aarch64), table(Target::Neon)];
            for (row, cost) in &core.instructions {
                let known = tables.iter().any(|t| t.rows().any(|r| r.name == row));
                assert!(known, "{name}: {row}");
                assert!(cost.busy <= cost.latency, "{name}: {row}");
            }
            let others = [&core.vector, &core.word, &core.load, &core.broadcast];
            let moves = [&core.store, &core.take, &core.join];
            for cost in core.instructions.values().chain(others).chain(moves) {
                assert!(!cost.pipes.is_empty(), "{name}");
                assert!(cost.pipes.iter().all(|p| core.pipes.contains(p)), "{name}");
                assert!(cost.uops <= 2 * core.width, "{name}");
            }
        }
    }
}
