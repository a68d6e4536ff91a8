//! Reads a module that prepares constants, and compares it with a certificate's block.

use syn::{Expr, ExprArray, Item, ItemFn, Stmt};

use super::execute::{Kernel, Read, Value, text};
use super::expected::zero;
use super::file::{self, Bodies};
use super::graph::{Graph, Node};
use super::message::unknown;
use crate::certificate::Program;
use crate::machine::Target;
use crate::spelling::tokens;

/// How long the loop goes on.
const WHILE: &str = "n < constants . len () && n < chunks . len ()";

/// Names of the loop, which stay what they are.
const NAMED: [&str; 5] = ["mut", "constants", "prepared", "chunks", "n"];

/// The statements on one constant in the loop that prepares them, and what they give.
fn parts_of(function: &ItemFn, parts: usize) -> Option<(&[Stmt], &ExprArray)> {
    let [chunks, count, Stmt::Expr(Expr::While(repeated), None)] = &function.block.stmts[..] else {
        return None;
    };
    let [constant, statements @ .., given, next] = &repeated.body.stmts[..] else {
        return None;
    };
    let Stmt::Expr(Expr::Assign(assign), Some(_)) = given else {
        return None;
    };
    let Expr::Array(outputs) = &*assign.right else {
        return None;
    };
    let chunked = format!("let (chunks , _) = prepared . as_chunks_mut :: < {parts} > () ;");
    let is_frame = text(chunks) == chunked
        && text(count) == "let mut n = 0 ;"
        && repeated.attrs.is_empty()
        && repeated.label.is_none()
        && text(&repeated.cond) == WHILE
        && text(constant) == "let constant = constants [n] ;"
        && text(given) == format!("chunks [n] = {} ;", text(outputs))
        && text(next) == "n += 1 ;";
    is_frame.then_some((statements, outputs))
}

/// Compares the text with the block that prepares a constant; gives the bodies of its macro-ops.
pub(crate) fn read(source: &str, program: &Program) -> Read<Bodies> {
    let file = super::parse_whole(source)?;
    let Some((Item::Fn(function), macros)) = file.items.split_last() else {
        return Err("it does not end with `prepare`".to_owned());
    };
    if let Some(other) = macros.iter().find(|item| !matches!(item, Item::Macro(_))) {
        return unknown("no macro", other);
    }
    let (word, words) = (program.word(), program.constant_words());
    let signature =
        format!("const fn prepare (constants : & [{word}] , prepared : & mut [{word}])");
    let right = text(&function.sig) == signature && file::attributes(&function.attrs).is_empty();
    let Some((statements, outputs)) = parts_of(function, words).filter(|_| right) else {
        return unknown("not the loop that prepares constants", function);
    };
    let macros = file::items(macros, word, false, Target::Scalar)?;
    let bodies = macros.bodies.clone();
    let mut graph = Graph::default();
    let constant = Value::Words(vec![graph.add(Node::State(0, 0, 0))]);
    let prepared = program
        .prepared(&mut graph)
        .map_err(|refused| refused.what)?;
    let prepared = prepared.into_iter().map(|word| Value::Words(vec![word]));
    let above = (program.parts..words).map(|_| zero(&mut graph));
    let prepared: Vec<Value> = prepared.chain(above).collect();
    let mut kernel = Kernel::new([], graph, 1, macros, [String::new(), String::new()]);
    kernel.name("constant", constant);
    for statement in statements {
        let names = tokens(&text(statement));
        match statement {
            Stmt::Local(local) if !names.iter().any(|name| NAMED.contains(&&**name)) => {
                kernel.local(local)?;
            }
            other => return unknown("no statement on one constant", other),
        }
    }
    if kernel.many(outputs.elems.iter())? == Value::Many(prepared) {
        return Ok(bodies);
    }
    Err("constants are prepared otherwise than the certificate has it".to_owned())
}
