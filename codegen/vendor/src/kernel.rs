//! A generated kernel as a file of another crate: nothing but its function, and what it uses there.

use super::SHARED;
use super::slots::{Slots, constants, leaf};
use codegen::diag::{Diagnostic, Diagnostics};
use codegen::emit::FileSet;
use codegen::kernel::Generated;

/// Above everything that is written into the crate.
pub(crate) const LICENCE: &str = "\
// SPDX-License-Identifier: MIT OR Apache-2.0
// From poseidon2-kernels, under the licences of the crate around it.
";

/// The kernels, each with its certificate.
pub(crate) fn insert(
    slots: &Slots<'_>,
    command: &str,
    files: &mut FileSet,
) -> Result<(), Diagnostics> {
    for (candidate, kernel) in slots.kernels() {
        let folder = candidate.home().folder();
        let path = format!("{folder}/{}.rs", candidate.leaf());
        files.insert(path, command, &source(kernel)?);
        let program = &kernel.program;
        let path = format!("{folder}/{}", proof(kernel));
        files.insert(path, command, &program.certificate);
        if let Some((_, text)) = &program.preparation {
            let path = format!("{SHARED}/{}.rs", constants(kernel));
            files.insert(path, command, &format!("{LICENCE}{text}"));
        }
    }
    Ok(())
}

/// The file of the certificate, which kernels of the same program share.
fn proof(kernel: &Generated) -> String {
    format!("{}.cert", leaf(&kernel.program.name))
}

fn source(kernel: &Generated) -> Result<String, Diagnostic> {
    let name = &kernel.info.name;
    let unfit = |what: &str| Diagnostic::new(format!("{name} cannot be vendored: {what}"));
    // The registry's form comes last; the crate has no registry.
    let (kept, _) = kernel
        .source
        .split_once("/// [`permute`] on raw memory")
        .ok_or_else(|| unfit("its text has another form than is known"))?;
    let kept = kept.replace("use crate::Constants;", USE);
    if kept.matches("crate::").count() > kept.matches(USE).count() {
        return Err(unfit("it uses more of its own crate than is vendored"));
    }
    // Its certificate lies beside it here.
    let kept = kept.replace(&kernel.program.path, &proof(kernel));
    Ok(format!("{LICENCE}{}\n", kept.trim_end()))
}

/// What a kernel uses of the crate around it.
const USE: &str = "use crate::poseidon2_generated::Constants;";
