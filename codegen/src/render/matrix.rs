//! Numbers that sums of products multiply elements by, as a table in memory.
//!
//! Where a core multiplies by one lane of a vector, a load is four of them. Of a number that it knows, the compiler
//! would make three instructions: two for a general register, one for the lanes.

use crate::arith::{Operation, Program};
use crate::ir::{BlockKind, Value};
use crate::isa::{Target, table};
use crate::ops::MacroOp;
use std::collections::BTreeMap;

/// The table, in the order of use, and where in it a value of a block is.
#[derive(Default)]
pub(super) struct Matrix {
    words: Vec<u64>,
    places: BTreeMap<(usize, Value), usize>,
}

impl Matrix {
    /// That of a kernel; empty where constants are in its text.
    pub(super) fn of(program: &Program, target: Target) -> Self {
        let mut matrix = Self::default();
        if !table(target).multiplies_by_lane || program.words.word_bits() != 32 {
            return matrix;
        }
        let blocks = program.blocks.iter().enumerate();
        for (index, block) in blocks.filter(|(_, block)| block.kind != BlockKind::Constant) {
            let word = |value: &Value| block.definition(*value).and_then(Operation::word);
            let sums = block.operations.iter();
            let sums = sums.filter(|operation| matches!(operation.op, MacroOp::Dot(_)));
            // The compiler knows what p is multiplied by, and so the product.
            let factors = sums
                .flat_map(|sum| sum.operands.chunks(2))
                .filter(|product| word(&product[0]).is_none())
                .filter_map(|product| Some((product[1], word(&product[1])?)));
            for (value, word) in factors {
                matrix.places.entry((index, value)).or_insert_with(|| {
                    matrix.words.push(word);
                    matrix.words.len() - 1
                });
            }
        }
        matrix
    }

    /// The expression of a value that is in the table.
    pub(super) fn entry(&self, index: usize, value: Value) -> Option<String> {
        let place = self.places.get(&(index, value))?;
        Some(format!("entry!(matrix, {}, {})", place / 4, place % 4))
    }

    /// The table by vectors.
    pub(super) fn vectors(&self) -> Vec<[u64; 4]> {
        let vectors = self.words.chunks(4);
        let word = |vector: &[u64], lane: usize| vector.get(lane).copied().unwrap_or_default();
        vectors
            .map(|vector| std::array::from_fn(|lane| word(vector, lane)))
            .collect()
    }
}
