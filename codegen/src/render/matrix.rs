//! Numbers that sums of products multiply elements by, as a table in memory.
//!
//! Where a core multiplies by one lane of a vector, a load is four of them. Of a number that it knows, the compiler
//! would make three instructions: two for a general register, one for the lanes. On AVX2 the table has the
//! [rows of matrices](Rows) that are one text. AVX-512's kernels lost 3 % by that on Zen 4.

use super::rows::Rows;
use crate::arith::{Block, Operation, Program};
use crate::ir::{BlockKind, Value};
use crate::isa::{Target, table};
use crate::ops::MacroOp;
use std::collections::BTreeMap;

/// Lanes of a vector of the table, where products take them one by one.
const LANES: usize = 4;

/// The table, and where in it values of blocks are.
#[derive(Default)]
pub(super) struct Matrix {
    /// The table by vectors, or by rows, of the same length.
    pub(super) vectors: Vec<Vec<u64>>,
    /// The values that are taken by a lane, in the order of use.
    places: BTreeMap<(usize, Value), usize>,
    /// The first row of a block.
    rows: BTreeMap<usize, usize>,
}

impl Matrix {
    /// That of a kernel; empty where constants are in its text.
    pub(super) fn of(program: &Program, target: Target) -> Self {
        let has_rows = target == Target::Avx2 && program.across.is_none();
        let blocks = program.blocks.iter().enumerate();
        let blocks = blocks.filter(|(_, block)| block.kind != BlockKind::Constant);
        match program.words.word_bits() {
            32 if table(target).multiplies_by_lane => Self::by_lane(blocks),
            32 if has_rows => Self::by_row(blocks),
            _ => Self::default(),
        }
    }

    fn by_lane<'p>(blocks: impl Iterator<Item = (usize, &'p Block)>) -> Self {
        let mut matrix = Self::default();
        for (index, block) in blocks {
            let word = |value: &Value| block.definition(*value).and_then(Operation::word);
            let sums = block.operations.iter();
            let sums = sums.filter(|operation| matches!(operation.op, MacroOp::Dot(_)));
            // The compiler knows what p is multiplied by, and so the product.
            let factors = sums
                .flat_map(|sum| sum.operands.chunks(2))
                .filter(|product| word(&product[0]).is_none())
                .filter_map(|product| Some((product[1], word(&product[1])?)));
            for (value, word) in factors {
                let next = matrix.places.len();
                matrix.places.entry((index, value)).or_insert_with(|| {
                    matrix.vectors.resize(next / LANES + 1, vec![0; LANES]);
                    matrix.vectors[next / LANES][next % LANES] = word;
                    next
                });
            }
        }
        matrix
    }

    fn by_row<'p>(blocks: impl Iterator<Item = (usize, &'p Block)>) -> Self {
        let mut matrix = Self::default();
        for (index, block) in blocks {
            if let Some(rows) = Rows::of(block) {
                matrix.rows.insert(index, matrix.vectors.len());
                matrix.vectors.extend(rows.numbers);
            }
        }
        let length = matrix.vectors.iter().map(Vec::len).max();
        for row in &mut matrix.vectors {
            row.resize(length.unwrap_or_default(), 0);
        }
        matrix
    }

    /// The expression of a value that is in the table.
    pub(super) fn entry(&self, index: usize, value: Value) -> Option<String> {
        let place = self.places.get(&(index, value))?;
        let [vector, lane] = [place / LANES, place % LANES];
        Some(format!("entry!(matrix, {vector}, {lane})"))
    }

    /// The rows of a block that are one text, and where the table has them.
    pub(super) fn rows<'b>(&self, index: usize, block: &'b Block) -> Option<(Rows<'b>, usize)> {
        Some((Rows::of(block)?, *self.rows.get(&index)?))
    }

    /// Whether a number is named in the text.
    pub(super) fn leaves(&self, index: usize, block: &Block, number: &Operation) -> bool {
        match self.rows(index, block) {
            Some((rows, _)) => rows.names(number),
            None => !self.places.contains_key(&(index, number.result)),
        }
    }
}
