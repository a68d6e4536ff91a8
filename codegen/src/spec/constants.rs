//! Round constants: derived, or written out.

use super::parse_toml;
use super::permutation::{ANOTHER, Known, differs};
use super::reader::{Item, Report, Table, to_length};
use crate::diag::{Diagnostic, Diagnostics, Source};
use crate::params::{
    Cut, Field, Instance, Mds, RoundConstants, poseidon1_constants, round_constants,
    single_constants,
};

pub(super) const KEYS: &[&str] = &["external", "internal", "grain", "file"];

/// Those of Poseidon1.
pub(super) const POSEIDON1_KEYS: &[&str] = &["rounds", "file"];

/// Keys of a file of constants.
const FILE_KEYS: &[&str] = &["external", "internal"];

/// Residues, and where they stand.
type Row<'v> = Vec<(Item<'v>, u64)>;

/// The constants that the spec asks for.
pub(super) fn read(item: Item<'_>, known: &Known) -> Result<RoundConstants, Diagnostics> {
    match item.as_text() {
        Some("grain") => {
            // A named set has an order of its own.
            let named = known.named.as_ref().and_then(|named| named.constants.grain);
            let cut = named.unwrap_or(Cut::Paper);
            return known.derived(cut).ok_or_else(Diagnostics::new);
        }
        Some(_) => {
            let message = "`constants` is neither \"grain\" nor a table";
            let help = "write \"grain\", { grain = \"initial-final-internal\" }, { file = \"…\" } or \
                        { external = [[…], …], internal = […] }";
            return Err(item.error(message, "not known").help(help).into());
        }
        None => {}
    }
    let table = item.table("constants", KEYS)?;
    let given: Vec<&str> = KEYS
        .iter()
        .copied()
        .filter(|key| table.get(key).is_some())
        .collect();
    match given[..] {
        ["grain"] => {
            let cut = table.required("grain", |item| item.name::<Cut>());
            let derived = cut.and_then(|cut| known.derived(cut));
            let derived = derived.ok_or_else(Diagnostics::new)?;
            if let Some(named) = known.named.as_ref().filter(|n| n.constants != derived) {
                let wanted = named.constants.grain.map_or("", Cut::name);
                let here = derived.grain.map_or("", Cut::name);
                let error = differs(item, named, "the order of constants", here, wanted);
                return Err(error.help(ANOTHER).into());
            }
            return Ok(derived);
        }
        ["file"] => {
            let file = table.required("file", Item::text);
            let file = file.ok_or_else(Diagnostics::new)?;
            let item = table.get("file").unwrap_or(item);
            return from_file(item, file, FILE_KEYS, |table| written_out(table, known));
        }
        [_, .., "grain" | "file"] => {
            let message = format!("constants are given {} times", given.len());
            let error = item.error(message, given.join(", "));
            return Err(error
                .help("keep `grain`, `file`, or `external` with `internal`")
                .into());
        }
        _ => {}
    }
    written_out(&table, known)
}

/// The constants of Poseidon1 that the spec asks for: one for each element in each round.
pub(super) fn poseidon1(
    item: Item<'_>,
    known: &Known,
    mds: &Mds,
) -> Result<RoundConstants, Diagnostics> {
    let (field, full, partial) = known.sizes().ok_or_else(Diagnostics::new)?;
    if item.as_text() == Some("grain") {
        return Ok(poseidon1_constants(field, mds, full, partial));
    }
    if item.as_text().is_some() {
        let error = item.error("`constants` is neither \"grain\" nor a table", "not known");
        let help = "write \"grain\", { file = \"…\" } or { rounds = [[…], …] }";
        return Err(error.help(help).into());
    }
    let table = item.table("constants", POSEIDON1_KEYS)?;
    let rounds = |table: &Table<'_>| {
        let rounds = table.required("rounds", |item| {
            known.rows(
                item,
                "rounds",
                Some(full + partial),
                "full-rounds + partial-rounds",
            )
        });
        let rows = rounds.ok_or_else(Diagnostics::new)?;
        Ok(single_constants(
            field,
            mds,
            full,
            rows.into_iter().map(values).collect(),
        ))
    };
    match (table.get("file"), table.get("rounds")) {
        (Some(item), None) => from_file(item, item.text()?, &["rounds"], rounds),
        _ => rounds(&table),
    }
}

fn values(row: Row<'_>) -> Vec<u64> {
    row.into_iter().map(|(_, word)| word).collect()
}

/// Constants in a file of their own, whose place is relative to the spec's.
fn from_file(
    item: Item<'_>,
    file: &str,
    keys: &[&str],
    written_out: impl FnOnce(&Table<'_>) -> Result<RoundConstants, Diagnostics>,
) -> Result<RoundConstants, Diagnostics> {
    let path = item.beside(file);
    let bytes = std::fs::read(&path).map_err(|error| {
        let message = format!("cannot read the constants in {}: {error}", path.display());
        let error = item.error(message, "named here");
        error.help("the place is relative to the spec's folder")
    })?;
    let source = Source::of_bytes(&path.display().to_string(), bytes)?;
    let document = parse_toml(&source)?;
    let report = Report::new(&source);
    let table = Table::new(&report, "a file of constants", &document, 0..0, keys);
    let read = written_out(&table);
    let read = report.keep(read);
    report.into_errors().into_result()?;
    read.ok_or_else(Diagnostics::new)
}

/// Constants that are written out in a table.
fn written_out(table: &Table<'_>, known: &Known) -> Result<RoundConstants, Diagnostics> {
    let external = table.required("external", |item| {
        known.rows(item, "external", known.external_rounds, "external-rounds")
    });
    let internal = table.required("internal", |item| {
        known.row(item, "internal", known.internal_rounds, "internal-rounds")
    });
    let (external, internal) = external.zip(internal).ok_or_else(Diagnostics::new)?;
    if let Some(named) = &known.named {
        refuse_difference(named, &external, &internal)?;
    }
    Ok(RoundConstants {
        external: external.into_iter().map(values).collect(),
        internal: values(internal),
        grain: None,
    })
}

impl Known {
    fn derived(&self, cut: Cut) -> Option<RoundConstants> {
        let ((field, external, internal), width) = (self.sizes()?, self.width?);
        Some(round_constants(cut, field, width, external, internal))
    }

    /// The field, and the numbers of rounds.
    fn sizes(&self) -> Option<(&'static Field, usize, usize)> {
        Some((self.field?, self.external_rounds?, self.internal_rounds?))
    }

    /// As many rows as the value of `key` is, each as long as a state.
    fn rows<'v>(
        &self,
        item: Item<'v>,
        what: &str,
        length: Option<usize>,
        key: &str,
    ) -> Result<Vec<Row<'v>>, Diagnostics> {
        let (mut rows, mut errors) = (Vec::new(), Diagnostics::new());
        let items = item.array()?;
        errors.keep(check_length(item, items.len(), what, length, key));
        for (round, item) in items.into_iter().enumerate() {
            let row = self.row(item, &format!("{what}[{round}]"), self.width, "width");
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
    let error = item.error(message, format!("`{key}` is {expected}"));
    Err(error.help(to_length(length, expected)))
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
