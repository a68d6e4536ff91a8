//! The instructions of a rendered kernel, read back from its text.

use proc_macro2::{Span, TokenStream, TokenTree};
use syn::parse::Parser as _;
use syn::spanned::Spanned as _;
use syn::visit::{self, Visit};
use syn::{Expr, LitStr, Token};

/// One instruction, call or macro invocation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Instruction {
    /// Mnemonic, path without `core::arch::…`, method or macro name.
    pub(super) name: String,
    /// As it stands there, white space collapsed.
    pub(super) text: String,
    /// Its line, from 1.
    pub(super) line: usize,
    /// The function or macro it stands in, which ends in `!`; an `asm!` block of it has a number.
    pub(super) place: String,
}

/// Reads a rendered file, in the order of the text; the error says that it is not Rust.
pub(super) fn read(source: &str) -> Result<Vec<Instruction>, syn::Error> {
    let mut reader = Reader::default();
    reader.visit_file(&syn::parse_file(source)?);
    match reader.error {
        Some(error) => Err(error),
        None => Ok(reader.instructions),
    }
}

#[derive(Default)]
struct Reader {
    instructions: Vec<Instruction>,
    place: String,
    /// What names of macros begin with: the module that they are in.
    module: String,
    asm_in_place: usize,
    error: Option<syn::Error>,
}

impl Reader {
    fn push(&mut self, name: String, span: Span) {
        self.instructions.push(Instruction {
            name,
            text: source(span),
            line: span.start().line,
            place: self.place.clone(),
        });
    }

    fn enter(&mut self, place: String, visit: impl FnOnce(&mut Self)) {
        let place = std::mem::replace(&mut self.place, place);
        let asm_in_place = std::mem::take(&mut self.asm_in_place);
        visit(self);
        (self.place, self.asm_in_place) = (place, asm_in_place);
    }

    fn fail(&mut self, error: syn::Error) {
        self.error.get_or_insert(error);
    }

    /// The lines of an `asm!`.
    fn asm(&mut self, mac: &syn::Macro) {
        self.asm_in_place += 1;
        let place = format!("{} asm {}", self.place, self.asm_in_place);
        for token in mac.tokens.clone() {
            let TokenTree::Literal(literal) = token else {
                continue;
            };
            let span = literal.span();
            let text = TokenTree::Literal(literal).into();
            // What is no string is the number of something.
            let Ok(text) = syn::parse2::<LitStr>(text) else {
                continue;
            };
            let text = collapse(&text.value());
            self.instructions.push(Instruction {
                name: text.split(' ').next().unwrap_or_default().to_owned(),
                text,
                line: span.start().line,
                place: place.clone(),
            });
        }
    }

    /// The bodies of a `macro_rules!`, read as blocks over its parameters.
    fn rules(&mut self, item: &syn::ItemMacro) {
        let Some(ident) = &item.ident else {
            return self.visit_macro(&item.mac);
        };
        let name = format!("{}{ident}!", self.module);
        let mut tokens = item.mac.tokens.clone().into_iter().peekable();
        while let Some(token) = tokens.next() {
            // pattern => body ;
            let arrow = matches!(&token, TokenTree::Punct(p) if p.as_char() == '>');
            let Some(TokenTree::Group(body)) = tokens.next_if(|_| arrow) else {
                continue;
            };
            let statements = syn::Block::parse_within;
            match statements.parse2(without_dollars(body.stream())) {
                Ok(statements) => self.enter(name.clone(), |reader| {
                    for statement in &statements {
                        reader.visit_stmt(statement);
                    }
                }),
                Err(error) => self.fail(error),
            }
        }
    }
}

/// `$a` reads as `a`.
fn without_dollars(tokens: TokenStream) -> TokenStream {
    let keep = |token: &TokenTree| !matches!(token, TokenTree::Punct(p) if p.as_char() == '$');
    let inner = |token| match token {
        TokenTree::Group(group) => {
            let mut inner =
                proc_macro2::Group::new(group.delimiter(), without_dollars(group.stream()));
            inner.set_span(group.span());
            TokenTree::Group(inner)
        }
        other => other,
    };
    tokens.into_iter().filter(keep).map(inner).collect()
}

impl<'ast> Visit<'ast> for Reader {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.enter(item.sig.ident.to_string(), |reader| {
            reader.visit_block(&item.block);
        });
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        self.module = format!("{}::", item.ident);
        visit::visit_item_mod(self, item);
        self.module.clear();
    }

    fn visit_item_macro(&mut self, item: &'ast syn::ItemMacro) {
        if item.mac.path.is_ident("macro_rules") {
            self.rules(item);
        } else {
            self.visit_macro(&item.mac);
        }
    }

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        let name = path_name(&mac.path);
        if name == "asm" || name.ends_with("::asm") {
            return self.asm(mac);
        }
        let arguments = syn::punctuated::Punctuated::<Expr, Token![,]>::parse_terminated;
        match mac.parse_body_with(arguments) {
            Ok(arguments) => arguments.iter().for_each(|a| self.visit_expr(a)),
            Err(error) => self.fail(error),
        }
        self.push(name, mac.span());
    }

    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        visit::visit_expr_call(self, call);
        let name = match &*call.func {
            Expr::Path(path) => path_name(&path.path),
            other => source(other.span()),
        };
        self.push(name, call.span());
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        visit::visit_expr_method_call(self, call);
        self.push(call.method.to_string(), call.span());
    }
}

/// What stands there.
fn source(span: Span) -> String {
    collapse(&span.source_text().unwrap_or_default())
}

/// White space as in one line of code.
fn collapse(text: &str) -> String {
    let words: Vec<_> = text.split_whitespace().collect();
    let text = words.join(" ");
    text.replace("( ", "(")
        .replace(", )", ")")
        .replace(" )", ")")
}

/// The path without generic arguments and without `core::arch::ARCH::`.
fn path_name(path: &syn::Path) -> String {
    let names: Vec<_> = path.segments.iter().map(|s| s.ident.to_string()).collect();
    match names.as_slice() {
        [_, arch, _, rest @ ..] if arch == "arch" && !rest.is_empty() => rest.join("::"),
        all => all.join("::"),
    }
}
