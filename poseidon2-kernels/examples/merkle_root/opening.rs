//! What shows that a row is one of a tree's: the nodes beside its path to the root.

use std::fmt;

use super::tree::{Hashing, Node, Ours, line};

/// A row of a tree, and what leads from it to the root.
#[derive(Debug)]
pub(crate) struct Opening {
    pub(crate) root: Node,
    rows: usize,
    index: usize,
    row: Vec<u64>,
    /// From the row's own layer upwards.
    pub(crate) siblings: Vec<Node>,
}

/// Opens the tree of rows that lie back to back at one of them, counted from zero.
pub(crate) fn open(words: &[u64], columns: usize, index: usize) -> Result<Opening, String> {
    let rows = words.len().checked_div(columns).unwrap_or(0);
    let row = words.chunks(columns.max(1)).nth(index);
    let row = row.ok_or_else(|| format!("there is no row {index}: there are {rows}"))?;
    let hashing = Ours::new();
    let mut layer = vec![Node::default(); rows];
    hashing.rows(words, &mut layer);
    let (mut at, mut siblings) = (index, Vec::new());
    while layer.len() > 1 {
        if !layer.len().is_multiple_of(2) {
            layer.push(Node::default());
        }
        siblings.push(layer[at ^ 1]);
        let mut above = vec![Node::default(); layer.len() / 2];
        hashing.pairs(layer.as_chunks().0, &mut above);
        (layer, at) = (above, at / 2);
    }
    Ok(Opening {
        root: layer[0],
        rows,
        index,
        row: row.to_vec(),
        siblings,
    })
}

/// A line for each part. Words are in hexadecimal, as in a root.
impl fmt::Display for Opening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "root {}", line(&self.root))?;
        writeln!(f, "rows {}", self.rows)?;
        writeln!(f, "index {}", self.index)?;
        write!(f, "row {}", line(&self.row))?;
        let mut siblings = self.siblings.iter();
        siblings.try_for_each(|sibling| write!(f, "\nsibling {}", line(sibling)))
    }
}
