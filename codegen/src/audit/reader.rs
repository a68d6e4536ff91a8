//! Walks the syntax tree of a rendered kernel and notes what it says.

use proc_macro2::{Span, TokenStream, TokenTree};
use syn::parse::Parser as _;
use syn::spanned::Spanned as _;
use syn::visit::{self, Visit};

use super::asm;
use super::reading::{Branch, Form, Function, Instruction, Loop, Reading, collapse};

/// Everything but the sites, which stand in comments.
pub(super) fn read(file: &syn::File) -> Result<Reading, syn::Error> {
    let mut reader = Reader::default();
    reader.visit_file(file);
    match reader.error {
        Some(error) => Err(error),
        None => Ok(reader.reading),
    }
}

#[derive(Default)]
struct Reader {
    reading: Reading,
    place: String,
    /// What names of macros begin with: the module that they are in.
    module: String,
    /// Inside an index, a range, a condition or a constant: arithmetic here is on indices.
    indexing: usize,
    depth: usize,
    /// Variables of the loops over ranges around the place at hand.
    counters: Vec<String>,
    asm_in_place: usize,
    error: Option<syn::Error>,
}

impl Reader {
    fn instruction(&self, name: String, span: Span, form: Form) -> Instruction {
        Instruction {
            name,
            text: source(span),
            line: span.start().line,
            form,
            place: self.place.clone(),
        }
    }

    fn push(&mut self, name: String, span: Span, form: Form) {
        let instruction = self.instruction(name, span, form);
        self.reading.instructions.push(instruction);
    }

    fn indexing(&mut self, visit: impl FnOnce(&mut Self)) {
        self.indexing += 1;
        visit(self);
        self.indexing -= 1;
    }

    fn enter(&mut self, place: String, visit: impl FnOnce(&mut Self)) {
        let outer = (
            std::mem::replace(&mut self.place, place),
            std::mem::take(&mut self.asm_in_place),
        );
        visit(self);
        (self.place, self.asm_in_place) = outer;
    }

    fn operator(&mut self, span: Span, name: String) {
        if self.indexing == 0 {
            let operator = self.instruction(name, span, Form::Operator);
            self.reading.operators.push(operator);
        }
    }

    fn fail(&mut self, error: syn::Error) {
        self.error.get_or_insert(error);
    }

    fn asm(&mut self, mac: &syn::Macro) {
        self.asm_in_place += 1;
        let block = match asm::read(mac) {
            Ok(block) => block,
            Err(error) => return self.fail(error),
        };
        let place = format!("{} asm {}", self.place, self.asm_in_place);
        for line in &block.lines {
            self.reading.instructions.push(Instruction {
                place: place.clone(),
                ..line.clone()
            });
        }
        for expression in &block.expressions {
            self.visit_expr(expression);
        }
        self.reading.asm.push(block);
    }

    /// The bodies of a `macro_rules!`, read as blocks over its parameters.
    fn rules(&mut self, item: &syn::ItemMacro) {
        let Some(ident) = &item.ident else {
            return self.visit_macro(&item.mac);
        };
        let name = format!("{}{ident}", self.module);
        let line = ident.span().start().line;
        self.reading.macros.push((line, name.clone()));
        let mut tokens = item.mac.tokens.clone().into_iter().peekable();
        while let Some(token) = tokens.next() {
            // pattern => body ;
            let arrow = matches!(&token, TokenTree::Punct(p) if p.as_char() == '>');
            let Some(TokenTree::Group(body)) = tokens.next_if(|_| arrow) else {
                continue;
            };
            let statements = syn::Block::parse_within;
            match statements.parse2(without_dollars(body.stream())) {
                Ok(statements) => self.enter(format!("{name}!"), |reader| {
                    for statement in &statements {
                        reader.visit_stmt(statement);
                    }
                }),
                Err(error) => self.fail(error),
            }
        }
    }
}

/// Names that a pattern binds.
#[derive(Default)]
struct Bound(Vec<String>);

impl<'ast> Visit<'ast> for Bound {
    fn visit_pat_ident(&mut self, name: &'ast syn::PatIdent) {
        self.0.push(name.ident.to_string());
        visit::visit_pat_ident(self, name);
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
        self.reading.functions.push(Function {
            name: item.sig.ident.to_string(),
            line: item.sig.ident.span().start().line,
            features: item.attrs.iter().flat_map(features).collect(),
        });
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

    fn visit_item_const(&mut self, item: &'ast syn::ItemConst) {
        self.indexing(|reader| visit::visit_item_const(reader, item));
    }

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        let name = path_name(&mac.path);
        if name == "asm" || name.ends_with("::asm") {
            return self.asm(mac);
        }
        let arguments = syn::punctuated::Punctuated::<syn::Expr, syn::Token![,]>::parse_terminated;
        match mac.parse_body_with(arguments) {
            Ok(arguments) => arguments.iter().for_each(|a| self.visit_expr(a)),
            Err(error) => self.fail(error),
        }
        self.push(name, mac.span(), Form::Macro);
    }

    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        visit::visit_expr_call(self, call);
        let name = match &*call.func {
            syn::Expr::Path(path) => path_name(&path.path),
            other => source(other.span()),
        };
        self.push(name, call.span(), Form::Call);
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        let name = call.method.to_string();
        self.visit_expr(&call.receiver);
        let pointer = ["add", "sub", "offset", "get_unchecked", "get_unchecked_mut"];
        let pointer = usize::from(pointer.contains(&name.as_str()));
        self.indexing += pointer;
        call.args.iter().for_each(|a| self.visit_expr(a));
        self.indexing -= pointer;
        self.push(name, call.span(), Form::Method);
    }

    fn visit_expr_binary(&mut self, binary: &'ast syn::ExprBinary) {
        let span = binary.op.span();
        self.operator(span, source(span));
        visit::visit_expr_binary(self, binary);
    }

    fn visit_expr_unary(&mut self, unary: &'ast syn::ExprUnary) {
        let literal = matches!(*unary.expr, syn::Expr::Lit(_));
        if !literal && !matches!(unary.op, syn::UnOp::Deref(_)) {
            let span = unary.op.span();
            self.operator(span, source(span));
        }
        visit::visit_expr_unary(self, unary);
    }

    fn visit_expr_cast(&mut self, cast: &'ast syn::ExprCast) {
        let to = source(cast.ty.span());
        self.operator(cast.as_token.span(), format!("as {to}"));
        visit::visit_expr_cast(self, cast);
    }

    fn visit_expr_index(&mut self, index: &'ast syn::ExprIndex) {
        self.visit_expr(&index.expr);
        self.indexing(|reader| reader.visit_expr(&index.index));
    }

    fn visit_expr_range(&mut self, range: &'ast syn::ExprRange) {
        self.indexing(|reader| visit::visit_expr_range(reader, range));
    }

    fn visit_local(&mut self, local: &'ast syn::Local) {
        visit::visit_local(self, local);
        // A variable that takes a counter's name is no counter.
        let mut bound = Bound::default();
        bound.visit_pat(&local.pat);
        self.counters.retain(|counter| !bound.0.contains(counter));
    }

    fn visit_expr(&mut self, expression: &'ast syn::Expr) {
        use syn::Expr::{Break, Continue, Loop, Match, Return, Try, While};
        match expression {
            Match(_) | Return(_) | Break(_) | Continue(_) | Try(_) => {
                self.branch(expression.span(), false);
            }
            While(looped) => self.unbounded(looped.while_token.span()),
            Loop(looped) => self.unbounded(looped.loop_token.span()),
            _ => {}
        }
        visit::visit_expr(self, expression);
    }

    fn visit_expr_if(&mut self, branch: &'ast syn::ExprIf) {
        let plain = branch.else_branch.is_none() && self.compares_counter(&branch.cond);
        self.branch(branch.cond.span(), plain);
        self.indexing(|reader| reader.visit_expr(&branch.cond));
        self.visit_block(&branch.then_branch);
        if let Some((_, other)) = &branch.else_branch {
            self.visit_expr(other);
        }
    }

    fn visit_expr_repeat(&mut self, repeat: &'ast syn::ExprRepeat) {
        self.visit_expr(&repeat.expr);
        self.indexing(|reader| reader.visit_expr(&repeat.len));
    }

    fn visit_expr_unsafe(&mut self, block: &'ast syn::ExprUnsafe) {
        let line = block.unsafe_token.span().start().line;
        self.reading.unsafe_blocks.push(line);
        visit::visit_expr_unsafe(self, block);
    }

    fn visit_expr_for_loop(&mut self, looped: &'ast syn::ExprForLoop) {
        self.reading.loops.push(Loop {
            line: looped.for_token.span().start().line,
            trips: trips(&looped.expr),
            text: source(looped.expr.span()),
            depth: self.depth,
            bounded: true,
        });
        self.visit_expr(&looped.expr);
        let outer = self.counters.clone();
        if let (syn::Pat::Ident(counter), syn::Expr::Range(_)) = (&*looped.pat, &*looped.expr) {
            self.counters.push(counter.ident.to_string());
        }
        self.depth += 1;
        self.visit_block(&looped.body);
        self.depth -= 1;
        self.counters = outer;
    }
}

impl Reader {
    fn branch(&mut self, span: Span, on_counter: bool) {
        self.reading.branches.push(Branch {
            line: span.start().line,
            text: source(span),
            on_counter,
        });
    }

    /// `step == 4`, where `step` is the variable of a loop.
    fn compares_counter(&self, condition: &syn::Expr) -> bool {
        let syn::Expr::Binary(comparison) = condition else {
            return false;
        };
        let syn::Expr::Path(variable) = &*comparison.left else {
            return false;
        };
        let counter = |counter| variable.path.is_ident(counter);
        self.counters.iter().any(counter) && literal(&comparison.right).is_some()
    }

    fn unbounded(&mut self, token: Span) {
        self.reading.loops.push(Loop {
            line: token.start().line,
            trips: None,
            text: source(token),
            depth: self.depth,
            bounded: false,
        });
    }
}

/// What stands there.
fn source(span: Span) -> String {
    collapse(&span.source_text().unwrap_or_default())
}

fn trips(range: &syn::Expr) -> Option<u64> {
    let syn::Expr::Range(range) = range else {
        return None;
    };
    let (start, end) = (range.start.as_deref()?, range.end.as_deref()?);
    let inclusive = matches!(range.limits, syn::RangeLimits::Closed(_));
    (literal(end)? + u64::from(inclusive)).checked_sub(literal(start)?)
}

fn literal(expression: &syn::Expr) -> Option<u64> {
    match expression {
        syn::Expr::Lit(syn::ExprLit {
            lit: syn::Lit::Int(value),
            ..
        }) => value.base10_parse().ok(),
        _ => None,
    }
}

fn features(attribute: &syn::Attribute) -> Vec<String> {
    let mut found = Vec::new();
    if attribute.path().is_ident("target_feature") {
        // What is not `enable = "…"` leaves the list short, which the audit reports.
        let _ = attribute.parse_nested_meta(|meta| {
            let list: syn::LitStr = meta.value()?.parse()?;
            found.extend(list.value().split(',').map(|name| name.trim().to_owned()));
            Ok(())
        });
    }
    found
}

/// The path without generic arguments and without `core::arch::ARCH::`.
fn path_name(path: &syn::Path) -> String {
    let names: Vec<_> = path.segments.iter().map(|s| s.ident.to_string()).collect();
    match names.as_slice() {
        [_, arch, _, rest @ ..] if arch == "arch" && !rest.is_empty() => rest.join("::"),
        all => all.join("::"),
    }
}
