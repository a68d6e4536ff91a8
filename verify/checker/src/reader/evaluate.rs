//! The expressions of a kernel's text: places, indices, macro calls.

use std::collections::HashMap;

use syn::punctuated::Punctuated;
use syn::{BinOp, Expr, Lit, Member, Stmt, Token};

use super::execute::{Kernel, Read, Value, text, unknown};
use super::graph::{Id, Node};
use crate::flow::Constant;

impl Kernel {
    pub(super) fn expression(&mut self, expression: &Expr) -> Read<Value> {
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
                Ok(vec![self.graph.add(Node::Constant(
                    Constant {
                        internal,
                        round,
                        element,
                    },
                    part,
                ))])
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
        Ok(if self.pairs.contains(op) {
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
