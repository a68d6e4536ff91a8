//! Reads the tuning tables as code: whether each choice names kernels of its own permutation, for
//! instruction sets that it may use. Figures are measured, and not read.

use std::collections::BTreeMap;

use syn::{Expr, ExprStruct, Item};

use super::execute::{Read, text};
use super::file::attributes;
use super::registry::{Entry, LISTED, instruction_set};
use crate::machine::ISAS;

/// Checks the text of the tuning tables against the kernels that there are.
pub(crate) fn read(source: &str, kernels: &BTreeMap<String, Entry<'_>>) -> Read<()> {
    let file = super::parse(source)?;
    let tables = file.items.iter().find_map(|item| match item {
        Item::Static(item) if item.ident == "TUNINGS" => Some(item),
        _ => None,
    });
    let tables = tables
        .filter(|tables| attributes(&tables.attrs) == LISTED && text(&tables.ty) == "& [Tuning]");
    let mut choices = Vec::new();
    let tables = tables.ok_or("there are no tables")?;
    if !is_plain(&tables.expr) {
        return Err("the tables are no plain numbers, names and lists".to_owned());
    }
    structs(&tables.expr, "Choice", &mut choices);
    if choices.is_empty() {
        return Err("the tables choose nothing".to_owned());
    }
    choices
        .into_iter()
        .try_for_each(|choice| check(choice, kernels))
}

fn check(choice: &ExprStruct, kernels: &BTreeMap<String, Entry<'_>>) -> Read<()> {
    let isa = field(choice, "isa")?.replace("Isa :: ", "");
    let own = ISAS.iter().find(|own| own.variant == isa);
    let own = own.ok_or_else(|| format!("no instruction set `{isa}`"))?;
    let (set, of) = (field(choice, "parameter_set")?, field(choice, "field")?);
    let width = field(choice, "width")?;
    let family = format!("{set}/{}/w{width}_", of.replace('-', "_"));
    let (mut steps, mut beside) = (Vec::new(), Vec::new());
    structs(value(choice, "steps")?, "Step", &mut steps);
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
    }
    structs(value(choice, "beside")?, "Kernel", &mut beside);
    for kernel in beside {
        let step = field(kernel, "step")?;
        if !step.parse().is_ok_and(|step: usize| step < steps.len()) {
            return Err(format!("{family} has no step {step}"));
        }
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
            let is_row = ["Tuning", "Choice"].contains(&&*text(&inner.path));
            (is_row || inner.attrs.is_empty())
                && inner.rest.is_none()
                && inner.fields.iter().all(|field| {
                    let shared = matches!(field.expr, Expr::Reference(_));
                    let is_list = ["choices", "steps", "beside"].contains(&&*text(&field.member));
                    field.attrs.is_empty() && shared >= is_list && is_plain(&field.expr)
                })
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
        Expr::Path(inner) => inner.attrs.is_empty(),
        _ => false,
    }
}

/// The structs of a name, wherever they are in an expression.
fn structs<'e>(expression: &'e Expr, name: &str, found: &mut Vec<&'e ExprStruct>) {
    let is = |inner: &ExprStruct| {
        inner
            .path
            .segments
            .last()
            .is_some_and(|last| last.ident == name)
    };
    let mut all = |inner: &'e Expr| structs(inner, name, found);
    match expression {
        Expr::Struct(inner) if is(inner) => found.push(inner),
        Expr::Struct(inner) => inner.fields.iter().for_each(|field| all(&field.expr)),
        Expr::Reference(inner) => all(&inner.expr),
        Expr::Array(inner) => inner.elems.iter().for_each(all),
        Expr::Tuple(inner) => inner.elems.iter().for_each(all),
        Expr::Call(inner) => inner.args.iter().for_each(all),
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
