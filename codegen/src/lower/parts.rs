//! What strategies on elements in two parts share: building blocks, and the blocks that are the
//! same for all of them.

use super::Unsuited;
use crate::arith::{Block, Contract, MacroOp, Operation, Program, Site, Treatment};
use crate::ir::{self, BlockKind, FieldOp, Input, Value};
use crate::names::Part;
use crate::params::{GOLDILOCKS, Offset};
use std::collections::BTreeMap;

/// Normalises between internal rounds as seldom as ranges allow, in runs as even as can be.
///
/// # Errors
/// If parts overflow however often they are normalised.
pub(super) fn longest_runs(lowered: &mut Program) -> Result<(), Unsuited> {
    let rounds = lowered.instance.internal_rounds;
    for runs in 1..=rounds {
        let runs: Vec<usize> = (0..runs)
            .map(|n| rounds * (n + 1) / runs - rounds * n / runs)
            .collect();
        lowered.flow = Program::poseidon2(&lowered.instance, &lowered.blocks, &runs);
        if fits(lowered) {
            return Ok(());
        }
    }
    Err(Unsuited::Overflow)
}

fn fits(program: &Program) -> bool {
    let inputs = program.input_ranges();
    let mut blocks = program.blocks.iter().zip(&inputs);
    blocks.all(|(block, inputs)| block.ranges(program.instance.field, inputs).1.is_empty())
}

/// The name of a part, as a suffix of sites.
fn of_part(name: &str, part: Part) -> String {
    format!("{name}.{}", part.name())
}

/// The two parts of an element.
#[derive(Clone, Copy)]
pub(super) struct Element {
    pub(super) low: Value,
    pub(super) high: Value,
}

impl Element {
    fn part(self, part: Part) -> Value {
        match part {
            Part::Low => self.low,
            Part::High => self.high,
        }
    }
}

/// How the S-box reduces its products.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Products {
    /// From above, by `2^64 ≡ 2^32 - 1`.
    Folded,
    /// From below, each with a factor `2^-64`.
    Redc,
    /// Not at all: they are of limbs.
    Limbs,
}

pub(super) struct Builder {
    inputs: Vec<Input>,
    operations: Vec<Operation>,
}

impl Builder {
    pub(super) fn on(inputs: Vec<Input>) -> Self {
        let operations = Vec::new();
        Self { inputs, operations }
    }

    /// A block on the parts of `elements` elements and, if asked for, of a constant.
    pub(super) fn new(elements: usize, constant: bool) -> Self {
        let state = (0..elements).flat_map(|i| Part::BOTH.map(|p| Input::StatePart(i, p)));
        let constants = Part::BOTH.map(Input::ConstantPart);
        let constants = constants.into_iter().filter(|_| constant);
        Self::on(state.chain(constants).collect())
    }

    pub(super) fn element(&self, index: usize) -> Element {
        let low = 2 * index as u32;
        Element {
            low: Value(low),
            high: Value(low + 1),
        }
    }

    pub(super) fn push(&mut self, name: &str, op: MacroOp, operands: &[Value]) -> Value {
        let result = Value((self.inputs.len() + self.operations.len()) as u32);
        // Parts are cut at 2^32, which is for this field alone.
        let contract = Contract::of(&GOLDILOCKS, op).filter(|c| !c.takes_any_word());
        let site = contract.map(|_| Site {
            treatments: vec![Treatment::AsIs; operands.len()],
        });
        self.operations.push(Operation {
            op,
            operands: operands.to_vec(),
            result,
            name: name.to_owned(),
            site,
            serves: None,
        });
        result
    }

    pub(super) fn pair(&mut self, name: &str, op: MacroOp, operands: &[Value]) -> Element {
        let low = self.push(name, op, operands);
        let high = self.push(&of_part(name, Part::High), MacroOp::Second, &[low]);
        Element { low, high }
    }

    /// An operation on the parts of elements.
    pub(super) fn pair_of(&mut self, name: &str, op: MacroOp, operands: &[Element]) -> Element {
        let parts = operands.iter().flat_map(|x| [x.low, x.high]);
        self.pair(name, op, &parts.collect::<Vec<_>>())
    }

    /// The same operation on both columns.
    pub(super) fn both(
        &mut self,
        name: &str,
        op: impl Fn(Part) -> MacroOp,
        operands: &[Element],
    ) -> Element {
        let [low, high] = Part::BOTH.map(|part| {
            let operands: Vec<Value> = operands.iter().map(|e| e.part(part)).collect();
            self.push(&of_part(name, part), op(part), &operands)
        });
        Element { low, high }
    }

    pub(super) fn plus(&mut self, name: &str, a: Element, b: Element) -> Element {
        self.both(name, |_| MacroOp::Plus, &[a, b])
    }

    pub(super) fn minus(&mut self, name: &str, a: Element, b: Element) -> Element {
        self.both(name, |_| MacroOp::Minus, &[a, b])
    }

    pub(super) fn offset(&mut self, name: &str, x: Element, offset: Offset) -> Element {
        self.both(name, |part| MacroOp::Offset(offset, part), &[x])
    }

    pub(super) fn pack(&mut self, name: &str, x: Element) -> Value {
        self.push(name, MacroOp::Pack, &[x.low, x.high])
    }

    pub(super) fn split(&mut self, name: &str, x: Value) -> Element {
        self.pair(name, MacroOp::Split, &[x])
    }

    /// `x·y / 2^64`, any word.
    fn redc(&mut self, name: &str, x: Value, y: Value) -> Value {
        let halves = self.pair(name, MacroOp::MulWide, &[x, y]);
        let share = self.push(&format!("{name}.share"), MacroOp::Share, &[halves.low]);
        self.push(&format!("{name}.sub"), MacroOp::Sub, &[halves.high, share])
    }

    /// `x^alpha` in columns: the last product is left as it is.
    pub(super) fn sbox(&mut self, name: &str, x: Value, alpha: u64, products: Products) -> Element {
        let last = match products {
            Products::Redc => MacroOp::MulColumnsRedc,
            _ => MacroOp::MulColumns,
        };
        let mut powers = BTreeMap::from([(1, x)]);
        for (power, factors) in ir::powers(alpha) {
            let [x, y] = factors.map(|factor| powers[&factor]);
            let name = format!("{name}.x{power}");
            let word = match products {
                _ if power == alpha => return self.pair(&name, last, &[x, y]),
                Products::Redc => self.redc(&name, x, y),
                _ if x == y => self.push(&name, MacroOp::Square, &[x]),
                _ => self.push(&name, MacroOp::Mul, &[x, y]),
            };
            powers.insert(power, word);
        }
        unreachable!("the last power is the one asked for")
    }

    /// The sum of some elements.
    pub(super) fn sum_of(&mut self, name: &str, s: &[Element]) -> Element {
        let others = s[1..].iter().enumerate();
        others.fold(s[0], |sum, (n, x)| {
            self.plus(&format!("{name}[{n}]"), sum, *x)
        })
    }

    /// `2^k·x`.
    pub(super) fn shifted(&mut self, name: &str, x: Element, k: u32) -> Element {
        let site = format!("{name}.shift[{k}]");
        self.both(&site, |_| MacroOp::ShiftLeft(k), &[x])
    }

    /// `sum ± factor·x`, by the bits of the factor, which is not zero; without a sum, `factor·x`.
    pub(super) fn accumulate(
        &mut self,
        name: &str,
        mut sum: Option<Element>,
        x: Element,
        factor: u64,
        negative: bool,
    ) -> Element {
        for bit in (0..64).filter(|bit| factor >> bit & 1 == 1) {
            let term = match bit {
                0 => x,
                k => self.shifted(name, x, k),
            };
            let site = format!("{name}.{bit}");
            sum = Some(match sum {
                None => term,
                Some(sum) if negative => self.minus(&site, sum, term),
                Some(sum) => self.plus(&site, sum, term),
            });
        }
        sum.expect("no entry of a diagonal is zero in a pair")
    }

    pub(super) fn finish(self, kind: BlockKind, outputs: &[Element]) -> Block {
        let outputs = outputs.iter().flat_map(|e| [e.low, e.high]).collect();
        self.ended(kind, outputs)
    }

    pub(super) fn ended(self, kind: BlockKind, outputs: Vec<Value>) -> Block {
        Block {
            kind,
            inputs: self.inputs,
            operations: self.operations,
            outputs,
            returns: Vec::new(),
        }
    }
}

/// Each field addition becomes two, one for each column.
pub(super) fn external_linear(source: &ir::Block) -> Block {
    let width = source.inputs.len();
    let mut b = Builder::new(width, false);
    let mut elements: Vec<Element> = (0..width).map(|i| b.element(i)).collect();
    for operation in &source.operations {
        let FieldOp::Add(x, y) = operation.op else {
            unreachable!("the external linear layer adds");
        };
        let (x, y) = (elements[x.index()], elements[y.index()]);
        elements.push(b.plus(&operation.name, x, y));
    }
    let outputs: Vec<Element> = source.outputs.iter().map(|v| elements[v.index()]).collect();
    b.finish(BlockKind::ExternalLinear, &outputs)
}

/// State words into parts.
pub(super) fn enter(width: usize) -> Block {
    let mut b = Builder::on((0..width).map(Input::State).collect());
    let elements: Vec<Element> = (0..width)
        .map(|i| b.split(&format!("enter.split[{i}]"), Value(i as u32)))
        .collect();
    b.finish(BlockKind::Enter, &elements)
}

pub(super) fn leave(width: usize) -> Block {
    let mut b = Builder::new(width, false);
    let outputs = (0..width)
        .map(|i| {
            let x = b.element(i);
            let x = b.offset(&format!("leave.offset[{i}]"), x, Offset::Wide);
            b.pack(&format!("leave.pack[{i}]"), x)
        })
        .collect();
    b.ended(BlockKind::Leave, outputs)
}
