//! Reads lists of modules, by which a crate is made of its files: none may take a file from elsewhere, or say anything
//! that changes what the others mean.

use syn::{Item, Visibility};

use super::execute::{Read, text};
use super::file::attributes;
use super::message::unknown;

/// What stands at the top of a crate, beside documentation and lints.
const TOP: [&str; 4] = ["# ! [no_std]", "# ! [deny (", "# ! [warn (", "# ! [allow ("];

/// Modules of which names may be used elsewhere.
const FACES: [&str; 4] = ["cpu", "registry", "tuning", "types"];

/// Checks the text of a list of modules.
pub(crate) fn read(source: &str) -> Read<()> {
    let file = super::parse(source)?;
    for attribute in attributes(&file.attrs) {
        if !TOP.iter().any(|known| attribute.starts_with(known)) {
            return Err(format!("no attribute that crates have: `{attribute}`"));
        }
    }
    for item in &file.items {
        let fits = match item {
            Item::Mod(list) => {
                let own = attributes(&list.attrs);
                list.content.is_none() && own.iter().all(|own| own.starts_with("# [cfg ("))
            }
            Item::Use(list) => {
                let tree = text(&list.tree);
                let mut own = tree.split(' ').filter(|token| *token == "as");
                matches!(list.vis, Visibility::Public(_))
                    && own.next().is_none()
                    && FACES
                        .iter()
                        .any(|face| tree.starts_with(&format!("{face} :: ")))
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
