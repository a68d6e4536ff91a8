//! What else may stand in a kernel's file beside the body of `permute`.

use std::collections::BTreeMap;

use quote::ToTokens;
use syn::{Attribute, Item, ItemFn, ItemMacro};

use super::execute::{Read, text};
use crate::body::{Body, Constants, constant};
use crate::instruction::Target;
use crate::spelling::tokens;

/// The only body that `permute_raw` has: memory becomes states and constants, and nothing else.
const RAW: &str = "{ unsafe { permute (& mut * states . cast () , & * constants . cast ()) } }";

const USES: [&str; 3] = [
    "use core :: arch :: aarch64 :: * ;",
    "use core :: arch :: x86_64 :: * ;",
    "use crate :: Constants ;",
];

const VECTORS: [&str; 3] = ["__m256i", "__m512i", "uint64x2_t"];

/// Macros between words and vectors. What they are called is what they do, so they are spelled so.
const BETWEEN: [(&str, &str); 8] = [
    ("broadcast", "($word:expr) => { $word };"),
    (
        "broadcast",
        "($word:expr) => { _mm256_set1_epi64x($word.cast_signed()) };",
    ),
    (
        "broadcast",
        "($word:expr) => { _mm256_set1_epi32($word.cast_signed()) };",
    ),
    (
        "broadcast",
        "($word:expr) => { _mm512_set1_epi64($word.cast_signed()) };",
    ),
    (
        "broadcast",
        "($word:expr) => { _mm512_set1_epi32($word.cast_signed()) };",
    ),
    ("broadcast", "($word:expr) => { vdupq_n_u64($word) };"),
    (
        "words",
        "($vector:expr) => { (vgetq_lane_u64::<0>($vector), vgetq_lane_u64::<1>($vector)) };",
    ),
    (
        "vector",
        "($a:expr, $b:expr) => { vcombine_u64(vcreate_u64($a), vcreate_u64($b)) };",
    ),
];

/// The macros of a file.
#[derive(Clone, Debug, Default)]
pub(super) struct Macros {
    pub(super) constants: Constants,
    pub(super) bodies: BTreeMap<String, (Target, Body)>,
}

/// Attributes other than documentation.
pub(super) fn attributes(attributes: &[Attribute]) -> Vec<String> {
    let code = attributes.iter().filter(|a| !a.path().is_ident("doc"));
    code.map(text).collect()
}

/// Checks every item of a kernel's file but what `permute` computes, and reads its macros.
pub(super) fn items(items: &[Item], word: &str, target: Target) -> Read<Macros> {
    let mut seen = Vec::new();
    let mut macros = Vec::new();
    for item in items {
        let name = match item {
            Item::Use(item) if USES.contains(&&*text(item)) => continue,
            Item::Macro(item) => {
                macros.push(item);
                continue;
            }
            Item::Struct(item) => {
                let bytes = if word == "u32" { 4 } else { 8 };
                let known = VECTORS.iter().any(|vector| {
                    text(item).ends_with(&format!(
                        "# [repr (C , packed ({bytes}))] struct Vector ({vector}) ;"
                    ))
                });
                if !known {
                    return Err(format!("no struct that kernels have: `{}`", item.ident));
                }
                "Vector".to_owned()
            }
            Item::Fn(item) => function(item, word)?,
            other => return Err(format!("no item that kernels have: `{:.80}`", text(other))),
        };
        if seen.contains(&name) {
            return Err(format!("`{name}` is defined twice"));
        }
        seen.push(name);
    }
    definitions(&macros, word, target)
}

fn function(item: &ItemFn, word: &str) -> Read<String> {
    let name = item.sig.ident.to_string();
    let signature = text(&item.sig);
    let raw = format!("unsafe fn permute_raw (states : * mut {word} , constants : * const {word})");
    let attributes = attributes(&item.attrs);
    let right = match &*name {
        "permute_raw" => signature == raw && text(&item.block) == RAW && attributes.is_empty(),
        "permute" => match &attributes[..] {
            [] => true,
            [features] => features.starts_with("# [target_feature (enable = "),
            _ => false,
        },
        _ => false,
    };
    if right {
        return Ok(name);
    }
    Err(format!("no function that kernels have: `{signature}`"))
}

/// Reads macros, each of one arm.
pub(super) fn definitions(items: &[&ItemMacro], word: &str, target: Target) -> Read<Macros> {
    let mut texts = BTreeMap::new();
    for item in items {
        let name = item.ident.as_ref().map(ToString::to_string);
        let name = name.unwrap_or_default();
        if text(&item.mac.path) != "macro_rules" || !attributes(&item.attrs).is_empty() {
            return Err(format!("`{name}` is no macro that kernels have"));
        }
        let tokens = tokens(&item.mac.tokens.to_token_stream().to_string());
        if texts.insert(name.clone(), tokens).is_some() {
            return Err(format!("`{name}` is defined twice"));
        }
    }
    let mut macros = Macros::default();
    texts.retain(|name, text| match constant(text) {
        Some(held) => macros.constants.insert(name.clone(), held).is_some(),
        None => true,
    });
    let bits = match (word, target) {
        _ if texts.contains_key("join") => 0,
        ("u32", Target::Scalar) => 32,
        _ => 64,
    };
    for (name, text) in texts {
        let mut known = BETWEEN
            .iter()
            .filter(|(known, _)| *known == name)
            .peekable();
        if known.peek().is_some() {
            if !known.any(|(_, known)| tokens(known) == text) {
                return Err(format!("`{name}` is not what it is called"));
            }
            continue;
        }
        let target = match target {
            Target::Neon if name.ends_with("_general") => Target::Aarch64,
            target => target,
        };
        let body = Body::read(&text, &macros.constants, target, bits);
        let body = body.map_err(|what| format!("`{name}`: {what}"))?;
        macros.bodies.insert(name, (target, body));
    }
    Ok(macros)
}
