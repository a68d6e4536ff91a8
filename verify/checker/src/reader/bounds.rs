//! How deep a text may be before a parser is given it: one that is too deep would end the program.

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// Tokens that may stand inside each other. The stack gets as deep.
pub(super) const DEEP: usize = 150;

/// Characters of a name or a number. What a loop does with a name, and a parser with a number, takes long with more.
pub(super) const LONG: usize = 100;

/// Whether it is such a word, and a longer one.
fn is_long(token: &TokenTree) -> bool {
    let word = match token {
        TokenTree::Ident(name) => name.to_string(),
        TokenTree::Literal(literal) => literal.to_string(),
        TokenTree::Group(_) | TokenTree::Punct(_) => return false,
    };
    word.len() > LONG && !word.starts_with('"')
}

/// Whether no word is too long, and a parser gets no deeper than so many tokens. It begins anew behind a semicolon, behind a
/// comma of a list without generics and closures, and where something else follows a block.
pub(super) fn shallow(tokens: TokenStream, deep: usize) -> bool {
    let (mut left, mut list, mut ended) = (deep, true, false);
    tokens.into_iter().all(|token| {
        // Blocks take the most of the stack, and attributes stand beside each other.
        let (takes, anew, block) = match &token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => (2, false, true),
            TokenTree::Ident(word) => {
                let goes_on = ["else", "as", "in"].iter().any(|on| word == on);
                (1, ended && !goes_on, false)
            }
            TokenTree::Punct(mark) => match mark.as_char() {
                ';' => (1, true, false),
                ',' => (1, list, false),
                '#' => (0, ended, false),
                mark => {
                    list &= mark != '<' && mark != '|';
                    (1, false, false)
                }
            },
            _ => (1, false, false),
        };
        if anew {
            (left, list) = (deep, true);
        }
        ended = block;
        left = left.saturating_sub(takes);
        left > 0
            && !is_long(&token)
            && match token {
                TokenTree::Group(inner) => shallow(inner.stream(), left),
                _ => true,
            }
    })
}
