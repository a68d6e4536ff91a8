//! Changes as text.

use std::fmt::Write as _;

use owo_colors::{OwoColorize as _, Style};

use super::{Changes, Edit, Line, PlaceChanges};

/// Operand changes shown where there is nothing else to show.
const SHOWN: usize = 8;

/// The changes as lines for people, in colour if `colour`.
#[must_use]
pub fn render(changes: &Changes, colour: bool) -> String {
    let mut text = String::new();
    for place in &changes.places {
        let _ = writeln!(text, "  {}", place.place);
        for edit in &place.edits {
            text += &paint(edit_line(edit), colour);
        }
        text += &operands(place);
    }
    text + &counts(changes, colour)
}

fn edit_line(edit: &Edit) -> (Style, String) {
    let (sign, line, style) = match edit {
        Edit::Added(line) => ('+', line, Style::new().green()),
        Edit::Removed(line) => ('-', line, Style::new().red()),
        Edit::Moved(line) => ('>', line, Style::new().yellow()),
    };
    let about = match (edit, line.context.as_str()) {
        (Edit::Moved(_), "") => "  moved here".to_owned(),
        (Edit::Moved(_), site) => format!("  moved here, {site}"),
        (_, "") => String::new(),
        (_, site) => format!("  {site}"),
    };
    let text = format!("    {sign} {:<36}{about}", line.text);
    (style, text.trim_end().to_owned())
}

fn paint((style, text): (Style, String), colour: bool) -> String {
    if colour {
        format!("{}\n", text.style(style))
    } else {
        text + "\n"
    }
}

fn operands(place: &PlaceChanges) -> String {
    let mut text = String::new();
    let changed = place.operands.len();
    // Beside other edits these are registers that were allocated anew.
    if place.edits.is_empty() {
        for (Line { text: old, .. }, new) in place.operands.iter().take(SHOWN) {
            let _ = writeln!(text, "    ~ {old} -> {}", new.text);
        }
    }
    if !place.edits.is_empty() && changed > 0 || changed > SHOWN {
        let _ = writeln!(text, "    ~ {changed} instructions differ in operands only");
    }
    text
}

fn counts(changes: &Changes, colour: bool) -> String {
    if changes.counts.is_empty() {
        return String::new();
    }
    let widest = changes.counts.keys().map(String::len).max().unwrap_or(0);
    let mut text = format!("  {:<widest$}  before   after  change\n", "in the text");
    for (name, &(before, after)) in &changes.counts {
        let difference = after as i64 - before as i64;
        let line = format!("  {name:<widest$}  {before:>6}  {after:>6}  {difference:>+6}");
        let style = if difference < 0 {
            Style::new().red()
        } else {
            Style::new().green()
        };
        text += &paint((style, line), colour);
    }
    text
}
