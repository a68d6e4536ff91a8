//! Matching the instructions of two versions of one piece of code.

use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::{Edit, Line};

type Pairs = Vec<(Line, Line)>;

/// Edits in order of the new text, and pairs that differ in operands only.
pub(super) fn align(old: &[Line], new: &[Line]) -> (Vec<Edit>, Pairs) {
    let (before, after) = (keys(old), keys(new));
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

fn keys(lines: &[Line]) -> Vec<(&str, &str)> {
    lines.iter().map(key).collect()
}

fn key(line: &Line) -> (&str, &str) {
    (&line.name, &line.context)
}

/// An instruction that is removed in one place and added in another was moved.
fn moved(edits: Vec<Edit>) -> Vec<Edit> {
    let mut gone: Vec<Option<Line>> = edits
        .iter()
        .map(|edit| match edit {
            Edit::Removed(line) => Some(line.clone()),
            _ => None,
        })
        .collect();
    let edits: Vec<(usize, Edit)> = edits
        .into_iter()
        .enumerate()
        .map(|(index, edit)| {
            let Edit::Added(line) = edit else {
                return (index, edit);
            };
            let same =
                |old: &&mut Option<Line>| old.as_ref().is_some_and(|old| key(old) == key(&line));
            match gone.iter_mut().find(same) {
                Some(old) => {
                    *old = None;
                    (index, Edit::Moved(line))
                }
                None => (index, Edit::Added(line)),
            }
        })
        .collect();
    let stays =
        |(index, edit): &(usize, Edit)| !matches!(edit, Edit::Removed(_)) || gone[*index].is_some();
    edits
        .into_iter()
        .filter(stays)
        .map(|(_, edit)| edit)
        .collect()
}
