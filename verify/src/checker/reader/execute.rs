//! Executes a kernel's text on names of values in place of words.
//!
//! It knows the little Rust that kernels are written in: `let` with macro calls, places in memory,
//! loops with constant bounds, comparisons of loop counters. Whatever else it meets is refused.

use std::collections::HashMap;

use quote::ToTokens;
use syn::punctuated::Punctuated;
use syn::{BinOp, Block, Expr, ExprMethodCall, Lit, Local, Member, Pat, RangeLimits, Stmt, Token};

use super::graph::{Graph, Id, Node};

/// Why a text is not read.
pub(super) type Read<T> = Result<T, String>;

/// What an expression stands for.
#[derive(Clone, Debug)]
enum Value {
    /// A loop counter.
    Count(usize),
    /// A word in each lane, or one that all lanes share.
    Words(Vec<Id>),
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
    memory: HashMap<String, Value>,
    names: Vec<HashMap<String, Value>>,
    lanes: usize,
    /// The type of states as vectors: `Vector` is a word in each lane.
    vectors: String,
}

fn text(tokens: &impl ToTokens) -> String {
    tokens.to_token_stream().to_string()
}

fn unknown<T>(what: &str, tokens: &impl ToTokens) -> Read<T> {
    let mut shown = text(tokens);
    shown.truncate(shown.floor_char_boundary(80));
    Err(format!("{what}: `{shown}`"))
}

impl Kernel {
    /// Executes the body of `permute` on states of so many groups, elements and lanes.
    pub(super) fn run(body: &Block, groups: usize, width: usize, lanes: usize) -> Read<Self> {
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

    fn local(&mut self, local: &Local) -> Read<()> {
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
                self.memory.insert(name.clone(), value);
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

    fn read(&self, memory: &str, path: &[usize]) -> Read<Value> {
        let mut value = &self.memory[memory];
        for index in path {
            value = match value {
                Value::Many(values) => values.get(*index).ok_or("an index is past the end")?,
                _ => return Err("a word is no array".to_owned()),
            };
        }
        Ok(value.clone())
    }

    /// The value of an expression; what is in memory is read.
    fn value(&mut self, expression: &Expr) -> Read<Value> {
        match self.expression(expression)? {
            // The states by another name, not a copy of them.
            Value::Place(memory, path) if path.is_empty() && memory == "states" => {
                Ok(Value::Place(memory, path))
            }
            Value::Place(memory, path) => self.read(&memory, &path),
            value => Ok(value),
        }
    }

    fn count(&mut self, expression: &Expr) -> Read<usize> {
        match self.expression(expression)? {
            Value::Count(count) => Ok(count),
            _ => unknown("no number that is known", expression),
        }
    }

    fn expression(&mut self, expression: &Expr) -> Read<Value> {
        match expression {
            Expr::Paren(inner) => self.expression(&inner.expr),
            Expr::Lit(literal) => match &literal.lit {
                Lit::Int(number) => {
                    let number = number.base10_parse().map_err(|error| error.to_string())?;
                    Ok(Value::Count(number))
                }
                _ => unknown("no number", literal),
            },
            Expr::Path(path) => {
                let name = text(path);
                let found = self.names.iter().rev().find_map(|names| names.get(&name));
                found
                    .cloned()
                    .map_or_else(|| unknown("no such name", path), Ok)
            }
            Expr::Binary(binary) => {
                let (left, right) = (self.count(&binary.left)?, self.count(&binary.right)?);
                let result = match binary.op {
                    BinOp::Add(_) => left.checked_add(right),
                    BinOp::Sub(_) => left.checked_sub(right),
                    BinOp::Mul(_) => left.checked_mul(right),
                    BinOp::BitAnd(_) => Some(left & right),
                    _ => None,
                };
                let result = result.map(Value::Count);
                result.map_or_else(|| unknown("no index that kernels have", binary), Ok)
            }
            Expr::Index(index) => {
                let at = self.count(&index.index)?;
                match self.expression(&index.expr)? {
                    Value::Place(memory, path) => match self.read(&memory, &path)? {
                        // A word of a single lane is an array of one.
                        Value::Words(words) if words.len() == 1 && at == 0 => {
                            Ok(Value::Place(memory, path))
                        }
                        _ => Ok(Value::Place(memory, [&path[..], &[at]].concat())),
                    },
                    Value::Constants(Some(internal), path) => Ok(Value::Constants(
                        Some(internal),
                        [&path[..], &[at]].concat(),
                    )),
                    _ => unknown("no array", index),
                }
            }
            Expr::Field(field) => match (self.expression(&field.base)?, &field.member) {
                (Value::Constants(None, path), Member::Named(name)) => {
                    let internal = ["external", "internal"].iter().position(|one| name == one);
                    let Some(internal) = internal else {
                        return unknown("no constants", field);
                    };
                    Ok(Value::Constants(Some(internal == 1), path))
                }
                // A `Vector` is a tuple of one.
                (Value::Place(memory, path), Member::Unnamed(member)) if member.index == 0 => {
                    Ok(Value::Place(memory, path))
                }
                (Value::Many(values), Member::Unnamed(member)) => {
                    let value = values.into_iter().nth(member.index as usize);
                    value.map_or_else(|| unknown("no member", field), Ok)
                }
                _ => unknown("no member", field),
            },
            Expr::Array(array) => self.many(array.elems.iter()),
            Expr::Tuple(tuple) => self.many(tuple.elems.iter()),
            Expr::Block(inner) if inner.label.is_none() => {
                let Some((Stmt::Expr(last, None), before)) = inner.block.stmts.split_last() else {
                    return unknown("no block that kernels have", inner);
                };
                self.names.push(HashMap::new());
                for statement in before {
                    let Stmt::Local(local) = statement else {
                        return unknown("no block that kernels have", inner);
                    };
                    self.local(local)?;
                }
                let value = self.value(last)?;
                self.names.pop();
                Ok(value)
            }
            Expr::Macro(call) => {
                let parser = Punctuated::<Expr, Token![,]>::parse_terminated;
                let arguments = call.mac.parse_body_with(parser);
                let arguments = arguments.map_err(|error| error.to_string())?;
                self.call(&text(&call.mac.path), arguments.iter().collect())
            }
            // A word in every lane.
            Expr::Call(call)
                if BROADCASTS.contains(&&*text(&call.func)) && call.args.len() == 1 =>
            {
                let words = self.words(&call.args[0])?;
                Ok(Value::Words(words))
            }
            Expr::MethodCall(call) if call.method == "cast_signed" && call.args.is_empty() => {
                self.expression(&call.receiver)
            }
            other => unknown("no expression that kernels have", other),
        }
    }

    fn many<'a>(&mut self, elements: impl Iterator<Item = &'a Expr>) -> Read<Value> {
        let values: Read<_> = elements.map(|element| self.value(element)).collect();
        Ok(Value::Many(values?))
    }

    fn words(&mut self, expression: &Expr) -> Read<Vec<Id>> {
        match self.value(expression)? {
            Value::Words(words) => Ok(words),
            Value::Constants(Some(internal), path) => {
                // Of internal rounds there is one for each round; it may be a single part.
                let place = if internal {
                    vec![path.first().copied(), Some(0)]
                } else {
                    vec![path.first().copied(), path.get(1).copied()]
                };
                let (Some(round), Some(element)) = (place[0], place[1]) else {
                    return unknown("no constant", expression);
                };
                let part = path.get(2 - usize::from(internal)).copied().unwrap_or(0);
                Ok(vec![
                    self.graph
                        .add(Node::Constant(internal, round, element, part)),
                ])
            }
            _ => unknown("no word", expression),
        }
    }

    /// A macro: between vectors and words, or a macro-op in each lane.
    fn call(&mut self, name: &str, arguments: Vec<&Expr>) -> Read<Value> {
        let operands = arguments.iter().map(|argument| self.words(argument));
        let operands: Vec<Vec<Id>> = operands.collect::<Read<_>>()?;
        match (name, &operands[..]) {
            ("broadcast", [word]) if word.len() == 1 => return Ok(Value::Words(word.clone())),
            ("words", [vector]) => {
                let lanes = vector.iter().map(|word| Value::Words(vec![*word]));
                return Ok(Value::Many(lanes.collect()));
            }
            ("vector", words) if words.iter().all(|word| word.len() == 1) => {
                return Ok(Value::Words(operands.concat()));
            }
            _ => {}
        }
        let lanes = operands.iter().map(Vec::len).max().unwrap_or(0);
        let op = name.strip_suffix("_general").unwrap_or(name);
        let mut result = |which: usize| {
            let words = (0..lanes).map(|lane| {
                let operand = |words: &Vec<Id>| words.get(lane).or_else(|| words.first()).copied();
                let operands = operands.iter().filter_map(operand).collect();
                self.graph.add(Node::Result(op.to_owned(), operands, which))
            });
            Value::Words(words.collect())
        };
        // Whether there is a second one, the pattern tells; no macro-op has both forms.
        Ok(if TWO_RESULTS.contains(&base(op)) {
            Value::Many(vec![result(0), result(1)])
        } else {
            result(0)
        })
    }
}

const BROADCASTS: [&str; 6] = [
    "_mm256_set1_epi32",
    "_mm256_set1_epi64x",
    "_mm512_set1_epi32",
    "_mm512_set1_epi64",
    "vdupq_n_u32",
    "vdupq_n_u64",
];

/// Macro-ops with two results.
const TWO_RESULTS: [&str; 9] = [
    "carry",
    "div2exp_columns",
    "div2exp_signed",
    "mul_columns",
    "mul_columns_redc",
    "mul_limbs",
    "mul_wide",
    "split",
    "square_limbs",
];

/// The name of a macro-op without its parameter.
fn base(op: &str) -> &str {
    TWO_RESULTS
        .into_iter()
        .filter(|name| op.starts_with(name))
        .max_by_key(|name| name.len())
        .unwrap_or(op)
}

fn is_iteration(call: &ExprMethodCall) -> bool {
    (call.method == "iter" || call.method == "iter_mut") && call.args.is_empty()
}
