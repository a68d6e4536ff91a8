//! Where each rendered line came from.
//!
//! Includes, loops and comments move lines about. So every line of a template carries its file
//! and number through tera as a mark that no template text can contain, and loses it afterwards.

const OPEN: char = '\u{1}';
const CLOSE: char = '\u{2}';

/// A line of a template: index of its file, number from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Origin {
    pub(super) file: usize,
    pub(super) line: usize,
}

/// The template with a mark at the end of every line that is not inside a tera tag.
pub(super) fn mark(text: &str, file: usize) -> String {
    let mut marked = String::with_capacity(2 * text.len());
    let mut tag: Option<&str> = None;
    for (line, content) in text.lines().enumerate() {
        let mut rest = content;
        loop {
            let ends: &[(&str, Option<&str>)] = match tag {
                Some(close) => &[(close, None)],
                None => &[("{{", Some("}}")), ("{%", Some("%}")), ("{#", Some("#}"))],
            };
            let hits = ends.iter();
            let hits = hits.filter_map(|(mark, next)| Some((rest.find(mark)?, *next)));
            let Some((at, next)) = hits.min_by_key(|(at, _)| *at) else {
                break;
            };
            // Every mark of a tag has two characters.
            rest = &rest[at + 2..];
            tag = next;
        }
        marked.push_str(content);
        if tag.is_none() {
            marked.push_str(&format!("{OPEN}{file}:{line}{CLOSE}"));
        }
        marked.push('\n');
    }
    marked
}

/// The lines of a rendered template, with the origins that their marks tell. A line without a mark
/// gets the origin of the one before it.
pub(super) fn unmark(rendered: &str, file: usize) -> Vec<(String, Origin)> {
    let mut origin = Origin { file, line: 0 };
    let mut unmarked = |line: &str| {
        let (text, marks) = line.split_once(OPEN).unwrap_or((line, ""));
        let mut text = text.to_owned();
        for mark in marks.split(OPEN) {
            let (place, rest) = mark.split_once(CLOSE).unwrap_or_default();
            if let Some((file, line)) = place.split_once(':')
                && let (Ok(file), Ok(line)) = (file.parse(), line.parse())
            {
                origin = Origin { file, line };
            }
            text += rest;
        }
        (text, origin)
    };
    rendered.lines().map(&mut unmarked).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_survive_and_leave_no_trace() {
        let text = "{# about\n  it #}\nadds t, a, b\n\n{% if\n k %}x{% endif %}\n";
        let marked = mark(text, 3);
        assert_eq!(marked.matches(OPEN).count(), 4);
        let rendered = marked.replace("{# about\n  it #}", "");
        let lines = unmark(&rendered, 3);
        assert_eq!(lines[0], (String::new(), Origin { file: 3, line: 1 }));
        assert_eq!(
            lines[1],
            ("adds t, a, b".to_owned(), Origin { file: 3, line: 2 })
        );
    }
}
