//! What a kernel's header relies on: a certificate, and a proved body for each macro-op.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::{Checked, Fault, Refused, check};
use crate::files::below;

/// Outcomes by file.
pub(crate) type Outcomes<T> = Vec<(PathBuf, Result<T, Refused>)>;

/// Everything under a generated crate.
#[derive(Clone, Debug)]
pub(crate) struct Crate {
    /// The certificates of its programs.
    pub(crate) proofs: Outcomes<Checked>,
    /// The kernels; what is paired with each is the program that it executes.
    pub(crate) kernels: Outcomes<String>,
}

impl Crate {
    /// What is refused, in words.
    pub(crate) fn refused(&self, root: &Path) -> Vec<String> {
        let proofs = self
            .proofs
            .iter()
            .map(|(path, outcome)| (path, outcome.as_ref().err()));
        let kernels = self
            .kernels
            .iter()
            .map(|(path, outcome)| (path, outcome.as_ref().err()));
        let refused = proofs.chain(kernels);
        let tell = |(path, refused): (&PathBuf, Option<&Refused>)| {
            Some(format!(
                "{}: {}",
                path.strip_prefix(root).unwrap_or(path).display(),
                refused?
            ))
        };
        refused.filter_map(tell).collect()
    }
}

/// Checks every certificate of a generated crate, and that each kernel rests on one of them.
pub(crate) fn check_crate(folder: &Path) -> std::io::Result<Crate> {
    let mut proofs = Vec::new();
    let mut programs = BTreeMap::new();
    for path in below(&folder.join("proofs"), "cert")? {
        let outcome = check(&std::fs::read_to_string(&path)?).and_then(|checked| {
            if path.with_extension("").ends_with(&checked.program) {
                return Ok(checked);
            }
            let what = format!("this is the certificate of {}", checked.program);
            Err(refused(1, Fault::Stated, what))
        });
        if let Ok(checked) = &outcome {
            let name = path.strip_prefix(folder).unwrap_or(&path);
            programs.insert(name.to_string_lossy().into_owned(), checked.clone());
        }
        proofs.push((path, outcome));
    }
    let mut kernels = Vec::new();
    for path in below(&folder.join("src"), "rs")? {
        let text = std::fs::read_to_string(&path)?;
        if text
            .lines()
            .any(|line| line.starts_with("pub unsafe fn permute_raw"))
        {
            kernels.push((path, rests(&text, &programs)));
        }
    }
    Ok(Crate { proofs, kernels })
}

/// The program of a kernel whose header names its certificate and a body for each macro-op.
fn rests(text: &str, programs: &BTreeMap<String, Checked>) -> Result<String, Refused> {
    let mut header = text.lines().enumerate();
    let certificate = header.find_map(|(n, line)| {
        let rest = line.strip_prefix("//! - certificate `")?;
        Some((n + 1, rest.strip_suffix('`')?))
    });
    let Some((line, path)) = certificate else {
        let what = "the header names no certificate".to_owned();
        return Err(refused(1, Fault::Syntax, what));
    };
    let Some(checked) = programs.get(path) else {
        let what = format!("{path} is no certificate that holds");
        return Err(refused(line, Fault::Stated, what));
    };
    let bodies: Vec<&str> = header
        .filter_map(|(_, line)| {
            let (op, hash) = line.strip_prefix("//!   - `")?.split_once("` ")?;
            let hex = |c: char| c.is_ascii_hexdigit();
            (hash.len() == 64 && hash.chars().all(hex)).then_some(op)
        })
        .collect();
    match checked
        .macro_ops
        .iter()
        .find(|op| !bodies.contains(&op.as_str()))
    {
        None => Ok(checked.program.clone()),
        Some(op) => {
            let what = format!("{path} has macro-op `{op}`, for which no body is named");
            Err(refused(line, Fault::MacroOp, what))
        }
    }
}

const fn refused(line: usize, fault: Fault, what: String) -> Refused {
    Refused { line, fault, what }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HASH: &str = "fb4b59d94e99c981df650eab450f208aaf4b5a9f9f3f05c8f85a8f5dbc562a54";

    #[test]
    fn a_kernel_names_a_certificate_that_holds_and_a_body_for_each_macro_op() {
        let checked = Checked {
            program: "set/field/w8_eager".to_owned(),
            sites: 1,
            elided: 1,
            executed: 0,
            macro_ops: ["add".to_owned(), "shift-left(2)".to_owned()].into(),
        };
        let path = "proofs/set/field/w8_eager.cert";
        let programs = BTreeMap::from([(path.to_owned(), checked)]);
        let header = format!(
            "//! A kernel.\n//! - certificate `{path}`\n//! - macro-op bodies:\n\
             //!   - `add` {HASH}\n//!   - `shift-left(2)` {HASH}\n"
        );
        assert_eq!(
            rests(&header, &programs).as_deref(),
            Ok("set/field/w8_eager")
        );
        let fault = |from: &str, to: &str| {
            assert!(header.contains(from), "{from}");
            rests(&header.replace(from, to), &programs)
                .unwrap_err()
                .fault
        };
        assert_eq!(fault(path, "proofs/set/field/w8_redc.cert"), Fault::Stated);
        assert_eq!(fault("//! - certificate", "//! certificate"), Fault::Syntax);
        assert_eq!(fault("`add`", "`sub`"), Fault::MacroOp);
        assert_eq!(fault("shift-left(2)", "shift-left(1)"), Fault::MacroOp);
        assert_eq!(fault(HASH, &HASH[1..]), Fault::MacroOp);
        // On general registers, a macro-op is computed beside another body, not in place of it.
        assert_eq!(fault("`add`", "`add` on general registers"), Fault::MacroOp);
    }
}
