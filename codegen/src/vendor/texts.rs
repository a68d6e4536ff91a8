//! The modules around the kernels.

use askama::Template;
use syn::spanned::Spanned as _;

use super::SHARED;
use super::kernel::LICENCE;
use super::platform::Platform;
use super::slots::{Role, Slot, Slots, WIDTHS};
use crate::diag::{Diagnostic, Diagnostics};
use crate::emit::FileSet;
use crate::format::rustfmt;

/// The types that generated kernels share.
const TYPES: &str = include_str!("../../scaffold/types.rs");

#[derive(Template)]
#[template(path = "vendor/shared.rs.jinja", escape = "none")]
struct Shared {
    licence: &'static str,
    constants: String,
    external_rounds: usize,
    internal_rounds: usize,
    /// Kernels in plain Rust.
    modules: Vec<Module>,
    /// Builds without SIMD that have kernels.
    alone: Option<&'static str>,
    /// Some kernel works in place.
    in_place: bool,
    neon: &'static str,
    has_neon: bool,
    has_others: bool,
}

#[derive(Template)]
#[template(path = "vendor/platform.rs.jinja", escape = "none")]
struct OfPlatform {
    licence: &'static str,
    about: String,
    packing: Option<&'static str>,
    /// Some kernel works in place.
    in_place: bool,
    modules: Vec<Module>,
    implementations: Vec<Implementation>,
}

#[derive(Template)]
#[template(path = "vendor/tests.rs.jinja", escape = "none")]
struct Tests {
    licence: &'static str,
    external_rounds: usize,
    internal_rounds: usize,
}

/// A kernel's module.
struct Module {
    name: String,
    /// Where it is compiled, if not everywhere around it.
    condition: Option<String>,
}

/// A `Permutation` implementation.
struct Implementation {
    width: usize,
    element: &'static str,
    /// Where it is compiled, if not everywhere around it.
    condition: Option<String>,
    /// The kernel's path; none: the crate's own implementation.
    kernel: Option<String>,
    unpacked: bool,
}

/// Everything around the kernels.
pub(super) fn insert(
    slots: &Slots<'_>,
    command: &str,
    files: &mut FileSet,
) -> Result<(), Diagnostics> {
    let platforms = slots.platforms();
    let (external_rounds, internal_rounds) = slots.rounds;
    let alone = platforms.contains(&Platform::Scalar);
    let role = |role| slots.iter().any(|slot| slot.role == role);
    let shared = Shared {
        licence: LICENCE,
        constants: constants()?,
        external_rounds,
        internal_rounds,
        modules: modules(slots, Platform::Scalar),
        alone: alone.then(|| Platform::Scalar.condition()),
        in_place: role(Role::Packed) || role(Role::One),
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
    let elements = [Some("Goldilocks"), packing].into_iter().flatten();
    let implementations = elements.flat_map(|element| {
        let of = move |width| {
            let serving = slots.serving(platform, width, Some(element) == packing);
            implementations(&serving, platform, width, element)
        };
        WIDTHS.into_iter().flat_map(of)
    });
    let implementations: Vec<_> = implementations.collect();
    let own = platform.module().is_some();
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
            modules(slots, platform)
        } else {
            Vec::new()
        },
        in_place: implementations
            .iter()
            .any(|one| one.kernel.is_some() && !one.unpacked),
        implementations,
    }
}

fn implementations(
    serving: &[&Slot<'_>],
    platform: Platform,
    width: usize,
    element: &'static str,
) -> Vec<Implementation> {
    let mut found = Vec::new();
    let mut before: Vec<String> = Vec::new();
    for slot in serving {
        let path = match slot.home {
            home if home == platform && platform.module().is_some() => slot.leaf().to_owned(),
            _ => format!("crate::poseidon2_generated::{}", slot.leaf()),
        };
        found.push(Implementation {
            width,
            element,
            condition: condition(features(slot), &before),
            kernel: Some(path),
            unpacked: slot.role == Role::Unpacked,
        });
        before.extend(features(slot));
    }
    if serving.last().is_none_or(|slot| !slot.extra.is_empty()) {
        found.push(Implementation {
            width,
            element,
            condition: condition(None, &before),
            kernel: None,
            unpacked: false,
        });
    }
    found
}

fn modules(slots: &Slots<'_>, home: Platform) -> Vec<Module> {
    let of = |slot: &Slot<'_>| {
        let rivals = slots.serving(home, slot.kernel.info.width, slot.is_packed());
        let before: Vec<_> = rivals
            .iter()
            .take_while(|rival| rival.leaf() != slot.leaf())
            .filter_map(|rival| features(rival))
            .collect();
        Module {
            name: slot.leaf().to_owned(),
            condition: condition(features(slot), &before),
        }
    };
    let mut modules: Vec<_> = slots.at(home).map(of).collect();
    modules.sort_by(|a, b| a.name.cmp(&b.name));
    modules
}

/// The condition under which the CPU has what the platform does not promise.
fn features(slot: &Slot<'_>) -> Option<String> {
    let each: Vec<_> = slot
        .extra
        .iter()
        .map(|feature| format!("target_feature = \"{feature}\""))
        .collect();
    match each.as_slice() {
        [] => None,
        [one] => Some(one.clone()),
        several => Some(format!("all({})", several.join(", "))),
    }
}

/// `has`, and nothing of what was served before.
fn condition(has: Option<String>, before: &[String]) -> Option<String> {
    let not = before.iter().map(|other| format!("not({other})"));
    let all: Vec<_> = has.into_iter().chain(not).collect();
    match all.as_slice() {
        [] => None,
        [one] => Some(one.clone()),
        several => Some(format!("all({})", several.join(", "))),
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
