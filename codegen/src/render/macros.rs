//! Macro-ops as `macro_rules!`, and the named constants that they read.
//!
//! Macros rather than functions: they cannot fail to be inlined, need no `unsafe` to reach
//! intrinsics, and keep a block one line per macro-op.

use super::inline;
use crate::arith::MacroOp;
use crate::asm::Bodies;
use crate::diag::Diagnostic;
use crate::isa::Kind;
use crate::machine::{Body, Named, Reg, Source};
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use std::collections::BTreeMap;

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
    pub(super) fn suffix(self) -> &'static str {
        match self {
            Self::Main => "",
            Self::General => "_general",
        }
    }
}

/// The definition of a macro-op's macro.
///
/// # Errors
/// If lines of assembler do not compute what the body does (a defect of the generator).
pub fn macro_definition(op: MacroOp, body: &Body, side: Side) -> Result<String, Diagnostic> {
    if inline::is_inline(body) {
        return inline::macro_definition(op, body, side);
    }
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
                Source::Constant(named) => {
                    let state = body.kind(body.operands[0]);
                    format!("{}!()", constant_macro(named.name, state, *kind, side))
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
    Ok(text.to_string())
}

/// Whether anything in the body, or its caller, reads the register.
fn reads(body: &Body, reg: Reg) -> bool {
    let mut sources = body.instructions.iter().flat_map(|i| &i.sources);
    body.results.contains(&reg) || sources.any(|source| *source == Source::Reg(reg))
}

/// Name of the macro for a named constant in a register of some kind. The kind that holds state
/// words goes without saying.
pub(super) fn constant_macro(name: &str, state: Kind, kind: Kind, side: Side) -> String {
    let mut name = name.to_owned();
    if kind != state {
        name = format!("{name}_{kind:?}");
    }
    (name + side.suffix()).to_uppercase()
}

/// Every named constant that the bodies read, with the kind of register that holds it, by the name
/// of its macro.
#[must_use]
pub fn constants(bodies: &Bodies, side: Side) -> BTreeMap<String, (Named, Kind)> {
    let read = bodies
        .values()
        .flat_map(|body| body.constants().map(move |read| (body, read)));
    let named = read.map(|(body, (named, kind))| {
        let state = body.kind(body.operands[0]);
        (constant_macro(named.name, state, kind, side), (named, kind))
    });
    named.collect()
}
