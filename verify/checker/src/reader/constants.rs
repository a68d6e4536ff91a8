//! Reads a table of round constants, and compares it with the instance's own.

use quote::ToTokens;
use syn::{Expr, Item};

use super::execute::Read;
use reference::Instance;

/// Compares the text of a module of constants with what the reference derives.
pub(crate) fn read(text: &str, instance: &Instance) -> Result<(), String> {
    let file = super::parse(text)?;
    let table = file.items.iter().find_map(|item| match item {
        Item::Static(item) if item.ident == "CONSTANTS" => Some(&*item.expr),
        _ => None,
    });
    let Some(Expr::Struct(table)) = table else {
        return Err("there is no table of constants".to_owned());
    };
    let permutation = &instance.permutation;
    let external: Vec<u64> = permutation.external.concat();
    let fields = [
        ("external", external),
        ("internal", permutation.internal.clone()),
    ];
    for (name, residues) in fields {
        let field = table.fields.iter().find(|field| match &field.member {
            syn::Member::Named(member) => member == name,
            syn::Member::Unnamed(_) => false,
        });
        let mut words = Vec::new();
        numbers(&field.ok_or("a table without its fields")?.expr, &mut words)?;
        let wanted: Vec<u64> = residues.iter().map(|x| instance.field.encode(*x)).collect();
        if words != wanted {
            let at = words
                .iter()
                .zip(&wanted)
                .position(|(word, wanted)| word != wanted);
            return Err(format!("{name} constants differ from number {at:?} on"));
        }
    }
    Ok(())
}

/// The numbers of an array of arrays, in order.
fn numbers(expression: &Expr, words: &mut Vec<u64>) -> Read<()> {
    match expression {
        Expr::Array(array) => array
            .elems
            .iter()
            .try_for_each(|inner| numbers(inner, words)),
        Expr::Lit(literal) => {
            let text = literal.to_token_stream().to_string();
            let word = text
                .strip_prefix("0x")
                .and_then(|hex| u64::from_str_radix(hex, 16).ok());
            words.push(word.ok_or_else(|| format!("no constant: `{text}`"))?);
            Ok(())
        }
        other => Err(format!("no constant: `{}`", other.to_token_stream())),
    }
}
