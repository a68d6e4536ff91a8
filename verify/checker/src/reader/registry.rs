//! Reads the registry: whether what it says of each kernel is what the kernel's file is.

use std::collections::BTreeMap;

use quote::ToTokens;
use syn::{Expr, Item};

use super::Facts;
use super::execute::Read;
use crate::certificate::Program;

/// What the registry must say of a kernel, beside its name.
pub(crate) struct Entry<'a> {
    pub(crate) program: &'a Program,
    pub(crate) facts: &'a Facts,
}

/// Compares the text of the registry with the kernels that there are.
pub(crate) fn read(text: &str, kernels: &BTreeMap<String, Entry<'_>>) -> Read<()> {
    let file = syn::parse_file(text).map_err(|error| error.to_string())?;
    let mut listed = Vec::new();
    for item in &file.items {
        let Item::Static(item) = item else { continue };
        let Expr::Reference(reference) = &*item.expr else {
            return Err(format!("`{}` is no list of kernels", item.ident));
        };
        let Expr::Array(array) = &*reference.expr else {
            return Err(format!("`{}` is no list of kernels", item.ident));
        };
        for kernel in &array.elems {
            listed.push(entry(kernel, kernels)?);
        }
    }
    let mut names: Vec<&String> = kernels.keys().collect();
    listed.sort();
    names.sort();
    if listed.iter().collect::<Vec<_>>() == names {
        return Ok(());
    }
    Err("the registry does not list each kernel once".to_owned())
}

fn entry(kernel: &Expr, kernels: &BTreeMap<String, Entry<'_>>) -> Read<String> {
    let Expr::Struct(kernel) = kernel else {
        return Err("the registry lists something else than kernels".to_owned());
    };
    let text = |tokens: &dyn ToTokens| tokens.to_token_stream().to_string();
    let fields: BTreeMap<String, String> = kernel
        .fields
        .iter()
        .map(|field| (text(&field.member), text(&field.expr)))
        .collect();
    let said = |field: &str| fields.get(field).map_or("", |text| text.trim_matches('"'));
    let name = said("name").to_owned();
    let Some(Entry { program, facts }) = kernels.get(&name) else {
        return Err(format!("`{name}` is no kernel that holds"));
    };
    let path: Vec<&str> = name.split('/').collect();
    let (_, of_width) = name.rsplit_once('/').unwrap_or_default();
    let strategy = program
        .name
        .rsplit_once('_')
        .map_or("", |(_, strategy)| strategy);
    let (isa, arch) = instruction_set(of_width)?;
    let lanes = if of_width.contains("_lanes") || facts.lanes > 1 {
        "lanes"
    } else {
        "registers"
    };
    let features: Vec<String> = facts.features.iter().map(|f| format!("\"{f}\"")).collect();
    let prepare = match program.parts {
        1 => "None".to_owned(),
        _ => format!("Some (crate :: {strategy} :: prepare)"),
    };
    let wanted = [
        ("parameter_set", path[0].to_owned()),
        (
            "field",
            path.get(1)
                .map_or_else(String::new, |field| field.replace('_', "-")),
        ),
        ("width", program.p2.width().to_string()),
        ("external_rounds", program.p2.external.len().to_string()),
        ("internal_rounds", program.p2.internal.len().to_string()),
        ("isa", format!("Isa :: {isa}")),
        ("layout", lanes.to_owned()),
        ("strategy", strategy.to_owned()),
        ("batch", facts.groups.to_string()),
        ("lanes", facts.lanes.to_string()),
        ("features", format!("& [{}]", features.join(" , "))),
        ("parts", program.parts.to_string()),
        ("prepare", prepare),
        (
            "permute",
            format!("crate :: {} :: permute_raw", path.join(" :: ")),
        ),
    ];
    for (field, wanted) in &wanted {
        if said(field) != wanted {
            return Err(format!(
                "{name}: {field} is `{}`, not `{wanted}`",
                said(field)
            ));
        }
    }
    let condition: Vec<String> = kernel
        .attrs
        .iter()
        .map(|attribute| text(attribute))
        .collect();
    let wanted_condition: Vec<String> = arch
        .map(|arch| format!("# [cfg (target_arch = \"{arch}\")]"))
        .into_iter()
        .collect();
    if condition != wanted_condition || fields.len() != wanted.len() + 1 {
        return Err(format!(
            "{name}: not under {wanted_condition:?}, or with other fields"
        ));
    }
    Ok(name)
}

/// The instruction set of a kernel's name, as the registry writes it, and its architecture.
pub(super) fn instruction_set(name: &str) -> Read<(&'static str, Option<&'static str>)> {
    let x86 = Some("x86_64");
    let known = [
        ("_scalar_", "Scalar", None),
        ("_x86_64_", "X86_64", x86),
        ("_neon_", "Neon", Some("aarch64")),
        ("_avx2_", "Avx2", x86),
        ("_avx512_", "Avx512", x86),
        ("_avx512ifma_", "Avx512ifma", x86),
    ];
    let found = known.iter().find(|(part, ..)| name.contains(part));
    let found = found.ok_or_else(|| format!("`{name}` names no instruction set"))?;
    Ok((found.1, found.2))
}
