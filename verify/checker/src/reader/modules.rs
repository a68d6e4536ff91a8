//! Reads lists of modules, by which a crate is made of its files: none may take a file from elsewhere, or say anything
//! that changes what the others mean.

use std::collections::BTreeMap;

use syn::{Item, UseTree, Visibility};

use super::execute::{Read, text};
use super::file::attributes;
use super::message::unknown;
use super::registry::{Entry, condition, instruction_set};
use super::tuning::TYPES;
use crate::spelling::tokens;

/// What stands at the top of a crate, beside documentation and lints.
const TOP: [&str; 4] = ["# ! [no_std]", "# ! [deny (", "# ! [warn (", "# ! [allow ("];

/// Modules of which names are used elsewhere, and the types among these. The registry has lists and tables by field
/// beside them, and `tuning` its tables.
const FACES: [(&str, &[&str]); 4] = [
    ("cpu", &["Cpu"]),
    ("registry", &[]),
    ("tuning", &TYPES),
    (
        "types",
        &[
            "Constants",
            "Instance",
            "Isa",
            "Kernel",
            "Prepare",
            "Tables",
        ],
    ),
];

/// Whether names of a module are made public that may be.
fn is_face(tree: &UseTree) -> bool {
    let UseTree::Path(path) = tree else {
        return false;
    };
    let names: Vec<String> = match &*path.tree {
        UseTree::Group(group) => group.items.iter().map(text).collect(),
        one => vec![text(one)],
    };
    let of_field = |name: &String| {
        let field = name.strip_suffix("_TABLES").unwrap_or(name).to_lowercase();
        reference::fields().any(|known| known.module() == field && name.to_uppercase() == *name)
    };
    FACES.iter().any(|(module, known)| {
        let fits = |name: &String| match *module {
            "registry" => of_field(name),
            "tuning" if name == "TUNINGS" => true,
            _ => known.contains(&&**name),
        };
        path.ident == module && names.iter().all(fits)
    })
}

/// Checks the text of a list of modules, which is in that folder. A kernel is compiled where the registry has it:
/// elsewhere its lanes may be in another order, or its code wrong.
pub(crate) fn read(source: &str, folder: &str, kernels: &BTreeMap<String, Entry<'_>>) -> Read<()> {
    let file = super::parse(source)?;
    for attribute in attributes(&file.attrs) {
        if !TOP.iter().any(|known| attribute.starts_with(known)) {
            return Err(format!("no attribute that crates have: `{attribute}`"));
        }
    }
    for item in &file.items {
        let fits = match item {
            Item::Mod(list) => {
                let (own, name) = (attributes(&list.attrs).concat(), list.ident.to_string());
                let condition = match kernels.get(&format!("{folder}{name}")) {
                    Some(kernel) => condition(instruction_set(&name)?, kernel.program),
                    None => String::new(),
                };
                list.content.is_none() && tokens(&own) == tokens(&condition)
            }
            Item::Use(list) => {
                matches!(list.vis, Visibility::Public(_))
                    && list.leading_colon.is_none()
                    && is_face(&list.tree)
                    && attributes(&list.attrs).is_empty()
            }
            _ => false,
        };
        if !fits {
            return unknown("no module of the crate", item);
        }
    }
    Ok(())
}
