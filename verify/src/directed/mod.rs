//! Vectors directed at every site of a program: operands are chosen so that a missing
//! canonicalisation would show, the rounds are run backwards to an input that leads there, and the
//! whole permutation is traced again to see that it does.
//!
//! Uniform inputs do not see a site: the band of non-canonical words has 2^32 of 2^64 members.

mod aim;
mod band;
mod choice;
mod edges;
mod machine;
mod place;
mod solve;
#[cfg(test)]
mod tests;
mod threat;
mod word;

use std::sync::Arc;

use codegen::arith::{MacroOp, Program};

use crate::corpus::{Section, Table};
use crate::oracle::Instance;
use crate::programs::{self, Entry};
pub use machine::{Machine, Visit, Words};
pub use threat::{Kind, Threat, threats};

/// The check's name in reports.
pub const CHECK: &str = "directed at sites";

/// Vectors for each site.
pub const VECTORS: usize = 64;

/// One vector.
#[derive(Clone, Debug)]
pub struct Directed {
    /// The site that it is directed at.
    pub site: String,
    /// The edge there, where a site has several.
    pub band: &'static str,
    /// The round of the site's block in which it is to get there.
    pub round: usize,
    /// The round constants: the standard ones, or others that the site needs.
    pub table: Arc<Table>,
    /// The input, as words.
    pub state: Vec<u64>,
    /// Whether the trace of the whole permutation gets there.
    pub hits: bool,
}

/// The vectors of every site of a program, [`VECTORS`] or more a site.
///
/// # Panics
/// Where `instance` is not what the program computes.
#[must_use]
pub fn vectors(program: &Program, instance: &Instance) -> Vec<Directed> {
    if program.parts > 1 {
        return edges::vectors(program, instance);
    }
    let ranges = [Table::standard(instance), place::low_constants(instance)];
    let tables: Vec<place::Place> = ranges
        .into_iter()
        .map(|table| place::Place::new(instance, table))
        .collect();
    let range = aim::Range::new(program, instance);
    let mut all = Vec::new();
    for (n, threat) in threats(program).iter().enumerate() {
        let mut found = Vec::new();
        for place in &tables {
            range.shoot(threat, place, n as u64, &mut found);
        }
        range.quietly(threat, &mut found);
        all.extend(found);
    }
    all
}

/// How many vectors a site has, and how many of them get there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Count {
    /// The site, and the edge where it has several.
    pub site: String,
    /// Its vectors.
    pub vectors: usize,
    /// Those that get there.
    pub hits: usize,
    /// Why there is nothing to hit, where that is so.
    pub argument: Option<String>,
}

/// Counts vectors by site.
#[must_use]
pub fn count(program: &Program, vectors: &[Directed]) -> Vec<Count> {
    if program.parts > 1 {
        return edges::count(program, vectors);
    }
    let count = |threat: Threat| {
        let own = vectors.iter().filter(|vector| vector.site == threat.site);
        Count {
            vectors: own.clone().count(),
            hits: own.filter(|vector| vector.hits).count(),
            argument: threat.argument(),
            site: threat.site,
        }
    };
    threats(program).into_iter().map(count).collect()
}

/// Directed cases of the instances' programs whose elements have parts; one thread for each.
///
/// # Panics
/// Where a thread does.
#[must_use]
pub fn of_parts(instances: &[Instance]) -> Vec<Section> {
    let entries = programs::of(instances);
    let parts = entries.iter().filter(|entry| entry.program.parts > 1);
    std::thread::scope(|scope| {
        let handles: Vec<_> = parts.map(|entry| scope.spawn(|| sections(entry))).collect();
        let join = |handle: std::thread::ScopedJoinHandle<'_, _>| handle.join().expect("no panic");
        handles.into_iter().flat_map(join).collect()
    })
}

/// The vectors as cases of a corpus, one section for each table of constants.
#[must_use]
pub fn sections(entry: &Entry) -> Vec<Section> {
    let vectors = vectors(&entry.program, &entry.instance);
    let mut sections: Vec<Section> = Vec::new();
    for group in vectors.chunk_by(|a, b| a.site == b.site && a.table == b.table) {
        let table = &*group[0].table;
        let at = sections.iter().position(|section| section.table == *table);
        let at = at.unwrap_or_else(|| {
            sections.push(Section::new(&entry.instance, table.clone()));
            sections.len() - 1
        });
        let inputs = group.iter().map(|vector| vector.state.clone());
        sections[at].push(&entry.instance, CHECK, group[0].site.clone(), inputs);
    }
    sections
}

/// Whether a macro-op is one of the S-box's.
fn is_product(op: MacroOp) -> bool {
    matches!(
        op,
        MacroOp::Mul
            | MacroOp::Square
            | MacroOp::MulColumns
            | MacroOp::MulWide
            | MacroOp::MulColumnsRedc
            | MacroOp::SquareLimbs(_)
            | MacroOp::MulLimbs(_)
    )
}
