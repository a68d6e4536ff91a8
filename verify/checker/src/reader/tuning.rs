//! Reads the tuning tables as code: whether each choice names kernels of its own permutation, for
//! instruction sets that it may use. Figures are measured, and not read.

use std::collections::BTreeMap;

use syn::{Expr, ExprStruct, Item, ItemEnum, ItemStruct};

use super::execute::{Read, text};
use super::file::is_static;
use super::message::unknown;
use super::registry::{Entry, LISTED, instruction_set};
use crate::machine::ISAS;

/// The types of the tables.
pub(super) const TYPES: [&str; 7] = [
    "Choice",
    "CpuPattern",
    "Served",
    "Server",
    "Shape",
    "Step",
    "Tuning",
];

/// The structs in them.
const STRUCTS: [&str; 6] = [
    "Tuning",
    "Choice",
    "Step",
    "CpuPattern",
    "Server :: Kernel",
    "Server :: Stock",
];

/// Checks the text of the tuning tables against the kernels that there are.
pub(crate) fn read(source: &str, kernels: &BTreeMap<String, Entry<'_>>) -> Read<()> {
    let file = super::parse_bare(source)?;
    let (mut tables, mut types) = (Vec::new(), Vec::new());
    for item in &file.items {
        let known = match item {
            Item::Static(table) => {
                tables.push(table);
                table.ident == "TUNINGS" && is_static(table, "&[Tuning]", &LISTED)
            }
            Item::Use(names) => text(names) == "use crate :: { Cpu , Isa } ;",
            Item::Struct(ItemStruct { ident, .. }) | Item::Enum(ItemEnum { ident, .. }) => {
                types.push(ident.to_string());
                true
            }
            Item::Impl(of) => of.trait_.is_none() && TYPES.contains(&&*text(&of.self_ty)),
            _ => false,
        };
        if !known {
            return unknown("no table and no type of one", item);
        }
    }
    types.sort_unstable();
    let [tables] = tables[..] else {
        return Err("there are no tables".to_owned());
    };
    if types != TYPES {
        return Err(format!("types of tables are {TYPES:?}, not {types:?}"));
    }
    if !is_plain(&tables.expr) {
        return Err("the tables are no plain numbers, names and lists".to_owned());
    }
    let mut choices = Vec::new();
    for tuning in rows(&tables.expr, "Tuning")? {
        choices.extend(rows(value(tuning, "choices")?, "Choice")?);
    }
    if choices.is_empty() {
        return Err("the tables choose nothing".to_owned());
    }
    choices
        .into_iter()
        .try_for_each(|choice| check(choice, kernels))
}

/// The rows of a list, each of which is such a struct.
fn rows<'e>(list: &'e Expr, name: &str) -> Read<Vec<&'e ExprStruct>> {
    let Expr::Reference(list) = list else {
        return unknown("no list", list);
    };
    let Expr::Array(list) = &*list.expr else {
        return unknown("no list", list);
    };
    let rows = list.elems.iter().map(|row| match row {
        Expr::Struct(row) if text(&row.path) == name => Ok(row),
        other => unknown("another row", other),
    });
    rows.collect()
}

fn check(choice: &ExprStruct, kernels: &BTreeMap<String, Entry<'_>>) -> Read<()> {
    let isa = field(choice, "isa")?.replace("Isa :: ", "");
    let own = ISAS.iter().find(|own| own.variant == isa);
    let own = own.ok_or_else(|| format!("no instruction set `{isa}`"))?;
    let (set, of) = (field(choice, "parameter_set")?, field(choice, "field")?);
    let width = field(choice, "width")?;
    let family = format!("{set}/{}/w{width}_", of.replace('-', "_"));
    let (steps, mut beside) = (rows(value(choice, "steps")?, "Step")?, Vec::new());
    // Lanes that have no state are filled, groups are not.
    let suffices = |row: &ExprStruct, name: &str| {
        let (facts, least) = (kernels[name].facts, field(row, "least")?);
        match facts.lanes > 1
            || least
                .parse()
                .is_ok_and(|least: usize| least >= facts.groups)
        {
            true => Ok(()),
            false => Err(format!(
                "`{name}` takes {} states, not {least}",
                facts.groups
            )),
        }
    };
    for step in &steps {
        let name = field(step, "kernel")?;
        let Some(kernel) = name
            .strip_prefix(&family)
            .filter(|_| kernels.contains_key(&name))
        else {
            return Err(format!("`{name}` is no kernel of {family} that holds"));
        };
        let of = instruction_set(&format!("w{width}_{kernel}"))?.variant;
        if of != isa && !own.within.contains(&of) {
            return Err(format!("`{name}` is chosen for {isa}"));
        }
        suffices(step, &name)?;
    }
    structs(value(choice, "beside")?, &mut beside);
    for kernel in beside {
        let step = field(kernel, "step")?;
        let Some(row) = step.parse().ok().and_then(|step: usize| steps.get(step)) else {
            return Err(format!("{family} has no step {step}"));
        };
        suffices(kernel, &field(row, "kernel")?)?;
    }
    match steps.last().map(|last| field(last, "least")).transpose()? {
        Some(least) if least != "1" => Err(format!("nothing serves one state of {family}")),
        _ => Ok(()),
    }
}

/// Whether structs can be in no other expressions than those that are looked into, and nothing but a row is there on a
/// condition.
fn is_plain(expression: &Expr) -> bool {
    match expression {
        Expr::Struct(inner) => {
            let name = text(&inner.path);
            let is_row = ["Tuning", "Choice"].contains(&&*name);
            let mut fields = inner.fields.iter();
            STRUCTS.contains(&&*name)
                && (is_row || inner.attrs.is_empty())
                && inner.rest.is_none()
                && fields.all(|field| field.attrs.is_empty() && is_plain(&field.expr))
        }
        Expr::Reference(inner) => {
            inner.attrs.is_empty() && matches!(*inner.expr, Expr::Array(_)) && is_plain(&inner.expr)
        }
        Expr::Array(inner) => inner.attrs.is_empty() && inner.elems.iter().all(is_plain),
        Expr::Tuple(inner) => inner.attrs.is_empty() && inner.elems.iter().all(is_plain),
        Expr::Call(inner) => {
            inner.attrs.is_empty() && text(&inner.func) == "Some" && inner.args.iter().all(is_plain)
        }
        Expr::Lit(inner) => inner.attrs.is_empty(),
        Expr::Path(inner) => {
            let name = text(inner);
            let of = |kind: &str| name.starts_with(kind) && name.split(' ').count() == 3;
            name == "None" || of("Isa :: ") || of("Shape :: ")
        }
        _ => false,
    }
}

/// The kernels beside Plonky3's, wherever they are in an expression.
fn structs<'e>(expression: &'e Expr, found: &mut Vec<&'e ExprStruct>) {
    let mut all = |inner: &'e Expr| structs(inner, found);
    match expression {
        Expr::Struct(inner) if text(&inner.path) == "Server :: Kernel" => found.push(inner),
        Expr::Reference(inner) => all(&inner.expr),
        Expr::Array(inner) => inner.elems.iter().for_each(all),
        Expr::Tuple(inner) => inner.elems.iter().for_each(all),
        _ => {}
    }
}

fn value<'e>(of: &'e ExprStruct, name: &str) -> Read<&'e Expr> {
    let named = |member: &syn::Member| matches!(member, syn::Member::Named(n) if n == name);
    let field = of.fields.iter().find(|field| named(&field.member));
    field
        .map(|field| &field.expr)
        .ok_or_else(|| format!("a choice without `{name}`"))
}

fn field(of: &ExprStruct, name: &str) -> Read<String> {
    Ok(text(value(of, name)?).replace('"', ""))
}
