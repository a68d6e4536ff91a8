//! Kernels in plain Rust: macro-ops as `macro_rules!`, blocks as statements that invoke them.
//!
//! Macros rather than functions: they cannot fail to be inlined, need no `unsafe` to reach
//! intrinsics, and keep a block one line per macro-op.

use super::{comments, return_comment};
use crate::arith::{Block, MacroOp};
use crate::asm::Bodies;
use crate::ir::{BlockKind, Input, Value};
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

/// The definition of a macro-op's macro.
#[must_use]
pub fn macro_definition(op: MacroOp, body: &Body) -> String {
    let name = format_ident!("{}", macro_name(op));
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
                    format!("{}!()", constant_macro(constant, body, *kind))
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

/// The statements of one block for `batch` interleaved groups.
///
/// What works on a whole group by itself (the external linear layer, whose columns are independent
/// work enough, and what is executed once) is one group's; S-boxes and internal rounds have
/// `batch` groups interleaved, macro-op by macro-op.
#[must_use]
pub fn statements(proved: &Proved, index: usize, batch: usize, target: Target) -> String {
    let block = &proved.program().blocks[index];
    let comments = comments(proved, index);
    let groups = match block.kind {
        BlockKind::ExternalSbox | BlockKind::InternalRound => batch,
        _ => 1,
    };
    let name = |value: Value, group: usize| match block.inputs.get(value.index()) {
        Some(Input::Constant) => quote!(constant),
        Some(Input::ConstantPart(part)) => {
            let part = literal(*part as usize);
            quote!(constant[#part])
        }
        _ if groups == 1 => variable(value).to_token_stream(),
        _ => format_ident!("v{}_{group}", value.0).to_token_stream(),
    };
    let mut text = String::new();
    let places = block.places();
    let read = |value: Value| {
        let mut operands = block.operations.iter().flat_map(|o| &o.operands);
        operands.any(|v| *v == value) || moved(block, &places).any(|(_, v)| v == value)
    };
    for (n, input) in block.inputs.iter().enumerate() {
        let value = Value(n as u32);
        if matches!(input, Input::State(_) | Input::StatePart(..)) && read(value) {
            for group in 0..groups {
                let (variable, place) = (name(value, group), place(block, *input, group, target));
                push(&mut text, &quote!(let #variable = #place;));
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
        for group in 0..groups {
            let result = name(operation.result, group);
            let operands = operation.operands.iter().map(|&v| name(v, group));
            let bound = match operation.op.results() {
                2 => {
                    let second = name(Value(operation.result.0 + 1), group);
                    quote!((#result, #second))
                }
                _ => result,
            };
            push(&mut text, &quote!(let #bound = #op!(#(#operands),*);));
        }
    }
    // A preparation's results go where its caller says.
    let moved_here = moved(block, &places).filter(|_| block.kind != BlockKind::Constant);
    for (i, (output, value)) in moved_here.enumerate() {
        if let Some(comment) = return_comment(proved, index, i) {
            let _ = writeln!(text, "// {comment}");
        }
        for group in 0..groups {
            let (variable, place) = (name(value, group), place(block, output, group, target));
            push(&mut text, &quote!(#place = #variable;));
        }
    }
    text
}

/// Outputs that are not where they belong already.
fn moved<'a>(
    block: &'a Block,
    places: &'a [Input],
) -> impl Iterator<Item = (Input, Value)> + 'a {
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

/// Where a word of the state is: state words in memory (the only one of its array, or the vector
/// in its wrapper), or parts in the kernel's own variable.
fn place(block: &Block, input: Input, group: usize, target: Target) -> TokenStream {
    let group = literal(group);
    let of = |element: usize| {
        let element = literal(element);
        match block.kind {
            BlockKind::ExternalSbox => quote!(state[#group][element]),
            BlockKind::InternalRound => quote!(state[#group][#element]),
            _ => quote!(group[#element]),
        }
    };
    match input {
        Input::StatePart(i, part) => {
            let (element, part) = (of(i), literal(part as usize));
            quote!(#element[#part])
        }
        Input::State(i) => {
            let word = match block.kind {
                BlockKind::Enter => {
                    let i = literal(i);
                    quote!(words[#group][#i])
                }
                BlockKind::Leave => {
                    let i = literal(i);
                    quote!(words[#i])
                }
                _ => of(i),
            };
            if target == Target::Scalar {
                quote!(#word[0])
            } else {
                quote!(#word.0)
            }
        }
        Input::Constant | Input::ConstantPart(_) => unreachable!("constants are no state"),
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
            let operations = block.operations.iter().filter(|o| outputs.contains(&o.result));
            let made = operations.filter(|o| o.op != MacroOp::Second).map(|operation| {
                let op = format_ident!("{}", macro_name(operation.op));
                let operands = operation.operands.iter().map(|&v| match block.inputs.get(v.index()) {
                    Some(&input) => place(block, input, group, target),
                    None => variable(v).to_token_stream(),
                });
                let bound = match operation.op.results() {
                    2 => {
                        let (first, second) =
                            (variable(operation.result), variable(Value(operation.result.0 + 1)));
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
        .map(|(op, body)| macro_definition(*op, body))
        .collect();
    let constants: Vec<String> = constants(bodies)
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
        statements = statements(proved, index, 1, Target::Scalar),
    )
}

/// Name of the macro for a named constant in a register of some kind. The kind that holds state
/// words goes without saying.
fn constant_macro(name: &str, body: &Body, kind: Kind) -> String {
    let state = body.registers[body.operands[0].0 as usize];
    if kind == state {
        name.to_owned()
    } else {
        format!("{name}_{kind:?}").to_uppercase()
    }
}

/// Every named constant that the bodies read: by the name of its macro, its own name and the kind
/// of register that holds it.
#[must_use]
pub fn constants(bodies: &Bodies) -> BTreeMap<String, (&'static str, Kind)> {
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
            Source::Constant(name) => Some((constant_macro(name, body, *kind), (*name, *kind))),
            Source::Reg(_) => None,
        })
        .collect()
}
