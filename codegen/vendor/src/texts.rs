//! The modules around the kernels.

use std::collections::BTreeSet;

use askama::Template;

use super::SHARED;
use super::implementations::{Implementation, Module, implementations, used};
use super::kernel::LICENCE;
use super::platform::{Platform, X86_64, any};
use super::slots::{Slots, constants};
use codegen::diag::{Diagnostic, Diagnostics};
use codegen::emit::FileSet;
use codegen::format::rustfmt;
use codegen::names::Isa;
use codegen::scaffold::TYPES;

#[derive(Template)]
#[template(path = "shared.rs.jinja", escape = "none")]
struct Shared {
    licence: &'static str,
    constants: &'static str,
    external_rounds: usize,
    internal_rounds: usize,
    tables: Vec<Table>,
    /// Whether some table is.
    prepared: bool,
    /// Kernels on general registers.
    modules: Vec<Module>,
    /// Builds without SIMD that have kernels.
    alone: Option<&'static str>,
    neon: &'static str,
}

#[derive(Template)]
#[template(path = "platform.rs.jinja", escape = "none")]
struct OfPlatform {
    licence: &'static str,
    packing: Option<&'static str>,
    /// What is used of the shared module, and what only under a condition.
    imports: Vec<String>,
    conditional: Vec<Module>,
    modules: Vec<Module>,
    implementations: Vec<Implementation>,
}

/// The generated kernels against the crate's own implementation.
const TESTS: &str = include_str!("../scaffold/same.rs");

/// A table of constants.
struct Table {
    name: String,
    /// Words of each constant.
    parts: usize,
    /// The platforms on which some kernel reads it, if not all that have kernels.
    condition: Option<String>,
    /// Its words are made of residues.
    prepared: bool,
}

/// Everything around the kernels.
pub(crate) fn insert(
    slots: &Slots<'_>,
    command: &str,
    files: &mut FileSet,
) -> Result<(), Diagnostics> {
    let platforms = slots.platforms();
    let (external_rounds, internal_rounds) = slots.rounds();
    let alone = platforms.contains(&Platform::Scalar);
    let tables = tables(slots);
    let shared = Shared {
        licence: LICENCE,
        constants: type_of_constants(),
        prepared: tables.iter().any(|table| table.prepared),
        tables,
        external_rounds,
        internal_rounds,
        modules: at_home(slots, Platform::Scalar)
            .map(|(name, isa)| Module {
                name: name.to_owned(),
                condition: (isa == Isa::X86_64).then(|| X86_64.to_owned()),
            })
            .collect(),
        alone: alone.then(|| Platform::Scalar.facts().condition),
        neon: Platform::Neon.facts().condition,
    };
    let mut rust = |path: String, text: Result<String, askama::Error>| {
        let text = text
            .map_err(|error| Diagnostic::new(format!("cannot write what is vendored: {error}")))?;
        files.insert(path, command, &rustfmt(&text)?);
        Ok::<_, Diagnostics>(())
    };
    rust(format!("{SHARED}/mod.rs"), shared.render())?;
    rust(
        format!("{SHARED}/tests.rs"),
        Ok(format!("{LICENCE}{TESTS}")),
    )?;
    for platform in platforms {
        let file = match platform.module() {
            Some(_) => "mod.rs",
            None => "without_simd.rs",
        };
        let path = format!("{}/{file}", platform.folder());
        rust(path, of_platform(slots, platform).render())?;
    }
    Ok(())
}

fn of_platform(slots: &Slots<'_>, platform: Platform) -> OfPlatform {
    let packing = platform.facts().packing.map(|(name, _)| name);
    let implementations = implementations(slots, platform);
    let kernel = |(name, _)| used(name, &implementations, |call| call.module == name);
    let shared = at_home(slots, Platform::Scalar).filter_map(kernel);
    let recast = used("recast", &implementations, |call| !call.unpacked);
    let (conditional, imports): (Vec<_>, Vec<_>) = shared
        .chain(recast)
        .partition(|import| import.condition.is_some());
    let own = platform.module().map(|_| at_home(slots, platform));
    OfPlatform {
        licence: LICENCE,
        packing,
        modules: own.into_iter().flatten().filter_map(kernel).collect(),
        imports: imports.into_iter().map(|import| import.name).collect(),
        conditional,
        implementations,
    }
}

/// The modules of kernels that lie in a platform's folder, and their instruction sets.
fn at_home<'s>(slots: &'s Slots<'_>, home: Platform) -> impl Iterator<Item = (&'s str, Isa)> {
    let kernels = slots.kernels().into_iter();
    let at_home = kernels.filter(move |(candidate, _)| candidate.home() == home);
    at_home.map(|(candidate, _)| (candidate.leaf(), candidate.isa))
}

/// The tables that kernels read, each once.
fn tables(slots: &Slots<'_>) -> Vec<Table> {
    let kernels = slots.kernels();
    let names: BTreeSet<_> = kernels
        .iter()
        .map(|(_, kernel)| {
            let prepared = kernel.program.preparation.is_some();
            (constants(kernel), kernel.info.parts, prepared)
        })
        .collect();
    let of = |(name, parts, prepared): (&str, usize, bool)| {
        let readers = slots.platforms_of(|kernel| constants(kernel) == name);
        Table {
            name: name.to_owned(),
            parts,
            condition: (readers != slots.platforms()).then(|| any(&readers)),
            prepared,
        }
    };
    names.into_iter().map(of).collect()
}

/// The first type of the generated crate, `Constants`, below its documentation.
fn type_of_constants() -> &'static str {
    let start = TYPES.find("#[derive").unwrap_or_default();
    let (item, _) = TYPES[start..].split_once("\n}\n").unwrap_or_default();
    &TYPES[start..start + item.len() + "\n}".len()]
}
