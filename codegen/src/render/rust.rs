//! Kernels in plain Rust: blocks as statements that invoke the macros of macro-ops.

use super::macros::macro_name;
use super::{comments, general, return_comment};
use crate::arith::{Block, MacroOp};
use crate::ir::{BlockKind, Input, Value};
use crate::isa::{Target, table};
use crate::names::Core;
use crate::names::Part;
use crate::prove::Proved;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens as _, format_ident, quote};
use std::collections::BTreeMap;
use std::fmt::Write as _;

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
    /// How many of those run on general registers.
    pub general: usize,
    /// What the text is written in.
    pub target: Target,
    /// The core whose order of instructions S-boxes and internal rounds have, if not the compiler's.
    pub core: Option<&'static Core>,
}

impl Layout {
    /// How many elements of one group the statements of a block of this kind take together.
    pub(super) fn leads(self, kind: BlockKind) -> usize {
        match kind {
            BlockKind::ExternalSbox => self.stage,
            _ => 1,
        }
    }

    /// Whether internal rounds keep element 0 as words on general registers from the first to the last.
    pub(super) fn first_is_words(self) -> bool {
        self.general > 0 && self.core.is_some()
    }

    /// Whether a loop takes what the external linear layer does to both parts.
    fn by_part(self, width: usize) -> bool {
        // All in registers, no loop has to spare any.
        self.general > 0 && (self.stage < width || self.batch > 1)
    }
}

/// The statements of one block.
///
/// What works on a whole group by itself (the external linear layer, whose columns are independent
/// work enough, and what is executed once) is one group's; S-boxes and internal rounds have all
/// groups interleaved, macro-op by macro-op, S-boxes also some elements of each.
#[must_use]
pub fn statements(proved: &Proved, index: usize, layout: Layout) -> String {
    let block = &proved.program().blocks[index];
    let comments = comments(proved, index);
    let groups = match block.kind {
        BlockKind::ExternalSbox | BlockKind::InternalRound => layout.batch,
        _ => 1,
    };
    let stage = layout.leads(block.kind);
    let streams: Vec<Stream> = (0..stage)
        .flat_map(|lead| (0..groups).map(move |group| Stream { group, lead }))
        .collect();
    let name = |value: Value, stream: Stream| match (block.inputs.get(value.index()), stage) {
        (Some(Input::Constant), _) => quote!(constant),
        (Some(Input::ConstantPart(part)), 1) => {
            format_ident!("constant_{}", part.name()).to_token_stream()
        }
        (Some(Input::ConstantPart(part)), _) => {
            format_ident!("constant_{}_{}", part.name(), stream.lead).to_token_stream()
        }
        (_, 1) if groups == 1 => variable(value).to_token_stream(),
        (_, 1) => format_ident!("v{}_{}", value.0, stream.group).to_token_stream(),
        _ => format_ident!("v{}_{}_{}", value.0, stream.group, stream.lead).to_token_stream(),
    };
    let width = proved.program().instance.width;
    if block.kind == BlockKind::ExternalLinear && layout.by_part(width) {
        return by_part(block, &comments);
    }
    let mut text = String::new();
    let read = |value: Value| {
        let mut operands = block.operations.iter().flat_map(|o| &o.operands);
        operands.any(|v| *v == value) || block.moved().any(|(_, v)| v == value)
    };
    let at = |stream: Stream| Place {
        block,
        stream,
        stage,
        target: layout.target,
    };
    for (n, input) in block.inputs.iter().enumerate() {
        let value = Value(n as u32);
        let read = read(value);
        for &stream in &streams {
            let variable = name(value, stream);
            match input {
                Input::ConstantPart(part) if stream.group == 0 => {
                    let word = at(stream).constant(*part);
                    push(&mut text, &quote!(let #variable = broadcast!(#word);));
                }
                Input::State(_) | Input::StatePart(..) if read => {
                    let place = at(stream).state(*input);
                    push(&mut text, &quote!(let #variable = #place;));
                }
                _ => {}
            }
        }
    }
    let words: Vec<_> = (0..stage)
        .map(|lead| general::words(layout, block, lead))
        .collect();
    let mut next = 0;
    for together in block.operations.chunk_by(|a, b| stay_together(a.op, b.op)) {
        for comment in (next..next + together.len()).filter_map(|n| comments.get(&n)) {
            let _ = writeln!(text, "// {comment}");
        }
        next += together.len();
        let coded = together.iter().filter(|o| o.op != MacroOp::Second);
        let each = streams
            .iter()
            .flat_map(|&stream| coded.clone().map(move |operation| (stream, operation)));
        for (stream, operation) in each {
            if words[stream.lead].contains(&operation.result) {
                let name = |value: Value| name(value, stream);
                text.push_str(&general::statements(block, operation, &name));
                continue;
            }
            let op = format_ident!("{}", macro_name(operation.op));
            let result = name(operation.result, stream);
            let operands = operation.operands.iter().map(|&v| name(v, stream));
            let bound = match operation.op.results() {
                2 => {
                    let second = name(Value(operation.result.0 + 1), stream);
                    quote!((#result, #second))
                }
                _ => result,
            };
            push(&mut text, &quote!(let #bound = #op!(#(#operands),*);));
        }
    }
    // A preparation's results go where its caller says.
    let stored = block.moved().filter(|_| block.kind != BlockKind::Constant);
    for (i, (output, value)) in stored.enumerate() {
        if let Some(comment) = return_comment(proved, index, i) {
            let _ = writeln!(text, "// {comment}");
        }
        for &stream in &streams {
            let (variable, place) = (name(value, stream), at(stream).state(output));
            push(&mut text, &quote!(#place = #variable;));
        }
    }
    text
}

/// The external linear layer as a loop over parts, to both of which it does the same: so many
/// values less are alive at once. The compiler must not know which part has which turn, or it would
/// lay both out side by side again; all it is told is that there are two.
///
/// # Panics
/// If the layer treats its parts differently; lowering adds part by part.
fn by_part(block: &Block, comments: &BTreeMap<usize, String>) -> String {
    let place = |input: &Input| match input {
        Input::StatePart(i, _) => {
            let i = literal(*i);
            quote!(group[#i][part & 1])
        }
        _ => unreachable!("elements have parts here"),
    };
    let mut text = String::from("for part in core::hint::black_box([0, 1]) {\n");
    for (n, input) in block.inputs.iter().enumerate().step_by(2) {
        let (variable, place) = (variable(Value(n as u32)), place(input));
        push(&mut text, &quote!(let #variable = #place;));
    }
    for (n, pair) in block.operations.chunks(2).enumerate() {
        let [low, high] = pair else {
            unreachable!("one operation for each part");
        };
        let beside = low.operands.iter().map(|v| Value(v.0 + 1));
        let same = low.op == high.op && beside.eq(high.operands.iter().copied());
        assert!(same && low.result.0 % 2 == 0, "parts are treated alike");
        for comment in [2 * n, 2 * n + 1].iter().filter_map(|n| comments.get(n)) {
            let _ = writeln!(text, "// {comment}");
        }
        let (op, result) = (
            format_ident!("{}", macro_name(low.op)),
            variable(low.result),
        );
        let operands = low.operands.iter().map(|&v| variable(v));
        push(&mut text, &quote!(let #result = #op!(#(#operands),*);));
    }
    for (input, &value) in block.inputs.iter().zip(&block.outputs).step_by(2) {
        let (variable, place) = (variable(value), place(input));
        push(&mut text, &quote!(#place = #variable;));
    }
    text.push_str("}\n");
    text
}

/// Whether interleaved streams take turns between two operations, or each does both at once: a
/// product in steps does, or the halves of all products would be alive together.
fn stay_together(first: MacroOp, then: MacroOp) -> bool {
    let within_product = matches!(first, MacroOp::MulWide | MacroOp::Share);
    then == MacroOp::Second
        || within_product
        || (first == MacroOp::Second && then == MacroOp::Share)
}

pub(super) fn variable(value: Value) -> Ident {
    format_ident!("v{}", value.0)
}

pub(super) fn literal(n: usize) -> Literal {
    Literal::usize_unsuffixed(n)
}

fn push(text: &mut String, statement: &TokenStream) {
    let _ = writeln!(text, "{statement}");
}

/// Where a block's inputs and outputs are.
pub(super) struct Place<'a> {
    pub(super) block: &'a Block,
    pub(super) stream: Stream,
    pub(super) stage: usize,
    pub(super) target: Target,
}

impl Place<'_> {
    /// The element that a pass of the S-box loop is about.
    fn at_hand(&self) -> TokenStream {
        let (stage, lead) = (literal(self.stage), literal(self.stream.lead));
        match (self.stage, self.stream.lead) {
            (1, _) => quote!(element),
            (_, 0) => quote!(pass * #stage),
            _ => quote!(pass * #stage + #lead),
        }
    }

    /// The word of a part of the round constant at hand.
    pub(super) fn constant(&self, part: Part) -> TokenStream {
        let part = literal(part as usize);
        match self.block.kind {
            BlockKind::ExternalSbox => {
                let element = self.at_hand();
                quote!(constants.external[step - 1][#element][#part])
            }
            _ => quote!(constants.internal[round][#part]),
        }
    }

    fn element(&self, element: usize) -> TokenStream {
        let (group, element) = (literal(self.stream.group), literal(element));
        match self.block.kind {
            BlockKind::ExternalSbox => {
                let element = self.at_hand();
                quote!(state[#group][#element])
            }
            BlockKind::InternalRound => quote!(state[#group][#element]),
            BlockKind::Enter => quote!(words[#group][#element]),
            BlockKind::Leave => quote!(words[#element]),
            _ => quote!(group[#element]),
        }
    }

    /// A word of the state: state words in memory (the only one of its array, or the vector in
    /// its wrapper), or parts in the kernel's own variable.
    pub(super) fn state(&self, input: Input) -> TokenStream {
        match input {
            Input::StatePart(i, part) => {
                let part = literal(part as usize);
                // Words are in memory when parts leave for them.
                let element = match self.block.kind {
                    BlockKind::Leave => {
                        let i = literal(i);
                        quote!(group[#i])
                    }
                    _ => self.element(i),
                };
                quote!(#element[#part])
            }
            Input::State(i) => {
                let word = self.element(i);
                match table(self.target).vector_bits {
                    0 => quote!(#word[0]),
                    _ => quote!(#word.0),
                }
            }
            Input::Constant | Input::ConstantPart(_) => unreachable!("constants are no state"),
        }
    }
}

/// The state of all groups made of the words in memory: `let mut state = …;`.
///
/// One expression for each element, so that no element waits for another and nothing is written
/// twice.
#[must_use]
pub fn entered(proved: &Proved, index: usize, layout: Layout) -> String {
    let block = &proved.program().blocks[index];
    let parts = proved.program().parts;
    let groups = (0..layout.batch).map(|group| {
        let elements = block.outputs.chunks(parts).map(|outputs| {
            let operations = block
                .operations
                .iter()
                .filter(|o| outputs.contains(&o.result));
            let made = operations
                .filter(|o| o.op != MacroOp::Second)
                .map(|operation| {
                    let op = format_ident!("{}", macro_name(operation.op));
                    let operands =
                        operation
                            .operands
                            .iter()
                            .map(|&v| match block.inputs.get(v.index()) {
                                Some(&input) => {
                                    let stream = Stream { group, lead: 0 };
                                    Place {
                                        block,
                                        stream,
                                        stage: 1,
                                        target: layout.target,
                                    }
                                    .state(input)
                                }
                                None => variable(v).to_token_stream(),
                            });
                    let bound = match operation.op.results() {
                        2 => {
                            let (first, second) = (
                                variable(operation.result),
                                variable(Value(operation.result.0 + 1)),
                            );
                            quote!((#first, #second))
                        }
                        _ => variable(operation.result).to_token_stream(),
                    };
                    quote!(let #bound = #op!(#(#operands),*);)
                });
            let outputs = outputs.iter().map(|&v| variable(v));
            quote!({ #(#made)* [#(#outputs),*] })
        });
        quote!([#(#elements),*])
    });
    quote!(let mut state = [#(#groups),*];).to_string()
}
