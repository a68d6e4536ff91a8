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

/// What is wrong in one of these files, by name; the one that was asked for, if tera does not say.
pub(super) fn of_tera(
    error: &tera::Error,
    files: &[(String, Source)],
    asked: &Source,
) -> Diagnostic {
    let report = report(error);
    let named = |(name, _): &&(String, Source)| report.is_some_and(|r| r.filename() == name);
    let source = files.iter().find(named).map_or(asked, |(_, source)| source);
    let diagnostic = Diagnostic::new(format!("the template {} does not render", source.name()));
    match report {
        Some(report) => {
            let line = report.span().start_line.max(1) - 1;
            let span = line_span(source.text(), line);
            diagnostic.at(source, span, report.message())
        }
        None => diagnostic.help(text(error)),
    }
}
