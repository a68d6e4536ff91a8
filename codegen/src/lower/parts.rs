//! What strategies on elements in two parts share: building blocks, and the blocks that are the
//! same for all of them.

use super::Unsuited;
use crate::arith::columns::of_part;
use crate::arith::{Block, MacroOp, Operation, Program, Site, Treatment};
use crate::ir::{self, BlockKind, FieldOp, Input, Value};
use crate::names::Part;
use crate::params::Offset;
use crate::params::{Instance, Rational};

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
    let blocks = program.blocks.iter().zip(&inputs);
    blocks
        .into_iter()
        .all(|(block, inputs)| block.ranges(program.instance.field, inputs).1.is_empty())
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
}

pub(super) struct Builder {
    inputs: Vec<Input>,
    operations: Vec<Operation>,
}

impl Builder {
    /// A block on a canonical round constant.
    pub(super) fn of_constant() -> Self {
        Self {
            inputs: vec![Input::Constant],
            operations: Vec::new(),
        }
    }

    /// A block on the parts of `elements` elements and, if asked for, of a constant.
    pub(super) fn new(elements: usize, constant: bool) -> Self {
        let state = (0..elements).flat_map(|i| Part::BOTH.map(|p| Input::StatePart(i, p)));
        let constants = Part::BOTH.map(Input::ConstantPart);
        Self {
            inputs: state
                .chain(constants.into_iter().filter(|_| constant))
                .collect(),
            operations: Vec::new(),
        }
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
        let bounded = !matches!(
            op,
            MacroOp::Second
                | MacroOp::Split
                | MacroOp::Mul
                | MacroOp::Square
                | MacroOp::MulColumns
                | MacroOp::MulWide
                | MacroOp::Share
                | MacroOp::MulColumnsRedc
        );
        let site = bounded.then(|| Site {
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
        let of = |power: u64| format!("{name}.x{power}");
        let last = match products {
            Products::Folded => MacroOp::MulColumns,
            Products::Redc => MacroOp::MulColumnsRedc,
        };
        let mul = |b: &mut Self, power: u64, x: Value, y: Value| match products {
            Products::Folded => b.push(&of(power), MacroOp::Mul, &[x, y]),
            Products::Redc => b.redc(&of(power), x, y),
        };
        let square = |b: &mut Self, power: u64, x: Value| match products {
            Products::Folded => b.push(&of(power), MacroOp::Square, &[x]),
            Products::Redc => b.redc(&of(power), x, x),
        };
        let x2 = square(self, 2, x);
        if alpha == 7 {
            let x3 = mul(self, 3, x2, x);
            let x4 = square(self, 4, x2);
            return self.pair(&of(7), last, &[x3, x4]);
        }
        // Left to right over the bits of the exponent; the last step is always a product by x,
        // since an exponent coprime to p - 1 is odd.
        let (mut power, mut done) = (x2, 2);
        for bit in (0..alpha.ilog2() - 1).rev() {
            if done & 1 == 0 && alpha >> (bit + 1) & 1 == 1 {
                power = mul(self, done + 1, power, x);
                done += 1;
            }
            done *= 2;
            power = square(self, done, power);
        }
        self.pair(&of(alpha), last, &[power, x])
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

    /// `factor·x`, by the bits of the factor.
    pub(super) fn multiple(&mut self, name: &str, x: Element, factor: u64) -> Element {
        let mut sum: Option<Element> = None;
        for bit in (0..64).filter(|bit| factor >> bit & 1 == 1) {
            let term = match bit {
                0 => x,
                k => self.shifted(name, x, k),
            };
            sum = Some(match sum {
                None => term,
                Some(sum) => self.plus(&format!("{name}.{bit}"), sum, term),
            });
        }
        sum.expect("no entry of a diagonal is zero in a pair")
    }

    /// `sum ± numerator·x`, by the bits of the numerator.
    pub(super) fn accumulate(
        &mut self,
        name: &str,
        sum: Element,
        x: Element,
        d: &Rational,
    ) -> Element {
        let mut acc = sum;
        for bit in (0..64).filter(|bit| d.numerator >> bit & 1 == 1) {
            let term = match bit {
                0 => x,
                k => self.shifted(name, x, k),
            };
            let site = format!("{name}.{bit}");
            acc = if d.negative {
                self.minus(&site, acc, term)
            } else {
                self.plus(&site, acc, term)
            };
        }
        acc
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
    let mut b = Builder {
        inputs: (0..width).map(Input::State).collect(),
        operations: Vec::new(),
    };
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

/// The diagonal without its first entry.
pub(super) fn tail(instance: &Instance) -> impl Iterator<Item = (usize, &Rational)> {
    instance.diagonal.iter().enumerate().skip(1)
}
