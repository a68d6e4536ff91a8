//! The modules around the kernels.

use std::collections::BTreeSet;

use askama::Template;
use syn::spanned::Spanned as _;

use super::SHARED;
use super::implementations::{Implementation, Somewhere, anywhere, implementations, on};
use super::kernel::LICENCE;
use super::platform::Platform;
use super::slots::{self, Slots};
use codegen::diag::{Diagnostic, Diagnostics};
use codegen::emit::FileSet;
use codegen::format::rustfmt;
use codegen::scaffold::TYPES;

#[derive(Template)]
#[template(path = "shared.rs.jinja", escape = "none")]
struct Shared {
    licence: &'static str,
    constants: String,
    external_rounds: usize,
    internal_rounds: usize,
    tables: Vec<Table>,
    /// There, if some table is prepared.
    preparation: Option<Reach>,
    /// Kernels in plain Rust.
    modules: Vec<Module>,
    /// Builds without SIMD that have kernels.
    alone: Option<&'static str>,
    /// There, if some kernel works in place.
    recast: Option<Reach>,
    /// Whether some build has no kernel.
    idle: bool,
    neon: &'static str,
    has_neon: bool,
    has_others: bool,
}

#[derive(Template)]
#[template(path = "platform.rs.jinja", escape = "none")]
struct OfPlatform {
    licence: &'static str,
    about: String,
    packing: Option<&'static str>,
    /// What is used of the shared module, and what only under a condition.
    imports: Vec<String>,
    conditional: Vec<Module>,
    modules: Vec<Module>,
    implementations: Vec<Implementation>,
}

#[derive(Template)]
#[template(path = "tests.rs.jinja", escape = "none")]
struct Tests {
    licence: &'static str,
    external_rounds: usize,
    internal_rounds: usize,
}

/// Where something is compiled.
struct Reach {
    /// If not everywhere.
    condition: Option<String>,
}

/// A table of constants.
struct Table {
    name: String,
    /// Words of each constant.
    parts: usize,
    /// Where some kernel reads it, if not everywhere.
    condition: Option<String>,
    /// Its words are made of residues.
    prepared: bool,
}

/// A module, or what is used of one.
struct Module {
    name: String,
    /// Where it is compiled, if not everywhere around it.
    condition: Option<String>,
}

/// Everything around the kernels.
pub(crate) fn insert(
    slots: &Slots<'_>,
    command: &str,
    files: &mut FileSet,
) -> Result<(), Diagnostics> {
    let platforms = slots.platforms();
    let (external_rounds, internal_rounds) = slots.rounds;
    let alone = platforms.contains(&Platform::Scalar);
    let shared = Shared {
        licence: LICENCE,
        constants: constants()?,
        tables: tables(slots),
        preparation: preparation(slots),
        external_rounds,
        internal_rounds,
        modules: modules(slots, Platform::Scalar, &|leaf| {
            anywhere(slots, &|one| one.is_by(leaf))
        }),
        alone: alone.then(|| Platform::Scalar.condition()),
        recast: place(anywhere(slots, &Implementation::in_place)),
        idle: anywhere(slots, &|one| one.kernel.is_some()) != Somewhere::Everywhere,
        neon: Platform::Neon.condition(),
        has_neon: platforms.contains(&Platform::Neon),
        has_others: platforms.iter().any(|&platform| platform != Platform::Neon),
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
        external_rounds,
        internal_rounds,
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
    let packing = platform.packing().map(|packing| packing.name);
    let own = platform.module().is_some();
    let elsewhere = slots.modules(Platform::Scalar).into_iter();
    let kernels = elsewhere.map(|leaf| (leaf, on(slots, platform, &|one| one.is_by(leaf))));
    let recast = ("recast", on(slots, platform, &Implementation::in_place));
    let (mut imports, mut conditional) = (Vec::new(), Vec::new());
    for (name, place) in kernels.chain([recast]) {
        match place {
            Somewhere::Nowhere => {}
            Somewhere::Everywhere => imports.push(name.to_owned()),
            place => conditional.push(Module {
                name: name.to_owned(),
                condition: place.condition(),
            }),
        }
    }
    OfPlatform {
        licence: LICENCE,
        about: match packing {
            Some(packing) => {
                format!("Poseidon2 for [`Goldilocks`] and [`{packing}`] by generated kernels.")
            }
            None => "Poseidon2 for [`Goldilocks`] by generated kernels, without SIMD.".to_owned(),
        },
        packing,
        modules: if own {
            modules(slots, platform, &|leaf| {
                on(slots, platform, &|one| one.is_by(leaf))
            })
        } else {
            Vec::new()
        },
        imports,
        conditional,
        implementations: implementations(slots, platform),
    }
}

fn modules(slots: &Slots<'_>, home: Platform, place: &dyn Fn(&str) -> Somewhere) -> Vec<Module> {
    let modules = slots.modules(home).into_iter().map(|leaf| Module {
        name: leaf.to_owned(),
        condition: place(leaf).condition(),
    });
    modules.collect()
}

/// The tables that kernels read, each once.
fn tables(slots: &Slots<'_>) -> Vec<Table> {
    let kernels = slots.kernels();
    let names: BTreeSet<_> = kernels
        .iter()
        .map(|kernel| slots::constants(kernel))
        .collect();
    let of = |(name, parts): (&str, usize)| {
        let mut readers = kernels
            .iter()
            .filter(|kernel| slots::constants(kernel).0 == name);
        Table {
            name: name.to_owned(),
            parts,
            condition: anywhere(slots, &|one| one.table == name).condition(),
            prepared: readers.any(|kernel| kernel.program.preparation.is_some()),
        }
    };
    names.into_iter().map(of).collect()
}

/// Where some table is prepared.
fn preparation(slots: &Slots<'_>) -> Option<Reach> {
    let kernels = slots.kernels();
    let prepared = kernels
        .iter()
        .filter(|kernel| kernel.program.preparation.is_some());
    let names: BTreeSet<_> = prepared.map(|kernel| slots::constants(kernel).0).collect();
    place(anywhere(slots, &|one| names.contains(one.table.as_str())))
}

fn place(place: Somewhere) -> Option<Reach> {
    match place {
        Somewhere::Nowhere => None,
        place => Some(Reach {
            condition: place.condition(),
        }),
    }
}

/// The table's type, as the generated crate has it, below its documentation.
fn constants() -> Result<String, Diagnostic> {
    let missing = || Diagnostic::new("the generated crate has no type `Constants`");
    let file = syn::parse_file(TYPES).map_err(|error| Diagnostic::new(error.to_string()))?;
    let found = file.items.iter().find_map(|item| match item {
        syn::Item::Struct(item) if item.ident == "Constants" => {
            let mut attributes = item.attrs.iter();
            let first = attributes.find(|attribute| !attribute.path().is_ident("doc"))?;
            Some(first.span().byte_range().start..item.span().byte_range().end)
        }
        _ => None,
    });
    let text = TYPES.get(found.ok_or_else(missing)?).ok_or_else(missing)?;
    Ok(text.to_owned())
}
