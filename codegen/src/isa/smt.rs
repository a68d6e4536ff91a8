//! SMT-LIB as far as instructions are written in it: symbolic expressions, and functions of terms.
//!
//! What is not known here is refused. Sorts are left to solvers: a Bool is a term of one bit, as is a
//! vector of one.

use std::collections::HashMap;
use std::iter::Peekable;

use crate::term::tape::Tape;
use crate::term::{Op, Term};

/// A symbolic expression: a list, or else a symbol (without its bars) or a literal.
#[derive(Debug)]
pub(super) struct Tree {
    line: usize,
    pub(super) atom: &'static str,
    items: Vec<Self>,
}

/// Marks and words, each with its line.
fn words(text: &'static str) -> impl Iterator<Item = (usize, &'static str)> {
    (1..).zip(text.lines()).flat_map(|(number, line)| {
        let mut rest = line;
        std::iter::from_fn(move || {
            rest = rest.trim_start();
            let end = match rest.chars().next()? {
                ';' => return None,
                '(' | ')' => 1,
                '|' => rest[1..].find('|').map_or(rest.len(), |end| end + 2),
                _ => rest
                    .find(|c: char| c.is_whitespace() || "();".contains(c))
                    .unwrap_or(rest.len()),
            };
            let (word, after) = rest.split_at(end);
            rest = after;
            Some((number, word))
        })
    })
}

impl Tree {
    fn read(words: &mut Peekable<impl Iterator<Item = (usize, &'static str)>>) -> Option<Self> {
        let (line, word) = words.next()?;
        let (mut atom, mut items) = (word.trim_matches('|'), Vec::new());
        if word == "(" {
            atom = "";
            while words.next_if(|next| next.1 == ")").is_none() {
                let unclosed = || panic!("instructions.smt2, line {line}: the list has no end");
                items.push(Self::read(words).unwrap_or_else(unclosed));
            }
        }
        Some(Self { line, atom, items })
    }

    /// All expressions of a text.
    pub(super) fn all(text: &'static str) -> Vec<Self> {
        let mut words = words(text).peekable();
        std::iter::from_fn(|| Self::read(&mut words)).collect()
    }

    /// Ends the program, for the text is a part of it.
    pub(super) fn refuse(&self) -> ! {
        panic!("instructions.smt2, line {}: unknown: {self}", self.line)
    }

    fn number<T: std::str::FromStr>(&self) -> T {
        self.atom.parse().unwrap_or_else(|_| self.refuse())
    }

    /// The value of a literal.
    fn literal(&self) -> Option<Term> {
        let digits = |prefix, radix, each| {
            let digits = self.atom.strip_prefix(prefix)?;
            let value = u128::from_str_radix(digits, radix).ok()?;
            Some(Term::constant(value, each * digits.len() as u32))
        };
        match self.items.as_slice() {
            [mark, value, width] if mark.atom == "_" => {
                let value = value.atom.strip_prefix("bv")?.parse().ok()?;
                Some(Term::constant(value, width.number()))
            }
            _ => digits("#x", 16, 4).or_else(|| digits("#b", 2, 1)),
        }
    }
}

impl std::fmt::Display for Tree {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if !self.atom.is_empty() {
            return f.write_str(self.atom);
        }
        let items: Vec<String> = self.items.iter().map(ToString::to_string).collect();
        write!(f, "({})", items.join(" "))
    }
}

/// A function: `(define-fun name ((parameter sort) …) sort body)`.
#[derive(Debug)]
pub(super) struct Function {
    pub(super) name: &'static str,
    /// The line that it begins on.
    pub(super) line: usize,
    pub(super) parameters: Vec<(&'static str, &'static Tree)>,
    pub(super) result: &'static Tree,
    body: &'static Tree,
}

/// What a text defines.
#[derive(Debug, Default)]
pub(super) struct Definitions {
    /// Names of sorts, and what they stand for.
    pub(super) sorts: Vec<(&'static str, String)>,
    /// In the order of the text.
    pub(super) functions: Vec<Function>,
    by_name: HashMap<&'static str, usize>,
}

impl Definitions {
    /// Reads a text.
    pub(super) fn read(text: &'static str) -> Self {
        let mut all = Self::default();
        for tree in Tree::all(text).leak() {
            let [command, name, rest @ ..] = tree.items.as_slice() else {
                tree.refuse();
            };
            match (command.atom, rest) {
                ("define-sort", [_, sort]) => all.sorts.push((name.atom, sort.to_string())),
                ("declare-fun", _) if name.atom.starts_with("product") => {}
                ("define-fun", [parameters, result, body]) => {
                    let pairs = parameters.items.iter().map(|pair| match &pair.items[..] {
                        [name, sort] => (name.atom, sort),
                        _ => pair.refuse(),
                    });
                    all.by_name.insert(name.atom, all.functions.len());
                    all.functions.push(Function {
                        name: name.atom,
                        line: tree.line,
                        parameters: pairs.collect(),
                        result,
                        body,
                    });
                }
                _ => tree.refuse(),
            }
        }
        all
    }

    /// The result of a function.
    pub(super) fn call(&self, function: &Function, arguments: &[Term]) -> Term {
        let names = function.parameters.iter().map(|(name, _)| *name);
        self.value(function.body, &names.zip(arguments).collect())
    }

    fn value(&self, tree: &Tree, names: &HashMap<&str, &Term>) -> Term {
        if let Some(literal) = tree.literal() {
            return literal;
        }
        let Some((head, arguments)) = tree.items.split_first() else {
            let value = names.get(tree.atom).copied();
            return value.unwrap_or_else(|| tree.refuse()).clone();
        };
        let arguments: Vec<Term> = arguments.iter().map(|a| self.value(a, names)).collect();
        let value = match self.by_name.get(head.atom) {
            Some(&index) => Some(self.call(&self.functions[index], &arguments)),
            None => operation(head, &arguments),
        };
        let term = value.unwrap_or_else(|| tree.refuse());
        // Amounts of shifts are computed from immediates.
        let constant = |term: &Term| matches!(term.op(), Op::Const(_));
        if !arguments.iter().all(constant) {
            return term;
        }
        let value = Tape::new(std::slice::from_ref(&term), 0).eval(&[])[0];
        Term::constant(value, term.width())
    }
}

fn operation(head: &Tree, arguments: &[Term]) -> Option<Term> {
    let is = |term: &Term, value: u128| term.width() == 1 && *term.op() == Op::Const(value);
    Some(match (head.atom, arguments) {
        ("", [a]) => indexed(&head.items, a)?,
        ("bvnot" | "not", [a]) => a.not(),
        ("bvneg", [a]) => a.not().add(&Term::constant(1, a.width())),
        ("bvadd", [a, b]) => a.add(b),
        ("bvsub", [a, b]) => a.sub(b),
        ("bvand", [a, b]) => a.and(b),
        ("bvor", [a, b]) => a.or(b),
        ("bvxor", [a, b]) => a.xor(b),
        ("bvult", [a, b]) => a.ult(b),
        ("bvslt", [a, b]) => a.slt(b),
        ("concat", [a, b]) => a.concat(b),
        ("product64" | "product52" | "product32", [a, b]) => a.widening_mul(b),
        // A bit as a Bool, and a Bool as a bit.
        ("=", [a, one]) if is(one, 1) => a.clone(),
        ("ite", [c, one, zero]) if is(one, 1) && is(zero, 0) => c.clone(),
        ("=", [a, b]) => a.equals(b),
        ("ite", [c, a, b]) => c.select(a, b),
        (name, [a, by]) => shift(name, a, by)?,
        _ => return None,
    })
}

/// `(_ name n …)`: operations with numbers.
fn indexed(head: &[Tree], a: &Term) -> Option<Term> {
    Some(match head {
        [_, name, high, low] if name.atom == "extract" => {
            let (high, low): (u32, u32) = (high.number(), low.number());
            a.bits(low, high + 1 - low)
        }
        [_, name, by] if name.atom == "zero_extend" => a.resize(a.width() + by.number::<u32>()),
        [_, name, by] if name.atom == "sign_extend" => {
            a.sign_extend(a.width() + by.number::<u32>())
        }
        _ => return None,
    })
}

/// Shifts by constants; by all bits, too.
fn shift(name: &str, a: &Term, by: &Term) -> Option<Term> {
    let Op::Const(by) = *by.op() else {
        return None;
    };
    let width = a.width();
    let by = by.min(width.into()) as u32;
    Some(match name {
        "bvashr" => a.ashr(by.min(width - 1)),
        "bvshl" | "bvlshr" if by == width => Term::constant(0, width),
        "bvshl" => a.shl(by),
        "bvlshr" => a.lshr(by),
        _ => return None,
    })
}
