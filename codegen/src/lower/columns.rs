//! Strategy `columns`: an element is `low + 2^32·high` in two signed words.
//!
//! The linear layers are additions and shifts that never carry from one column into the other and
//! are never reduced; ranges prove that they fit their words. An S-box takes one word, made by
//! `pack`, and leaves its last product in columns as it falls out of the multiplier.
//!
//! Signs. A column may be negative; `pack` and the division by a power of two ask for
//! non-negative ones, so a pair that stands for zero ([`Offset`]) is added before. Round constants
//! hold that pair already (block `constant`, executed once when they are set up).
//!
//! Growth. In an internal round element `i` becomes `S + d_i·x_i` with `S < 2^32` in both
//! columns: it grows by at most `|d_i|`. After as many rounds as ranges allow, the elements with
//! `|d_i| > 1` are packed and split again; the runs between are as even as they can be.

use crate::arith::columns::of_part;
use crate::arith::{Block, MacroOp, Offset, Operation, Program, Site, Treatment};
use crate::ir::{self, BlockKind, FieldOp, Input, Part, Value};
use crate::params::{Instance, Rational};

/// No number of normalisations makes the ranges fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("columns overflow even if they are normalised after every internal round")]
pub struct NoRuns;

/// Lowers a field-level program.
///
/// # Errors
/// If columns overflow however often they are normalised; no Poseidon2 diagonal in use does that.
pub fn lower(program: &ir::Program) -> Result<Program, NoRuns> {
    let instance = &program.instance;
    let mut lowered = Program {
        instance: instance.clone(),
        blocks: vec![
            external_linear(&program.blocks[0]),
            external_sbox(instance),
            internal_round(instance),
            enter(instance.width),
            leave(instance.width),
            internal_enter(instance),
            internal_normalise(instance),
            constant(),
        ],
        parts: 2,
        runs: Vec::new(),
    };
    let rounds = instance.internal_rounds;
    for runs in 1..=rounds {
        lowered.runs = (0..runs)
            .map(|n| rounds * (n + 1) / runs - rounds * n / runs)
            .collect();
        if fits(&lowered) {
            return Ok(lowered);
        }
    }
    Err(NoRuns)
}

fn fits(program: &Program) -> bool {
    let inputs = program.input_ranges();
    let blocks = program.blocks.iter().zip(&inputs);
    blocks
        .into_iter()
        .all(|(block, inputs)| block.ranges(program.instance.field, inputs).1.is_empty())
}

/// The two columns of an element.
#[derive(Clone, Copy)]
struct Element {
    low: Value,
    high: Value,
}

impl Element {
    fn part(self, part: Part) -> Value {
        match part {
            Part::Low => self.low,
            Part::High => self.high,
        }
    }
}

struct Builder {
    inputs: Vec<Input>,
    operations: Vec<Operation>,
}

impl Builder {
    /// A block on the parts of `elements` elements and, if asked for, of a constant.
    fn new(elements: usize, constant: bool) -> Self {
        let state = (0..elements).flat_map(|i| Part::BOTH.map(|p| Input::StatePart(i, p)));
        let constants = Part::BOTH.map(Input::ConstantPart);
        Self {
            inputs: state
                .chain(constants.into_iter().filter(|_| constant))
                .collect(),
            operations: Vec::new(),
        }
    }

    fn element(&self, index: usize) -> Element {
        let low = 2 * index as u32;
        Element {
            low: Value(low),
            high: Value(low + 1),
        }
    }

    fn push(&mut self, name: &str, op: MacroOp, operands: &[Value]) -> Value {
        let result = Value((self.inputs.len() + self.operations.len()) as u32);
        let bounded = !matches!(
            op,
            MacroOp::Second | MacroOp::Split | MacroOp::Mul | MacroOp::Square | MacroOp::MulColumns
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

    fn pair(&mut self, name: &str, op: MacroOp, operands: &[Value]) -> Element {
        let low = self.push(name, op, operands);
        let high = self.push(&of_part(name, Part::High), MacroOp::Second, &[low]);
        Element { low, high }
    }

    /// The same operation on both columns.
    fn both(&mut self, name: &str, op: impl Fn(Part) -> MacroOp, operands: &[Element]) -> Element {
        let [low, high] = Part::BOTH.map(|part| {
            let operands: Vec<Value> = operands.iter().map(|e| e.part(part)).collect();
            self.push(&of_part(name, part), op(part), &operands)
        });
        Element { low, high }
    }

    fn plus(&mut self, name: &str, a: Element, b: Element) -> Element {
        self.both(name, |_| MacroOp::Plus, &[a, b])
    }

    fn minus(&mut self, name: &str, a: Element, b: Element) -> Element {
        self.both(name, |_| MacroOp::Minus, &[a, b])
    }

    fn offset(&mut self, name: &str, x: Element, offset: Offset) -> Element {
        self.both(name, |part| MacroOp::Offset(offset, part), &[x])
    }

    fn pack(&mut self, name: &str, x: Element) -> Value {
        self.push(name, MacroOp::Pack, &[x.low, x.high])
    }

    fn split(&mut self, name: &str, x: Value) -> Element {
        self.pair(name, MacroOp::Split, &[x])
    }

    /// `x^alpha` in columns: the last product is left as it is.
    fn sbox(&mut self, name: &str, x: Value, alpha: u64) -> Element {
        let of = |power: u64| format!("{name}.x{power}");
        let x2 = self.push(&of(2), MacroOp::Square, &[x]);
        if alpha == 7 {
            let x3 = self.push(&of(3), MacroOp::Mul, &[x2, x]);
            let x4 = self.push(&of(4), MacroOp::Square, &[x2]);
            return self.pair(&of(7), MacroOp::MulColumns, &[x3, x4]);
        }
        // Left to right over the bits of the exponent; the last step is always a product by x,
        // since an exponent coprime to p - 1 is odd.
        let (mut power, mut done) = (x2, 2);
        for bit in (0..alpha.ilog2() - 1).rev() {
            if done & 1 == 0 && alpha >> (bit + 1) & 1 == 1 {
                power = self.push(&of(done + 1), MacroOp::Mul, &[power, x]);
                done += 1;
            }
            done *= 2;
            power = self.push(&of(done), MacroOp::Square, &[power]);
        }
        self.pair(&of(alpha), MacroOp::MulColumns, &[power, x])
    }

    /// `sum ± numerator·x`, by the bits of the numerator.
    fn accumulate(&mut self, name: &str, sum: Element, x: Element, d: &Rational) -> Element {
        let mut acc = sum;
        for bit in (0..64).filter(|bit| d.numerator >> bit & 1 == 1) {
            let term = match bit {
                0 => x,
                k => self.both(
                    &format!("{name}.shift[{k}]"),
                    |_| MacroOp::ShiftLeft(k),
                    &[x],
                ),
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

    fn finish(self, kind: BlockKind, outputs: &[Element]) -> Block {
        let outputs = outputs.iter().flat_map(|e| [e.low, e.high]).collect();
        self.ended(kind, outputs)
    }

    fn ended(self, kind: BlockKind, outputs: Vec<Value>) -> Block {
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
fn external_linear(source: &ir::Block) -> Block {
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

fn external_sbox(instance: &Instance) -> Block {
    let mut b = Builder::new(1, true);
    let (state, constant) = (b.element(0), b.element(1));
    let x = b.plus("external[*].rc", state, constant);
    let x = b.pack("external[*].rc.pack", x);
    let z = b.sbox("external[*].sbox", x, instance.alpha);
    b.finish(BlockKind::ExternalSbox, &[z])
}

fn internal_round(instance: &Instance) -> Block {
    let width = instance.width;
    let mut b = Builder::new(width, true);
    let s: Vec<Element> = (0..width).map(|i| b.element(i)).collect();
    let constant = b.element(width);
    let x = b.plus("internal.rc", s[0], constant);
    let x = b.pack("internal.rc.pack", x);
    let z = b.sbox("internal.sbox", x, instance.alpha);
    let tail = (2..width).fold(s[1], |sum, i| {
        b.plus(&format!("internal.sum[{}]", i - 2), sum, s[i])
    });
    let total = b.plus(&format!("internal.sum[{}]", width - 2), tail, z);
    let total = b.offset("internal.total.offset", total, Offset::Wide);
    let total = b.pack("internal.total.pack", total);
    let total = b.split("internal.total.split", total);
    let divides = instance.diagonal.iter().any(|d| d.shift > 0);
    let raised = if divides {
        b.offset("internal.total.raised", total, Offset::Narrow)
    } else {
        total
    };
    let mut outputs = Vec::with_capacity(width);
    for (i, d) in instance.diagonal.iter().enumerate() {
        let site = format!("internal.diag[{i}]");
        let output = if i == 0 && d.negative && d.numerator == 2 && d.shift == 0 {
            b.minus(&format!("{site}.0"), tail, z)
        } else {
            let mut x = if i == 0 { z } else { s[i] };
            if d.shift > 0 {
                if i == 0 {
                    x = b.offset(&format!("{site}.offset"), x, Offset::Narrow);
                }
                let op = MacroOp::Div2ExpColumns(d.shift);
                x = b.pair(&format!("{site}.div2exp"), op, &[x.low, x.high]);
            }
            let sum = if d.shift > 0 { raised } else { total };
            b.accumulate(&site, sum, x, d)
        };
        outputs.push(output);
    }
    b.finish(BlockKind::InternalRound, &outputs)
}

/// State words into columns.
fn enter(width: usize) -> Block {
    let mut b = Builder {
        inputs: (0..width).map(Input::State).collect(),
        operations: Vec::new(),
    };
    let elements: Vec<Element> = (0..width)
        .map(|i| b.split(&format!("enter.split[{i}]"), Value(i as u32)))
        .collect();
    b.finish(BlockKind::Enter, &elements)
}

fn leave(width: usize) -> Block {
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

/// Elements that internal rounds divide become non-negative, and stay so.
fn internal_enter(instance: &Instance) -> Block {
    let mut b = Builder::new(instance.width, false);
    let mut outputs: Vec<Element> = (0..instance.width).map(|i| b.element(i)).collect();
    for (i, _) in tail(instance).filter(|(_, d)| d.shift > 0) {
        let name = format!("internal.enter[{i}]");
        outputs[i] = b.offset(&name, outputs[i], Offset::Narrow);
    }
    b.finish(BlockKind::InternalEnter, &outputs)
}

/// Elements that internal rounds multiply are brought back to 32 bits a column.
fn internal_normalise(instance: &Instance) -> Block {
    let mut b = Builder::new(instance.width, false);
    let mut outputs: Vec<Element> = (0..instance.width).map(|i| b.element(i)).collect();
    for (i, _) in tail(instance).filter(|(_, d)| d.numerator > 1 << d.shift) {
        let name = format!("internal.normalise[{i}]");
        let x = b.offset(&format!("{name}.offset"), outputs[i], Offset::Wide);
        let x = b.pack(&format!("{name}.pack"), x);
        outputs[i] = b.split(&format!("{name}.split"), x);
    }
    b.finish(BlockKind::InternalNormalise, &outputs)
}

/// The diagonal without its first entry.
fn tail(instance: &Instance) -> impl Iterator<Item = (usize, &Rational)> {
    instance.diagonal.iter().enumerate().skip(1)
}

/// A round constant in columns, with the pair that makes sums with it non-negative.
fn constant() -> Block {
    let mut b = Builder {
        inputs: vec![Input::Constant],
        operations: Vec::new(),
    };
    let x = b.split("constant.split", Value(0));
    let x = b.offset("constant.offset", x, Offset::Wide);
    b.finish(BlockKind::Constant, &[x])
}
