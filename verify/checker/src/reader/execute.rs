//! Executes a kernel's text on names of values in place of words.
//!
//! It knows the little Rust that kernels are written in: `let` with macro calls, places in memory,
//! loops with constant bounds, comparisons of loop counters. Whatever else it meets is refused.

use std::collections::HashMap;
use std::rc::Rc;

use quote::ToTokens;
use syn::{BinOp, Block, Expr, Item, ItemMacro, Local, Pat, RangeLimits, Stmt};

use super::MATRIX;
use super::file::Macros;
use super::graph::{Graph, Words};
use super::message::unknown;
use crate::machine::ISAS;
use crate::spelling::tokens;

/// Why a text is not read.
pub(super) type Read<T> = Result<T, String>;

/// What an expression stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// A loop counter.
    Count(usize),
    /// A word in each lane, or one that all lanes share.
    Words(Words),
    /// An array, or a tuple.
    Many(Vec<Value>),
    /// A place in memory: whose, and the way there.
    Place(String, Vec<usize>),
}

impl Value {
    pub(super) fn size(&self) -> usize {
        match self {
            Self::Many(values) => 1 + values.iter().map(Self::size).sum::<usize>(),
            Self::Words(words) => words.len(),
            Self::Count(_) | Self::Place(..) => 1,
        }
    }
}

/// Whether it is for the compiler alone, and does nothing: keeps loads before it where they are, or makes room
/// on the stack for a vector, which nobody reads or writes.
fn does_nothing(statement: &str) -> bool {
    let vectors = ISAS.iter().filter_map(|isa| isa.vector);
    let rooms = vectors.map(|(vector, _)| format!("&core::mem::MaybeUninit::<{vector}>::uninit()"));
    let mut hidden = rooms.chain(["()".to_owned()]);
    hidden.any(|hidden| tokens(&format!("core::hint::black_box({hidden})")) == tokens(statement))
}

/// A kernel that is being executed.
pub(super) struct Kernel {
    pub(super) graph: Graph,
    pub(super) memory: HashMap<String, Value>,
    pub(super) names: Vec<HashMap<String, Value>>,
    pub(super) lanes: usize,
    pub(super) macros: Macros,
    /// Operands of macro calls, which are read once.
    pub(super) arguments: HashMap<*const syn::Macro, Rc<Vec<Expr>>>,
    /// Whether states are used as vectors alone, and whether they are already.
    pub(super) are_cast: bool,
    is_cast: bool,
    /// The types of states and of the table of numbers as vectors: `Vector` is a word in each lane.
    vectors: [String; 2],
    /// Blocks that were come to, and whether they were executed.
    blocks: HashMap<*const Block, bool>,
    /// Steps that may still be taken.
    pub(super) left: usize,
    /// Words that arrays may still have.
    room: usize,
}

/// Steps of a kernel: statements, and values that are looked at. Of ours, none takes a fifth of that.
pub(super) const STEPS: usize = 1_000_000;

/// Words of arrays that a kernel makes. Of ours, none makes a tenth of that.
const ROOM: usize = 10_000;

pub(super) fn text(tokens: &impl ToTokens) -> String {
    tokens.to_token_stream().to_string()
}

/// The steps that are left after some.
pub(super) fn after(left: usize, steps: usize) -> Read<usize> {
    let left = left.checked_sub(steps);
    left.ok_or_else(|| format!("takes more than {STEPS} steps"))
}

impl Kernel {
    /// A kernel of so many lanes, before it starts; `vectors` are what its states and its table may be cast to.
    pub(super) fn new(
        memory: impl IntoIterator<Item = (&'static str, Value)>,
        graph: Graph,
        lanes: usize,
        macros: Macros,
        vectors: [String; 2],
    ) -> Self {
        let mut kernel = Self {
            graph,
            memory: HashMap::new(),
            names: vec![HashMap::new()],
            lanes,
            macros,
            arguments: HashMap::new(),
            are_cast: false,
            is_cast: false,
            vectors,
            blocks: HashMap::new(),
            left: STEPS,
            room: ROOM,
        };
        for (name, value) in memory {
            kernel.memory.insert(name.to_owned(), value);
            kernel.name(name, Value::Place(name.to_owned(), Vec::new()));
        }
        kernel
    }

    /// Takes so many steps; a text of a few lines could ask for any number.
    pub(super) fn step(&mut self, steps: usize) -> Read<()> {
        self.left = after(self.left, steps)?;
        Ok(())
    }

    /// Makes an array of so many words, which a stack has to hold.
    pub(super) fn room(&mut self, words: usize) -> Read<()> {
        let left = self.room.checked_sub(words);
        self.room = left.ok_or("makes more arrays than a stack holds")?;
        self.step(words)
    }

    /// Executes a text, all of it: what is in a block that never runs is compiled all the same.
    pub(super) fn whole(&mut self, block: &Block) -> Read<()> {
        self.block(block)?;
        match self.blocks.values().all(|executed| *executed) {
            true => Ok(()),
            false => Err("a block is never executed".to_owned()),
        }
    }

    fn block(&mut self, block: &Block) -> Read<()> {
        self.step(block.stmts.len())?;
        self.blocks.insert(block, true);
        self.names.push(HashMap::new());
        for statement in &block.stmts {
            match statement {
                Stmt::Local(local) => self.local(local)?,
                Stmt::Expr(expression, _) => self.statement(expression)?,
                Stmt::Item(Item::Macro(item)) if self.keeps_its_value(item) => {}
                other => return unknown("no statement that kernels have", other),
            }
        }
        self.names.pop();
        Ok(())
    }

    /// Whether a constant's name comes to stand for a variable that has the constant's value and cannot change.
    fn keeps_its_value(&mut self, item: &ItemMacro) -> bool {
        let name = text(&item.ident);
        let variable = name.to_lowercase();
        let is = format!("macro_rules! {name} {{ () => {{ {variable} }}; }}");
        let constant = self.call(&name, [].iter()).ok();
        let held = self.named(&variable);
        tokens(&is) == tokens(&text(item)) && constant.is_some() && held == constant.as_ref()
    }

    pub(super) fn local(&mut self, local: &Local) -> Read<()> {
        let Some(init) = local.init.as_ref().filter(|init| init.diverge.is_none()) else {
            return unknown("nothing is assigned", local);
        };
        let value = match &local.pat {
            Pat::Type(typed) => {
                // Texts are compared.
                self.step(10)?;
                let Some(memory) = self.cast(&text(&init.expr), &text(&typed.ty)) else {
                    return unknown("no cast that kernels have", local);
                };
                return self.bind(&typed.pat, Value::Place(memory.to_owned(), Vec::new()));
            }
            _ => self.value(&init.expr)?,
        };
        match &local.pat {
            Pat::Ident(name) if name.mutability.is_some() => {
                let name = name.ident.to_string();
                if self.memory.insert(name.clone(), value).is_some() {
                    return unknown("memory that is there already", local);
                }
                self.bind(&local.pat, Value::Place(name, Vec::new()))
            }
            pattern => self.bind(pattern, value),
        }
    }

    /// The memory that a cast gives by another name, as vectors; states once.
    fn cast(&mut self, expression: &str, to: &str) -> Option<&'static str> {
        let casts = [
            (
                "states",
                "unsafe { & mut * core :: ptr :: from_mut (states) . cast () }",
            ),
            (
                MATRIX,
                "unsafe { & * core :: ptr :: from_ref (core :: hint :: black_box (& MATRIX)) . cast () }",
            ),
        ];
        let mut casts = casts.into_iter().zip(&self.vectors);
        let found = casts.find(|((_, from), vectors)| *from == expression && *vectors == to);
        let ((memory, _), _) = found?;
        let of_itself = Value::Place(memory.to_owned(), Vec::new());
        let again = memory == "states" && std::mem::replace(&mut self.is_cast, true);
        (self.named(memory) == Some(&of_itself) && !again).then_some(memory)
    }

    /// What a name stands for.
    pub(super) fn named(&self, name: &str) -> Option<&Value> {
        self.names.iter().rev().find_map(|names| names.get(name))
    }

    pub(super) fn name(&mut self, name: &str, value: Value) {
        let innermost = self.names.last_mut().expect("a scope is open");
        innermost.insert(name.to_owned(), value);
    }

    fn bind(&mut self, pattern: &Pat, value: Value) -> Read<()> {
        let patterns: Vec<&Pat> = match pattern {
            Pat::Ident(name) if name.by_ref.is_none() && name.subpat.is_none() => {
                self.name(&name.ident.to_string(), value);
                return Ok(());
            }
            Pat::Tuple(tuple) => tuple.elems.iter().collect(),
            Pat::Slice(slice) => slice.elems.iter().collect(),
            other => return unknown("no pattern that kernels have", other),
        };
        match value {
            Value::Many(values) if values.len() == patterns.len() => {
                let mut pairs = patterns.into_iter().zip(values);
                pairs.try_for_each(|(pattern, value)| self.bind(pattern, value))
            }
            _ => unknown("not as many values as names", pattern),
        }
    }

    fn statement(&mut self, statement: &Expr) -> Read<()> {
        match statement {
            Expr::Assign(assign) => {
                let value = self.value(&assign.right)?;
                let Value::Place(memory, path) = self.expression(&assign.left)? else {
                    return unknown("no place in memory", &assign.left);
                };
                // Any other name or member is a reference: it would change, and not what it refers to.
                let is_own = path.is_empty() && text(&assign.left) == memory;
                if !is_own && !self.is_accessed(&assign.left) {
                    return unknown("a name, and no place in memory", &assign.left);
                }
                let place = self.memory.get_mut(&memory);
                let place = place.and_then(|all| {
                    path.iter().try_fold(all, |place, index| match place {
                        Value::Many(values) => values.get_mut(*index),
                        _ => None,
                    })
                });
                match place {
                    Some(place) => *place = value,
                    None => return unknown("no place in memory", &assign.left),
                }
                Ok(())
            }
            Expr::If(branch) if branch.else_branch.is_none() => {
                self.blocks.entry(&branch.then_branch).or_default();
                match self.holds(&branch.cond)? {
                    true => self.block(&branch.then_branch),
                    false => Ok(()),
                }
            }
            Expr::ForLoop(repeated) if repeated.label.is_none() => {
                self.blocks.entry(&repeated.body).or_default();
                for value in self.repeated(&repeated.expr)? {
                    self.names.push(HashMap::new());
                    self.bind(&repeated.pat, value)?;
                    self.block(&repeated.body)?;
                    self.names.pop();
                }
                Ok(())
            }
            // Of ours, none does so a thousand times, and texts are long.
            other if does_nothing(&text(other)) => self.step(100),
            other => unknown("no statement that kernels have", other),
        }
    }

    /// Whether loop counters are as a condition says.
    fn holds(&mut self, condition: &Expr) -> Read<bool> {
        let Expr::Binary(binary) = condition else {
            return unknown("no comparison of a loop counter", condition);
        };
        if let BinOp::Or(_) = binary.op {
            return Ok(self.holds(&binary.left)? | self.holds(&binary.right)?);
        }
        let (left, right) = (self.count(&binary.left)?, self.count(&binary.right)?);
        match binary.op {
            BinOp::Gt(_) => Ok(left > right),
            BinOp::Eq(_) => Ok(left == right),
            _ => unknown("no comparison of a loop counter", condition),
        }
    }

    /// What a loop goes through.
    fn repeated(&mut self, expression: &Expr) -> Read<Vec<Value>> {
        match expression {
            Expr::Range(range) => {
                let (Some(start), Some(end)) = (&range.start, &range.end) else {
                    return unknown("no bounds", expression);
                };
                let (start, end) = (self.count(start)?, self.count(end)?);
                let closed = usize::from(matches!(range.limits, RangeLimits::Closed(_)));
                let counts = start..end.saturating_add(closed);
                self.step(counts.len())?;
                Ok(counts.map(Value::Count).collect())
            }
            Expr::MethodCall(call) if call.turbofish.is_some() => {
                unknown("types of a method", call)
            }
            Expr::MethodCall(call) if call.method == "zip" && call.args.len() == 1 => {
                let (left, right) = (
                    self.repeated(&call.receiver)?,
                    self.repeated(&call.args[0])?,
                );
                self.step(left.len().min(right.len()))?;
                let pair = |(left, right)| Value::Many(vec![left, right]);
                Ok(left.into_iter().zip(right).map(pair).collect())
            }
            Expr::MethodCall(call)
                if ["iter", "iter_mut"].iter().any(|name| call.method == name)
                    && call.args.is_empty() =>
            {
                let place = self.expression(&call.receiver)?;
                if let Value::Place(memory, path) = place
                    && let Value::Many(values) = self.read(&memory, &path)?
                {
                    let count = values.len();
                    self.step(count)?;
                    let place = |i| Value::Place(memory.clone(), [&path[..], &[i]].concat());
                    return Ok((0..count).map(place).collect());
                }
                unknown("no array", &call.receiver)
            }
            Expr::Call(call)
                if text(&call.func) == "core :: hint :: black_box" && call.args.len() == 1 =>
            {
                self.repeated(&call.args[0])
            }
            other => match self.value(other)? {
                Value::Many(values) => Ok(values),
                _ => unknown("no loop that kernels have", expression),
            },
        }
    }

    pub(super) fn read(&self, memory: &str, path: &[usize]) -> Read<&Value> {
        let mut value = self.memory.get(memory).ok_or("there is no such memory")?;
        for index in path {
            value = match value {
                Value::Many(values) => values.get(*index).ok_or("an index is past the end")?,
                _ => return Err("a word is no array".to_owned()),
            };
        }
        Ok(value)
    }

    /// The value of an expression; what is in memory is read.
    pub(super) fn value(&mut self, expression: &Expr) -> Read<Value> {
        let value = match self.expression(expression)? {
            // The states by another name, not a copy of them.
            Value::Place(memory, path) if path.is_empty() && memory == "states" => {
                Value::Place(memory, path)
            }
            // Only single words of a table are read: a row may be a vector, of which a copy would be known as words.
            Value::Place(memory, path) if memory == MATRIX && path.len() < 2 => {
                return unknown("a table, and no word of it", expression);
            }
            Value::Place(_, path) if !path.is_empty() && !self.is_accessed(expression) => {
                return unknown("a reference, and no value", expression);
            }
            Value::Place(memory, path) => self.read(&memory, &path)?.clone(),
            value => value,
        };
        self.step(value.size())?;
        Ok(value)
    }

    /// Whether such a place in memory is read or written, and not referred to: it has an index, or is the vector in a
    /// place.
    fn is_accessed(&self, expression: &Expr) -> bool {
        match expression {
            Expr::Paren(inner) => self.is_accessed(&inner.expr),
            Expr::Index(_) => true,
            Expr::Field(field) => match &*field.base {
                Expr::Path(base) => matches!(self.named(&text(base)), Some(Value::Place(..))),
                base => self.is_accessed(base),
            },
            _ => false,
        }
    }

    pub(super) fn count(&mut self, expression: &Expr) -> Read<usize> {
        match self.expression(expression)? {
            Value::Count(count) => Ok(count),
            _ => unknown("no number that is known", expression),
        }
    }
}
