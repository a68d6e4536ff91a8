//! The generated part of a file that is otherwise written by hand.

use std::path::{Path, PathBuf};

use super::read;
use crate::diag::Diagnostic;

/// Text between two marker lines.
#[derive(Clone, Debug)]
pub struct Region {
    path: PathBuf,
    name: &'static str,
    text: String,
    command: String,
}

impl Region {
    /// `text` between `<!-- NAME:begin -->` and `<!-- NAME:end -->` in the file at `path`.
    #[must_use]
    pub fn new(
        path: impl Into<PathBuf>,
        name: &'static str,
        text: &str,
        command: impl Into<String>,
    ) -> Self {
        Self {
            path: path.into(),
            name,
            text: text.replace("\r\n", "\n"),
            command: command.into(),
        }
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The command that writes it.
    #[must_use]
    pub fn command(&self) -> &str {
        &self.command
    }

    /// The file's text now and as it should be.
    ///
    /// # Errors
    /// It cannot be read, or has no such region.
    pub(super) fn apply(&self) -> Result<(String, String), Diagnostic> {
        let (begin, end) = (self.marker("begin"), self.marker("end"));
        let text = read(&self.path)?.unwrap_or_default();
        let place = text.find(&begin).and_then(|at| {
            let start = at + begin.len();
            Some((start, start + text[start..].find(&end)?))
        });
        let Some((start, stop)) = place else {
            let path = self.path.display();
            return Err(
                Diagnostic::new(format!("{path} has no region `{}`", self.name)).help(format!(
                    "put the lines `{begin}` and `{end}` where the generated text belongs"
                )),
            );
        };
        let wanted = format!(
            "{}\n\n{}\n\n{}",
            &text[..start],
            self.text.trim(),
            &text[stop..]
        );
        Ok((text, wanted))
    }

    fn marker(&self, side: &str) -> String {
        format!("<!-- {}:{side} -->", self.name)
    }
}
