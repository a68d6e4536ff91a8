//! Diagnostics as text.

use std::io::IsTerminal as _;

use miette::{GraphicalReportHandler, GraphicalTheme, MietteDiagnostic, Report};

use super::{Diagnostic, Diagnostics};

/// Each is looked up in its text from the start, which takes long for thousands. Nobody reads them.
const SHOWN: usize = 50;

/// Bytes of a line that can be shown: with columns above 2^16, miette panics.
const LONG: usize = 8_000;

impl Diagnostic {
    fn report(&self) -> Report {
        let is_long = |source: &&super::Source| source.text().lines().any(|line| line.len() > LONG);
        let long = self.source.as_ref().filter(is_long);
        let message = match long.and_then(|_| self.location()) {
            Some((name, line, column)) => format!("{name}:{line}:{column}: {}", self.message),
            None => self.message.clone(),
        };
        let mut shown = MietteDiagnostic::new(message).with_severity(self.severity);
        shown.help.clone_from(&self.help);
        match &self.source {
            Some(source) if long.is_none() => {
                let shown = shown.with_labels(self.labels.iter().cloned());
                Report::new(shown).with_source_code(source.0.clone())
            }
            _ => Report::new(shown),
        }
    }
}

impl Diagnostics {
    /// For standard error: in colour if that is a terminal and `NO_COLOR` is not set.
    #[must_use]
    pub fn render(&self) -> String {
        let colour = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
        if colour {
            self.render_with(&GraphicalReportHandler::new_themed(
                GraphicalTheme::unicode(),
            ))
        } else {
            self.render_plain()
        }
    }

    /// Without colour, the same on every terminal.
    #[must_use]
    pub fn render_plain(&self) -> String {
        let theme = GraphicalTheme::unicode_nocolor();
        let handler = GraphicalReportHandler::new_themed(theme);
        // Unwrapped: a path that is cut in two can be neither searched for nor clicked.
        self.render_with(&handler.with_wrap_lines(false).with_links(false))
    }

    fn render_with(&self, handler: &GraphicalReportHandler) -> String {
        let mut text = String::new();
        for diagnostic in self.iter().take(SHOWN) {
            if !text.is_empty() {
                text.push('\n');
            }
            // Spans lie in their text, and a string takes all that is written.
            let _ = handler.render_report(&mut text, diagnostic.report().as_ref());
        }
        if let Some(more @ 1..) = self.len().checked_sub(SHOWN) {
            text += &format!("\n{more} more are not shown\n");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use crate::diag::{Diagnostic, Diagnostics, Source};

    #[test]
    fn plain_text() {
        let source = Source::new("templates/neon/add.tera", "// needs a < p\nadds t, a, b\n");
        let mut all = Diagnostics::new();
        all.push(Diagnostic::new("no place, no help"));
        all.push(
            Diagnostic::warning("a warning with two labels")
                .at(&source, 15..19, "the first")
                .at(&source, 23..24, "the second")
                .help("change one"),
        );
        all.push(Diagnostic::new("beyond the end").at(&source, 900..1000, "cut off"));
        insta::assert_snapshot!("plain", all.render_plain());
        assert_eq!(all.to_string(), all.render_plain());
        assert!(!all.render_plain().contains('\u{1b}'));
    }

    #[test]
    fn thousands_are_counted() {
        let source = Source::new("spec.toml", "x\n".repeat(5_000));
        let wrong = |n: usize| Diagnostic::new("wrong").at(&source, 2 * n..2 * n + 1, "here");
        let text = (0..5_000)
            .map(wrong)
            .collect::<Diagnostics>()
            .render_plain();
        assert_eq!(text.matches("wrong").count(), super::SHOWN);
        assert!(text.ends_with("\n4950 more are not shown\n"), "{text}");
    }

    #[test]
    fn long_lines_are_named_and_not_shown() {
        let source = Source::new("spec.toml", format!("a = 1\n{}\tb", " ".repeat(70_000)));
        let text = Diagnostics::from(Diagnostic::new("wrong").at(&source, 70_007..70_008, "here"));
        assert!(text.render_plain().contains("spec.toml:2:70002: wrong"));
    }

    #[test]
    fn positions_count_characters() {
        let source = Source::new("spec.toml", "ä = 1\r\nmäx = 2");
        let at = |text: &str| source.position(source.text().find(text).unwrap());
        assert_eq!((at("ä"), at("= 1"), at("x")), ((1, 1), (1, 3), (2, 3)));
        assert_eq!(source.position(1), (1, 1), "inside the first character");
        assert_eq!(source.position(99), (2, 8));
        let inside = Diagnostic::new("inside a character").at(&source, 1..1, "");
        assert_eq!(inside.location(), Some(("spec.toml", 1, 1)));
        assert!(
            Diagnostics::from(inside)
                .render_plain()
                .contains("spec.toml:1:1")
        );
    }
}
