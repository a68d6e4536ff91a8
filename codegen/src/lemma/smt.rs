//! Graphs as SMT-LIB 2 text in the logic of quantifier-free bit vectors.

use std::collections::HashMap;

use super::graph::{Binary, Graph, Id, Node};
use crate::term::mask;

/// A query: can all of `assertions` (one bit each) be 1 together?
///
/// Variables are named `x0`, `x1`, …; products `m0`, `m1`, … with the greatest value a product of
/// half words has. Other nodes are numbered as they are defined, so that the text depends on
/// nothing but the terms.
pub(super) fn query(graph: &Graph, assertions: &[Id]) -> String {
    let mut query = Query {
        graph,
        names: HashMap::new(),
        text: String::from("(set-logic QF_BV)\n"),
    };
    let names: Vec<String> = assertions.iter().map(|&id| query.name(id)).collect();
    for name in names {
        query.line(&format!("(assert (= {name} #b1))"));
    }
    query.line("(check-sat)");
    query.text
}

struct Query<'g> {
    graph: &'g Graph,
    names: HashMap<Id, String>,
    text: String,
}

impl Query<'_> {
    /// The name of a node, defined where it has none yet: the last operand first.
    fn name(&mut self, id: Id) -> String {
        if let Some(name) = self.names.get(&id) {
            return name.clone();
        }
        let width = self.graph.width(id);
        let name = match self.graph.node(id) {
            Node::Const(value) => literal(*value, width),
            Node::Var(index) => self.declared(format!("x{index}"), width),
            Node::Product(index) => {
                let name = self.declared(format!("m{index}"), width);
                let greatest = literal(mask(width / 2) * mask(width / 2), width);
                self.line(&format!("(assert (bvule {name} {greatest}))"));
                name
            }
            node => {
                let definition = self.definition(node, width);
                let name = format!("n{}", self.names.len());
                self.line(&format!(
                    "(define-fun {name} () (_ BitVec {width}) ({definition}))"
                ));
                name
            }
        };
        self.names.insert(id, name.clone());
        name
    }

    fn definition(&mut self, node: &Node, width: u32) -> String {
        let graph = self.graph;
        let mut named = |operands: &[Id]| {
            let names = operands.iter().rev().map(|&id| self.name(id));
            let mut names: Vec<String> = names.collect();
            names.reverse();
            names.join(" ")
        };
        match node {
            Node::Var(_) | Node::Product(_) | Node::Const(_) => unreachable!("is not defined"),
            Node::Not(a) => format!("bvnot {}", named(&[*a])),
            Node::Binary(op, a, b) => {
                let operands = named(&[*a, *b]);
                match op {
                    Binary::Add => format!("bvadd {operands}"),
                    Binary::Sub => format!("bvsub {operands}"),
                    Binary::And => format!("bvand {operands}"),
                    Binary::Or => format!("bvor {operands}"),
                    Binary::Xor => format!("bvxor {operands}"),
                    Binary::Ult => format!("ite (bvult {operands}) #b1 #b0"),
                    Binary::Slt => format!("ite (bvslt {operands}) #b1 #b0"),
                    Binary::Eq => format!("ite (= {operands}) #b1 #b0"),
                }
            }
            Node::Slice(a, from) => {
                format!("(_ extract {} {from}) {}", from + width - 1, named(&[*a]))
            }
            Node::SignExtend(a) => {
                let more = width - graph.width(*a);
                format!("(_ sign_extend {more}) {}", named(&[*a]))
            }
            Node::Concat(parts) => format!("concat {}", named(parts)),
            Node::Ite(c, yes, no) => {
                let cases = named(&[*yes, *no]);
                format!("ite (= {} #b1) {cases}", named(&[*c]))
            }
        }
    }

    fn declared(&mut self, name: String, width: u32) -> String {
        self.line(&format!("(declare-const {name} (_ BitVec {width}))"));
        name
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }
}

fn literal(value: u128, width: u32) -> String {
    format!("#b{value:0width$b}", width = width as usize)
}
