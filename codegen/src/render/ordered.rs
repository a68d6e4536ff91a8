//! Statements in an order of our own: every instruction a macro around one line of assembler, which
//! the compiler gives registers and leaves where it is.
//!
//! Left to itself the compiler puts the instructions of the long chain through an S-box next to each
//! other, and the vectors' beside them after them; a core then waits for the one with nothing of
//! the other in sight.

use super::comments;
use super::general;
use super::rust::{Layout, Place, Stream, literal};
use super::wrapped::{self, Line, Shape, result_name, source_name};
use crate::asm::Bodies;
use crate::asm::mixed::{Bank, Held, Mixed, Piece, Recipe, mixed};
use crate::diag::Diagnostic;
use crate::ir::BlockKind;
use crate::isa::Kind;
use crate::isa::assembler::{JOIN, TAKE, assembler};
use crate::machine::{Instruction, Reg, Source};
use crate::names::Core;
use crate::prove::Proved;
use crate::schedule::{is_order, list_schedule};
use proc_macro2::TokenStream;
use quote::{ToTokens as _, format_ident, quote};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// The statements of a block, and the macros that they invoke, by name.
pub(super) struct Ordered {
    pub(super) statements: String,
    pub(super) macros: BTreeMap<String, String>,
}

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
) -> Result<Ordered, Diagnostic> {
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
        macros: BTreeMap::new(),
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
        text.piece(&code.pieces[n], &place);
    }
    for port in &code.exits {
        let (held, place) = (text.held(port.held), place(port.stream));
        let to = match port.held {
            Held::Vector(_) => place.state(port.word),
            Held::Words(_) => place.first(port.word),
        };
        text.push(&quote!(#to = #held;));
    }
    Ok(Ordered {
        statements: text.statements,
        macros: text.macros,
    })
}

struct Writer<'a> {
    code: &'a Mixed,
    statements: String,
    macros: BTreeMap<String, String>,
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

    fn piece<'b>(&mut self, piece: &Piece, place: &dyn Fn(usize) -> Place<'b>) {
        let statement = match piece {
            Piece::Rows {
                instructions, bank, ..
            } => self.rows(instructions, *bank),
            Piece::Take {
                result,
                source,
                lane,
            } => {
                let line = Line {
                    text: TAKE[*lane],
                    ..Line::default()
                };
                let call = format_ident!("take_{lane}");
                let shape = Shape {
                    sources: vec!["uint64x2_t"],
                    results: vec!["u64"],
                };
                wrapped::define(&mut self.macros, call.to_string(), &[line], &shape);
                let (result, source) = (self.name(*result), self.name(*source));
                quote!(let #result = #call!(#source);)
            }
            Piece::Join { result, words } => {
                let line = |text| Line {
                    text,
                    ..Line::default()
                };
                let shape = Shape {
                    sources: vec!["u64"; 2],
                    results: vec!["uint64x2_t"],
                };
                wrapped::define(&mut self.macros, "join".to_owned(), &JOIN.map(line), &shape);
                let result = self.name(*result);
                let words = words.map(|reg| self.name(reg));
                quote!(let #result = join!(#(#words),*);)
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
    }

    /// The call of the macro of some instructions.
    fn rows(&mut self, instructions: &[Instruction], bank: Bank) -> TokenStream {
        let mut sources: Vec<(Source, Kind)> = Vec::new();
        let mut results: Vec<(Reg, Kind)> = Vec::new();
        let (mut lines, mut name) = (Vec::new(), String::new());
        for instruction in instructions {
            let row = instruction.row;
            let mut line = Line {
                text: assembler(row).expect("tests find a line for every row"),
                ..Line::default()
            };
            for (source, &kind) in instruction.sources.iter().zip(row.sources) {
                if kind == Kind::Flags {
                    line.sources.push(String::new());
                    continue;
                }
                let made = results
                    .iter()
                    .position(|(reg, _)| *source == Source::Reg(*reg));
                line.sources.push(match made {
                    Some(n) => result_name(n),
                    None => {
                        sources.push((source.clone(), kind));
                        source_name(sources.len() - 1)
                    }
                });
            }
            for (reg, &kind) in instruction.results.iter().zip(row.results) {
                if kind != Kind::Flags {
                    line.results.push(result_name(results.len()));
                    results.push((*reg, kind));
                }
            }
            line.immediates.clone_from(&instruction.immediates);
            let _ = write!(name, "_{}", row.name.replace(' ', "_"));
            for immediate in &line.immediates {
                let _ = write!(name, "_{immediate}");
            }
            lines.push(line);
        }
        let kind = |kind: &Kind| match (bank, kind) {
            (Bank::General, _) => "u64",
            (Bank::Vector, Kind::Half) => "uint32x2_t",
            (Bank::Vector, _) => "uint64x2_t",
        };
        let shape = Shape {
            sources: sources.iter().map(|(_, k)| kind(k)).collect(),
            results: results.iter().map(|(_, k)| kind(k)).collect(),
        };
        let name = name.trim_start_matches('_').to_owned();
        wrapped::define(&mut self.macros, name.clone(), &lines, &shape);
        let name = format_ident!("{name}");
        let sources = sources.iter().map(|(source, kind)| match source {
            Source::Reg(reg) => self.name(*reg),
            Source::Constant(constant) => constant_of(constant, *kind, bank),
        });
        let names: Vec<TokenStream> = results.iter().map(|(reg, _)| self.name(*reg)).collect();
        let bound = match names.as_slice() {
            [one] => quote!(#one),
            several => quote!((#(#several),*)),
        };
        quote!(let #bound = #name!(#(#sources),*);)
    }
}

/// The macro of a named constant.
fn constant_of(name: &str, kind: Kind, bank: Bank) -> TokenStream {
    let suffix = match (bank, kind) {
        (Bank::General, _) => "_GENERAL",
        (Bank::Vector, Kind::Half) => "_HALF",
        (Bank::Vector, _) => "",
    };
    let name = format_ident!("{name}{suffix}");
    quote!(#name!())
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
