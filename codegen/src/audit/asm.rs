//! `asm!` blocks read back: template lines, operands, and what they do to registers.

use proc_macro2::TokenTree;
use syn::parse::{Parse, ParseStream};
use syn::{Expr, LitStr, Token};

use super::reading::{Form, Instruction, collapse};

/// One `asm!`.
#[derive(Clone, Debug, Default)]
pub(crate) struct AsmBlock {
    /// Line of the macro's name.
    pub(super) line: usize,
    /// The template, one instruction each, comments dropped.
    pub(super) lines: Vec<Instruction>,
    /// Register operands: `in`, `out`, `inout`, `lateout` or `inlateout`, and the register named by a
    /// string, or `{NAME}` of an operand that the compiler places.
    pub(super) operands: Vec<(String, String)>,
    /// Names in `options(…)`.
    pub(super) options: Vec<String>,
    /// The Rust expressions that operands take.
    pub(super) expressions: Vec<Expr>,
}

/// Reads the tokens of an `asm!`.
pub(super) fn read(mac: &syn::Macro) -> syn::Result<AsmBlock> {
    let mut block: AsmBlock = mac.parse_body()?;
    block.line = syn::spanned::Spanned::span(&mac.path).start().line;
    Ok(block)
}

impl Parse for AsmBlock {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut block = Self::default();
        while !input.is_empty() {
            if input.peek(LitStr) {
                block.template(&input.parse()?);
            } else {
                block.argument(input)?;
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(block)
    }
}

impl AsmBlock {
    fn template(&mut self, literal: &LitStr) {
        let line = literal.span().start().line;
        let text = literal.value();
        let instructions = text.split(['\n', ';']).map(|part| {
            let part = part.split("//").next().unwrap_or_default();
            collapse(part)
        });
        for text in instructions.filter(|text| !text.is_empty()) {
            self.lines.push(Instruction {
                name: text.split(' ').next().unwrap_or_default().to_owned(),
                text,
                line,
                form: Form::Asm,
                place: String::new(),
            });
        }
    }

    fn argument(&mut self, input: ParseStream<'_>) -> syn::Result<()> {
        let name = if input.peek2(Token![=]) {
            let name: syn::Ident = input.parse()?;
            input.parse::<Token![=]>()?;
            Some(name.to_string())
        } else {
            None
        };
        let word = input.call(<syn::Ident as syn::ext::IdentExt>::parse_any)?;
        let content;
        match word.to_string().as_str() {
            "options" | "clobber_abi" => {
                syn::parenthesized!(content in input);
                let tokens: proc_macro2::TokenStream = content.parse()?;
                let names = tokens
                    .into_iter()
                    .filter(|t| !matches!(t, TokenTree::Punct(_)));
                self.options.extend(names.map(|token| token.to_string()));
                Ok(())
            }
            direction @ ("in" | "out" | "inout" | "lateout" | "inlateout") => {
                syn::parenthesized!(content in input);
                let register = if content.peek(LitStr) {
                    content.parse::<LitStr>()?.value()
                } else {
                    content.parse::<syn::Ident>()?;
                    let position = self.operands.len().to_string();
                    format!("{{{}}}", name.unwrap_or(position))
                };
                let register = canonical(&register).unwrap_or(register);
                self.operands.push((direction.to_owned(), register));
                self.value(input)?;
                if input.peek(Token![=>]) {
                    input.parse::<Token![=>]>()?;
                    self.value(input)?;
                }
                Ok(())
            }
            other => Err(syn::Error::new(
                word.span(),
                format!("`{other}` is no operand that a kernel may use"),
            )),
        }
    }

    fn value(&mut self, input: ParseStream<'_>) -> syn::Result<()> {
        if input.peek(Token![_]) {
            input.parse::<Token![_]>()?;
        } else {
            self.expressions.push(input.parse()?);
        }
        Ok(())
    }
}

/// AArch64 mnemonics that write no register that they name.
const WRITE_NOTHING: &[&str] = &[
    "b", "cbnz", "cbz", "ccmn", "ccmp", "cmn", "cmp", "prfm", "st1", "st2", "st3", "st4", "stp",
    "str", "stur", "tbnz", "tbz", "tst",
];

/// AArch64 mnemonics that read the register they write.
const READ_TARGET: &[&str] = &[
    "bfi", "bfm", "bfxil", "bit", "bif", "bsl", "fmla", "fmls", "ins", "mla", "mls", "movk", "sli",
    "smlal", "smlal2", "smlsl", "smlsl2", "sra", "sri", "ssra", "uaba", "uabal", "umlal", "umlal2",
    "umlsl", "umlsl2", "usra", "xtn2", "shrn2", "uadalp", "sadalp",
];

/// x86-64 mnemonics that, with two operands, read the first and write it.
const TWO_OPERANDS: &[&str] = &["add", "sbb", "shl", "shr", "sub"];

/// Whether an operand of an instruction is an address.
pub(super) fn touches_memory(text: &str) -> bool {
    text.split([',', ' '])
        .any(|operand| operand.starts_with('['))
}

/// Registers that an instruction reads and those that it writes, by the conventions of AArch64
/// assembly: the target comes first. x86-64's two operands are told from its three by their number.
pub(super) fn effect(text: &str) -> (Vec<String>, Vec<String>) {
    let (name, operands) = text.split_once(' ').unwrap_or((text, ""));
    let two = operands.matches(',').count() == 1;
    let halves: Vec<&str> = operands.split(',').map(str::trim).collect();
    // A register taken from itself leaves nothing of what it held.
    let own = name == "sbb" && two && halves[0] == halves[1];
    let mnemonic = name.split('.').next().unwrap_or_default();
    let targets = match mnemonic {
        name if WRITE_NOTHING.contains(&name) => 0,
        "ldp" => 2,
        "ld1" | "ld2" | "ld3" | "ld4" => operands[..operands.find('}').unwrap_or(0)]
            .split(',')
            .count(),
        _ => 1,
    };
    let overwritten = two && TWO_OPERANDS.contains(&mnemonic);
    let reads_target = READ_TARGET.contains(&mnemonic) || overwritten;
    let updated = updated_base(operands);
    let (mut reads, mut writes) = (Vec::new(), Vec::new());
    for (n, (register, part)) in registers(operands).into_iter().enumerate() {
        // One lane of a vector is written, the others are kept.
        let partial = part.contains('[');
        if n < targets || updated.as_ref() == Some(&register) {
            writes.push(register.clone());
        }
        if (n >= targets || reads_target || partial) && !own {
            reads.push(register);
        }
    }
    (reads, writes)
}

/// The base register of `[x0, #8]!` and `[x0], #8`, which is written back.
fn updated_base(operands: &str) -> Option<String> {
    let (open, close) = (operands.find('[')?, operands.rfind(']')?);
    let after = operands[close + 1..].trim_start();
    let address = operands[..open].trim_end().ends_with([',', '}']);
    let updates = address && (after.starts_with('!') || after.starts_with(','));
    let inside = operands.get(open + 1..close)?;
    let base = inside.split(',').next().unwrap_or_default();
    updates.then(|| canonical(base.trim())).flatten()
}

/// Registers named in the operands of an instruction, each with what directly follows its name.
fn registers(operands: &str) -> Vec<(String, &str)> {
    let mut found = Vec::new();
    let mut rest = operands;
    while let Some(start) = rest.find(|c: char| c.is_ascii_alphabetic() || c == '{' || c == '#') {
        rest = &rest[start..];
        if let Some(list) = rest.strip_prefix("{{") {
            rest = list;
            continue;
        }
        let token = if rest.starts_with('{') {
            rest.find('}').map_or(rest.len(), |close| close + 1)
        } else {
            let word = |c: char| !(c.is_ascii_alphanumeric() || c == '_');
            rest[1..].find(word).map_or(rest.len(), |end| end + 1)
        };
        let (name, after) = rest.split_at(token);
        let suffix = &after[..after.find([',', ' ', '}']).unwrap_or(after.len())];
        let placed = name.starts_with('{') && name.ends_with('}');
        let name = if placed {
            let inner = name[1..name.len() - 1].split(':').next();
            inner.map(|inner| format!("{{{inner}}}"))
        } else {
            canonical(name)
        };
        found.extend(name.map(|name| (name, suffix)));
        // An arrangement such as `.2d` is no name.
        rest = if suffix.starts_with('.') {
            &after[suffix.len()..]
        } else {
            after
        };
    }
    found
}

/// One name for each register: `x5` for `w5`, `v3` for `q3` or `d3`; `None` for what is none.
pub(super) fn canonical(name: &str) -> Option<String> {
    match name {
        "sp" | "wsp" => return Some("sp".to_owned()),
        "fp" => return Some("x29".to_owned()),
        "lr" => return Some("x30".to_owned()),
        _ => {}
    }
    let (letter, number) = name.split_at_checked(1)?;
    let number: u8 = number.parse().ok().filter(|n| *n < 32)?;
    match letter {
        "x" | "w" => Some(format!("x{number}")),
        "v" | "q" | "d" | "s" => Some(format!("v{number}")),
        _ => None,
    }
}
