//! The expressions of a kernel's text: places, indices, macro calls.

use std::collections::HashMap;
use std::ptr;
use std::rc::Rc;

use syn::punctuated::Punctuated;
use syn::{BinOp, Expr, Lit, Stmt, Token};

use super::MATRIX;
use super::execute::{Kernel, Read, Value, after, text};
use super::expected::zero;
use super::file::{ENTRY, is_reserved, moved};
use super::graph::{Node, Words};
use super::message::unknown;
use crate::body;
use crate::machine::{Takes, broadcasts};

/// How an intrinsic takes a word that it puts into every lane.
fn fills_lanes(name: &str, short: bool) -> Option<Takes> {
    let mut of_words = broadcasts().filter(|known| (known.bits == 32) == short);
    of_words.find(|known| known.name == name)?.takes
}

impl Kernel {
    pub(super) fn expression(&mut self, expression: &Expr) -> Read<Value> {
        match expression {
            Expr::Paren(inner) => self.expression(&inner.expr),
            Expr::Lit(literal) => match &literal.lit {
                Lit::Int(number) => {
                    let value = number.base10_parse().map_err(|error| error.to_string())?;
                    let bits = match number.suffix() {
                        "" if i32::try_from(value).is_ok() => return Ok(Value::Count(value)),
                        // Among long words it would be half of a register, and have the name of both halves of a lane.
                        "u32" if self.macros.short && u32::try_from(value).is_ok() => 32,
                        "u64" => 64,
                        _ => return unknown("no number that kernels have", literal),
                    };
                    let word = self.graph.add(Node::Named(value as u64, bits));
                    Ok(Value::Words(vec![word]))
                }
                _ => unknown("no number", literal),
            },
            Expr::Path(path) => {
                let name = path
                    .path
                    .get_ident()
                    .map_or_else(|| text(path), ToString::to_string);
                if self.are_cast && name == "states" {
                    return unknown("states as they are not used here", path);
                }
                let found = self.named(&name).cloned();
                if let Some(value @ Value::Many(_)) = &found {
                    self.step(value.size())?;
                }
                found.map_or_else(|| unknown("no such name", path), Ok)
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
                // Some are of this type.
                let result = result.filter(|count| i32::try_from(*count).is_ok());
                let result = result.map(Value::Count);
                result.map_or_else(|| unknown("no index that kernels have", binary), Ok)
            }
            Expr::Index(index) => {
                let at = self.count(&index.index)?;
                match self.expression(&index.expr)? {
                    Value::Place(memory, path) => {
                        Ok(Value::Place(memory, [&path[..], &[at]].concat()))
                    }
                    _ => unknown("no array", index),
                }
            }
            Expr::Field(field) => match (self.expression(&field.base)?, text(&field.member)) {
                (Value::Place(memory, path), part) if memory == "constants" => {
                    let part = ["external", "internal"]
                        .iter()
                        .position(|name| *name == part);
                    let part = part.filter(|_| path.is_empty());
                    let place = part.map(|part| Value::Place(memory, vec![part]));
                    place.map_or_else(|| unknown("no constants", field), Ok)
                }
                // A `Vector` is a tuple of one.
                (Value::Place(memory, path), zero) if zero == "0" => {
                    match self.read(&memory, &path)? {
                        Value::Words(_) => Ok(Value::Place(memory, path)),
                        _ => unknown("no vector", field),
                    }
                }
                (Value::Many(values), n) => {
                    let value = n.parse().ok().and_then(|n: usize| values.get(n).cloned());
                    value.map_or_else(|| unknown("no member", field), Ok)
                }
                _ => unknown("no member", field),
            },
            Expr::Array(array) => self.many(array.elems.iter()),
            Expr::Tuple(tuple) => self.many(tuple.elems.iter()),
            Expr::Repeat(repeated) => {
                let (value, count) = (self.value(&repeated.expr)?, self.count(&repeated.len)?);
                self.room(count.saturating_mul(value.size()))?;
                Ok(Value::Many(vec![value; count]))
            }
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
                let name = text(&call.mac.path);
                let arguments = match self.arguments.get(&ptr::from_ref(&call.mac)) {
                    Some(arguments) => arguments.clone(),
                    None => {
                        let parser = Punctuated::<Expr, Token![,]>::parse_terminated;
                        let arguments = call.mac.parse_body_with(parser);
                        let arguments = arguments.map_err(|error| error.to_string())?;
                        let arguments = Rc::new(arguments.into_iter().collect());
                        self.arguments.entry(&call.mac).or_insert(arguments).clone()
                    }
                };
                if is_reserved(&name) && !self.macros.between.contains(&name) {
                    return Err(format!("there is no `{name}`"));
                }
                match &arguments[..] {
                    [word] if name == "broadcast" && self.macros.wide => self.lengthened(word),
                    [matrix, vector, lane] if name == ENTRY => self.entry(matrix, [vector, lane]),
                    _ => self.call(&name, arguments.iter()),
                }
            }
            // A word in every lane.
            Expr::Call(call)
                if let Some(takes) = fills_lanes(&text(&call.func), self.macros.short)
                    && call.args.len() == 1
                    && !self.macros.wide =>
            {
                match (takes, &call.args[0]) {
                    (Takes::Words, word) => self.call("broadcast", [word].into_iter()),
                    (Takes::Signed, Expr::MethodCall(cast))
                        if cast.method == "cast_signed"
                            && cast.args.is_empty()
                            && cast.turbofish.is_none() =>
                    {
                        self.call("broadcast", [&*cast.receiver].into_iter())
                    }
                    _ => unknown("no word that fills lanes", call),
                }
            }
            // The same words, of which the compiler knows nothing.
            Expr::Call(call)
                if text(&call.func) == "core :: hint :: black_box" && call.args.len() == 1 =>
            {
                self.words(&call.args[0]).map(Value::Words)
            }
            other => unknown("no expression that kernels have", other),
        }
    }

    pub(super) fn many<'a>(&mut self, elements: impl Iterator<Item = &'a Expr>) -> Read<Value> {
        let values: Read<_> = elements.map(|element| self.value(element)).collect();
        let values = Value::Many(values?);
        self.room(values.size())?;
        Ok(values)
    }

    fn words(&mut self, expression: &Expr) -> Read<Words> {
        match self.value(expression)? {
            Value::Words(words) => Ok(words),
            _ => unknown("no word", expression),
        }
    }

    /// A word of 32 bits in every lane, where lanes are longer. In memory a zero may follow it.
    fn lengthened(&mut self, expression: &Expr) -> Read<Value> {
        let word = match self.value(expression)? {
            Value::Many(pair) => match <[Value; 2]>::try_from(pair) {
                Ok([word, above]) if above == zero(&mut self.graph) => word,
                _ => return unknown("no word with a zero above it", expression),
            },
            word => word,
        };
        let lane = match &word {
            Value::Words(word) if word.len() == 1 => self.graph.lengthened(word[0]),
            _ => None,
        };
        let lane = lane.map(|word| Value::Words(vec![word; self.lanes]));
        lane.map_or_else(|| unknown("no word of 32 bits", expression), Ok)
    }

    /// A number of the table, in every lane.
    fn entry(&mut self, matrix: &Expr, place: [&Expr; 2]) -> Read<Value> {
        let known = self.expression(matrix)? == Value::Place(MATRIX.to_owned(), Vec::new());
        let [vector, lane] = place.map(|index| self.count(index));
        match self.read(MATRIX, &[vector?, lane?])? {
            Value::Words(word) if known => Ok(Value::Words(vec![word[0]; self.lanes])),
            _ => unknown("no number of the table", matrix),
        }
    }

    /// A macro: a named constant, between vectors and words, or a macro-op in each lane.
    pub(super) fn call<'a>(
        &mut self,
        name: &str,
        arguments: impl Iterator<Item = &'a Expr>,
    ) -> Read<Value> {
        let operands = arguments.map(|argument| self.words(argument));
        let operands: Vec<Words> = operands.collect::<Read<_>>()?;
        match (name, &operands[..]) {
            (_, []) => {
                let constant = self.macros.constants.get(name);
                let Some(((body::Value::Constant(word, bits), held), vector)) = constant else {
                    return Err(format!("there is no `{name}`"));
                };
                let lanes = if *vector { self.lanes } else { 1 };
                let word = self.graph.constant(*word, *bits, *held);
                return Ok(Value::Words(vec![word; lanes]));
            }
            ("broadcast", [word]) if word.len() == 1 => {
                return Ok(Value::Words(vec![word[0]; self.lanes]));
            }
            ("wide" | "narrow", [_]) if self.macros.wide => {
                let mut results = self.graph.apply(name, &operands, 1)?;
                return Ok(Value::Words(results.remove(0)));
            }
            ("words", [vector]) if vector.len() == self.lanes => {
                let lanes = vector.iter().map(|word| Value::Words(vec![*word]));
                return Ok(Value::Many(lanes.collect()));
            }
            ("vector", words)
                if words.len() == self.lanes && words.iter().all(|word| word.len() == 1) =>
            {
                return Ok(Value::Words(operands.concat()));
            }
            ("first", [vector]) if vector.len() == self.lanes => {
                return Ok(Value::Words(vec![vector[0]]));
            }
            ("with_first", [vector, first])
                if [vector.len(), first.len()] == [self.lanes; 2] && self.lanes > 1 =>
            {
                return Ok(Value::Words([&first[..1], &vector[1..]].concat()));
            }
            (name, [vector]) if let Some(lanes) = moved(name, vector.len()) => {
                let words = lanes.iter().map(|lane| vector[*lane]);
                return Ok(Value::Words(words.collect()));
            }
            _ => {}
        }
        let macros = &self.macros;
        let body = macros.bodies.get(name).or(macros.others.get(name));
        let (_, body) = body.ok_or_else(|| format!("there is no `{name}`"))?;
        let results = if macros.replaced.is_empty() {
            let count = body.results.len();
            self.left = after(self.left, count)?;
            self.graph.apply(name, &operands, count)?
        } else {
            let lanes = operands.iter().map(Vec::len).max().unwrap_or(1);
            self.left = after(self.left, body.steps.len() * lanes)?;
            self.graph.run(body, &operands)?
        };
        let mut results = results.into_iter().map(Value::Words);
        Ok(match (results.next(), results.len()) {
            (Some(one), 0) => one,
            (first, _) => Value::Many(first.into_iter().chain(results).collect()),
        })
    }
}
