//! Two versions of a kernel compared by instruction, as a kernel engineer reads them.
//!
//! Register numbers and temporaries change whenever anything does, so instructions are matched by
//! mnemonic and by the add-site they serve; an instruction that only names other registers counts
//! as changed in its operands, not as removed and added.

mod align;
mod reading;
mod render;

use std::collections::BTreeMap;

pub use render::render;

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
    let (old, new) = (places(old)?, places(new)?);
    let lines = |places: &[Place], name: &str| {
        let found = places.iter().find(|(place, _)| place == name);
        found.map_or_else(Vec::new, |(_, lines)| lines.clone())
    };
    let gone = old.iter().filter(|(name, _)| lines(&new, name).is_empty());
    for (place, _) in new.iter().chain(gone) {
        let (edits, operands) = align::align(&lines(&old, place), &lines(&new, place));
        if !edits.is_empty() || !operands.is_empty() {
            changes.places.push(PlaceChanges {
                place: place.clone(),
                edits,
                operands,
            });
        }
    }
    let counts = &mut changes.counts;
    for line in old.iter().flat_map(|(_, lines)| lines) {
        counts.entry(line.name.clone()).or_default().0 += 1;
    }
    for line in new.iter().flat_map(|(_, lines)| lines) {
        counts.entry(line.name.clone()).or_default().1 += 1;
    }
    counts.retain(|_, (before, after)| before != after);
    Ok(changes)
}

/// A function, macro or `asm!` block, and its instructions.
type Place = (String, Vec<Line>);

fn places(source: &str) -> Result<Vec<Place>, syn::Error> {
    let mut places = Vec::<Place>::new();
    let comments = comments(source);
    for instruction in reading::read(source)? {
        let context = comments.range(..=instruction.line).next_back();
        let line = Line {
            name: instruction.name,
            text: instruction.text,
            context: context.map_or_else(String::new, |(_, text)| text.clone()),
        };
        let place = instruction.place;
        match places.iter_mut().find(|(name, _)| *name == place) {
            Some((_, lines)) => lines.push(line),
            None => places.push((place, vec![line])),
        }
    }
    Ok(places)
}

/// What the code from some line on serves, as comments beside or above it say; the end of what it
/// stands in ends that.
fn comments(source: &str) -> BTreeMap<usize, String> {
    let mut found = BTreeMap::new();
    for (line, text) in (1..).zip(source.lines()) {
        let comment = text.split_once("// ").map(|(_, comment)| comment);
        let first = |text: &str| text.split([' ', ':', ',']).next().map(str::to_owned);
        let named = comment.and_then(|text| match text.strip_prefix("kept at ") {
            Some(site) => Some(format!("kept at {}", first(site)?)),
            None => first(text).filter(|name| name.contains('.')),
        });
        let ends = || text.trim_end().ends_with('}').then(String::new);
        found.extend(named.or_else(ends).map(|name| (line, name)));
    }
    found
}

#[cfg(test)]
mod tests;
