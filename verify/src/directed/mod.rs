//! Vectors directed at every site of a program: operands are chosen so that a missing
//! canonicalisation or a lost carry would show, the rounds are run backwards to an input that leads
//! there, and the whole permutation is traced again to see that it does.
//!
//! Uniform inputs do not see a site: the band of non-canonical words has 2^32 of 2^64 members.

mod aim;
mod band;
mod bands;
mod choice;
mod halves;
mod machine;
mod operands;
mod place;
mod reduced;
mod signed;
mod sites;
mod solve;
#[cfg(test)]
mod tests;
mod threat;
mod word;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use codegen::arith::Program;
use codegen::params::Family;

use crate::corpus::{Section, Table};
use crate::oracle::Instance;
use crate::parallel::in_parallel;
use crate::programs::{self, Entry};
use aim::Aim;
pub(crate) use machine::Machine;
use place::Place;

/// The check's name in reports.
pub(crate) const CHECK: &str = "directed at sites";

/// Vectors for each edge that can be reached.
pub(crate) const VECTORS: usize = 64;
/// Those for each edge of operations that are executed once or twice, where elements are in other words than those
/// in memory.
const RARE: usize = VECTORS / 4;

/// Something at a site that may go wrong, and the vectors directed at it.
#[derive(Clone, Debug)]
pub(crate) struct Edge {
    pub(crate) site: String,
    /// Which of the site's edges.
    pub(crate) band: &'static str,
    /// Why there is nothing to hit, where that is so.
    pub(crate) argument: Option<String>,
    pub(crate) vectors: Vec<Vector>,
}

impl Edge {
    /// What it lacks, if too few vectors get there and nothing says that none can.
    fn lack(&self, program: &Program) -> Option<String> {
        let wanted = if program.is_inner() { 1 } else { VECTORS };
        let all = self.vectors.len();
        let hits = self.vectors.iter().filter(|vector| vector.hits).count();
        let enough = all >= wanted && hits >= wanted.max(all / 2);
        let line = || format!("{}, {}: {hits} of {all} get there", self.site, self.band);
        (!enough && self.argument.is_none()).then(line)
    }
}

/// One vector.
#[derive(Clone, Debug)]
pub(crate) struct Vector {
    /// The round constants: the standard ones, or others that the site needs.
    pub(crate) table: Arc<Table>,
    /// The input, as words.
    pub(crate) input: Vec<u64>,
    /// Whether the trace of the whole permutation gets there.
    pub(crate) hits: bool,
}

/// The edges of every site of a program.
pub(crate) fn edges(program: &Program, instance: &Instance) -> Vec<Edge> {
    let aim = Aim::new(program, instance);
    let standard = Place::new(program, instance, Table::standard(instance));
    match program.words.family {
        // Products there are exact for all operands: no carry and no correction has an edge.
        Family::Montgomery52 => return Vec::new(),
        Family::Montgomery64 | Family::Montgomery128 => return aim.reduced(&standard),
        _ => {}
    }
    if program.parts > 1 {
        return aim.bands(&standard);
    }
    let low = Place::new(program, instance, place::low_constants(instance));
    let places = [standard, low];
    let threats = threat::threats(program).into_iter().enumerate();
    let threats = threats.map(|(n, threat)| Edge {
        band: "a canonicalisation missing",
        argument: threat.argument(),
        vectors: aim.threatened(&threat, &places, n as u64),
        site: threat.site,
    });
    threats.chain(aim.operands(&places[0])).collect()
}

/// Directed cases of all programs of some instances; one thread for each.
pub(crate) fn all(instances: &[Instance]) -> Vec<Section> {
    in_parallel(&programs::of(instances), sections).concat()
}

/// The vectors of a program as cases of a corpus, one section for each table of constants. They are
/// made once: mutants and kernels are tried on the same ones.
///
/// # Panics
/// If a site has too few, and no argument says why; or if there are none at all where there should be.
pub(crate) fn sections(entry: &Entry) -> Vec<Section> {
    type Made = BTreeMap<(String, String), Arc<OnceLock<Vec<Section>>>>;
    static MADE: Mutex<Made> = Mutex::new(Made::new());
    let key = (entry.instance.parameter_set.clone(), entry.name.clone());
    let mut all = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    let made = Arc::clone(all.entry(key).or_default());
    drop(all);
    made.get_or_init(|| make(entry)).clone()
}

fn make(entry: &Entry) -> Vec<Section> {
    let standard = Table::standard(&entry.instance);
    let mut sections = vec![Section::new(&entry.instance, standard)];
    for edge in edges(&entry.program, &entry.instance) {
        let lack = edge.lack(&entry.program);
        assert_eq!(lack, None, "{}", entry.name);
        let same = |a: &Vector, b: &Vector| Arc::ptr_eq(&a.table, &b.table);
        for group in edge.vectors.chunk_by(same) {
            let table = &*group[0].table;
            let at = sections.iter().position(|section| section.table == *table);
            let at = at.unwrap_or_else(|| {
                sections.push(Section::new(&entry.instance, table.clone()));
                sections.len() - 1
            });
            let inputs = group.iter().map(|vector| vector.input.clone());
            sections[at].push(&entry.instance, CHECK, edge.site.clone(), inputs);
        }
    }
    // Nothing is aimed at where no product has an edge.
    let aimed = entry.program.words.family != Family::Montgomery52;
    let is_more = sections.iter().any(|section| !section.is_empty());
    assert_eq!(is_more, aimed, "{}", entry.name);
    sections
}
