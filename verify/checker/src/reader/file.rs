//! What else may stand in a kernel's file beside the body of `permute`.

use quote::ToTokens;
use syn::{Attribute, Item, ItemFn, ItemMacro};

use super::execute::Read;

/// The only body that `permute_raw` has: memory becomes states and constants, and nothing else.
const RAW: &str = "{ unsafe { permute (& mut * states . cast () , & * constants . cast ()) } }";

const USES: [&str; 3] = [
    "use core :: arch :: aarch64 :: * ;",
    "use core :: arch :: x86_64 :: * ;",
    "use crate :: Constants ;",
];

const VECTORS: [&str; 3] = ["__m256i", "__m512i", "uint64x2_t"];

fn text(tokens: &impl ToTokens) -> String {
    tokens.to_token_stream().to_string()
}

/// Attributes other than documentation.
fn attributes(attributes: &[Attribute]) -> String {
    let code = attributes.iter().filter(|a| !a.path().is_ident("doc"));
    code.map(text).collect::<Vec<_>>().join(" ")
}

/// Checks every item of a kernel's file but what `permute` and macros compute.
pub(super) fn items(items: &[Item], word: &str) -> Read<()> {
    let mut seen = Vec::new();
    for item in items {
        let name = match item {
            Item::Use(item) if USES.contains(&&*text(item)) => continue,
            Item::Macro(item) => definition(item)?,
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
    Ok(())
}

fn function(item: &ItemFn, word: &str) -> Read<String> {
    let name = item.sig.ident.to_string();
    let signature = text(&item.sig);
    let raw = format!("unsafe fn permute_raw (states : * mut {word} , constants : * const {word})");
    let right = match &*name {
        "permute_raw" => {
            signature == raw && text(&item.block) == RAW && attributes(&item.attrs).is_empty()
        }
        "permute" => {
            let attributes = attributes(&item.attrs);
            let features = attributes.starts_with("# [target_feature (enable = ");
            attributes.is_empty() || features
        }
        _ => false,
    };
    if right {
        return Ok(name);
    }
    Err(format!("no function that kernels have: `{signature}`"))
}

/// A macro of one arm, and its name.
fn definition(item: &ItemMacro) -> Read<String> {
    let name = item
        .ident
        .as_ref()
        .map(ToString::to_string)
        .unwrap_or_default();
    if text(&item.mac.path) != "macro_rules" || !attributes(&item.attrs).is_empty() {
        return Err(format!("`{name}` is no macro that kernels have"));
    }
    // Operands, an arrow of two tokens, a body, and sometimes a semicolon.
    if !matches!(item.mac.tokens.clone().into_iter().count(), 4 | 5) {
        return Err(format!("`{name}` is no macro of one arm"));
    }
    Ok(name)
}
