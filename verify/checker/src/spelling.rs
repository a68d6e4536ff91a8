//! Texts as tokens, and patterns of tokens with holes: how instructions are spelled.

use std::collections::BTreeMap;

/// Tokens: words and numbers, strings with the quote before them, and every other character by itself.
/// Whether a comma is before the end of a list is a matter of layout.
pub(crate) fn tokens(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let length = match first {
            '"' => 1 + rest[1..].find('"').unwrap_or(rest.len() - 1),
            _ if word(first) => rest.find(|c| !word(c)).unwrap_or(rest.len()),
            _ => first.len_utf8(),
        };
        if ")]}".contains(first) && all.last().is_some_and(|last| last == ",") {
            all.pop();
        }
        all.push(rest[..length].to_owned());
        let after = &rest[length..];
        let ended = after.strip_prefix('"').filter(|_| first == '"');
        rest = ended.unwrap_or(after).trim_start();
    }
    all
}

/// A pattern of tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Spelling(Vec<Part>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Token(String),
    Hole(String),
}

/// What stands in the holes of a pattern.
pub(crate) type Holes<'t> = BTreeMap<String, &'t [String]>;

impl Spelling {
    /// A pattern whose holes are numbers in braces, `r` and `i` before some of them. In lines of
    /// assembler there are braces around registers as well.
    pub(crate) fn new(text: &str, assembler: bool) -> Self {
        let all = tokens(text);
        let (mut parts, mut at) = (Vec::new(), 0);
        while let Some(token) = all.get(at) {
            at += 1;
            let name = all.get(at).filter(|name| token == "{" && is_hole(name));
            let Some(name) = name else {
                parts.push(Part::Token(token.clone()));
                continue;
            };
            let register = assembler && !name.starts_with('i');
            if register {
                parts.push(Part::Token(token.clone()));
            }
            parts.push(Part::Hole(name.clone()));
            at += if register { 1 } else { 2 };
        }
        Self(parts)
    }

    /// Whether there is such a hole.
    pub(crate) fn names(&self, hole: &str) -> bool {
        let is = |part: &Part| matches!(part, Part::Hole(name) if name == hole);
        self.0.iter().any(is)
    }

    /// What stands in the holes of a text that is spelled so, and the text after it.
    pub(crate) fn prefix<'t>(&self, mut text: &'t [String]) -> Option<(Holes<'t>, &'t [String])> {
        let mut holes = Holes::new();
        for part in &self.0 {
            let length = match part {
                Part::Token(token) => usize::from(text.first()? == token),
                Part::Hole(name) => {
                    let length = match text {
                        // A named constant.
                        [_, call, open, close, ..] if [call, open, close] == ["!", "(", ")"] => 4,
                        _ => 1,
                    };
                    let first = text
                        .first()?
                        .starts_with(|c: char| c.is_alphanumeric() || c == '_');
                    let taken = &text[..length];
                    let before = holes.insert(name.clone(), taken);
                    let same = before.is_none_or(|before| before == taken);
                    if first && same { length } else { 0 }
                }
            };
            if length == 0 {
                return None;
            }
            text = &text[length..];
        }
        Some((holes, text))
    }

    /// What stands in the holes of a text that is spelled so.
    pub(crate) fn whole<'t>(&self, text: &'t [String]) -> Option<Holes<'t>> {
        let (holes, rest) = self.prefix(text)?;
        rest.is_empty().then_some(holes)
    }
}

fn is_hole(name: &str) -> bool {
    let number = name.trim_start_matches(['r', 'i']);
    !number.is_empty() && number.chars().all(|c| c.is_ascii_digit())
}

/// A number as Rust writes it, which is no name.
pub(crate) fn number(text: &str) -> Option<u64> {
    if !text.starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    let digits = ["u64", "u32"]
        .iter()
        .find_map(|kind| text.strip_suffix(kind));
    let digits = digits.unwrap_or(text).replace('_', "");
    match digits.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => digits.parse().ok(),
    }
}
