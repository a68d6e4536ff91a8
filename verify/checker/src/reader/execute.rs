//! Executes a kernel's text on names of values in place of words.
//!
//! It knows the little Rust that kernels are written in: `let` with macro calls, places in memory,
//! loops with constant bounds, comparisons of loop counters. Whatever else it meets is refused.

use std::collections::HashMap;
use std::rc::Rc;

use quote::ToTokens;
use syn::{BinOp, Block, Expr, ExprMethodCall, Local, Pat, RangeLimits, Stmt};

use super::file::Macros;
use super::graph::{Graph, Id, Node, Words};

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
    /// The table of constants, or what is found so far on the way into it.
    Constants(Option<bool>, Vec<usize>),
}

/// A kernel that is being executed.
pub(super) struct Kernel {
    pub(super) graph: Graph,
    pub(super) memory: HashMap<String, Value>,
    pub(super) names: Vec<HashMap<String, Value>>,
    pub(super) lanes: usize,
    /// Whether states are words in memory, not vectors.
    pub(super) words: bool,
    pub(super) macros: Macros,
    /// Operands of macro calls, which are read once.
    pub(super) arguments: HashMap<*const syn::Macro, Rc<Vec<Expr>>>,
    /// The type of states as vectors: `Vector` is a word in each lane.
    vectors: String,
}

pub(super) fn text(tokens: &impl ToTokens) -> String {
    tokens.to_token_stream().to_string()
}

pub(super) fn unknown<T>(what: &str, tokens: &impl ToTokens) -> Read<T> {
    let mut shown = text(tokens);
    shown.truncate(shown.floor_char_boundary(80));
    Err(format!("{what}: `{shown}`"))
}

impl Kernel {
    /// Executes the body of `permute` on states of so many groups, elements and lanes, of which so
    /// many are looked at.
    pub(super) fn run(
        body: &Block,
        [groups, width, memory]: [usize; 3],
        lanes: usize,
        macros: Macros,
    ) -> Read<Self> {
        let mut graph = Graph::default();
        let mut words = |group, i| {
            let word = |lane| graph.add(Node::State(group, i, lane));
            Value::Words((0..lanes).map(word).collect())
        };
        let mut state = |group| Value::Many((0..width).map(|i| words(group, i)).collect());
        let states = Value::Many((0..groups).map(&mut state).collect());
        let names = HashMap::from([
            (
                "states".to_owned(),
                Value::Place("states".to_owned(), Vec::new()),
            ),
            ("constants".to_owned(), Value::Constants(None, Vec::new())),
        ]);
        let mut kernel = Self {
            graph,
            memory: HashMap::from([("states".to_owned(), states)]),
            names: vec![names],
            lanes,
            words: memory == 1,
            macros,
            arguments: HashMap::new(),
            vectors: format!("& mut [[Vector ; {width}] ; {groups}]"),
        };
        kernel.block(body)?;
        Ok(kernel)
    }

    /// The words of the states, as they are now.
    pub(super) fn states(&self) -> Read<Vec<Vec<Vec<Id>>>> {
        let many = |value: &Value| match value {
            Value::Many(values) => Ok(values.clone()),
            _ => Err("states are not arrays any more".to_owned()),
        };
        let words = |value: &Value| match value {
            Value::Words(words) if words.len() == self.lanes => Ok(words.clone()),
            _ => Err("a state's element has not a word in each lane".to_owned()),
        };
        let group = |value: &Value| many(value)?.iter().map(words).collect();
        many(&self.memory["states"])?.iter().map(group).collect()
    }

    fn block(&mut self, block: &Block) -> Read<()> {
        self.names.push(HashMap::new());
        for statement in &block.stmts {
            match statement {
                Stmt::Local(local) => self.local(local)?,
                Stmt::Expr(expression, _) => self.statement(expression)?,
                other => return unknown("no statement that kernels have", other),
            }
        }
        self.names.pop();
        Ok(())
    }

    pub(super) fn local(&mut self, local: &Local) -> Read<()> {
        let Some(init) = local.init.as_ref().filter(|init| init.diverge.is_none()) else {
            return unknown("nothing is assigned", local);
        };
        let value = match &local.pat {
            Pat::Type(typed) => {
                let cast = "unsafe { & mut * core :: ptr :: from_mut (states) . cast () }";
                if text(&init.expr) != cast || text(&typed.ty) != self.vectors {
                    return unknown("no cast that kernels have", local);
                }
                return self.bind(&typed.pat, Value::Place("states".to_owned(), Vec::new()));
            }
            _ => self.value(&init.expr)?,
        };
        match &local.pat {
            Pat::Ident(name) if name.mutability.is_some() => {
                let name = name.ident.to_string();
                if self.memory.insert(name.clone(), value).is_some() {
                    return unknown("memory that is there already", local);
                }
                let place = Value::Place(name.clone(), Vec::new());
                self.name(name, place);
                Ok(())
            }
            pattern => self.bind(pattern, value),
        }
    }

    fn name(&mut self, name: String, value: Value) {
        let innermost = self.names.last_mut().expect("a scope is open");
        innermost.insert(name, value);
    }

    fn bind(&mut self, pattern: &Pat, value: Value) -> Read<()> {
        let patterns: Vec<&Pat> = match pattern {
            Pat::Ident(name) if name.by_ref.is_none() && name.subpat.is_none() => {
                self.name(name.ident.to_string(), value);
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
                let mut place = self.memory.get_mut(&memory).expect("places are of memory");
                for index in path {
                    let Value::Many(values) = place else {
                        return unknown("no place in memory", &assign.left);
                    };
                    let Some(next) = values.get_mut(index) else {
                        return unknown("past the end", &assign.left);
                    };
                    place = next;
                }
                *place = value;
                Ok(())
            }
            Expr::If(branch) if branch.else_branch.is_none() => {
                let Expr::Binary(condition) = &*branch.cond else {
                    return unknown("no comparison of a loop counter", &branch.cond);
                };
                let (left, right) = (self.count(&condition.left)?, self.count(&condition.right)?);
                let holds = match condition.op {
                    BinOp::Gt(_) => left > right,
                    BinOp::Eq(_) => left == right,
                    _ => return unknown("no comparison of a loop counter", &branch.cond),
                };
                if holds {
                    self.block(&branch.then_branch)?;
                }
                Ok(())
            }
            Expr::ForLoop(repeated) if repeated.label.is_none() => {
                for value in self.repeated(&repeated.expr)? {
                    self.names.push(HashMap::new());
                    self.bind(&repeated.pat, value)?;
                    self.block(&repeated.body)?;
                    self.names.pop();
                }
                Ok(())
            }
            other => unknown("no statement that kernels have", other),
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
                let closed = matches!(range.limits, RangeLimits::Closed(_));
                Ok((start..end + usize::from(closed))
                    .map(Value::Count)
                    .collect())
            }
            Expr::MethodCall(call) if call.method == "zip" && call.args.len() == 1 => {
                let (left, right) = (
                    self.repeated(&call.receiver)?,
                    self.repeated(&call.args[0])?,
                );
                let pair = |(left, right)| Value::Many(vec![left, right]);
                Ok(left.into_iter().zip(right).map(pair).collect())
            }
            Expr::MethodCall(call) if is_iteration(call) => {
                let Value::Place(memory, path) = self.expression(&call.receiver)? else {
                    return unknown("no array", &call.receiver);
                };
                let Value::Many(values) = self.read(&memory, &path)? else {
                    return unknown("no array", &call.receiver);
                };
                let place = |i| Value::Place(memory.clone(), [&path[..], &[i]].concat());
                Ok((0..values.len()).map(place).collect())
            }
            Expr::Call(call) if text(&call.func) == "core :: hint :: black_box" => {
                match call.args.first() {
                    Some(Expr::Array(parts)) => {
                        let count = |part| Ok(Value::Count(self.count(part)?));
                        parts.elems.iter().map(count).collect()
                    }
                    _ => unknown("no loop that kernels have", expression),
                }
            }
            other => match self.value(other)? {
                Value::Many(values) => Ok(values),
                _ => unknown("no loop that kernels have", expression),
            },
        }
    }

    pub(super) fn read(&self, memory: &str, path: &[usize]) -> Read<&Value> {
        let mut value = &self.memory[memory];
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
        match self.expression(expression)? {
            // The states by another name, not a copy of them.
            Value::Place(memory, path) if path.is_empty() && memory == "states" => {
                Ok(Value::Place(memory, path))
            }
            Value::Place(memory, path) => self.read(&memory, &path).cloned(),
            value => Ok(value),
        }
    }

    pub(super) fn count(&mut self, expression: &Expr) -> Read<usize> {
        match self.expression(expression)? {
            Value::Count(count) => Ok(count),
            _ => unknown("no number that is known", expression),
        }
    }
}

fn is_iteration(call: &ExprMethodCall) -> bool {
    (call.method == "iter" || call.method == "iter_mut") && call.args.is_empty()
}
