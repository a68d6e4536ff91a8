//! Claims written back into a spec's text; what its author wrote stays as it is.

use std::collections::HashMap;

use toml_edit::{ArrayOfTables, DocumentMut, InlineTable, Item, Table, Value, value};

use super::document::edit;
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
        replace_proof(document, field, proof_name, claims)
    })
}

fn replace_proof(
    document: &mut DocumentMut,
    field: &Field,
    proof_name: &str,
    claims: &[ClaimText],
) -> Result<(), Diagnostic> {
    if !document.contains_key("proof") {
        let mut proofs = Table::new();
        proofs.set_implicit(true);
        document.insert("proof", Item::Table(proofs));
    }
    let trailing = document.trailing().as_str().unwrap_or_default().to_owned();
    let Some(proofs) = document.get_mut("proof").and_then(Item::as_table_mut) else {
        return Err(not_tables("proof sets", "[[proof.NAME]]"));
    };
    let old = match proofs.get(proof_name) {
        None => None,
        Some(Item::ArrayOfTables(tables)) => Some(Old::of(tables)),
        Some(item) if item.as_array().is_some_and(toml_edit::Array::is_empty) => None,
        Some(_) => return Err(not_tables("proof sets", "[[proof.NAME]]")),
    };
    if claims.is_empty() {
        proofs.set_implicit(false);
        proofs.insert(proof_name, value(toml_edit::Array::new()));
        return Ok(());
    }
    let mut tables: Vec<_> = claims.iter().map(|claim| table(claim, field)).collect();
    match &old {
        Some(old) => tables.iter_mut().for_each(|table| old.carry_over(table)),
        // What ends the file would otherwise come after the new tables, which it introduces.
        None => {
            let introduction = if trailing.trim().is_empty() {
                ""
            } else {
                &trailing
            };
            tables[0]
                .decor_mut()
                .set_prefix(format!("{introduction}\n"));
        }
    }
    if let (Some(old), Some(first)) = (&old, tables.first_mut()) {
        first.decor_mut().set_prefix(old.first_prefix.clone());
    }
    proofs.insert(
        proof_name,
        Item::ArrayOfTables(tables.into_iter().collect()),
    );
    if old.is_none() {
        document.set_trailing("");
    }
    Ok(())
}

/// `source` with `proof = NAME` in those `[[kernel]]` tables whose index is in `kernels`, counted
/// as in [`super::Spec::kernels`].
///
/// # Errors
/// `source` is no TOML, or its kernels are not written as `[[kernel]]`.
pub fn assign_proof(
    source: &str,
    proof_name: &str,
    kernels: &[usize],
) -> Result<String, Diagnostic> {
    assign(source, kernels, "proof", &Value::from(proof_name))
}

/// `source` with `sboxes = SBOXES` in the `[[kernel]]` table of that index, counted as in
/// [`super::Spec::kernels`].
///
/// # Errors
/// `source` is no TOML, or its kernels are not written as `[[kernel]]`.
pub fn assign_sboxes(source: &str, kernel: usize, sboxes: usize) -> Result<String, Diagnostic> {
    assign(source, &[kernel], "sboxes", &Value::from(sboxes as i64))
}

/// `key = value` in some `[[kernel]]` tables; what surrounds an old value stays.
fn assign(source: &str, kernels: &[usize], key: &str, value: &Value) -> Result<String, Diagnostic> {
    edit(source, |document| {
        let tables = document.get_mut("kernel");
        let Some(tables) = tables.and_then(Item::as_array_of_tables_mut) else {
            return Err(not_tables("kernels", "[[kernel]]"));
        };
        for &kernel in kernels {
            let Some(table) = tables.get_mut(kernel) else {
                return Err(not_tables("kernels", "[[kernel]]"));
            };
            let mut value = value.clone();
            if let Some(before) = table.get(key).and_then(Item::as_value) {
                *value.decor_mut() = before.decor().clone();
            }
            table.insert(key, Item::Value(value));
        }
        Ok(())
    })
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
        Self {
            first_prefix: first.map_or_else(String::new, prefix),
            position: first.and_then(Table::position),
            prefixes: tables
                .iter()
                .skip(1)
                .map(|table| (key(table), prefix(table)))
                .collect(),
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
    let text = |key: &str| table.get(key).and_then(Item::as_str);
    let operand = text("canonicalise")
        .or(text("operand"))
        .unwrap_or(Operand::B.name());
    (
        text("site").unwrap_or_default().to_owned(),
        operand.to_owned(),
    )
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
            let bounds = [
                ("a", bound::format(*a, field)),
                ("b", bound::format(*b, field)),
            ];
            InlineTable::from_iter(bounds).into()
        }
        ClaimKind::ConstantTable
        | ClaimKind::CanonicalisedAtConstruction
        | ClaimKind::Zero
        | ClaimKind::Canonicalise => return kind.name().into(),
    };
    InlineTable::from_iter([(kind.name(), statement)]).into()
}
