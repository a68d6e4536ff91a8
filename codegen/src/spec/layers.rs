//! The linear layers in the `[permutation]` table.

use super::permutation::Known;
use super::reader::{Item, Table, to_length};
use crate::diag::{Diagnostic, Diagnostics, UnknownName};
use crate::params::{
    ExternalLayer, Field, HORIZEN_M4, Linear, M4, Mds, Order, Rational, invariant_subspace,
    invariant_subspaces,
};

pub(super) const KEYS: &[&str] = &["m4", "order", "initial"];

/// The named 4×4 matrices.
const BLOCKS: [(&str, [[u64; 4]; 4]); 2] = [("plonky3", M4), ("horizen", HORIZEN_M4)];

/// The external layer that the spec asks for.
pub(super) fn external(item: Item<'_>, known: &Known) -> Result<ExternalLayer, Diagnostics> {
    let table = item.table("external-layer", KEYS)?;
    let usual = ExternalLayer::PLONKY3;
    let m4 = table.or("m4", usual.m4, |item| block(item, known));
    let order = table.or("order", usual.order, |item| item.name::<Order>());
    let initial = table.or("initial", usual.initial, Item::boolean);
    let layer = || {
        let (m4, order, initial) = (m4?, order?, initial?);
        Some(ExternalLayer { m4, order, initial })
    };
    let layer = layer().ok_or_else(Diagnostics::new)?;
    if let Some(field) = known.field.filter(|field| layer.is_singular(field)) {
        let message = format!(
            "the external layer{} is not invertible over {}",
            known.of, field.name
        );
        let item = table.get("m4").unwrap_or(item);
        let error = item.error(message, "M4 has determinant 0");
        let help = "a Poseidon2 round must be a permutation: change an entry";
        return Err(error.help(help).into());
    }
    let described = known.agreed(
        item,
        "the external layer",
        layer.to_string(),
        |named| match &named.linear {
            Linear::Poseidon2 { external, .. } => external.to_string(),
            Linear::Poseidon1(mds) => mds.to_string(),
        },
    );
    described.map_err(Diagnostics::from).map(|_| layer)
}

/// M4, by its name or written out.
fn block(item: Item<'_>, known: &Known) -> Result<[[u64; 4]; 4], Diagnostics> {
    if let Some(name) = item.as_text() {
        let found = BLOCKS.iter().find(|(known, _)| *known == name);
        return found.map(|(_, m4)| *m4).ok_or_else(|| {
            let names = BLOCKS.iter().map(|(known, _)| *known);
            let unknown = UnknownName::new("M4", name, names);
            let help = unknown.help();
            let error = item.unknown(&unknown);
            error
                .help(format!("{help}; or its four rows: [[2, 3, 1, 1], …]"))
                .into()
        });
    }
    let wrong = |item: Item<'_>| {
        let error = item.error("M4 is not a 4×4 matrix", "four rows of four entries");
        error.help("write it like [[2, 3, 1, 1], [1, 2, 3, 1], [1, 1, 2, 3], [3, 1, 1, 2]]")
    };
    let rows = item.array()?;
    if rows.len() != 4 {
        return Err(wrong(item).into());
    }
    let (mut m4, mut errors) = ([[0; 4]; 4], Diagnostics::new());
    for (i, row) in rows.into_iter().enumerate() {
        let Some(entries) = errors.keep(row.array()) else {
            continue;
        };
        if entries.len() != 4 {
            errors.push(wrong(row));
            continue;
        }
        for (j, entry) in entries.into_iter().enumerate() {
            let read = number(entry, &format!("M4's entry {i}, {j}"), known);
            if let Some((number, field)) = errors.keep(read).zip(known.field) {
                m4[i][j] = number.residue(field);
            }
        }
    }
    errors.into_result().map(|()| m4)
}

/// A number: an integer, or a text with a sign or a denominator, below p.
fn number(item: Item<'_>, what: &str, known: &Known) -> Result<Rational, Diagnostic> {
    let of = &known.of;
    let number = if item.is_integer() {
        let integer = item
            .unsigned()
            .map_err(|error| error.help(spelling(item)))?;
        Rational::new(false, integer, 0)
    } else {
        let text = item.text().map_err(|error| error.help(spelling(item)))?;
        text.parse::<Rational>().map_err(|error| {
            let message = format!("{what}{of}, `{text}`, cannot be read");
            item.error(message, error.to_string()).help(spelling(item))
        })?
    };
    match known.field.map(|field| field.modulus) {
        Some(p) if number.numerator >= p => {
            let message = format!("{what}{of}, `{number}`, is not below p");
            let error = item.error(message, format!("p = {p} = {p:#x}"));
            let residue = Rational::new(number.negative, number.numerator % p, number.shift);
            Err(error.help(format!("the same residue: \"{residue}\"")))
        }
        _ => Ok(number),
    }
}

/// How a number is written that cannot be read as it is.
fn spelling(item: Item<'_>) -> String {
    let fraction = |text: &str| {
        let value: f64 = text.parse().ok()?;
        let scaled = |shift: u32| (shift, value.abs() * 2_f64.powi(shift as i32));
        let (shift, whole) = (0..=16).map(scaled).find(|(_, x)| x.fract() == 0.0)?;
        let is_exact = whole < 2_f64.powi(53);
        is_exact.then(|| Rational::new(value < 0.0, whole as u64, shift))
    };
    match item.as_number().and_then(fraction) {
        Some(number) => format!("write \"{number}\""),
        None => "write it like \"-2\", \"1/2\", \"-1/2^3\" or \"0x2a\"".to_owned(),
    }
}

/// The factor of the internal layer.
pub(super) fn scale(item: Item<'_>, known: &Known) -> Result<Rational, Diagnostic> {
    let scale = number(item, "the scale", known)?;
    if scale.numerator == 0 {
        let message = format!("the scale{} of the internal layer is zero", known.of);
        let error = item.error(message, "makes every element zero");
        return Err(error.help("leave it out, or write a factor like \"1/2^32\""));
    }
    known.agreed(item, "scale", scale, |named| {
        named.scale().unwrap_or(Rational::ONE)
    })
}

/// The diagonal of the internal layer.
pub(super) fn diagonal(
    item: Item<'_>,
    known: &Known,
    table: &Table<'_>,
) -> Result<Vec<Rational>, Diagnostics> {
    let (items, of) = (item.array()?, &known.of);
    let mut errors = Diagnostics::new();
    let mut diagonal = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        let entry = number(*item, &format!("diagonal entry {index}"), known);
        diagonal.extend(errors.keep(entry));
    }
    if let (Some(width), Some(at)) = (known.width, table.get("width"))
        && items.len() != width
    {
        let n = items.len();
        let message = format!("the diagonal{of} has {n} entries, the width is {width}");
        let error = item.error(message, "one entry for each element of the state");
        errors.push(at.also(error, "the width").help(to_length(n, width)));
    }
    errors.into_result()?;
    let (Some(field), Some(_)) = (known.field, known.width) else {
        return Ok(diagonal);
    };
    let mut errors = Diagnostics::new();
    for (index, (item, &entry)) in items.iter().zip(&diagonal).enumerate() {
        let same = |named: &Rational| named.residue(field) == entry.residue(field);
        let what = format!("diagonal entry {index}");
        errors.keep(known.agreed(*item, &what, entry, |named| {
            let named = named
                .internal()
                .map_or(entry, |layer| layer.diagonal[index]);
            if same(&named) { entry } else { named }
        }));
    }
    let residues: Vec<u64> = diagonal.iter().map(|entry| entry.residue(field)).collect();
    if singular(field, &residues) {
        let message = format!(
            "the internal layer{of} is not invertible over {}",
            field.name
        );
        let error = item.error(message, "1·1ᵀ + diag(V) has determinant 0");
        errors.push(error.help("a Poseidon2 round must be a permutation: change an entry"));
    } else if let Some(subspace) = invariant_subspace(field, &residues) {
        let message = format!("the internal layer{of} has an invariant subspace");
        let label = subspace.told("what element 0 reaches", residues.len());
        let mut error = item.error(message, label);
        if let Some([first, second]) = subspace.equal {
            let (item, label) = (items[second], format!("the same as entry {first}"));
            error = item.also(error, &label);
        }
        errors.push(error.help(
            "differences then pass any number of internal rounds without an S-box (eprint \
             2023/323, section 5): entries of V must differ from each other",
        ));
    }
    errors.into_result().map(|()| diagonal)
}

/// Poseidon1's matrix: the first row of a circulant one, or all rows.
pub(super) fn mds(item: Item<'_>, known: &Known, table: &Table<'_>) -> Result<Mds, Diagnostics> {
    let (items, of) = (item.array()?, &known.of);
    let mut errors = Diagnostics::new();
    let is_written_out = items.first().is_some_and(|item| item.array().is_ok());
    let mut rows = Vec::new();
    let lines = if is_written_out { items } else { vec![item] };
    if let (Some(width), Some(at)) = (known.width, table.get("width"))
        && is_written_out
        && lines.len() != width
    {
        let n = lines.len();
        let message = format!("the MDS matrix{of} has {n} rows, the width is {width}");
        let error = item.error(message, "as many rows as columns");
        errors.push(at.also(error, "the width").help(to_length(n, width)));
    }
    for (i, line) in lines.into_iter().enumerate() {
        let Some(entries) = errors.keep(line.array()) else {
            continue;
        };
        if let Some(width) = known.width.filter(|width| *width != entries.len()) {
            let n = entries.len();
            let message = format!("row {i} of the MDS matrix{of} has {n} entries, not {width}");
            let error = line.error(message, "one entry for each element of the state");
            errors.push(error.help(to_length(n, width)));
        }
        let mut row = Vec::with_capacity(entries.len());
        for (j, entry) in entries.into_iter().enumerate() {
            let read = number(entry, &format!("the MDS matrix's entry {i}, {j}"), known);
            if let Some((number, field)) = errors.keep(read).zip(known.field) {
                row.push(number.residue(field));
            }
        }
        rows.push(row);
    }
    errors.into_result()?;
    let mds = match is_written_out {
        true => Mds { rows },
        false => Mds::circulant(&rows.concat()),
    };
    let (Some(field), Some(_)) = (known.field, known.width) else {
        return Ok(mds);
    };
    if mds.is_singular(field) {
        let message = format!("the MDS matrix{of} is not invertible over {}", field.name);
        let error = item.error(message, "has determinant 0");
        return Err(error
            .help("a Poseidon1 round must be a permutation: change an entry")
            .into());
    }
    let (width, [reached, reaching]) = (mds.rows.len(), invariant_subspaces(field, &mds));
    let reached = reached.map(|space| space.told("what element 0 reaches", width));
    let reaching = reaching.map(|space| space.told("what reaches element 0", width));
    if let Some(label) = reached.or(reaching) {
        let message = format!("the MDS matrix{of} has an invariant subspace");
        let help = "differences then stay in a subspace for any number of partial rounds (eprint 2020/500): change an \
                    entry";
        return Err(item.error(message, label).help(help).into());
    }
    Ok(mds)
}

/// By the matrix determinant lemma: `det(1·1ᵀ + diag(V)) = ∏V · (1 + ∑1/V)`, where one zero in V
/// leaves the product of the others.
fn singular(field: &Field, diagonal: &[u64]) -> bool {
    let inverses: Vec<u64> = diagonal.iter().filter_map(|&d| field.inv(d)).collect();
    match diagonal.len() - inverses.len() {
        0 => {
            inverses
                .into_iter()
                .fold(1, |sum, inverse| field.add(sum, inverse))
                == 0
        }
        zeros => zeros > 1,
    }
}
