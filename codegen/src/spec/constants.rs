//! Round constants: derived, or written out.

use super::permutation::{Known, differs};
use super::reader::Item;
use crate::diag::{Diagnostic, Diagnostics};
use crate::params::{Instance, RoundConstants, round_constants};

pub(super) const KEYS: &[&str] = &["external", "internal"];

/// Residues, and where they stand.
type Row<'v> = Vec<(Item<'v>, u64)>;

/// The constants that the spec asks for.
pub(super) fn read(item: Item<'_>, known: &Known) -> Result<RoundConstants, Diagnostics> {
    match item.as_text() {
        Some("grain") => return known.derived().ok_or_else(Diagnostics::new),
        Some(_) => {
            let message = "`constants` is neither \"grain\" nor a table";
            let help = "write \"grain\" or { external = [[…], …], internal = […] }";
            return Err(item.error(message, "not known").help(help).into());
        }
        None => {}
    }
    let table = item.table("constants", KEYS)?;
    let external = table.required("external", |item| known.rows(item));
    let internal = table.required("internal", |item| {
        known.row(item, "internal", known.internal_rounds, "internal-rounds")
    });
    let (external, internal) = external.zip(internal).ok_or_else(Diagnostics::new)?;
    if let Some(named) = &known.named {
        refuse_difference(named, &external, &internal)?;
    }
    let values = |row: Row<'_>| row.into_iter().map(|(_, word)| word).collect();
    Ok(RoundConstants {
        external: external.into_iter().map(values).collect(),
        internal: values(internal),
    })
}

impl Known {
    fn derived(&self) -> Option<RoundConstants> {
        let (field, width) = (self.field?, self.width?);
        let (external, internal) = (self.external_rounds?, self.internal_rounds?);
        Some(round_constants(field, width, external, internal))
    }

    fn rows<'v>(&self, item: Item<'v>) -> Result<Vec<Row<'v>>, Diagnostics> {
        let (mut rows, mut errors) = (Vec::new(), Diagnostics::new());
        let items = item.array()?;
        let length = check_length(
            item,
            items.len(),
            "external",
            self.external_rounds,
            "external-rounds",
        );
        errors.keep(length);
        for (round, item) in items.into_iter().enumerate() {
            let row = self.row(item, &format!("external[{round}]"), self.width, "width");
            rows.extend(errors.keep(row));
        }
        errors.into_result().map(|()| rows)
    }

    /// As many residues as the value of `key` is.
    fn row<'v>(
        &self,
        item: Item<'v>,
        what: &str,
        length: Option<usize>,
        key: &str,
    ) -> Result<Row<'v>, Diagnostics> {
        let (mut row, mut errors) = (Vec::new(), Diagnostics::new());
        let items = item.array()?;
        errors.keep(check_length(item, items.len(), what, length, key));
        for (index, item) in items.into_iter().enumerate() {
            let Some(word) = errors.keep(item.unsigned()) else {
                continue;
            };
            if let Some(field) = self.field.filter(|field| word >= field.modulus) {
                let (of, p) = (&self.of, field.modulus);
                let message = format!("constant `{what}[{index}]`{of} is not below p");
                let error = item.error(message, format!("{word} = {word:#x}"));
                let residue = word % p;
                errors
                    .push(error.help(format!("p = {p} = {p:#x}; the same residue: {residue:#x}")));
            }
            row.push((item, word));
        }
        errors.into_result().map(|()| row)
    }
}

fn check_length(
    item: Item<'_>,
    length: usize,
    what: &str,
    expected: Option<usize>,
    key: &str,
) -> Result<(), Diagnostic> {
    let Some(expected) = expected.filter(|&expected| expected != length) else {
        return Ok(());
    };
    let message = format!("constants: `{what}` has length {length}, not {expected}");
    Err(item.error(message, format!("`{key}` is {expected}")))
}

/// One difference is enough to say that these are other constants.
fn refuse_difference(
    named: &Instance,
    external: &[Row<'_>],
    internal: &Row<'_>,
) -> Result<(), Diagnostic> {
    let rows = external.iter().zip(&named.constants.external).enumerate();
    let rows = rows.map(|(round, (row, named))| (format!("external[{round}]"), row, named));
    let mut rows = rows.chain([("internal".to_owned(), internal, &named.constants.internal)]);
    let difference = rows.find_map(|(what, row, expected)| {
        let mut words = row.iter().zip(expected).enumerate();
        let (index, (&(item, word), expected)) =
            words.find(|(_, ((_, word), expected))| word != *expected)?;
        let what = format!("constant `{what}[{index}]`");
        let (here, wanted) = (format!("{word:#x}"), format!("{expected:#x}"));
        Some(differs(item, named, &what, here, wanted).help(
            "write constants = \"grain\", or give parameters of your own a name of their own",
        ))
    });
    difference.map_or(Ok(()), Err)
}
