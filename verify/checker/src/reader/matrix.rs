//! The table of numbers that sums of products multiply elements by: in vectors of which products take a lane, or by rows.

use syn::{Expr, Item, Lit};

use super::execute::{Read, Value};
use super::file::is_static;
use super::graph::{Graph, Node};
use super::message::unknown;

/// Its name.
pub(super) const MATRIX: &str = "MATRIX";

/// What the table says, if there is one: rows of numbers.
pub(super) fn read(item: Option<&Item>, graph: &mut Graph) -> Read<Value> {
    let Some(item) = item else {
        return Ok(Value::Many(Vec::new()));
    };
    let table = table(item);
    let vectors = table.map_or_else(|| unknown("no table of numbers", item), Ok)?;
    let mut word = |word: u32| Value::Words(vec![graph.add(Node::Named(word.into(), 32))]);
    let mut vector = |words: Vec<u32>| Value::Many(words.into_iter().map(&mut word).collect());
    Ok(Value::Many(vectors.into_iter().map(&mut vector).collect()))
}

/// The type of the table as vectors of so many words, which is none if its rows have more or fewer.
pub(super) fn vectors(matrix: &Value, length: usize) -> String {
    match matrix {
        Value::Many(rows) if rows.iter().all(|row| row.size() == 1 + length) => {
            format!("& [Vector ; {}]", rows.len())
        }
        _ => String::new(),
    }
}

fn table(item: &Item) -> Option<Vec<Vec<u32>>> {
    let Item::Static(item) = item else {
        return None;
    };
    let vectors = array(&item.expr)?.map(|vector| array(vector)?.map(word).collect());
    let vectors: Vec<Vec<u32>> = vectors.collect::<Option<_>>()?;
    let length = vectors.first()?.len();
    let written = format!("[[u32; {length}]; {}]", vectors.len());
    is_static(item, &written, &[]).then_some(vectors)
}

fn array(expression: &Expr) -> Option<impl Iterator<Item = &Expr>> {
    match expression {
        Expr::Array(array) => Some(array.elems.iter()),
        _ => None,
    }
}

fn word(expression: &Expr) -> Option<u32> {
    let Expr::Lit(literal) = expression else {
        return None;
    };
    match &literal.lit {
        Lit::Int(number) => number.base10_parse().ok(),
        _ => None,
    }
}
