//! The modules around the kernels.

use std::collections::{BTreeMap, BTreeSet};

use askama::Template;

use super::SHARED;
use super::implementations::{Implementation, Module, implementations, used};
use super::kernel::LICENCE;
use super::package::Package;
use super::platform::{Platform, X86_64};
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
    package: &'static Package,
    constants: &'static str,
    /// The exponent of the S-box.
    alpha: u64,
    rounds: BTreeMap<usize, (usize, usize)>,
    tables: Vec<Table>,
    /// Whether some table is.
    prepared: bool,
    /// Kernels on general registers.
    modules: Vec<Module>,
    /// Builds without SIMD that have kernels.
    alone: Option<String>,
    /// The condition under which constructors take references.
    by_reference: Option<&'static str>,
}

#[derive(Template)]
#[template(path = "platform.rs.jinja", escape = "none")]
struct OfPlatform {
    licence: &'static str,
    package: &'static Package,
    packing: Option<String>,
    /// What is used of the shared module, and what only under a condition.
    imports: Vec<String>,
    conditional: Vec<Module>,
    modules: Vec<Module>,
    implementations: Vec<Implementation>,
}

/// The generated kernels against the crate's own implementation.
#[derive(Template)]
#[template(path = "same.rs.jinja", escape = "none")]
struct Tests {
    licence: &'static str,
    package: &'static Package,
    rounds: BTreeMap<usize, (usize, usize)>,
}

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
    let package = slots.package;
    let rounds = slots.rounds();
    let alone = platforms.contains(&Platform::Scalar);
    let tables = tables(slots);
    let shared = Shared {
        licence: LICENCE,
        constants: type_of_constants(),
        prepared: tables.iter().any(|table| table.prepared),
        tables,
        package,
        alpha: package.alpha(),
        rounds: rounds.clone(),
        modules: at_home(slots, Platform::Scalar)
            .map(|(name, isa)| Module {
                name: name.to_owned(),
                condition: (isa == Isa::X86_64).then(|| X86_64.to_owned()),
            })
            .collect(),
        alone: alone.then(|| package.condition(Platform::Scalar)),
        by_reference: (!package.is_monty_31()).then(|| Platform::Neon.facts().condition),
    };
    let mut rust = |path: String, text: Result<String, askama::Error>| {
        let text = text
            .map_err(|error| Diagnostic::new(format!("cannot write what is vendored: {error}")))?;
        files.insert(path, command, &rustfmt(&text)?);
        Ok::<_, Diagnostics>(())
    };
    rust(format!("{SHARED}/mod.rs"), shared.render())?;
    let tests = Tests {
        licence: LICENCE,
        package,
        rounds,
    };
    rust(format!("{SHARED}/tests.rs"), tests.render())?;
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
    let packing = slots.package.packing(platform).map(|(name, _)| name);
    let implementations = implementations(slots, platform);
    let kernel = |(name, _)| used(name, &implementations, |call| call.module == name);
    let shared = at_home(slots, Platform::Scalar).filter_map(kernel);
    let recast = used("recast", &implementations, |call| !call.unpacked);
    let constants = used("constants", &implementations, |_| true);
    let (conditional, imports): (Vec<_>, Vec<_>) = shared
        .chain(recast)
        .chain(constants)
        .partition(|import| import.condition.is_some());
    let own = platform.module().map(|_| at_home(slots, platform));
    OfPlatform {
        licence: LICENCE,
        package: slots.package,
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
            condition: slots
                .package
                .any(&readers)
                .filter(|_| readers != slots.platforms()),
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
