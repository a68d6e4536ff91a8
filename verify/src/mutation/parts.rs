//! Mutants of programs whose elements have parts.

use codegen::arith::Program;
use codegen::ir::{BlockKind, Input, Value};
use codegen::names::Part;
use codegen::ops::{Contract, MacroOp};
use codegen::params::{Balance, Offset};

use super::Kind;
use super::mutants::List;
use super::steps::{exchange, redirect};

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
            // A number has no operand to be exchanged.
            let Some(&operand) = operation.operands.first() else {
                continue;
            };
            let (name, result) = (&operation.name, operation.result);
            let second = Value(result.0 + 1);
            match operation.op {
                MacroOp::Offset(offset, part) => {
                    let wrong = Offset::ALL.into_iter().find(|o| *o != offset);
                    let wrong = wrong.expect("there are several");
                    let opposite = match part {
                        Part::Low => Part::High,
                        Part::High => Part::Low,
                    };
                    let other = MacroOp::Offset(wrong, part);
                    let swapped = MacroOp::Offset(offset, opposite);
                    let what = format!("{wrong}, one part");
                    self.edit(n, Kind::OffsetDropped, name, "one part", |block| {
                        redirect(block, result, operand);
                    });
                    self.replaced(n, at, Kind::OtherOffset, what, other);
                    self.replaced(n, at, Kind::OtherOffset, "of the other part", swapped);
                    if part == Part::Low {
                        self.offsets(n, at, wrong);
                    }
                }
                MacroOp::ShiftLeft(k) => self.distances(n, at, k, MacroOp::ShiftLeft),
                MacroOp::Div2ExpColumns(k) => self.distances(n, at, k, MacroOp::Div2ExpColumns),
                MacroOp::Cut(k) => self.distances(n, at, k, MacroOp::Cut),
                MacroOp::Div2ExpSigned(k) => self.distances(n, at, k, MacroOp::Div2ExpSigned),
                MacroOp::ShiftLeftNarrow(k) => self.distances(n, at, k, MacroOp::ShiftLeftNarrow),
                MacroOp::Div2ExpRadix48(k) => self.distances(n, at, k, MacroOp::Div2ExpRadix48),
                MacroOp::SquareLimbs(_) => {
                    let others = Balance::ALL.map(MacroOp::SquareLimbs);
                    self.balances(n, at, &others);
                }
                MacroOp::SquareUp(_) => {
                    let others = Balance::ALL.map(MacroOp::SquareUp);
                    self.balances(n, at, &others);
                }
                MacroOp::MulUp(_) => {
                    let others = Balance::ALL.map(MacroOp::MulUp);
                    self.balances(n, at, &others);
                }
                MacroOp::MulLimbs(_) => {
                    let balances = Balance::ALL.into_iter().map(Some).chain([None]);
                    let others: Vec<_> = balances.map(MacroOp::MulLimbs).collect();
                    self.balances(n, at, &others);
                }
                MacroOp::Carry | MacroOp::CarryRadix48 => {
                    let high = operation.operands[1];
                    self.edit(n, Kind::Passed, name, "", |block| {
                        redirect(block, result, operand);
                        redirect(block, second, high);
                    });
                }
                MacroOp::Pack
                | MacroOp::PackHalves
                | MacroOp::Split
                | MacroOp::PackRadix48
                | MacroOp::SplitRadix48 => {
                    self.edit(n, Kind::Passed, name, "", |block| {
                        redirect(block, result, operand);
                    });
                }
                _ => {}
            }
            let either_way = matches!(
                operation.op,
                MacroOp::Plus
                    | MacroOp::Minus
                    | MacroOp::Mul
                    | MacroOp::MulColumns
                    | MacroOp::MulWide
                    | MacroOp::MulColumnsRedc
                    | MacroOp::MulColumnsHalves
                    | MacroOp::PlusNarrow
                    | MacroOp::MinusNarrow
                    | MacroOp::MulQuarters
                    | MacroOp::MulRadix48
            );
            if operation.operands.len() == 2 && !either_way {
                self.edit(n, Kind::PackSwapped, name, "", |block| {
                    block.operations[at].operands.reverse();
                });
            }
            if operation.op.results() == 2 {
                self.edit(n, Kind::PartsSwapped, name, "", |block| {
                    exchange(block, result, second);
                });
            }
        }
    }

    /// Another macro-op for operation `at`.
    fn replaced(
        &mut self,
        n: usize,
        at: usize,
        kind: Kind,
        what: impl Into<String>,
        other: MacroOp,
    ) {
        let name = &self.program.blocks[n].operations[at].name;
        self.edit(n, kind, name, what, |block| block.operations[at].op = other);
    }

    /// Distances of a shift or a division by a power of two, one more and one less.
    fn distances(&mut self, n: usize, at: usize, k: u32, op: fn(u32) -> MacroOp) {
        let field = self.program.words_of(self.program.blocks[n].kind);
        let known = |k: &u32| *k > 0 && Contract::of(field, op(*k)).is_some();
        for k in [k - 1, k + 1].into_iter().filter(known) {
            self.replaced(n, at, Kind::Distance, format!("by {k}"), op(k));
        }
    }

    /// Other balances for a product.
    fn balances(&mut self, n: usize, at: usize, others: &[MacroOp]) {
        let own = self.program.blocks[n].operations[at].op;
        for op in others.iter().filter(|op| **op != own) {
            self.replaced(n, at, Kind::OtherOffset, op.to_string(), *op);
        }
    }

    /// Both parts of an offset, of which the first is operation `at`.
    fn offsets(&mut self, n: usize, at: usize, wrong: Offset) {
        let block = &self.program.blocks[n];
        let [low, high] = [&block.operations[at], &block.operations[at + 1]];
        let name = &low.name;
        self.edit(n, Kind::OffsetDropped, name, "both parts", |block| {
            redirect(block, low.result, low.operands[0]);
            redirect(block, high.result, high.operands[0]);
        });
        let what = format!("{wrong}, both parts");
        self.edit(n, Kind::OtherOffset, name, what, |block| {
            block.operations[at].op = MacroOp::Offset(wrong, Part::Low);
            block.operations[at + 1].op = MacroOp::Offset(wrong, Part::High);
        });
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
            self.edit(
                n,
                Kind::PartsSwapped,
                name,
                format!("of {input}"),
                |block| {
                    exchange(block, low, high);
                },
            );
        }
        for at in (2..block.outputs.len()).step_by(2) {
            if block.kind == BlockKind::Leave {
                continue;
            }
            let what = format!("elements {} and {}", at / 2 - 1, at / 2);
            self.edit(n, Kind::OutputsSwapped, name, what, |block| {
                block.outputs.swap(at - 2, at);
                block.outputs.swap(at - 1, at + 1);
            });
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
            let what = format!("element {}", at / 2);
            self.edit(n, Kind::NotNormalised, name, what, |block| {
                block.outputs[at] = input(at);
                block.outputs[at + 1] = input(at + 1);
            });
        }
        self.edit(n, Kind::NotNormalised, name, "no element", |block| {
            block.outputs = (0..block.outputs.len()).map(input).collect();
        });
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
            program.flow = Program::in_order(&program.instance, &program.blocks, &other);
            self.changed(Kind::Runs, "internal", what, program);
        }
    }
}
