//! The crate's own texts: manifest, library, tests, what it says of itself.

use askama::Template;

use super::copies::Peers;
use crate::diag::Diagnostics;
use crate::emit::FileSet;
use crate::format::rustfmt;
use crate::kernel::KernelInfo;
use crate::names::pascal_case;
use crate::params::{Instance, ParameterSet};
use crate::scaffold::{constant, render};
use crate::spec::Spec;

#[derive(Template)]
#[template(path = "package/Cargo.toml.jinja", escape = "none")]
struct Manifest<'a> {
    name: &'a str,
    instance: &'a Instance,
    peers: &'a Peers,
    /// Those that the package's own test of Plonky3's traits names.
    tested: Vec<String>,
}

#[derive(Template)]
#[template(path = "package/lib.rs.jinja", escape = "none")]
struct Library<'a> {
    name: &'a str,
    instance: &'a Instance,
    /// The parameter set, as the interface names it.
    set: String,
    field: String,
    word: String,
    plonky3: bool,
}

#[derive(Template)]
#[template(path = "package/tests.rs.jinja", escape = "none")]
struct Tests<'a> {
    instance: &'a Instance,
    library: String,
    registry: String,
    tables: String,
    module: String,
}

#[derive(Template)]
#[template(path = "package/plonky3.rs.jinja", escape = "none")]
struct Plonky3Tests<'a> {
    instance: &'a Instance,
    library: &'a str,
    /// Plonky3's package of the field, and the field there.
    krate: String,
    field: String,
}

#[derive(Template)]
#[template(path = "package/README.md.jinja", escape = "none")]
struct Readme<'a> {
    name: &'a str,
    library: String,
    command: &'a str,
    instance: &'a Instance,
    head: String,
    kernels: &'a [KernelInfo],
    /// Known answers from elsewhere.
    others: usize,
    /// Half of the width, which a sponge may absorb at a time, and a quarter or more of it.
    rate: usize,
    digest: usize,
    /// The version of Plonky3, and what a program names of it; empty if there is nothing of it.
    plonky3: &'a str,
    krate: String,
    field: String,
}

/// Adds them.
pub(super) fn insert(
    spec: &Spec,
    kernels: &[KernelInfo],
    peers: &Peers,
    name: &str,
    command: &str,
    files: &mut FileSet,
) -> Result<(), Diagnostics> {
    let instance = &spec.instance;
    let field = instance.field;
    let set = pascal_case(&instance.parameter_set);
    let known = ParameterSet::by_name(&instance.parameter_set).is_some();
    let set = if known { set } else { format!("own::{set}") };
    let word = format!("u{}", field.word_bits());
    let library = name.replace('-', "_");
    let constants = crate::scaffold::constants_path(instance);
    let module = constants.trim_start_matches("src/").trim_end_matches(".rs");
    files.insert(
        "Cargo.toml",
        command,
        &render(&Manifest {
            name,
            instance,
            peers,
            tested: peers.tested(field),
        })?,
    );
    let krate = format!("p3_{}", field.name.replace('-', "_"));
    let mut rust = |path: &str, text: &str| -> Result<(), Diagnostics> {
        files.insert(path, command, &rustfmt(text)?);
        Ok(())
    };
    let text = render(&Library {
        name,
        instance,
        set,
        field: pascal_case(field.name),
        word,
        plonky3: !peers.is_empty(),
    })?;
    rust("src/lib.rs", &text)?;
    let text = render(&Tests {
        instance,
        library: library.clone(),
        registry: constant(field),
        tables: format!("{}_TABLES", constant(field)),
        module: module.replace('/', "::"),
    })?;
    rust("tests/package.rs", &text)?;
    if !peers.is_empty() {
        let text = render(&Plonky3Tests {
            instance,
            library: &library,
            krate: krate.clone(),
            field: pascal_case(field.name),
        })?;
        rust("tests/plonky3.rs", &text)?;
    }
    // 256 bits, but no more than half a state: two digests fit in a state.
    let digest = (256 / instance.field.word_bits() as usize).min(instance.width / 2);
    let rate = instance.width - digest;
    let readme = render(&Readme {
        name,
        library,
        command,
        instance,
        head: instance.head(),
        kernels,
        others: spec.answers.len(),
        rate,
        digest,
        plonky3: peers.version("p3-symmetric"),
        krate,
        field: pascal_case(field.name),
    })?;
    files.insert_whole("README.md", command, readme);
    files.insert(".gitignore", command, "/target\n");
    Ok(())
}
