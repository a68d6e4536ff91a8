//! Formatting of rendered text: rustfmt, with the edition pinned.

use crate::diag::{Diagnostic, Diagnostics};
use std::io::Write as _;
use std::process::{Command, Stdio};

/// Formats a Rust source text.
///
/// # Errors
/// rustfmt is missing, or the text is not Rust.
pub fn rustfmt(text: &str) -> Result<String, Diagnostics> {
    let failure = |error: std::io::Error| {
        Diagnostic::new(format!("rustfmt does not run: {error}"))
            .help("install it: `rustup component add rustfmt`, or Debian's package `rustfmt`")
    };
    let mut child = Command::new("rustfmt")
        .args([
            "--edition",
            "2024",
            "--quiet",
            "--config",
            "newline_style=Unix",
        ])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(failure)?;
    let mut stdin = child
        .stdin
        .take()
        .ok_or_else(|| Diagnostic::new("rustfmt has no input"))?;
    let input = text.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().map_err(failure)?;
    let written = writer
        .join()
        .unwrap_or_else(|_| Err(std::io::Error::other("writer stopped")));
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr);
        // It names what it has read; a proxy that finds no rustfmt does not.
        return Err(match message.contains("<stdin>") {
            true => Diagnostic::new(format!("rendered text is not Rust: {message}")).into(),
            false => failure(std::io::Error::other(message.trim())).into(),
        });
    }
    written.map_err(failure)?;
    String::from_utf8(output.stdout)
        .map_err(|_| Diagnostic::new("rustfmt gave text that is not UTF-8").into())
}
