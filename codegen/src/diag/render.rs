//! Diagnostics as text.

use std::fmt;
use std::io::IsTerminal as _;

use miette::{GraphicalReportHandler, GraphicalTheme, LabeledSpan, SourceCode};

use super::{Diagnostic, Diagnostics, Severity};

impl miette::Diagnostic for Diagnostic {
    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.severity {
            Severity::Error => miette::Severity::Error,
            Severity::Warning => miette::Severity::Warning,
        })
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.help
            .as_ref()
            .map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.source
            .as_ref()
            .map(|source| &*source.0 as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        if self.labels.is_empty() {
            return None;
        }
        let mut primary = true;
        Some(Box::new(self.labels.iter().map(move |(span, text)| {
            let span = (span.start, span.len());
            let text = Some(text.clone()).filter(|text| !text.is_empty());
            if std::mem::take(&mut primary) {
                LabeledSpan::new_primary_with_span(text, span)
            } else {
                LabeledSpan::new_with_span(text, span)
            }
        })))
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
        for diagnostic in self {
            if !text.is_empty() {
                text.push('\n');
            }
            let before = text.len();
            if handler.render_report(&mut text, diagnostic).is_err() {
                text.truncate(before);
                text.push_str(&diagnostic.message);
                text.push('\n');
            }
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
