//! Mutants of programs whose elements have parts.

use codegen::arith::{Block, MacroOp, Program};
use codegen::ir::{BlockKind, Input, Value};
use codegen::names::Part;
use codegen::params::{Balance, Offset};

use super::Kind;
use super::mutants::List;
use super::steps::{exchange, redirect, with};

impl List<'_> {
    /// Everything that words alone do not have.
    pub(super) fn parts(&mut self) {
        if self.program.parts == 1 {
            return;
        }
        for n in 0..self.program.blocks.len() {
            self.operations(n);
            self.elements(n);
        }
        self.normalisation();
    }

    fn operations(&mut self, n: usize) {
        let block = &self.program.blocks[n];
        for (at, operation) in block.operations.iter().enumerate() {
            let name = &operation.name;
            let (result, operand) = (operation.result, operation.operands[0]);
            let other = |op: MacroOp| with(self.program, n, |b| b.operations[at].op = op);
            match operation.op {
                MacroOp::Offset(offset, part) => {
                    let dropped = with(self.program, n, |b| redirect(b, result, operand));
                    let wrong = Offset::ALL.into_iter().find(|o| *o != offset);
                    let wrong = wrong.expect("there are several");
                    let constant = other(MacroOp::Offset(wrong, part));
                    let opposite = if part == Part::Low {
                        Part::High
                    } else {
                        Part::Low
                    };
                    let swapped = other(MacroOp::Offset(offset, opposite));
                    self.changed(Kind::OffsetDropped, name, "one part", dropped);
                    self.changed(
                        Kind::OtherOffset,
                        name,
                        format!("{wrong}, one part"),
                        constant,
                    );
                    self.changed(Kind::OtherOffset, name, "of the other part", swapped);
                    if part == Part::Low {
                        self.offsets(n, at, wrong);
                    }
                }
                MacroOp::ShiftLeft(k) => {
                    for k in [k - 1, k + 1].into_iter().filter(|k| *k > 0) {
                        let program = other(MacroOp::ShiftLeft(k));
                        self.changed(Kind::Distance, name, format!("by {k}"), program);
                    }
                }
                MacroOp::Div2ExpColumns(k) | MacroOp::Div2ExpSigned(k) => {
                    for k in [k - 1, k + 1].into_iter().filter(|k| (1..=32).contains(k)) {
                        let program = other(match operation.op {
                            MacroOp::Div2ExpSigned(_) => MacroOp::Div2ExpSigned(k),
                            _ => MacroOp::Div2ExpColumns(k),
                        });
                        self.changed(Kind::Distance, name, format!("by {k}"), program);
                    }
                }
                MacroOp::SquareLimbs(_) | MacroOp::MulLimbs(_) => {
                    self.balances(n, at);
                }
                MacroOp::Carry => {
                    let second = Value(result.0 + 1);
                    let high = operation.operands[1];
                    let program = with(self.program, n, |block| {
                        redirect(block, result, operand);
                        redirect(block, second, high);
                    });
                    self.changed(Kind::Passed, name, "", program);
                }
                MacroOp::Pack | MacroOp::Split => {
                    let program = with(self.program, n, |b| redirect(b, result, operand));
                    self.changed(Kind::Passed, name, "", program);
                }
                _ => {}
            }
            if operation.operands.len() == 2
                && !matches!(
                    operation.op,
                    MacroOp::Plus
                        | MacroOp::Minus
                        | MacroOp::Mul
                        | MacroOp::MulColumns
                        | MacroOp::MulWide
                        | MacroOp::MulColumnsRedc
                )
            {
                let reversed = |b: &mut Block| b.operations[at].operands.reverse();
                let program = with(self.program, n, reversed);
                self.changed(Kind::PackSwapped, name, "", program);
            }
            if operation.op.results() == 2 {
                let second = Value(result.0 + 1);
                let program = with(self.program, n, |b| exchange(b, result, second));
                self.changed(Kind::PartsSwapped, name, "", program);
            }
        }
    }

    /// Other balances for a product.
    fn balances(&mut self, n: usize, at: usize) {
        let operation = &self.program.blocks[n].operations[at];
        let all = || Balance::ALL.into_iter();
        let others: Vec<MacroOp> = match operation.op {
            MacroOp::SquareLimbs(_) => all().map(MacroOp::SquareLimbs).collect(),
            _ => {
                let some = all().map(Some).chain([None]);
                some.map(MacroOp::MulLimbs).collect()
            }
        };
        for op in others.into_iter().filter(|op| *op != operation.op) {
            let program = with(self.program, n, |b| b.operations[at].op = op);
            self.changed(Kind::OtherOffset, &operation.name, op.to_string(), program);
        }
    }

    /// Both parts of an offset, of which the first is operation `at`.
    fn offsets(&mut self, n: usize, at: usize, wrong: Offset) {
        let block = &self.program.blocks[n];
        let [low, high] = [&block.operations[at], &block.operations[at + 1]];
        let name = &low.name;
        let dropped = with(self.program, n, |block| {
            redirect(block, low.result, low.operands[0]);
            redirect(block, high.result, high.operands[0]);
        });
        self.changed(Kind::OffsetDropped, name, "both parts", dropped);
        let constant = with(self.program, n, |block| {
            block.operations[at].op = MacroOp::Offset(wrong, Part::Low);
            block.operations[at + 1].op = MacroOp::Offset(wrong, Part::High);
        });
        self.changed(
            Kind::OtherOffset,
            name,
            format!("{wrong}, both parts"),
            constant,
        );
    }

    /// Elements of a block's state.
    fn elements(&mut self, n: usize) {
        let block = &self.program.blocks[n];
        let name = block.kind.name();
        for (at, input) in block.inputs.iter().enumerate().step_by(2) {
            if !matches!(input, Input::StatePart(..) | Input::ConstantPart(_)) {
                continue;
            }
            let (low, high) = (Value(at as u32), Value(at as u32 + 1));
            let program = with(self.program, n, |block| exchange(block, low, high));
            self.changed(Kind::PartsSwapped, name, format!("of {input}"), program);
        }
        for at in (2..block.outputs.len()).step_by(2) {
            if block.kind == BlockKind::Leave {
                continue;
            }
            let program = with(self.program, n, |block| {
                block.outputs.swap(at - 2, at);
                block.outputs.swap(at - 1, at + 1);
            });
            let what = format!("elements {} and {}", at / 2 - 1, at / 2);
            self.changed(Kind::OutputsSwapped, name, what, program);
        }
    }

    fn normalisation(&mut self) {
        let Some(n) = self.program.block(BlockKind::InternalNormalise) else {
            return;
        };
        let block = &self.program.blocks[n];
        let name = block.kind.name();
        let input = |at: usize| Value(at as u32);
        for at in (0..block.outputs.len()).step_by(2) {
            if block.outputs[at] == input(at) {
                continue;
            }
            let program = with(self.program, n, |block| {
                block.outputs[at] = input(at);
                block.outputs[at + 1] = input(at + 1);
            });
            let what = format!("element {}", at / 2);
            self.changed(Kind::NotNormalised, name, what, program);
        }
        let none = with(self.program, n, |block| {
            block.outputs = (0..block.outputs.len()).map(input).collect();
        });
        self.changed(Kind::NotNormalised, name, "no element", none);
        let runs: Vec<usize> = self.program.runs().map(|run| run.len()).collect();
        let mut others = vec![vec![runs.iter().sum()]];
        for at in 1..runs.len() {
            for (more, less) in [(at - 1, at), (at, at - 1)] {
                let mut other = runs.clone();
                other[more] += 1;
                other[less] -= 1;
                others.push(other);
            }
        }
        for other in others {
            let what = format!("{runs:?} are {other:?}");
            let mut program = Box::new(self.program.clone());
            program.flow = Program::poseidon2(&program.instance, &program.blocks, &other);
            self.changed(Kind::Runs, "internal", what, program);
        }
    }
}
