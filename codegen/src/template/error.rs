//! Tera's errors as diagnostics.

use tera::ErrorKind;

use crate::diag::{Diagnostic, Source};

fn report(error: &tera::Error) -> Option<&tera::ReportError> {
    match error.kind() {
        ErrorKind::SyntaxError(report) | ErrorKind::RenderingError(report) => Some(report),
        _ => None,
    }
}

pub(super) fn is_syntax(error: &tera::Error) -> bool {
    matches!(error.kind(), ErrorKind::SyntaxError(_))
}

/// The template in which the error is.
pub(super) fn file(error: &tera::Error) -> Option<&str> {
    report(error).map(tera::ReportError::filename)
}

/// What tera says, in one line, without its excerpt of the marked text.
pub(super) fn text(error: &tera::Error) -> String {
    match report(error) {
        Some(report) => report.message().to_owned(),
        None => error.to_string().replace('\n', " "),
    }
}

/// Bytes of a line of a text, lines from 0.
pub(super) fn line_span(text: &str, line: usize) -> std::ops::Range<usize> {
    let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
    let content = text[start..].split('\n').next().unwrap_or("");
    let indent = content.len() - content.trim_start().len();
    start + indent..start + content.trim_end().len()
}

pub(super) fn of_tera(error: &tera::Error, source: &Source) -> Diagnostic {
    let diagnostic = Diagnostic::new(format!("the template {} does not render", source.name()));
    match report(error) {
        Some(report) => {
            let line = report.span().start_line.max(1) - 1;
            diagnostic.at(
                source,
                line_span(source.text(), line),
                report.message().to_owned(),
            )
        }
        None => diagnostic.help(text(error)),
    }
}
