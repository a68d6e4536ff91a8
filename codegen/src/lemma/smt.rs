//! Graphs as SMT-LIB 2 text in the logic of quantifier-free bit vectors.

use std::collections::HashSet;
use std::fmt::Write as _;

use super::graph::{Graph, Id, Node};

/// Nodes below `roots`, operands first.
fn order(graph: &Graph, roots: &[Id]) -> Vec<Id> {
    let mut order = Vec::new();
    let mut seen = HashSet::new();
    let mut stack: Vec<(Id, bool)> = roots.iter().rev().map(|&root| (root, false)).collect();
    while let Some((id, ready)) = stack.pop() {
        if ready {
            order.push(id);
        } else if seen.insert(id) {
            stack.push((id, true));
            stack.extend(operands(graph.node(id)).into_iter().map(|id| (id, false)));
        }
    }
    order
}

fn operands(node: &Node) -> Vec<Id> {
    match node {
        Node::Var(_) | Node::Product(_) | Node::Const(_) => vec![],
        Node::Not(a) | Node::Slice(a, _) | Node::SignExtend(a) => vec![*a],
        Node::Add(a, b)
        | Node::Sub(a, b)
        | Node::And(a, b)
        | Node::Or(a, b)
        | Node::Xor(a, b)
        | Node::Ult(a, b)
        | Node::Slt(a, b)
        | Node::Eq(a, b) => vec![*a, *b],
        Node::Ite(a, b, c) => vec![*a, *b, *c],
        Node::Concat(parts) => parts.clone(),
    }
}

/// A query: can all of `assertions` (one bit each) be 1 together?
///
/// Variables are named `x0`, `x1`, …; products `m0`, `m1`, … with the greatest value a product of
/// half words has.
pub(super) fn query(graph: &Graph, assertions: &[Id]) -> String {
    let order = order(graph, assertions);
    // Numbers by order of definition, so that the text depends on nothing but the terms.
    let mut number = std::collections::HashMap::new();
    let mut text = String::from("(set-logic QF_BV)\n");
    for id in order {
        let width = graph.width(id);
        let n = |id: &Id| -> &String { &number[id] };
        let definition = match graph.node(id) {
            Node::Var(index) => {
                let name = format!("x{index}");
                declare(&mut text, &name, width);
                number.insert(id, name);
                continue;
            }
            Node::Product(index) => {
                let name = format!("m{index}");
                declare(&mut text, &name, width);
                let half = (1u128 << (width / 2)) - 1;
                let greatest = literal(half * half, width);
                let _ = writeln!(text, "(assert (bvule {name} {greatest}))");
                number.insert(id, name);
                continue;
            }
            Node::Const(value) => {
                number.insert(id, literal(*value, width));
                continue;
            }
            Node::Not(a) => format!("bvnot {}", n(a)),
            Node::Add(a, b) => format!("bvadd {} {}", n(a), n(b)),
            Node::Sub(a, b) => format!("bvsub {} {}", n(a), n(b)),
            Node::And(a, b) => format!("bvand {} {}", n(a), n(b)),
            Node::Or(a, b) => format!("bvor {} {}", n(a), n(b)),
            Node::Xor(a, b) => format!("bvxor {} {}", n(a), n(b)),
            Node::Slice(a, from) => format!("(_ extract {} {from}) {}", from + width - 1, n(a)),
            Node::SignExtend(a) => {
                format!("(_ sign_extend {}) {}", width - graph.width(*a), n(a))
            }
            Node::Concat(parts) => {
                let parts: Vec<&str> = parts.iter().map(|p| n(p).as_str()).collect();
                format!("concat {}", parts.join(" "))
            }
            Node::Ult(a, b) => format!("ite (bvult {} {}) #b1 #b0", n(a), n(b)),
            Node::Slt(a, b) => format!("ite (bvslt {} {}) #b1 #b0", n(a), n(b)),
            Node::Eq(a, b) => format!("ite (= {} {}) #b1 #b0", n(a), n(b)),
            Node::Ite(c, yes, no) => format!("ite (= {} #b1) {} {}", n(c), n(yes), n(no)),
        };
        let name = format!("n{}", number.len());
        let _ = writeln!(
            text,
            "(define-fun {name} () (_ BitVec {width}) ({definition}))"
        );
        number.insert(id, name);
    }
    for assertion in assertions {
        let _ = writeln!(text, "(assert (= {} #b1))", number[assertion]);
    }
    text.push_str("(check-sat)\n");
    text
}

fn declare(text: &mut String, name: &str, width: u32) {
    let _ = writeln!(text, "(declare-const {name} (_ BitVec {width}))");
}

fn literal(value: u128, width: u32) -> String {
    format!("#b{value:0width$b}", width = width as usize)
}
