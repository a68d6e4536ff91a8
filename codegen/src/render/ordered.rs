//! Statements that we schedule: every instruction a macro around one line of assembler, which
//! the compiler gives registers and leaves where it is.
//!
//! Left to itself the compiler puts the instructions of the long chain through an S-box next to each
//! other, and the vectors' beside them after them; a core then waits for the one with nothing of
//! the other in sight.

use super::comments;
use super::general;
use super::inline::{Face, Macros};
use super::macros::{Side, constant_macro};
use super::rust::{Layout, Place, Stream, literal};
use crate::asm::{Bank, Bodies, Held, Mixed, Piece, Recipe, mixed};
use crate::diag::Diagnostic;
use crate::ir::BlockKind;
use crate::isa::Kind;
use crate::isa::Row;
use crate::isa::neon::{JOIN, TAKE};
use crate::machine::{Body, Instruction, Reg, Source};
use crate::names::Core;
use crate::prove::Proved;
use crate::schedule::{is_order, list_schedule};
use proc_macro2::TokenStream;
use quote::{ToTokens as _, format_ident, quote};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Blocks that have an order of their own. The others are executed once, or are sums without a long
/// chain, which the compiler lays out as well.
pub(super) fn applies(kind: BlockKind) -> bool {
    matches!(kind, BlockKind::ExternalSbox | BlockKind::InternalRound)
}

/// The statements of one block in an order for a core.
pub(super) fn ordered(
    proved: &Proved,
    index: usize,
    layout: Layout,
    core: &Core,
    (vectors, words): (&Bodies, &Bodies),
    macros: &mut Macros,
) -> Result<String, Diagnostic> {
    let block = &proved.program().blocks[index];
    let leads = 0..layout.leads(block.kind);
    let streams: Vec<Stream> = leads
        .flat_map(|lead| (0..layout.batch).map(move |group| Stream { group, lead }))
        .collect();
    let placed: Vec<BTreeSet<_>> = streams
        .iter()
        .map(|stream| general::words(layout, block, stream.lead))
        .collect();
    let constants: Vec<usize> = streams.iter().map(|stream| stream.lead).collect();
    let code = mixed(Recipe {
        block,
        vectors,
        words,
        placed: &placed,
        constants: &constants,
        held: block.kind == BlockKind::InternalRound,
    });
    let order = list_schedule(&code, core);
    if !is_order(&code, &order) {
        let name = block.kind.name();
        return Err(Diagnostic::new(format!(
            "the schedule of {name} is not its dependence graph"
        )));
    }
    let place = |stream: usize| Place {
        block,
        stream: streams[stream],
        stage: layout.leads(block.kind),
        target: layout.target,
    };
    let mut text = Writer {
        code: &code,
        statements: String::new(),
        macros,
    };
    for port in &code.entries {
        let (held, place) = (text.held(port.held), place(port.stream));
        text.push(&match port.held {
            Held::Vector(_) => {
                let state = place.state(port.word);
                quote!(let #held = #state;)
            }
            Held::Words(_) => {
                let first = place.first(port.word);
                quote!(let #held = #first;)
            }
        });
    }
    let mut comments = comments(proved, index);
    for n in order {
        if let Piece::Rows { operation, .. } = &code.pieces[n]
            && let Some(comment) = comments.remove(operation)
        {
            let _ = writeln!(text.statements, "// {comment}");
        }
        text.piece(&code.pieces[n], &place)?;
    }
    for port in &code.exits {
        let (held, place) = (text.held(port.held), place(port.stream));
        let to = match port.held {
            Held::Vector(_) => place.state(port.word),
            Held::Words(_) => place.first(port.word),
        };
        text.push(&quote!(#to = #held;));
    }
    Ok(text.statements)
}

struct Writer<'a> {
    code: &'a Mixed,
    statements: String,
    macros: &'a mut Macros,
}

impl Writer<'_> {
    fn push(&mut self, statement: &TokenStream) {
        let _ = writeln!(self.statements, "{statement}");
    }

    fn name(&self, reg: Reg) -> TokenStream {
        let letter = match self.code.bank(reg) {
            Bank::Vector => 'v',
            Bank::General => 'x',
        };
        format_ident!("{letter}{}", reg.0).to_token_stream()
    }

    fn held(&self, held: Held) -> TokenStream {
        match held {
            Held::Vector(reg) => self.name(reg),
            Held::Words(words) => {
                let words = words.map(|reg| self.name(reg));
                quote!((#(#words),*))
            }
        }
    }

    fn piece<'b>(
        &mut self,
        piece: &Piece,
        place: &dyn Fn(usize) -> Place<'b>,
    ) -> Result<(), Diagnostic> {
        let statement = match piece {
            Piece::Rows {
                instructions, bank, ..
            } => self.rows(instructions, *bank)?,
            Piece::Take {
                result,
                source,
                lane,
            } => {
                let group = Group {
                    name: format!("take_{lane}"),
                    body: chain(&[&TAKE[*lane]]),
                    types: vec!["uint64x2_t", "u64"],
                };
                self.call(group, &[self.name(*source)], &[*result])?
            }
            Piece::Join { result, words } => {
                let group = Group {
                    name: "join".to_owned(),
                    body: chain(&[&JOIN[0], &JOIN[1]]),
                    types: vec!["u64", "u64", "uint64x2_t", "uint64x2_t"],
                };
                self.call(group, &words.map(|reg| self.name(reg)), &[*result])?
            }
            Piece::Load {
                result,
                input,
                stream,
            } => {
                let (name, place) = (self.name(*result), place(*stream));
                let from = match input {
                    crate::ir::Input::ConstantPart(part) => place.constant(*part),
                    word => place.state(*word),
                };
                quote!(let #name = #from;)
            }
            Piece::Broadcast {
                result,
                part,
                stream,
            } => {
                let (name, word) = (self.name(*result), place(*stream).constant(*part));
                quote!(let #name = broadcast!(#word);)
            }
            Piece::Store {
                source,
                output,
                stream,
            } => {
                let (name, to) = (self.name(*source), place(*stream).state(*output));
                quote!(#to = #name;)
            }
        };
        self.push(&statement);
        Ok(())
    }

    /// Some instructions, which have a macro.
    fn rows(
        &mut self,
        instructions: &[Instruction],
        bank: Bank,
    ) -> Result<TokenStream, Diagnostic> {
        let (group, arguments, results) = Group::of(instructions, bank);
        let arguments: Vec<TokenStream> = arguments
            .into_iter()
            .map(|(source, kind)| match source {
                Source::Reg(reg) => self.name(reg),
                Source::Constant(named) => {
                    let side = match bank {
                        Bank::Vector => Side::Main,
                        Bank::General => Side::General,
                    };
                    let name = constant_macro(named.name, Kind::Word, kind, side);
                    let name = format_ident!("{name}");
                    quote!(#name!())
                }
            })
            .collect();
        self.call(group, &arguments, &results)
    }

    /// The statement that invokes a group's macro.
    fn call(
        &mut self,
        group: Group,
        arguments: &[TokenStream],
        results: &[Reg],
    ) -> Result<TokenStream, Diagnostic> {
        let Group { name, body, types } = group;
        let face = Face {
            operands: (0..body.operands.len()).map(operand_name).collect(),
            results: (0..body.results.len()).map(|n| format!("r{n}")).collect(),
            types,
            side: Side::Main,
            pure: false,
        };
        let name = self.macros.define(&name, &body, face)?;
        let name = format_ident!("{name}");
        let names: Vec<TokenStream> = results.iter().map(|reg| self.name(*reg)).collect();
        let bound = match names.as_slice() {
            [one] => quote!(#one),
            several => quote!((#(#several),*)),
        };
        Ok(quote!(let #bound = #name!(#(#arguments),*);))
    }
}

/// Instructions as a body of their own: whatever they read is an operand, constants and what is read
/// twice included; whatever they write is a result, flags aside.
struct Group {
    /// Of its rows and immediates.
    name: String,
    body: Body,
    /// The Rust type of each register.
    types: Vec<&'static str>,
}

impl Group {
    /// The group of some instructions, what its operands are, and what its results.
    fn of(instructions: &[Instruction], bank: Bank) -> (Self, Vec<(Source, Kind)>, Vec<Reg>) {
        let mut body = Body::default();
        let (mut operands, mut results) = (Vec::new(), Vec::new());
        // Those of the operands come first.
        let mut inside: BTreeMap<Reg, Reg> = BTreeMap::new();
        for instruction in instructions {
            for (source, &kind) in instruction.sources.iter().zip(instruction.row.sources) {
                let made = |reg| results.contains(&reg);
                if !source.reg().is_some_and(made) {
                    operands.push((*source, kind));
                    body.registers.push(kind);
                }
            }
            results.extend_from_slice(&instruction.results);
        }
        body.operands = (0..operands.len() as u32).map(Reg).collect();
        let mut name: Vec<String> = Vec::new();
        let mut next = body.operands.clone().into_iter();
        for instruction in instructions {
            let sources = instruction.sources.iter().map(|source| {
                let made = source.reg().and_then(|reg| inside.get(&reg).copied());
                made.or_else(|| next.next()).expect("one for each")
            });
            let sources = sources.map(Source::Reg).collect();
            for (reg, &kind) in instruction.results.iter().zip(instruction.row.results) {
                let new = Reg(body.registers.len() as u32);
                body.registers.push(kind);
                inside.insert(*reg, new);
                if kind != Kind::Flags {
                    body.results.push(new);
                }
            }
            body.instructions.push(Instruction {
                row: instruction.row,
                results: instruction.results.iter().map(|reg| inside[reg]).collect(),
                sources,
                immediates: instruction.immediates.clone(),
            });
            name.push(instruction.row.name.replace(' ', "_"));
            name.extend(instruction.immediates.iter().map(u32::to_string));
        }
        results.retain(|reg| body.results.contains(&inside[reg]));
        let of_type = |kind: &Kind| match (bank, kind) {
            (Bank::General, _) => "u64",
            (Bank::Vector, Kind::Half) => "uint32x2_t",
            (Bank::Vector, _) => "uint64x2_t",
        };
        let group = Self {
            name: name.join("_"),
            types: body.registers.iter().map(of_type).collect(),
            body,
        };
        (group, operands, results)
    }
}

/// Moves whose first operand is the one before, and whose last ones are operands.
fn chain(rows: &[&'static Row]) -> Body {
    let operands = rows.len() as u32;
    let instructions = (0..operands).zip(rows).map(|(n, &row)| {
        let last = Source::Reg(Reg(n));
        let before = n.checked_sub(1).map(|n| Source::Reg(Reg(operands + n)));
        Instruction {
            row,
            results: vec![Reg(operands + n)],
            sources: before.into_iter().chain([last]).collect(),
            immediates: Vec::new(),
        }
    });
    Body {
        registers: vec![Kind::Word; 2 * rows.len()],
        operands: (0..operands).map(Reg).collect(),
        results: vec![Reg(2 * operands - 1)],
        instructions: instructions.collect(),
    }
}

fn operand_name(n: usize) -> String {
    ["a", "b", "c", "d"]
        .get(n)
        .map_or_else(|| format!("s{n}"), |name| (*name).to_owned())
}

impl Place<'_> {
    /// Element 0 of internal rounds, where it is words.
    fn first(&self, input: crate::ir::Input) -> TokenStream {
        let crate::ir::Input::StatePart(_, part) = input else {
            unreachable!("elements have parts here");
        };
        let (group, part) = (literal(self.stream.group), literal(part as usize));
        quote!(first[#group][#part])
    }
}

#[cfg(test)]
mod tests;
