//! Kernels in plain Rust: macro-ops as `macro_rules!`, blocks as statements that invoke them.
//!
//! Macros rather than functions: they cannot fail to be inlined, need no `unsafe` to reach
//! intrinsics, and keep a block one line per macro-op.

use super::{comments, general, return_comment};
use crate::arith::{Block, MacroOp};
use crate::asm::Bodies;
use crate::ir::{BlockKind, Input, Part, Value};
use crate::isa::constants::Constant;
use crate::isa::{Kind, Target};
use crate::machine::{Body, Reg, Source};
use crate::prove::Proved;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens as _, format_ident, quote};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Name of the Rust macro of a macro-op.
#[must_use]
pub fn macro_name(op: MacroOp) -> String {
    let template = op.template().replace('-', "_");
    match op.parameter() {
        Some(parameter) => format!("{template}_{}", parameter.replace('.', "_")),
        None => template,
    }
}

/// The registers that a macro-op's code is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Those of the kernel's target.
    Main,
    /// General registers, beside vectors.
    General,
}

impl Side {
    /// What names of macros end in.
    fn suffix(self) -> &'static str {
        match self {
            Self::Main => "",
            Self::General => "_general",
        }
    }
}

/// The definition of a macro-op's macro.
#[must_use]
pub fn macro_definition(op: MacroOp, body: &Body, side: Side) -> String {
    let name = format_ident!("{}{}", macro_name(op), side.suffix());
    let letters: Vec<Ident> = op.operands().iter().map(|o| format_ident!("{o}")).collect();
    let mut names: BTreeMap<Reg, String> = BTreeMap::new();
    for (reg, letter) in body.operands.iter().zip(&letters) {
        names.insert(*reg, letter.to_string());
    }
    let mut statements = Vec::new();
    for instruction in &body.instructions {
        let sources: Vec<String> = instruction
            .sources
            .iter()
            .zip(instruction.row.sources)
            .map(|(source, kind)| match source {
                Source::Reg(reg) => names[reg].clone(),
                Source::Constant(constant) => {
                    format!("{}!()", constant_macro(constant, body, *kind, side))
                }
            })
            .collect();
        let results: Vec<String> = instruction
            .results
            .iter()
            .map(|reg| match body.results.iter().position(|r| r == reg) {
                Some(n) => op.result_names()[n].to_owned(),
                None => format!("t{}", reg.0),
            })
            .collect();
        let text = instruction
            .row
            .render(&results, &sources, &instruction.immediates);
        let value: TokenStream = text.parse().expect("rows spell Rust expressions");
        let bound: Vec<Ident> = instruction
            .results
            .iter()
            .zip(&results)
            .map(|(reg, name)| {
                if reads(body, *reg) {
                    format_ident!("{name}")
                } else {
                    format_ident!("_{name}")
                }
            })
            .collect();
        names.extend(instruction.results.iter().copied().zip(results));
        statements.push(match bound.as_slice() {
            [one] => quote!(let #one = #value;),
            several => quote!(let (#(#several),*) = #value;),
        });
    }
    let results: Vec<Ident> = body
        .results
        .iter()
        .map(|reg| format_ident!("{}", names[reg]))
        .collect();
    let result = match results.as_slice() {
        [one] => quote!(#one),
        several => quote!((#(#several),*)),
    };
    let dollar = letters.iter().map(|l| quote!($#l:expr));
    let bindings = letters.iter().map(|l| quote!(let #l = $#l;));
    let text = quote! {
        macro_rules! #name {
            (#(#dollar),*) => {{ #(#bindings)* #(#statements)* #result }};
        }
    };
    text.to_string()
}

/// Whether anything in the body, or its caller, reads the register.
fn reads(body: &Body, reg: Reg) -> bool {
    let mut sources = body.instructions.iter().flat_map(|i| &i.sources);
    body.results.contains(&reg) || sources.any(|source| *source == Source::Reg(reg))
}

/// One of the independent computations that a block's statements interleave.
#[derive(Clone, Copy)]
struct Stream {
    group: usize,
    /// Which of the elements that one pass of the S-box loop takes.
    lead: usize,
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
    /// Whether a loop takes what the external linear layer does to both parts.
    pub by_part: bool,
    /// What the text is written in.
    pub target: Target,
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
    let stage = match block.kind {
        BlockKind::ExternalSbox => layout.stage,
        _ => 1,
    };
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
    if layout.by_part && block.kind == BlockKind::ExternalLinear {
        return by_part(block, &comments);
    }
    let mut text = String::new();
    let places = block.places();
    let read = |value: Value| {
        let mut operands = block.operations.iter().flat_map(|o| &o.operands);
        operands.any(|v| *v == value) || moved(block, &places).any(|(_, v)| v == value)
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
    for (n, operation) in block.operations.iter().enumerate() {
        if let Some(comment) = comments.get(&n) {
            let _ = writeln!(text, "// {comment}");
        }
        if operation.op == MacroOp::Second {
            continue;
        }
        let op = format_ident!("{}", macro_name(operation.op));
        for &stream in &streams {
            if on_general(block, operation.op, stream, stage, layout.general) {
                let name = |value: Value| name(value, stream);
                text.push_str(&general::statements(block, operation, &name));
                continue;
            }
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
    let stored = moved(block, &places).filter(|_| block.kind != BlockKind::Constant);
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

/// Whether the operation runs on general registers: products of S-boxes do, in internal rounds
/// all of them, in external ones those of some elements, spread evenly among the interleaved ones.
fn on_general(block: &Block, op: MacroOp, stream: Stream, stage: usize, general: usize) -> bool {
    let product = matches!(op, MacroOp::Square | MacroOp::Mul | MacroOp::MulColumns);
    let before = |lead: usize| lead * general / stage;
    product
        && match block.kind {
            BlockKind::InternalRound => general > 0,
            BlockKind::ExternalSbox => before(stream.lead) < before(stream.lead + 1),
            _ => false,
        }
}

/// Outputs that are not where they belong already.
fn moved<'a>(block: &'a Block, places: &'a [Input]) -> impl Iterator<Item = (Input, Value)> + 'a {
    let outputs = places.iter().copied().zip(block.outputs.iter().copied());
    outputs.filter(|(place, value)| block.inputs.get(value.index()) != Some(place))
}

fn variable(value: Value) -> Ident {
    format_ident!("v{}", value.0)
}

fn literal(n: usize) -> Literal {
    Literal::usize_unsuffixed(n)
}

fn push(text: &mut String, statement: &TokenStream) {
    let _ = writeln!(text, "{statement}");
}

/// Where a block's inputs and outputs are.
struct Place<'a> {
    block: &'a Block,
    stream: Stream,
    stage: usize,
    target: Target,
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
    fn constant(&self, part: Part) -> TokenStream {
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
    fn state(&self, input: Input) -> TokenStream {
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
                match self.target {
                    Target::Scalar => quote!(#word[0]),
                    _ => quote!(#word.0),
                }
            }
            Input::Constant | Input::ConstantPart(_) => unreachable!("constants are no state"),
        }
    }
}

/// The state of `batch` groups made of the words in memory: `let mut state = …;`.
///
/// One expression for each element, so that no element waits for another and nothing is written
/// twice.
#[must_use]
pub fn entered(proved: &Proved, index: usize, batch: usize, target: Target) -> String {
    let block = &proved.program().blocks[index];
    let parts = proved.program().parts;
    let groups = (0..batch).map(|group| {
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
                                        target,
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

/// The module with the function that prepares constants for all kernels of a strategy.
#[must_use]
pub fn preparation(strategy: &str, proved: &Proved, index: usize, bodies: &Bodies) -> String {
    let program = proved.program();
    let field = program.instance.field;
    let block = &program.blocks[index];
    let macros: Vec<String> = bodies
        .iter()
        .map(|(op, body)| macro_definition(*op, body, Side::Main))
        .collect();
    let constants: Vec<String> = constants(bodies, Side::Main)
        .into_iter()
        .filter_map(|(name, (constant, kind))| {
            let constant = Constant::by_name(field, constant)?;
            let word = constant.word(field, Target::Scalar, kind);
            let (about, name) = (constant.about, format_ident!("{name}"));
            let word = Literal::u64_suffixed(word);
            let text = quote!(macro_rules! #name { () => { #word }; });
            Some(format!("/// {about}.\n{text}\n"))
        })
        .collect();
    let outputs = block.outputs.iter().map(|&v| variable(v));
    let assign = outputs.enumerate().map(|(n, v)| {
        let n = literal(n);
        quote!(parts[#n] = #v;)
    });
    let assign: TokenStream = assign.collect();
    format!(
        "//! Round constants over {field} as kernels of strategy `{strategy}` read them.\n\n\
         {constants}\n{macros}\n\n\
         /// Makes {parts} words of each canonical constant, in the order of `constants`.\n\
         ///\n\
         /// Slices of other lengths are cut to what both have.\n\
         pub fn prepare(constants: &[u64], prepared: &mut [u64]) {{\n\
         for (&constant, parts) in constants.iter().zip(prepared.chunks_exact_mut({parts})) {{\n\
         {statements}{assign}\n}}\n}}\n",
        field = field.name,
        constants = constants.join("\n"),
        macros = macros.join("\n"),
        parts = program.parts,
        statements = statements(
            proved,
            index,
            Layout {
                batch: 1,
                stage: 1,
                general: 0,
                by_part: false,
                target: Target::Scalar,
            },
        ),
    )
}

/// Name of the macro for a named constant in a register of some kind. The kind that holds state
/// words goes without saying.
fn constant_macro(name: &str, body: &Body, kind: Kind, side: Side) -> String {
    let state = body.registers[body.operands[0].0 as usize];
    let mut name = name.to_owned();
    if kind != state {
        name = format!("{name}_{kind:?}");
    }
    (name + side.suffix()).to_uppercase()
}

/// Every named constant that the bodies read: by the name of its macro, its own name and the kind
/// of register that holds it.
#[must_use]
pub fn constants(bodies: &Bodies, side: Side) -> BTreeMap<String, (&'static str, Kind)> {
    let instructions = bodies
        .values()
        .flat_map(|body| body.instructions.iter().map(move |i| (body, i)));
    instructions
        .flat_map(|(body, i)| {
            i.sources
                .iter()
                .zip(i.row.sources)
                .map(move |pair| (body, pair))
        })
        .filter_map(|(body, (source, kind))| match source {
            Source::Constant(name) => {
                Some((constant_macro(name, body, *kind, side), (*name, *kind)))
            }
            Source::Reg(_) => None,
        })
        .collect()
}
