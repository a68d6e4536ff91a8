//! The words that a kernel of a target may use.

use std::collections::BTreeSet;

use super::reading::{Form, Reading};
use crate::isa::{Row, Table, Target, join, take};

/// What moves state words between memory, arrays and iterators, and does nothing to them.
const STRUCTURE: &[&str] = &[
    "as_mut_ptr",
    "as_ptr",
    "cast",
    "cast_signed",
    "enumerate",
    "iter",
    "iter_mut",
    "map",
    "zip",
];

/// What moves words between lanes of vectors and general registers, and what keeps the compiler
/// from undoing the order that suits both.
pub const CROSSINGS: [&str; 4] = [
    "core::hint::black_box",
    "vcombine_u64",
    "vcreate_u64",
    "vgetq_lane_u64",
];

/// `unsafe { … }` blocks of a target's kernels: the raw entry, and the view of states as vectors.
/// Macros around assembler have one each beside.
#[must_use]
pub fn unsafe_blocks(table: &Table) -> usize {
    1 + usize::from(table.vector_bits > 0)
}

/// Every instruction, call and operator that a kernel of the table's target may contain.
#[must_use]
pub fn vocabulary(table: &Table) -> BTreeSet<String> {
    let view = ["core::ptr::from_mut"]
        .iter()
        .filter(|_| table.vector_bits > 0);
    let structure = STRUCTURE.iter().chain(view).chain(table.memory);
    let mut words: BTreeSet<String> = structure.map(ToString::to_string).collect();
    words.extend(computing(table));
    words
}

/// What the rows of the table say: all that computes. It belongs into macro-ops and `asm!` blocks.
#[must_use]
pub fn computing(table: &Table) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    let names: Vec<String> = (0..8).map(|n| format!("x{n}")).collect();
    for row in table.rows() {
        if row.is_assembler() {
            // What has to stay is moved away before.
            words.extend(["mov"].into_iter().chain(row.mnemonic()).map(str::to_owned));
            continue;
        }
        let immediates: Vec<u32> = row.immediates.iter().map(|(least, _)| *least).collect();
        words.extend(words_of(&row.render(&names, &names, &immediates)));
    }
    words
}

/// What lines of assembler may begin with in kernels of the table's target whose instructions have
/// an order of their own; and in moves between vectors and general registers, which those of NEON
/// have beside.
#[must_use]
pub fn lines(table: &Table) -> BTreeSet<String> {
    let moves = take().iter().chain(join());
    let moves = moves.filter(|_| table.target == Target::Neon);
    let words = table.rows().chain(moves).filter_map(Row::mnemonic);
    words.map(str::to_owned).collect()
}

/// What a row's own text says, read as a kernel is read.
fn words_of(expression: &str) -> Vec<String> {
    let Ok(reading) = Reading::of(&format!("fn row() {{ let r = {expression}; }}")) else {
        return Vec::new();
    };
    let calls = reading.instructions.into_iter();
    let calls = calls.filter(|call| matches!(call.form, Form::Call | Form::Method));
    let operators = reading.operators.into_iter();
    calls.chain(operators).map(|word| word.name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::table;

    #[test]
    fn every_row_adds_its_words() {
        for &target in Target::all() {
            let words = vocabulary(table(target));
            assert!(words.len() > STRUCTURE.len() + 5, "{target:?}: {words:?}");
        }
        let scalar = vocabulary(table(Target::Scalar));
        for word in ["u64::overflowing_add", ">>", "&", "<", "as u32"] {
            assert!(scalar.contains(word), "{word}");
        }
        assert!(!scalar.contains("+"));
    }
}
