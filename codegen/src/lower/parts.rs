//! Building blocks of operations on elements in two parts.

use crate::arith::{Block, Operation, Site, Treatment};
use crate::ir::{BlockKind, Input, Value};
use crate::names::Part;
use crate::ops::{Contract, MacroOp, Reading};
use crate::params::{Field, Offset};

/// The name of a part, as a suffix of sites.
fn of_part(name: &str, part: Part) -> String {
    format!("{name}.{}", part.name())
}

/// The two parts of an element.
pub(super) type Element = [Value; 2];

/// A block in the making.
pub(super) struct Builder {
    field: &'static Field,
    /// What the high part weighs: in radix 2^48 it has half a word.
    radix: u32,
    inputs: Vec<Input>,
    operations: Vec<Operation>,
}

impl Builder {
    pub(super) fn on(field: &'static Field, inputs: Vec<Input>) -> Self {
        let operations = Vec::new();
        Self {
            field,
            radix: 32,
            inputs,
            operations,
        }
    }

    /// The same block, on parts of that radix.
    pub(super) fn in_radix(self, radix: u32) -> Self {
        Self { radix, ..self }
    }

    /// The field in the words of the block.
    pub(super) fn words(&self) -> &'static Field {
        self.field
    }

    /// One macro-op for a part that is a word, and one for a high part that has half of one.
    fn by_width(&self, word: MacroOp, half: MacroOp) -> impl Fn(Part) -> MacroOp + use<> {
        let narrow = self.radix == 48;
        move |part| {
            if narrow && part == Part::High {
                half
            } else {
                word
            }
        }
    }

    /// One macro-op for each radix.
    fn by_radix(&self, of_32: MacroOp, of_48: MacroOp) -> MacroOp {
        if self.radix == 48 { of_48 } else { of_32 }
    }

    /// A block on the parts of `elements` elements and, if asked for, of a constant.
    pub(super) fn new(field: &'static Field, elements: usize, constant: bool) -> Self {
        let state = (0..elements).flat_map(|i| Part::BOTH.map(|p| Input::StatePart(i, p)));
        let constants = Part::BOTH.map(Input::ConstantPart);
        let constants = constants.into_iter().filter(|_| constant);
        Self::on(field, state.chain(constants).collect())
    }

    pub(super) fn element(&self, index: usize) -> Element {
        Part::BOTH.map(|part| Value((2 * index + part as usize) as u32))
    }

    pub(super) fn push(&mut self, name: &str, op: MacroOp, operands: &[Value]) -> Value {
        let result = Value((self.inputs.len() + self.operations.len()) as u32);
        let contract = Contract::of(self.field, op)
            .filter(|c| !c.row.needs.is_empty() || c.row.reads != Reading::Unsigned);
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

    /// The value that an operation without operands defined already.
    pub(super) fn defined(&self, op: MacroOp) -> Option<Value> {
        self.applied(op, &[])
    }

    /// The value that an operation on these operands defined already.
    pub(super) fn applied(&self, op: MacroOp, operands: &[Value]) -> Option<Value> {
        let mut operations = self.operations.iter();
        operations
            .find(|o| o.op == op && o.operands == operands)
            .map(|o| o.result)
    }

    /// A word that is the same in all states, defined once in a block.
    pub(super) fn word(&mut self, word: u64) -> Value {
        let op = MacroOp::Constant(word);
        let defined = self.defined(op);
        defined.unwrap_or_else(|| self.push(&format!("constant[{word}]"), op, &[]))
    }

    /// The sum of some words.
    pub(super) fn sum(&mut self, name: &str, words: &[Value]) -> Value {
        let others = words[1..].iter().enumerate();
        others.fold(words[0], |sum, (n, x)| {
            self.push(&format!("{name}[{n}]"), MacroOp::Plus, &[sum, *x])
        })
    }

    /// `factor·x` by shifts and sums, for a factor that is not zero.
    pub(super) fn times(&mut self, name: &str, x: Value, factor: u64) -> Value {
        let bits = (0..64).filter(|bit| factor >> bit & 1 == 1);
        let terms = bits.map(|bit| match bit {
            0 => x,
            k => self.push(&format!("{name}.shift[{k}]"), MacroOp::ShiftLeft(k), &[x]),
        });
        let terms: Vec<Value> = terms.collect();
        self.sum(&format!("{name}.times"), &terms)
    }

    pub(super) fn pair(&mut self, name: &str, op: MacroOp, operands: &[Value]) -> Element {
        let low = self.push(name, op, operands);
        let high = self.push(&of_part(name, Part::High), MacroOp::Second, &[low]);
        [low, high]
    }

    /// An operation on the parts of elements.
    pub(super) fn pair_of(&mut self, name: &str, op: MacroOp, operands: &[Element]) -> Element {
        self.pair(name, op, &operands.concat())
    }

    /// The same operation on both columns.
    pub(super) fn both(
        &mut self,
        name: &str,
        op: impl Fn(Part) -> MacroOp,
        operands: &[Element],
    ) -> Element {
        Part::BOTH.map(|part| {
            let operands: Vec<Value> = operands.iter().map(|e| e[part as usize]).collect();
            self.push(&of_part(name, part), op(part), &operands)
        })
    }

    pub(super) fn plus(&mut self, name: &str, a: Element, b: Element) -> Element {
        let op = self.by_width(MacroOp::Plus, MacroOp::PlusNarrow);
        self.both(name, op, &[a, b])
    }

    pub(super) fn minus(&mut self, name: &str, a: Element, b: Element) -> Element {
        let op = self.by_width(MacroOp::Minus, MacroOp::MinusNarrow);
        self.both(name, op, &[a, b])
    }

    pub(super) fn offset(&mut self, name: &str, x: Element, offset: Offset) -> Element {
        self.both(name, |part| MacroOp::Offset(offset, part), &[x])
    }

    pub(super) fn pack(&mut self, name: &str, x: Element) -> Value {
        let op = self.by_radix(MacroOp::Pack, MacroOp::PackRadix48);
        self.push(name, op, &x)
    }

    pub(super) fn carry(&mut self, name: &str, x: Element) -> Element {
        let op = self.by_radix(MacroOp::Carry, MacroOp::CarryRadix48);
        self.pair_of(name, op, &[x])
    }

    pub(super) fn split(&mut self, name: &str, x: Value) -> Element {
        let op = self.by_radix(MacroOp::Split, MacroOp::SplitRadix48);
        self.pair(name, op, &[x])
    }

    /// What is cut off of both columns, and what is left.
    fn cut(&mut self, name: &str, x: Element, k: u32) -> [Element; 2] {
        Part::BOTH.map(|part| {
            let name = of_part(&format!("{name}.cut"), part);
            self.pair(&name, MacroOp::Cut(k), &[x[part as usize]])
        })
    }

    /// `x / 2^k`, of columns that are not negative: what is cut off comes back by `2^-k = 2^(32-k)·(1 - 2^32)`.
    pub(super) fn divided_beside(&mut self, name: &str, x: Element, k: u32) -> Element {
        let [low, high] = self.cut(name, x, k);
        let mut push = |part: &str, op, operands: [Value; 2]| {
            self.push(&format!("{name}.{part}"), op, &operands)
        };
        let first = push("low.0", MacroOp::Plus, [low[1], low[0]]);
        let first = push("low.1", MacroOp::Plus, [first, high[0]]);
        [first, push("high", MacroOp::Minus, [high[1], low[0]])]
    }

    /// The same element, of columns that are not negative, with what is above 32 bits of each carried down: by
    /// `2^64 = 2^32 - 1`, from the high column to both. The low column may then be negative, if it is not to be kept
    /// from that.
    pub(super) fn carry_down(&mut self, name: &str, x: Element, positive: bool) -> Element {
        let [low, high] = self.cut(name, x, 32);
        let mut below = [low[0], high[0]];
        if positive {
            // A pair that stands for p.
            let p = [(1 << 32) + 1, (1 << 32) - 2].map(|word| self.word(word));
            below = self.plus(&format!("{name}.below"), below, p);
        }
        let mut push = |part: &str, op, operands: [Value; 2]| {
            self.push(&format!("{name}.carry.{part}"), op, &operands)
        };
        let first = push("low", MacroOp::Minus, [below[0], high[1]]);
        let second = push("high.0", MacroOp::Plus, [below[1], low[1]]);
        [first, push("high.1", MacroOp::Plus, [second, high[1]])]
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
        let op = self.by_width(MacroOp::ShiftLeft(k), MacroOp::ShiftLeftNarrow(k));
        self.both(&site, op, &[x])
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

    pub(super) fn finish(self, kind: BlockKind, outputs: Vec<Value>) -> Block {
        Block {
            kind,
            inputs: self.inputs,
            operations: self.operations,
            outputs,
            returns: Vec::new(),
        }
    }
}
