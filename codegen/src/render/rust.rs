//! Kernels in plain Rust: blocks as statements that invoke the macros of macro-ops.

use super::macros::{invocation, macro_name};
use super::matrix::Matrix;
use super::{Comment, comments, general, noted, return_comment};
use crate::arith::{Block, Operation};
use crate::ir::{BlockKind, Input, Value};
use crate::isa::{Target, table};
use crate::names::{Core, Part};
use crate::ops::MacroOp;
use crate::prove::Proved;
use std::collections::BTreeMap;

/// One of the independent computations that a block's statements interleave.
#[derive(Clone, Copy)]
pub(super) struct Stream {
    pub(super) group: usize,
    /// Which of the elements that one pass of the S-box loop takes.
    pub(super) lead: usize,
}

/// How a block's text is laid out.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// Groups of states.
    pub batch: usize,
    /// S-boxes of one group that an external round interleaves.
    pub stage: usize,
    /// Which elements these are, where each pass has a text of its own.
    pub pass: Option<usize>,
    /// The group, where the text is of one by its number.
    pub group: Option<usize>,
    /// How many of those run on general registers.
    pub general: usize,
    /// What the text is written in.
    pub target: Target,
    /// The core whose order of instructions S-boxes and internal rounds have, if not the compiler's.
    pub core: Option<&'static Core>,
    /// Where internal rounds move elements on by one place, how many of these there are, and rounds: elements stay
    /// where they are in a longer array, and each round sees a window of it.
    pub window: Option<[usize; 2]>,
    /// Which of two internal rounds that are one text.
    pub second: bool,
}

impl Layout {
    /// The same for one group.
    pub(super) fn of(self, group: usize) -> Self {
        Self {
            group: Some(group),
            ..self
        }
    }

    /// How many elements of one group the statements of a block of this kind take together.
    pub(super) fn leads(self, kind: BlockKind) -> usize {
        match kind {
            BlockKind::ExternalSbox => self.stage,
            _ => 1,
        }
    }

    /// What the statements of a block of this kind interleave. What works on a whole group by itself
    /// (the external linear layer, whose columns are independent work enough, and what is executed
    /// once) is one group's; S-boxes and internal rounds have all groups, S-boxes also some elements
    /// of each.
    pub(super) fn streams(self, kind: BlockKind) -> Vec<Stream> {
        let groups = match kind {
            BlockKind::ExternalSbox | BlockKind::InternalRound if self.group.is_none() => {
                self.batch
            }
            _ => 1,
        };
        (0..self.leads(kind))
            .flat_map(|lead| (0..groups).map(move |group| Stream { group, lead }))
            .collect()
    }

    pub(super) fn place(self, block: &Block, stream: Stream) -> Place<'_> {
        Place {
            block,
            stream,
            stage: self.leads(block.kind),
            pass: self.pass,
            group: self.group,
            window: self.window,
            second: self.second,
            in_vectors: table(self.target).vector_bits > 0,
        }
    }

    /// Whether internal rounds keep element 0 as words on general registers from the first to the last.
    pub(super) fn first_is_words(self) -> bool {
        self.general > 0 && self.core.is_some()
    }

    /// Whether a loop takes what the external linear layer does to both parts.
    fn by_part(self, width: usize) -> bool {
        // All in registers, no loop has to spare any.
        let spares = self.stage < width || self.batch > 1;
        (self.general > 0 || self.target == Target::Wasm) && spares
    }
}

/// The statements of one block, whose streams are interleaved macro-op by macro-op.
#[must_use]
pub fn statements(proved: &Proved, index: usize, layout: Layout) -> String {
    let block = &proved.program().blocks[index];
    let comments = comments(proved, index);
    let width = proved.program().instance.width;
    let may_loop = block.kind == BlockKind::ExternalLinear && proved.program().parts == 2;
    if may_loop && layout.by_part(width) && parts_are_alike(block) {
        return by_part(block, &comments);
    }
    let streams = layout.streams(block.kind);
    let leads = layout.leads(block.kind);
    let name = |value: Value, Stream { group, lead }: Stream| match (
        block.inputs.get(value.index()),
        leads,
    ) {
        (Some(Input::Constant), _) | (Some(Input::InnerConstant), 1) => "constant".to_owned(),
        (Some(Input::InnerConstant), _) => format!("constant_{lead}"),
        (Some(Input::Factor(n)), _) => format!("factor_{n}"),
        (Some(Input::ConstantPart(part)), 1) => format!("constant_{}", part.name()),
        (Some(Input::ConstantPart(part)), _) => format!("constant_{}_{lead}", part.name()),
        (_, 1) if streams.len() == 1 => value.to_string(),
        (_, 1) => format!("{value}_{group}"),
        _ => format!("{value}_{group}_{lead}"),
    };
    let read = |value: Value| {
        let mut operands = block.operations.iter().flat_map(|o| &o.operands);
        operands.any(|v| *v == value) || block.moved().any(|(_, v)| v == value)
    };
    let is_wide = proved.program().is_wide();
    let mut text = String::new();
    for (value, input) in (0..).map(Value).zip(&block.inputs) {
        for &stream in &streams {
            let place = layout.place(block, stream);
            let from = match input {
                Input::ConstantPart(part) if stream.group == 0 => {
                    format!("broadcast!({})", place.constant(Some(*part)))
                }
                Input::InnerConstant if stream.group == 0 => {
                    format!("broadcast!({})", place.constant(None))
                }
                Input::Factor(n) if stream.group == 0 => format!("broadcast!(FACTORS[round][{n}])"),
                Input::State(_) if block.kind == BlockKind::Enter && is_wide => {
                    format!("wide!({})", place.state(*input))
                }
                Input::State(_) | Input::StatePart(..) | Input::Inner(_) if read(value) => {
                    place.state(*input)
                }
                _ => continue,
            };
            text += &format!("let {} = {from};\n", name(value, stream));
        }
    }
    if block.kind == BlockKind::ExternalSbox && streams.len() > 1 {
        text += table(layout.target).loaded;
    }
    let matrix = Matrix::of(proved.program(), layout.target);
    let words: Vec<_> = (0..leads)
        .map(|lead| general::words(layout, block, lead))
        .collect();
    let mut next = 0;
    for together in block.operations.chunk_by(|a, b| stay_together(a.op, b.op)) {
        let said = (next..next + together.len()).filter_map(|n| comments.get(&n));
        next += together.len();
        let mut lines = String::new();
        for &stream in &streams {
            for operation in together.iter().filter(|o| o.is_coded()) {
                let name = |value: Value| name(value, stream);
                let entry = matrix.entry(index, operation.result);
                lines += &match words[stream.lead].contains(&operation.result) {
                    true => general::statements(block, operation, &name),
                    false if let Some(entry) = entry => {
                        format!("let {} = {entry};\n", name(operation.result))
                    }
                    false => statement(operation, name),
                };
            }
        }
        text += &noted(said, &lines);
    }
    let leaves = block.kind == BlockKind::Leave && is_wide;
    // A preparation's results go where its caller says.
    let slides = block.kind == BlockKind::InternalRound && layout.window.is_some();
    let stored = block.moved().filter(|(place, _)| match place {
        Input::Inner(i) if slides => *i < 2,
        _ => block.kind != BlockKind::Constant,
    });
    for (i, (output, value)) in stored.enumerate() {
        let mut lines = String::new();
        for &stream in &streams {
            let place = layout.place(block, stream).written(output);
            let value = name(value, stream);
            lines += &match leaves {
                true => format!("{place} = narrow!({value});\n"),
                false => format!("{place} = {value};\n"),
            };
        }
        text += &noted(&return_comment(proved, index, i), &lines);
    }
    text
}

/// The statement of an operation over the names of values.
fn statement(operation: &Operation, name: impl Fn(Value) -> String) -> String {
    let results: Vec<String> = operation.results().map(&name).collect();
    let operands: Vec<String> = operation.operands.iter().map(|&v| name(v)).collect();
    invocation(&results, &macro_name(operation.op), &operands)
}

/// Whether a block does the same to both parts, one right after the other.
fn parts_are_alike(block: &Block) -> bool {
    block.operations.chunks(2).all(|pair| match pair {
        [low, high] => {
            let beside = low.operands.iter().map(|v| Value(v.0 + 1));
            let even = low.operands.iter().all(|v| v.0 % 2 == 0) && low.result.0 % 2 == 0;
            even && low.op == high.op && beside.eq(high.operands.iter().copied())
        }
        _ => false,
    })
}

/// The external linear layer as a loop over parts, to both of which it does the same: so many
/// values less are alive at once. The compiler must not know which part has which turn, or it would
/// lay both out side by side again; all it is told is that there are two.
///
/// It treats its parts alike, as [`parts_are_alike`] found.
fn by_part(block: &Block, comments: &BTreeMap<usize, Comment>) -> String {
    let place = |input: &Input| match input {
        Input::StatePart(i, _) => format!("group[{i}][part & 1]"),
        _ => unreachable!("elements have parts here"),
    };
    let mut text = String::from("for part in core::hint::black_box([0, 1]) {\n");
    for (n, input) in block.inputs.iter().enumerate().step_by(2) {
        text += &format!("let v{n} = {};\n", place(input));
    }
    for (n, low) in block.operations.iter().step_by(2).enumerate() {
        let said = [2 * n, 2 * n + 1].into_iter();
        let said = said.filter_map(|n| comments.get(&n));
        text += &noted(said, &statement(low, |value| value.to_string()));
    }
    for (input, value) in block.inputs.iter().zip(&block.outputs).step_by(2) {
        text += &format!("{} = {value};\n", place(input));
    }
    text + "}\n"
}

/// Whether interleaved streams take turns between two operations, or each does both at once: a
/// product in steps does, or the halves of all products would be alive together.
fn stay_together(first: MacroOp, then: MacroOp) -> bool {
    let within_product = matches!(first, MacroOp::MulWide | MacroOp::Share);
    then == MacroOp::Second
        || within_product
        || (first == MacroOp::Second && then == MacroOp::Share)
}

/// Where a block's inputs and outputs are.
pub(super) struct Place<'a> {
    block: &'a Block,
    stream: Stream,
    stage: usize,
    pass: Option<usize>,
    group: Option<usize>,
    window: Option<[usize; 2]>,
    second: bool,
    in_vectors: bool,
}

impl Place<'_> {
    /// The element that a pass of the S-box loop is about.
    fn at_hand(&self) -> String {
        match (self.stage, self.stream.lead, self.pass) {
            (stage, lead, Some(pass)) => (pass * stage + lead).to_string(),
            (1, ..) => "element".to_owned(),
            (stage, 0, _) => format!("pass * {stage}"),
            (stage, lead, _) => format!("pass * {stage} + {lead}"),
        }
    }

    /// The word of the round constant at hand, or of a part of it.
    pub(super) fn constant(&self, part: Option<Part>) -> String {
        let part = part.map_or_else(String::new, |part| format!("[{}]", part as usize));
        match self.block.kind {
            BlockKind::ExternalSbox => {
                format!("constants.external[step - 1][{}]{part}", self.at_hand())
            }
            _ if self.second => format!("constants.internal[round + 1]{part}"),
            _ => format!("constants.internal[round]{part}"),
        }
    }

    fn element(&self, element: usize) -> String {
        let group = self.group.unwrap_or(self.stream.group);
        match self.block.kind {
            BlockKind::ExternalLinear if self.group.is_some() => {
                format!("state[{group}][{element}]")
            }
            BlockKind::ExternalSbox => format!("state[{group}][{}]", self.at_hand()),
            BlockKind::InternalRound => format!("state[{group}][{element}]"),
            BlockKind::Enter if self.group.is_some() => format!("words[{group}][{element}]"),
            BlockKind::Enter => format!("words[{element}]"),
            BlockKind::Leave => format!("words[{element}]"),
            _ => format!("group[{element}]"),
        }
    }

    /// A word of the state: state words in memory (the only one of its array, or the vector in
    /// its wrapper), or parts in the kernel's own variable.
    pub(super) fn state(&self, input: Input) -> String {
        match input {
            Input::Inner(i @ 1..)
                if let (Some([width, _]), BlockKind::InternalRound) =
                    (self.window, self.block.kind) =>
            {
                format!("window[{}][round + {}]", self.stream.group, width - 1 - i)
            }
            Input::Inner(i @ 1..)
                if let (Some([width, rounds]), BlockKind::InternalLeave) =
                    (self.window, self.block.kind) =>
            {
                format!("window[{}]", width - 1 + rounds - i)
            }
            // Words are in memory when parts leave for them.
            Input::StatePart(i, part) if self.block.kind == BlockKind::Leave => {
                format!("group[{i}][{}]", part as usize)
            }
            Input::StatePart(i, part) => format!("{}[{}]", self.element(i), part as usize),
            Input::Inner(i) if matches!(self.block.kind, BlockKind::Enter | BlockKind::Leave) => {
                format!("group[{i}]")
            }
            Input::Inner(i) => self.element(i),
            Input::State(i) if self.in_vectors => format!("{}.0", self.element(i)),
            Input::State(i) => format!("{}[0]", self.element(i)),
            Input::Constant | Input::ConstantPart(_) | Input::InnerConstant | Input::Factor(_) => {
                unreachable!("constants are no state")
            }
        }
    }

    /// The same where it is written.
    fn written(&self, output: Input) -> String {
        match (self.window, output, self.block.kind) {
            (Some([width, _]), Input::Inner(i @ 1..), BlockKind::LinearEnter) => {
                format!("window[{}]", width - 1 - i)
            }
            (Some([width, _]), Input::Inner(i @ 1..), BlockKind::InternalRound) => {
                format!("window[{}][round + {}]", self.stream.group, width - i)
            }
            (Some(_), Input::Inner(i), BlockKind::InternalLeave) => self.element(i),
            _ => self.state(output),
        }
    }

    /// Element 0 of internal rounds, where it is words.
    pub(super) fn first(&self, input: Input) -> String {
        match input {
            Input::StatePart(_, part) => format!("first[{}][{}]", self.stream.group, part as usize),
            _ => unreachable!("elements have parts here"),
        }
    }
}

/// The state of all groups made of the words in memory: `let mut state = …;`.
///
/// One expression for each element, so that no element waits for another and nothing is written
/// twice. Where elements are several statements, groups have them in common.
#[must_use]
pub fn entered(proved: &Proved, index: usize, layout: Layout) -> String {
    let block = &proved.program().blocks[index];
    let (parts, is_wide) = (proved.program().parts, proved.program().is_wide());
    if is_wide && layout.batch > 1 {
        let any = layout.of(0).place(block, Stream { group: 0, lead: 0 });
        let (any, width) = (any.state(block.inputs[0]), block.outputs.len());
        return format!(
            "let mut state = [[wide!({any}); {width}]; {}];
            for (words, group) in words.iter().zip(state.iter_mut()) {{ {} }}",
            layout.batch,
            statements(proved, index, layout)
        );
    }
    let comments = comments(proved, index);
    let groups = (0..layout.batch).map(|group| {
        let place = layout.of(group).place(block, Stream { group, lead: 0 });
        let name = |value: Value| match block.inputs.get(value.index()) {
            Some(&input) if is_wide => format!("wide!({})", place.state(input)),
            Some(&input) => place.state(input),
            None => value.to_string(),
        };
        let elements = block.outputs.chunks(parts).map(|outputs| {
            let made = block.leading_to(outputs).into_iter().map(|operation| {
                let comment = comments.get(&(operation.result.index() - block.inputs.len()));
                noted(comment, &statement(operation, name))
            });
            let made: String = made.collect();
            let outputs: Vec<String> = outputs.iter().map(|v| name(*v)).collect();
            match &outputs[..] {
                [one] if made.is_empty() => one.clone(),
                [one] => format!("{{\n{made}{one} }}"),
                several => format!("{{\n{made}[{}] }}", several.join(", ")),
            }
        });
        format!("[{}]", elements.collect::<Vec<_>>().join(", "))
    });
    let groups: Vec<String> = groups.collect();
    format!("let mut state = [{}];", groups.join(", "))
}
