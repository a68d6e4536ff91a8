//! Rows of a matrix whose products are summed in the same order: one text, in a loop. Sixteen texts would be more
//! instructions than x86 cores keep decoded.

use super::macros::{invocation, macro_name};
use super::{Comment, noted};
use crate::arith::{Block, Operation};
use crate::ir::{BlockKind, Value};
use crate::ops::MacroOp;
use std::collections::BTreeMap;

/// Rows that differ in numbers alone.
pub(super) struct Rows<'b> {
    /// The operations of the first one.
    operations: Vec<&'b Operation>,
    /// The output that it makes. The others make those that follow.
    pub(super) output: usize,
    /// The numbers of each row that are not the same in all.
    pub(super) numbers: Vec<Vec<u64>>,
    /// Which of them an operand of an operation is.
    columns: BTreeMap<(Value, usize), usize>,
}

/// What an operand is in all rows.
#[derive(PartialEq, Eq)]
enum Operand {
    Number,
    Input(Value),
    /// A result of the same row.
    Result(usize),
}

/// What a row does, and its numbers.
type Shape = (Vec<(MacroOp, Vec<Operand>)>, Vec<u64>);

impl<'b> Rows<'b> {
    /// Those of a block that has nothing else, and is executed once for each group.
    pub(super) fn of(block: &'b Block) -> Option<Self> {
        let once = [
            BlockKind::LinearEnter,
            BlockKind::InternalEnter,
            BlockKind::InternalLeave,
        ];
        let made: Vec<Value> = block.moved().map(|(_, value)| value).collect();
        let operations = block.operations.iter().filter(|o| !is_number(o));
        let operations: Vec<&Operation> = operations.collect();
        let length = operations.len().checked_div(made.len())?;
        if !once.contains(&block.kind) || length == 0 || !block.outputs.ends_with(&made) {
            return None;
        }
        let rows: Vec<&[&Operation]> = operations.chunks(length).collect();
        let shapes = rows.iter().zip(&made);
        let shapes = shapes.map(|(row, made)| shape(block, row, *made));
        let shapes: Vec<Shape> = shapes.collect::<Option<_>>()?;
        let (shape, words) = &shapes[0];
        if rows.len() != made.len() || shapes.iter().any(|(other, _)| other != shape) {
            return None;
        }
        let differs = |n: &usize| shapes.iter().any(|(_, other)| other[*n] != words[*n]);
        let kept: Vec<usize> = (0..words.len()).filter(differs).collect();
        if kept.is_empty() {
            return None;
        }
        let operands = rows[0].iter().flat_map(|operation| {
            let operands = operation.operands.iter().enumerate();
            operands.map(|(n, value)| ((operation.result, n), *value))
        });
        let numbers = operands.filter(|(_, value)| block.definition(*value).is_some_and(is_number));
        let columns = numbers.enumerate().filter_map(|(n, (place, _))| {
            let column = kept.iter().position(|kept| *kept == n)?;
            Some((place, column))
        });
        let row = |words: &Vec<u64>| kept.iter().map(|n| words[*n]).collect();
        Some(Self {
            operations: rows[0].to_vec(),
            output: block.outputs.len() - made.len(),
            numbers: shapes.iter().map(|(_, words)| row(words)).collect(),
            columns: columns.collect(),
        })
    }

    /// Whether a number has a name in the text: it is the same in all rows.
    pub(super) fn names(&self, number: &Operation) -> bool {
        self.operations.iter().any(|operation| {
            let mut operands = operation.operands.iter().enumerate();
            operands.any(|(n, value)| {
                *value == number.result && !self.columns.contains_key(&(operation.result, n))
            })
        })
    }

    /// The loop, where the table has the first row at `first`; each row's output goes to `place`.
    pub(super) fn statements(
        &self,
        block: &Block,
        first: usize,
        place: &str,
        comments: &BTreeMap<usize, Comment>,
    ) -> String {
        let statement = |operation: &Operation| {
            let results: Vec<String> = operation.results().map(|v| v.to_string()).collect();
            let operands = operation.operands.iter().enumerate();
            let operands = operands.map(|(n, value)| {
                let column = self.columns.get(&(operation.result, n));
                column.map_or_else(|| value.to_string(), |column| format!("entry_{column}"))
            });
            let operands: Vec<String> = operands.collect();
            invocation(&results, &macro_name(operation.op), &operands)
        };
        let numbers = block.operations.iter();
        let numbers = numbers.filter(|o| is_number(o) && self.names(o));
        let mut text: String = numbers.map(statement).collect();
        let row = match first {
            0 => "row".to_owned(),
            first => format!("row + {first}"),
        };
        text += &format!("for row in 0..{} {{\n", self.numbers.len());
        for column in 0..self.numbers[0].len() {
            text += &format!("let entry_{column} = broadcast!(MATRIX[{row}][{column}]);\n");
        }
        for operation in &self.operations {
            let comment = comments.get(&(operation.result.index() - block.inputs.len()));
            let comment = comment.map(|comment| comment.replaced("[0]", "[row]"));
            text += &noted(&comment, &statement(operation));
        }
        let made = self.operations.last().map(|operation| operation.result);
        text += &made.map_or_else(String::new, |made| format!("{place} = {made};\n"));
        text + "}\n"
    }
}

fn is_number(operation: &Operation) -> bool {
    operation.word().is_some()
}

/// None if the row is made of another's results, or makes something else.
fn shape(block: &Block, row: &[&Operation], made: Value) -> Option<Shape> {
    let mut numbers = Vec::new();
    let mut operand = |value: Value| {
        let Some(operation) = block.definition(value) else {
            return Some(Operand::Input(value));
        };
        if let Some(word) = operation.word() {
            numbers.push(word);
            return Some(Operand::Number);
        }
        let mut results = row.iter().map(|operation| operation.result);
        Some(Operand::Result(results.position(|result| result == value)?))
    };
    let operations = row.iter().map(|operation| {
        let operands = operation.operands.iter().map(|value| operand(*value));
        Some((operation.op, operands.collect::<Option<_>>()?))
    });
    let operations = operations.collect::<Option<_>>()?;
    let last = row.last().filter(|operation| operation.result == made);
    last.map(|_| (operations, numbers))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arith::Program;
    use crate::ir;
    use crate::lower::{Claims, lower};
    use crate::names::Strategy;
    use crate::params::{Field, Instance, Linear, Mds, instance};

    fn program(strategy: Strategy) -> Program {
        let field = Field::by_name("koala-bear").unwrap();
        let first: Vec<u64> = (0..16).map(|i| i * i * i + 7).collect();
        let instance = Instance {
            linear: Linear::Poseidon1(Mds::circulant(&first)),
            ..instance("plonky3", field, 16).unwrap()
        };
        lower(&ir::Program::build(&instance), strategy, &Claims::new(&[])).unwrap()
    }

    fn block(strategy: Strategy, kind: BlockKind) -> Block {
        let program = program(strategy);
        program.blocks[program.block(kind).unwrap()].clone()
    }

    #[test]
    fn dense_matrices_are_rows_that_are_alike() {
        for (kind, count) in [(BlockKind::LinearEnter, 16), (BlockKind::InternalLeave, 15)] {
            let block = block(Strategy::Signed, kind);
            let rows = Rows::of(&block).unwrap();
            assert_eq!((rows.numbers.len(), rows.output), (count, 16 - count));
            assert!(Rows::of(&self::block(Strategy::Long, kind)).is_none());
        }
        assert!(Rows::of(&block(Strategy::Signed, BlockKind::ExternalLinear)).is_none());
    }

    /// Whatever is changed in one row but its numbers, it is a text of its own.
    #[test]
    fn a_row_that_is_otherwise_is_not_alike() {
        let right = block(Strategy::Signed, BlockKind::LinearEnter);
        let sum = |block: &Block| {
            let mut operations = block.operations.iter();
            operations
                .rposition(|o| matches!(o.op, MacroOp::Dot(_)))
                .unwrap()
        };
        let last = sum(&right);
        let elements = right.operations[last].operands.iter().step_by(2);
        let elements: Vec<usize> = elements
            .enumerate()
            .filter(|(_, x)| x.index() < 16)
            .map(|(n, _)| 2 * n)
            .collect();
        let mut wrong = right.clone();
        wrong.operations[last]
            .operands
            .swap(elements[0], elements[1]);
        assert!(Rows::of(&wrong).is_none());
        wrong = right.clone();
        wrong.operations.last_mut().unwrap().op = MacroOp::CanonicaliseSigned;
        assert!(Rows::of(&wrong).is_none());
        wrong = right.clone();
        let of_another = wrong.outputs[0];
        wrong.operations.last_mut().unwrap().operands[0] = of_another;
        assert!(Rows::of(&wrong).is_none());
        wrong = right.clone();
        wrong.outputs.swap(3, 4);
        assert!(Rows::of(&wrong).is_none());
        wrong = right;
        wrong.operations[last].operands.swap(1, 3);
        assert!(Rows::of(&wrong).is_some());
    }
}
