//! Two versions of a kernel compared by instruction, as a kernel engineer reads them.
//!
//! Register numbers and temporaries change whenever anything does, so instructions are matched by
//! mnemonic and by the add-site they serve; an instruction that only names other registers counts
//! as changed in its operands, not as removed and added.

mod align;
mod render;

use std::collections::BTreeMap;

pub use render::render;

use crate::audit::Reading;

/// What differs between two versions of a kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Functions, macros and `asm!` blocks that differ, in the order of the new text.
    pub places: Vec<PlaceChanges>,
    /// Occurrences in the text before and after, by mnemonic, where they differ.
    pub counts: BTreeMap<String, (usize, usize)>,
}

/// What differs in one function, macro or `asm!` block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlaceChanges {
    /// Its name.
    pub place: String,
    /// Instructions added, removed or moved.
    pub edits: Vec<Edit>,
    /// Instructions that differ in nothing but operands, before and after.
    pub operands: Vec<(Line, Line)>,
}

/// One instruction, with the add-site it serves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its mnemonic, intrinsic or macro.
    pub name: String,
    /// Its text.
    pub text: String,
    /// The comment it stands under: a site, or a kept canonicalisation; empty for none.
    pub context: String,
}

/// One difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// In the new text only.
    Added(Line),
    /// In the old text only.
    Removed(Line),
    /// In both, elsewhere; as the new text has it.
    Moved(Line),
}

impl Changes {
    /// Whether no instruction differs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }
}

/// A text without what comes before its first item.
fn below_header(text: &str) -> &str {
    let before = |line: &&str| line.starts_with("//") || line.trim().is_empty();
    let lines = text.split_inclusive('\n').take_while(before);
    &text[lines.map(str::len).sum()..]
}

/// Compares two versions; an absent one is an empty text.
///
/// # Errors
/// One of them is not Rust.
pub fn compare(old: &str, new: &str) -> Result<Changes, syn::Error> {
    let mut changes = Changes::default();
    // Most kernels are as they were, and to read them takes longer than to write them.
    if below_header(old) == below_header(new) {
        return Ok(changes);
    }
    let (old, new) = (Places::of(old)?, Places::of(new)?);
    let mut names: Vec<&String> = new.order.iter().collect();
    names.extend(old.order.iter().filter(|name| !new.order.contains(name)));
    for place in names {
        let lines = |places: &'_ Places| places.lines.get(place).cloned().unwrap_or_default();
        let (edits, operands) = align::align(&lines(&old), &lines(&new));
        if !edits.is_empty() || !operands.is_empty() {
            changes.places.push(PlaceChanges {
                place: place.clone(),
                edits,
                operands,
            });
        }
    }
    let (before, after) = (old.counts(), new.counts());
    for name in before.keys().chain(after.keys()) {
        let count = |counts: &BTreeMap<String, usize>| counts.get(name).copied().unwrap_or(0);
        if count(&before) != count(&after) {
            let pair = (count(&before), count(&after));
            changes.counts.insert(name.clone(), pair);
        }
    }
    Ok(changes)
}

/// Instructions by the place they stand in.
#[derive(Default)]
struct Places {
    order: Vec<String>,
    lines: BTreeMap<String, Vec<Line>>,
}

impl Places {
    fn of(source: &str) -> Result<Self, syn::Error> {
        let mut places = Self::default();
        let comments = comments(source);
        for instruction in Reading::of(source)?.instructions {
            if !places.lines.contains_key(&instruction.place) {
                places.order.push(instruction.place.clone());
            }
            let context = comments.range(..=instruction.line).next_back();
            let lines = places.lines.entry(instruction.place).or_default();
            lines.push(Line {
                name: instruction.name,
                text: instruction.text,
                context: context.map_or_else(String::new, |(_, text)| text.clone()),
            });
        }
        Ok(places)
    }

    fn counts(&self) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        for line in self.lines.values().flatten() {
            *counts.entry(line.name.clone()).or_insert(0) += 1;
        }
        counts
    }
}

/// Comments that say what the code below them serves, by line; others end their reach.
fn comments(source: &str) -> BTreeMap<usize, String> {
    let mut found = BTreeMap::new();
    for (line, text) in (1..).zip(source.lines()) {
        let named = ["// site: ", "// kept at "].iter().find_map(|mark| {
            let rest = text.split_once(mark)?.1;
            let name = rest.split([' ', ':']).next().unwrap_or_default();
            let kept = mark.contains("kept");
            Some(if kept {
                format!("kept at {name}")
            } else {
                name.to_owned()
            })
        });
        let ends = || text.trim_end().ends_with('}').then(String::new);
        found.extend(named.or_else(ends).map(|name| (line, name)));
    }
    found
}

#[cfg(test)]
mod tests;
