//! Matching the instructions of two versions of one piece of code.

use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::{Edit, Line};

type Pairs = Vec<(Line, Line)>;

/// Edits in order of the new text, and pairs that differ in operands only.
pub(super) fn align(old: &[Line], new: &[Line]) -> (Vec<Edit>, Pairs) {
    let [before, after] = [old, new].map(|lines| lines.iter().map(key).collect::<Vec<_>>());
    let (mut edits, mut operands) = (Vec::new(), Vec::new());
    for op in capture_diff_slices(Algorithm::Myers, &before, &after) {
        match op {
            DiffOp::Equal {
                old_index,
                new_index,
                len,
            } => {
                let pairs = old[old_index..][..len].iter().zip(&new[new_index..][..len]);
                let changed = pairs.filter(|(a, b)| a.text != b.text);
                operands.extend(changed.map(|(a, b)| (a.clone(), b.clone())));
            }
            _ => {
                let (gone, come) = (&old[op.old_range()], &new[op.new_range()]);
                edits.extend(gone.iter().cloned().map(Edit::Removed));
                edits.extend(come.iter().cloned().map(Edit::Added));
            }
        }
    }
    (moved(edits), operands)
}

fn key(line: &Line) -> (&str, &str) {
    (&line.name, &line.context)
}

/// An instruction that is removed in one place and added in another was moved.
fn moved(edits: Vec<Edit>) -> Vec<Edit> {
    let mut edits: Vec<_> = edits.into_iter().map(Some).collect();
    for index in 0..edits.len() {
        let Some(Edit::Added(line)) = edits[index].clone() else {
            continue;
        };
        let same = |edit: &Option<Edit>| matches!(edit, Some(Edit::Removed(old)) if key(old) == key(&line));
        if let Some(old) = edits.iter().position(same) {
            edits[old] = None;
            edits[index] = Some(Edit::Moved(line));
        }
    }
    edits.into_iter().flatten().collect()
}
