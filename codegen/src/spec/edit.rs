//! Claims written back into a spec's text; what its author wrote stays as it is.

use std::collections::HashMap;

use toml_edit::{ArrayOfTables, DocumentMut, InlineTable, Item, Table, Value, value};

use super::{ClaimKind, bound};
use crate::diag::Diagnostic;
use crate::names::Operand;
use crate::params::Field;

/// A claim to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimText {
    /// A pattern over the sites it speaks of, or one site's name.
    pub site: String,
    /// The operand it speaks of.
    pub operand: Operand,
    /// What it says.
    pub kind: ClaimKind,
}

/// `source` with the tables `[[proof.NAME]]` replaced by `claims`, or added at its end.
///
/// Comments stay, also those at a replaced claim if the new set speaks of the same sites and
/// operand. Without claims an empty set is written, so that kernels may still refer to it.
///
/// # Errors
/// `source` is no TOML, or its proof sets are not written as `[[proof.NAME]]`.
pub fn write_proof(
    source: &str,
    field: &Field,
    proof_name: &str,
    claims: &[ClaimText],
) -> Result<String, Diagnostic> {
    edit(source, |document| {
        let trailing = document.trailing().as_str().unwrap_or_default().to_owned();
        let mut implicit = Table::new();
        implicit.set_implicit(true);
        let proofs = document.entry("proof").or_insert(Item::Table(implicit));
        let inline = || not_tables("proof sets", "[[proof.NAME]]");
        let proofs = proofs.as_table_mut().ok_or_else(inline)?;
        let old = match proofs.get(proof_name) {
            Some(Item::ArrayOfTables(tables)) => Some(Old::of(tables)),
            Some(item) if !item.as_array().is_some_and(toml_edit::Array::is_empty) => {
                return Err(inline());
            }
            _ => None,
        };
        if claims.is_empty() {
            proofs.set_implicit(false);
            proofs.insert(proof_name, value(toml_edit::Array::new()));
            return Ok(());
        }
        let mut tables: Vec<_> = claims.iter().map(|claim| table(claim, field)).collect();
        let first = match &old {
            Some(old) => {
                tables.iter_mut().for_each(|table| old.carry_over(table));
                old.first_prefix.clone()
            }
            // What ends the file would otherwise come after the new tables, which it introduces.
            None if trailing.trim().is_empty() => "\n".to_owned(),
            None => format!("{trailing}\n"),
        };
        tables[0].decor_mut().set_prefix(first);
        proofs.insert(
            proof_name,
            Item::ArrayOfTables(tables.into_iter().collect()),
        );
        if old.is_none() {
            document.set_trailing("");
        }
        Ok(())
    })
}

/// `source` with `key = value` in those `[[kernel]]` tables whose index is in `kernels`, counted as
/// in [`super::Spec::kernels`]; what surrounds an old value stays.
///
/// # Errors
/// `source` is no TOML, or its kernels are not written as `[[kernel]]`.
pub fn assign(
    source: &str,
    kernels: &[usize],
    key: &str,
    value: impl Into<Value>,
) -> Result<String, Diagnostic> {
    let new: Value = value.into();
    edit(source, |document| {
        for &kernel in kernels {
            let tables = document.get_mut("kernel");
            let tables = tables.and_then(Item::as_array_of_tables_mut);
            let table = tables.and_then(|tables| tables.get_mut(kernel));
            let table = table.ok_or_else(|| not_tables("kernels", "[[kernel]]"))?;
            let mut value = new.clone();
            if let Some(before) = table.get(key).and_then(Item::as_value) {
                *value.decor_mut() = before.decor().clone();
            }
            table.insert(key, Item::Value(value));
        }
        Ok(())
    })
}

/// `source`, changed by `change`.
///
/// Field elements have up to 64 bits, the integers of `toml_edit` 63: numbers that may be too wide for
/// it give place to others while a text is edited, and are put back as their author wrote them.
fn edit(
    source: &str,
    change: impl FnOnce(&mut DocumentMut) -> Result<(), Diagnostic>,
) -> Result<String, Diagnostic> {
    let mut wide = Vec::new();
    let narrow = change_words(source, |word| {
        let is_wide = word.len() > 15 && word.starts_with(|c: char| c.is_ascii_digit());
        is_wide.then(|| {
            wide.push(word.to_owned());
            format!("9{:017}", wide.len() - 1)
        })
    });
    let mut document: DocumentMut = narrow.parse().map_err(|error: toml_edit::TomlError| {
        Diagnostic::new(format!("the spec is not TOML: {}", error.message()))
    })?;
    change(&mut document)?;
    let text = change_words(&document.to_string(), |word| {
        let number = word.strip_prefix('9').filter(|rest| rest.len() == 17);
        wide.get(number?.parse::<usize>().ok()?).cloned()
    });
    // `toml_edit` writes LF.
    Ok(match source.contains("\r\n") {
        true => text.replace("\r\n", "\n").replace('\n', "\r\n"),
        false => text,
    })
}

/// `text` with other words in it, where `change` has another.
fn change_words(text: &str, mut change: impl FnMut(&str) -> Option<String>) -> String {
    let between = |c: char| !c.is_ascii_alphanumeric() && c != '_';
    let pieces = text.split_inclusive(between).map(|piece| {
        let word = piece.trim_end_matches(between);
        match change(word) {
            Some(other) => other + &piece[word.len()..],
            None => piece.to_owned(),
        }
    });
    pieces.collect()
}

fn not_tables(what: &str, header: &str) -> Diagnostic {
    Diagnostic::new(format!("cannot edit {what} that are written inline"))
        .help(format!("write them as {header} tables"))
}

/// What new tables take from those they replace.
struct Old {
    /// What stands above the first table introduces them all.
    first_prefix: String,
    position: Option<isize>,
    /// What stands above each other table, by site and operand.
    prefixes: HashMap<(String, String), String>,
}

impl Old {
    fn of(tables: &ArrayOfTables) -> Self {
        let first = tables.get(0);
        let others = tables.iter().skip(1);
        Self {
            first_prefix: first.map_or_else(String::new, prefix),
            position: first.and_then(Table::position),
            prefixes: others.map(|table| (key(table), prefix(table))).collect(),
        }
    }

    fn carry_over(&self, table: &mut Table) {
        if let Some(prefix) = self.prefixes.get(&key(table)) {
            table.decor_mut().set_prefix(prefix.clone());
        }
        table.set_position(self.position);
    }
}

fn prefix(table: &Table) -> String {
    let prefix = table.decor().prefix().and_then(|prefix| prefix.as_str());
    prefix.unwrap_or_default().to_owned()
}

fn key(table: &Table) -> (String, String) {
    let text = |key: &str| Some(table.get(key)?.as_str()?.to_owned());
    let operand = text("canonicalise").or(text("operand"));
    let operand = operand.unwrap_or_else(|| Operand::B.to_string());
    (text("site").unwrap_or_default(), operand)
}

fn table(claim: &ClaimText, field: &Field) -> Table {
    let mut table = Table::new();
    table.insert("site", value(&claim.site));
    if claim.kind == ClaimKind::Canonicalise {
        table.insert("canonicalise", value(claim.operand.name()));
        return table;
    }
    if claim.operand != Operand::B {
        table.insert("operand", value(claim.operand.name()));
    }
    table.insert("claim", value(kind(&claim.kind, field)));
    table
}

fn kind(kind: &ClaimKind, field: &Field) -> Value {
    let statement = match kind {
        ClaimKind::OutputOf(op) => Value::from(op),
        ClaimKind::Range { a, b } => {
            let bounds = [("a", a), ("b", b)].map(|(key, n)| (key, bound::format(*n, field)));
            InlineTable::from_iter(bounds).into()
        }
        word => return word.name().into(),
    };
    InlineTable::from_iter([(kind.name(), statement)]).into()
}
