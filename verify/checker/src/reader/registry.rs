//! Reads the registry: whether what it says of each kernel is what the kernel's file is.

use std::collections::{BTreeMap, BTreeSet};

use syn::{Expr, Item, ItemConst, ItemFn};

use super::Facts;
use super::constants::{same, word};
use super::execute::{Read, text};
use super::file::{is_documentation, is_static};
use super::message::unknown;
use crate::certificate::Program;
use crate::machine::{Isa, Target};
use crate::spelling::tokens;

/// The attributes of a list: its lines are laid out as they are written.
pub(super) const LISTED: [&str; 1] = ["# [rustfmt :: skip]"];

/// What the registry must say of a kernel, beside its name.
pub(crate) struct Entry<'a> {
    pub(crate) program: &'a Program,
    pub(crate) facts: &'a Facts,
}

/// Compares the text of the registry with the kernels that there are.
pub(crate) fn read(source: &str, kernels: &BTreeMap<String, Entry<'_>>) -> Read<()> {
    let file = super::parse_bare(source)?;
    let (mut listed, mut others) = (Vec::new(), String::new());
    for item in &file.items {
        let Item::Static(item) = item else {
            others += &bare(item.clone());
            continue;
        };
        // Of any other name it would be no list that the crate makes public.
        let field = reference::fields().find(|field| item.ident == field.module().to_uppercase());
        let (Some(field), Expr::Reference(reference)) = (field, &*item.expr) else {
            return unknown("no list of kernels", item);
        };
        let word = word(field.montgomery_bits);
        let of_type = format!("&[Kernel<{word}>]");
        match &*reference.expr {
            Expr::Array(array) if is_static(item, &of_type, &LISTED) => {
                let field = format!("/{}/", field.module());
                for kernel in &array.elems {
                    let name = entry(kernel, kernels)?;
                    if !name.contains(&field) {
                        return Err(format!("`{name}` is of another field's list"));
                    }
                    listed.push(name);
                }
            }
            _ => return unknown("no list of kernels", item),
        }
    }
    let mut names: Vec<&String> = kernels.keys().collect();
    listed.sort();
    names.sort();
    if listed.iter().collect::<Vec<_>>() != names {
        return Err("the registry does not list each kernel once".to_owned());
    }
    let tables = file.items.iter().filter_map(|item| match item {
        Item::Const(table) => table
            .ident
            .to_string()
            .strip_suffix("_TABLES")
            .map(str::to_owned),
        _ => None,
    });
    let tables = tables.map(|field| prepared(&field.to_lowercase(), kernels));
    let wanted = tables.collect::<String>();
    same(
        &others,
        &format!("use crate::{{Isa, Kernel, Tables}}; {wanted}"),
    )
}

/// The text of an item without its comments, which are attributes to the parser.
fn bare(mut item: Item) -> String {
    match &mut item {
        Item::Const(ItemConst { attrs, .. }) | Item::Fn(ItemFn { attrs, .. }) => {
            attrs.retain(|attribute| !is_documentation(attribute));
        }
        _ => {}
    }
    text(&item)
}

/// The tables of a field's constants: as they are, and prepared for each strategy.
fn prepared(field: &str, kernels: &BTreeMap<String, Entry<'_>>) -> String {
    let own = kernels
        .iter()
        .filter(|(name, _)| name.split('/').nth(1) == Some(field));
    let programs: Vec<&Program> = own.map(|(_, entry)| entry.program).collect();
    // A field may have no kernels.
    let known = reference::fields().find(|known| known.module() == field);
    let word = known.map_or("", |field| word(field.montgomery_bits));
    let prepared = programs.iter().filter(|program| program.is_inner());
    let strategies: BTreeSet<(&str, usize)> = prepared
        .map(|program| (program.strategy(), program.constant_words()))
        .collect();
    let mut statements = String::new();
    for (n, (strategy, parts)) in strategies.iter().enumerate() {
        if n == 0 {
            statements += "let (constants, rest) = table.split_at_mut(count);";
        }
        let rest = if n + 1 < strategies.len() {
            "rest"
        } else {
            "_"
        };
        let words = match parts {
            1 => "count".to_owned(),
            _ => format!("{parts} * count"),
        };
        statements += &format!(
            "let (prepared, {rest}) = rest.split_at_mut({words});
            crate::{field}_{strategy}::prepare(constants, prepared);"
        );
    }
    let (upper, list) = (
        field.to_uppercase(),
        strategies.into_iter().collect::<Vec<_>>(),
    );
    format!(
        "pub const {upper}_TABLES: Tables<{word}> = Tables {{
            prepared: &{list:?}, prepare: prepare_{field},
        }};
        pub(crate) const fn prepare_{field}(count: usize, table: &mut [{word}]) {{
            assert!(table.len() == count * {upper}_TABLES.words());
            {statements}
        }}"
    )
}

fn entry(kernel: &Expr, kernels: &BTreeMap<String, Entry<'_>>) -> Read<String> {
    let kernel = text(kernel);
    let name = kernel
        .split("name : \"")
        .nth(1)
        .and_then(|rest| rest.split('"').next());
    let name = name.unwrap_or_default();
    let Some(Entry { program, facts }) = kernels.get(name) else {
        return Err(format!("`{name}` is no kernel that holds"));
    };
    let path: Vec<&str> = name.split('/').collect();
    let &[set, field, of_width] = &path[..] else {
        return Err(format!("`{name}` is not of a set and a field"));
    };
    let (strategy, isa) = (program.strategy(), instruction_set(of_width)?);
    // Only what is usual may be left out of a name.
    let ending = match strategy {
        "eager" => String::new(),
        _ => format!("_{strategy}"),
    };
    let start = format!("w{}_{}", program.permutation.width(), isa.name);
    let end = format!("{ending}_b{}", facts.groups);
    let said = of_width.strip_prefix(&start);
    let said = said.and_then(|rest| rest.strip_suffix(&end));
    let layout = match facts.lanes {
        _ if facts.across => "across",
        1 => "registers",
        _ if facts.target == Some(Target::Avx512dq) => "staggered",
        _ => "lanes",
    };
    if set != program.parameter_set
        || field != program.field.module()
        || ![Some(""), Some(&*format!("_{layout}"))].contains(&said)
    {
        let own = format!("…/{start}…{end}");
        return Err(format!("`{name}` rests on {}: it is `{own}`", program.name));
    }
    if !isa.fits(facts.target, &facts.features) {
        let (target, features) = (facts.target, &facts.features);
        return Err(format!(
            "`{name}` is for {target:?}, compiled with {features:?}"
        ));
    }
    let prepare = match program.preparation() {
        None => "None".to_owned(),
        Some(module) => format!("Some(crate::{module}::prepare)"),
    };
    let wanted = format!(
        "{} Kernel {{ name: {name:?}, parameter_set: {set:?}, field: {:?}, width: {}, \
         external_rounds: {}, internal_rounds: {}, isa: Isa::{}, layout: {layout:?}, \
         strategy: {strategy:?}, batch: {}, lanes: {}, features: &{:?}, parts: {}, \
         prepare: {prepare}, permute: crate::{}::permute_raw, }}",
        condition(isa, program),
        field.replace('_', "-"),
        program.permutation.width(),
        program.permutation.external.len(),
        program.permutation.internal.len(),
        isa.variant,
        facts.groups,
        facts.lanes,
        facts.features,
        program.constant_words(),
        path.join("::"),
    );
    if tokens(&kernel) == tokens(&wanted) {
        return Ok(name.to_owned());
    }
    Err(format!("the registry must say: `{wanted}`"))
}

/// The attribute of what is compiled for a kernel's instruction set alone.
pub(super) fn condition(isa: &Isa, program: &Program) -> String {
    let condition = isa.condition(program.wide.is_some());
    condition.map_or_else(String::new, |condition| format!("#[cfg({condition})]"))
}

/// The instruction set that a kernel's name says.
pub(super) fn instruction_set(name: &str) -> Read<&'static Isa> {
    Isa::of_kernel(name).ok_or_else(|| format!("`{name}` names no instruction set"))
}
