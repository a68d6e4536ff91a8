//! Text of one instruction: tokens, patterns with holes, matching and filling.
//!
//! Rust expressions and assembler lines are read by the same matcher; an instruction has exactly
//! one spelling, its row's, so nothing more general is wanted.

use std::borrow::Cow;
use std::ops::Range;

use super::{Reading, Row};

/// What stands in a hole of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// A register written.
    Result(usize),
    /// An operand read.
    Source(usize),
    /// An immediate.
    Immediate(usize),
}

/// A hole of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hole {
    /// What stands there.
    pub operand: Operand,
    /// The view of the register, by its letter; none for all of it.
    pub view: Option<char>,
}

impl Hole {
    /// A name with the view, as `name:w`.
    #[must_use]
    pub fn viewed(self, name: &str) -> String {
        match self.view {
            Some(view) => format!("{name}:{view}"),
            None => name.to_owned(),
        }
    }
}

/// The sort of a [`Token`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// A name, keyword or mnemonic.
    Name,
    /// An unsigned integer.
    Number(u64),
    /// Any other single character.
    Mark(char),
}

/// A token and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Its bytes.
    pub span: Range<usize>,
}

fn number(text: &str) -> Option<u64> {
    let literal = syn::parse_str::<syn::LitInt>(text).ok()?;
    let plain = literal.suffix().is_empty();
    plain.then(|| literal.base10_parse().ok()).flatten()
}

/// Splits one line into tokens; white space separates and is dropped.
#[must_use]
pub fn tokens(text: &str) -> Vec<Token> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let end = match is_word(first) {
            true => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        let kind = match first {
            '0'..='9' => number(&rest[..end]).map_or(TokenKind::Name, TokenKind::Number),
            _ if is_word(first) => TokenKind::Name,
            mark => TokenKind::Mark(mark),
        };
        let start = text.len() - rest.len();
        let span = start..start + end;
        tokens.push(Token { kind, span });
        rest = rest[end..].trim_start();
    }
    tokens
}

/// A piece of a pattern.
#[derive(Debug, PartialEq)]
enum Piece<'a> {
    Literal(&'a str),
    Hole(Hole),
}

fn hole(text: &str) -> Option<Hole> {
    let (operand, view) = match text.split_once(':') {
        Some((operand, view)) => (operand, Some(view.parse().ok()?)),
        None => (text, None),
    };
    let operand = match operand.as_bytes().first()? {
        b'r' => Operand::Result(operand[1..].parse().ok()?),
        b'i' => Operand::Immediate(operand[1..].parse().ok()?),
        _ => Operand::Source(operand.parse().ok()?),
    };
    Some(Hole { operand, view })
}

/// Braces around anything else are part of the text.
fn pieces(pattern: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let (mut rest, mut from) = (pattern, 0);
    while let Some(open) = rest[from..].find('{').map(|open| from + open) {
        let inside = rest[open + 1..].split_once('}');
        let Some((hole, after)) = inside.and_then(|(text, after)| Some((hole(text)?, after)))
        else {
            from = open + 1;
            continue;
        };
        pieces.extend([Piece::Literal(&rest[..open]), Piece::Hole(hole)]);
        (rest, from) = (after, 0);
    }
    pieces.push(Piece::Literal(rest));
    pieces
}

/// The holes of a pattern.
pub(super) fn holes(pattern: &str) -> impl Iterator<Item = Hole> + '_ {
    pieces(pattern).into_iter().filter_map(|piece| match piece {
        Piece::Literal(_) => None,
        Piece::Hole(hole) => Some(hole),
    })
}

/// The pattern with its holes filled.
pub(super) fn fill(pattern: &str, mut fill: impl FnMut(Hole) -> String) -> String {
    pieces(pattern)
        .into_iter()
        .map(|piece| match piece {
            Piece::Literal(text) => Cow::Borrowed(text),
            Piece::Hole(hole) => Cow::Owned(fill(hole)),
        })
        .collect()
}

impl Row {
    /// How it is written: first as it is rendered, then as it may be read, too.
    pub(super) fn texts(&self) -> impl Iterator<Item = &'static str> {
        let texts = self.rust.into_iter().chain(self.template);
        let alone = self.rust.is_none() && self.template.is_none();
        texts.chain(self.line.filter(|_| alone))
    }

    /// Reads `tokens` of `text` as this instruction.
    pub(super) fn find(&'static self, text: &str, tokens: &[Token]) -> Option<Reading> {
        // Nearly all rows begin with another name.
        let first = tokens.first().map_or("", |first| &text[first.span.clone()]);
        let near = |pattern: &&str| pattern.starts_with('{') || pattern.starts_with(first);
        let mut texts = self.texts().filter(near);
        texts.find_map(|pattern| self.find_as(pattern, text, tokens))
    }

    fn find_as(&'static self, pattern: &str, text: &str, tokens: &[Token]) -> Option<Reading> {
        let mut found = Reading {
            row: self,
            results: vec![None; self.results.len()],
            sources: vec![None; self.sources.len()],
            immediates: vec![(0, 0..0); self.immediates.len()],
        };
        let mut rest = tokens.iter();
        for piece in pieces(pattern) {
            match piece {
                Piece::Literal(literal) => {
                    for expected in self::tokens(literal) {
                        let token = rest.next()?;
                        if text[token.span.clone()] != literal[expected.span] {
                            return None;
                        }
                    }
                }
                Piece::Hole(hole) => {
                    let token = rest.next()?;
                    match (hole.operand, token.kind) {
                        (Operand::Result(n), TokenKind::Name) => {
                            found.results[n] = Some(token.span.clone());
                        }
                        (Operand::Source(n), TokenKind::Name) => {
                            // Where it is named twice, it is the same.
                            let before = found.sources[n].replace(token.span.clone());
                            if before.is_some_and(|before| text[before] != text[token.span.clone()])
                            {
                                return None;
                            }
                        }
                        (Operand::Immediate(n), TokenKind::Number(value)) => {
                            found.immediates[n] = (value, token.span.clone());
                        }
                        _ => return None,
                    }
                    if let Some(view) = hole.view {
                        let given = [rest.next()?, rest.next()?].map(|t| &text[t.span.clone()]);
                        if given != [":", &String::from(view)] {
                            return None;
                        }
                    }
                }
            }
        }
        rest.next().is_none().then_some(found)
    }
}

/// The part of an instruction's text that names it: the mnemonic, or the path before the
/// arguments.
pub(super) fn head(text: &str) -> &str {
    let text = text.trim();
    let end = text
        .find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'))
        .unwrap_or(text.len());
    text[..end].trim_end_matches(':')
}
