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
            let (find, next): (&[&str], _) = match tag {
                Some(close) => (&[close], None),
                None => (&["{{", "{%", "{#"], Some(())),
            };
            let hit = find
                .iter()
                .filter_map(|f| rest.find(f).map(|at| (at, *f)))
                .min();
            let Some((at, found)) = hit else { break };
            rest = &rest[at + found.len()..];
            tag = next.map(|()| match found {
                "{{" => "}}",
                "{%" => "%}",
                _ => "#}",
            });
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
    let mut lines = Vec::new();
    for line in rendered.lines() {
        let mut text = String::new();
        let mut rest = line;
        while let Some(open) = rest.find(OPEN) {
            text.push_str(&rest[..open]);
            let Some(close) = rest.find(CLOSE) else { break };
            if let Some((file, line)) = rest[open + 1..close].split_once(':')
                && let (Ok(file), Ok(line)) = (file.parse(), line.parse())
            {
                origin = Origin { file, line };
            }
            rest = &rest[close + 1..];
        }
        text.push_str(rest);
        lines.push((text, origin));
    }
    lines
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
