//! Which part of a kernel's file is code.

use std::str::FromStr as _;

use blake3::Hasher;
use proc_macro2::{Delimiter, TokenStream, TokenTree};

use crate::diag::Diagnostic;

/// The hash of the code in a Rust file: of its tokens, without comments and documentation, and without
/// modules of macros that are there to be read. Which brackets a `macro_rules!` has does not matter.
///
/// # Errors
/// It is no Rust.
pub fn code_hash(source: &str) -> Result<String, Diagnostic> {
    let tokens = TokenStream::from_str(source)
        .map_err(|error| Diagnostic::new(format!("generated text is not Rust: {error}")))?;
    let mut hasher = Hasher::new();
    feed(tokens, &mut hasher);
    Ok(hasher.finalize().to_hex()[..16].to_owned())
}

fn feed(tokens: TokenStream, hasher: &mut Hasher) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut rest = tokens.as_slice();
    while let [token, after @ ..] = rest {
        rest = match rest {
            [hash, attribute, after @ ..] if is(hash, '#') && is_doc(attribute) => after,
            [hash, mark, attribute, after @ ..]
                if is(hash, '#') && is(mark, '!') && is_doc(attribute) =>
            {
                after
            }
            [hash, attribute, module, _, _, after @ ..]
                if is(hash, '#') && is_word(module, "mod") && is_unused(attribute) =>
            {
                after
            }
            [rules, mark, name, TokenTree::Group(arms), after @ ..]
                if is_word(rules, "macro_rules") && is(mark, '!') =>
            {
                for token in [rules, mark, name] {
                    tree(token, hasher);
                }
                group(Delimiter::Brace, arms.stream(), hasher);
                match after {
                    [end, after @ ..] if is(end, ';') => after,
                    after => after,
                }
            }
            [equals, arrow, TokenTree::Group(arm), after @ ..]
                if is(equals, '=') && is(arrow, '>') =>
            {
                tree(equals, hasher);
                tree(arrow, hasher);
                group(Delimiter::Brace, arm.stream(), hasher);
                after
            }
            _ => {
                tree(token, hasher);
                after
            }
        };
    }
}

fn tree(token: &TokenTree, hasher: &mut Hasher) {
    match token {
        TokenTree::Group(found) => group(found.delimiter(), found.stream(), hasher),
        token => word(&token.to_string(), hasher),
    }
}

fn group(delimiter: Delimiter, stream: TokenStream, hasher: &mut Hasher) {
    let (open, close) = match delimiter {
        Delimiter::Parenthesis => ("(", ")"),
        Delimiter::Brace => ("{", "}"),
        Delimiter::Bracket => ("[", "]"),
        Delimiter::None => ("", ""),
    };
    word(open, hasher);
    feed(stream, hasher);
    word(close, hasher);
}

/// No token has a space outside of a literal, which ends by itself.
fn word(text: &str, hasher: &mut Hasher) {
    hasher.update(text.as_bytes()).update(b" ");
}

fn is(token: &TokenTree, sign: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == sign)
}

/// Whether the rest of an attribute is what `///` or `//!` becomes.
fn is_doc(attribute: &TokenTree) -> bool {
    let TokenTree::Group(group) = attribute else {
        return false;
    };
    let first = group.stream().into_iter().next();
    matches!(first, Some(TokenTree::Ident(name)) if name == "doc")
}

fn is_word(token: &TokenTree, word: &str) -> bool {
    matches!(token, TokenTree::Ident(name) if name == word)
}

/// Whether the rest of an attribute allows that macros are not used.
fn is_unused(attribute: &TokenTree) -> bool {
    attribute.to_string().replace(' ', "") == "[allow(unused_macros)]"
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
//! Head.
use core::arch::x86_64::*;

/// Adds.
macro_rules! add {
    // Why.
    ($a:ident) => { asm!(\"add // no comment\", $a) };
}
#[inline]
fn f(x: u64) -> u64 { x << 32 }
";

    #[test]
    fn comments_headers_and_layout_are_no_code() {
        let hash = code_hash(TEXT).unwrap();
        assert_eq!(hash.len(), 16);
        let other = TEXT
            .replace("Head", "// @generated, by another command")
            .replace("/// Adds.", "/// Adds.\n/// # Safety\n/// None.")
            .replace("    // Why.\n", "")
            .replace("{ x << 32 }", "{\n    x << 32 // a shift\n}");
        assert_eq!(code_hash(&other).unwrap(), hash);
    }

    #[test]
    fn brackets_of_a_macro_are_layout() {
        let [one, other] = [
            "macro_rules! P { () => { 7_u64 }; } fn f() {}",
            "macro_rules! P(() => (7_u64);); fn f() {}",
        ];
        assert_eq!(code_hash(one).unwrap(), code_hash(other).unwrap());
        let call = "macro_rules! P(() => (f(7_u64));); fn f() {}";
        assert_ne!(code_hash(call).unwrap(), code_hash(other).unwrap());
    }

    #[test]
    fn macros_that_are_only_read_are_no_code() {
        let read = "#[allow(unused_macros)]\nmod macro_ops { macro_rules! add { () => { 0 }; } }\n";
        let hash = code_hash(TEXT).unwrap();
        assert_eq!(code_hash(&format!("{TEXT}{read}")).unwrap(), hash);
        for (old, new) in [("unused_macros", "dead_code"), ("mod", "fn")] {
            let other = read.replace(old, new);
            assert_ne!(code_hash(&format!("{TEXT}{other}")).unwrap(), hash, "{old}");
        }
    }

    #[test]
    fn everything_else_is() {
        let hash = code_hash(TEXT).unwrap();
        let cases = [
            ("32", "31"),
            ("<<", ">>"),
            ("// no comment", "// no"),
            ("#[inline]", "#[inline(never)]"),
            ("#[inline]", ""),
            ("(x: u64)", "(x: u32)"),
            ("$a:ident", "$b:ident"),
        ];
        for (old, new) in cases {
            let other = TEXT.replace(old, new);
            assert_ne!(other, TEXT);
            assert_ne!(code_hash(&other).unwrap(), hash, "{old}");
        }
        assert!(code_hash("fn f(").is_err());
    }
}
