//! Kernels in plain Rust: macro-ops as `macro_rules!`, blocks as statements that invoke them.
//!
//! Macros rather than functions: they cannot fail to be inlined, need no `unsafe` to reach
//! intrinsics, and keep a block one line per macro-op.

use super::{comments, return_comment};
use crate::arith::{Block, MacroOp};
use crate::asm::Bodies;
use crate::ir::{BlockKind, Input, Value};
use crate::isa::{Kind, Target};
use crate::machine::{Body, Reg, Source};
use crate::prove::Proved;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Name of the Rust macro of a macro-op.
#[must_use]
pub fn macro_name(op: MacroOp) -> String {
    match op.immediate() {
        Some(k) => format!("{}_{k}", op.template()),
        None => op.template().to_owned(),
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
            .map(|reg| {
                if body.results.contains(reg) {
                    "r".to_owned()
                } else {
                    format!("t{}", reg.0)
                }
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
    let result = format_ident!("{}", names[&body.results[0]]);
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
/// The external linear layer is one group's (its columns are independent work enough); the other
/// blocks have `batch` groups interleaved, macro-op by macro-op.
#[must_use]
pub fn statements(proved: &Proved, index: usize, batch: usize, target: Target) -> String {
    let block = &proved.program().blocks[index];
    let comments = comments(proved, index);
    let groups = if block.kind == BlockKind::ExternalLinear {
        1
    } else {
        batch
    };
    let name = |value: Value, group: usize| match block.inputs.get(value.index()) {
        Some(Input::Constant) => format_ident!("constant"),
        _ if groups == 1 => format_ident!("v{}", value.0),
        _ => format_ident!("v{}_{group}", value.0),
    };
    let mut text = String::new();
    for (n, input) in block.inputs.iter().enumerate() {
        if let Input::State(i) = input {
            for group in 0..groups {
                let (variable, place) = (
                    name(Value(n as u32), group),
                    place(block, *i, group, target),
                );
                push(&mut text, &quote!(let #variable = #place;));
            }
        }
    }
    for (n, operation) in block.operations.iter().enumerate() {
        if let Some(comment) = comments.get(&n) {
            let _ = writeln!(text, "// {comment}");
        }
        let op = format_ident!("{}", macro_name(operation.op));
        for group in 0..groups {
            let result = name(operation.result, group);
            let operands = operation.operands.iter().map(|&v| name(v, group));
            push(&mut text, &quote!(let #result = #op!(#(#operands),*);));
        }
    }
    for (i, &output) in block.outputs.iter().enumerate() {
        if let Some(comment) = return_comment(proved, index, i) {
            let _ = writeln!(text, "// {comment}");
        }
        for group in 0..groups {
            let (variable, place) = (name(output, group), place(block, i, group, target));
            push(&mut text, &quote!(#place = #variable;));
        }
    }
    text
}

fn push(text: &mut String, statement: &TokenStream) {
    let _ = writeln!(text, "{statement}");
}

/// The state word in memory: the only one of its array, or the vector in its wrapper.
fn place(block: &Block, element: usize, group: usize, target: Target) -> TokenStream {
    let group = proc_macro2::Literal::usize_unsuffixed(group);
    let element = proc_macro2::Literal::usize_unsuffixed(element);
    let word = match block.kind {
        BlockKind::ExternalLinear => quote!(group[#element]),
        BlockKind::ExternalSbox => quote!(state[#group][element]),
        BlockKind::InternalRound => quote!(state[#group][#element]),
    };
    if target == Target::Scalar {
        quote!(#word[0])
    } else {
        quote!(#word.0)
    }
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
