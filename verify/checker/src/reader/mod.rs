//! Reads a kernel's file: whether its text computes what its certificate proves.
//!
//! The text is executed on names of values. What it leaves in memory must be, word for word, what
//! the blocks of the certificate make of the same states and constants in the order of the paper.
//! So every index, lane, group, round and operand is compared, and nothing is taken from the
//! generator.

pub(super) mod constants;
mod evaluate;
mod execute;
mod expected;
mod file;
mod graph;
pub(super) mod registry;
#[cfg(test)]
mod tests;
pub(super) mod tuning;

use std::collections::BTreeMap;

use crate::certificate::Program;
use execute::Kernel;
use quote::ToTokens;
use syn::{Item, ItemFn};

use crate::body::Body;
use crate::instruction::Target;

/// What a kernel's text says of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    /// Groups of states in a call.
    pub(super) groups: usize,
    /// States in a group.
    pub(super) lanes: usize,
    /// CPU features that it is compiled with.
    pub(super) features: Vec<String>,
    /// The bodies of its macro-ops, by the name of their macro.
    pub(super) bodies: BTreeMap<String, (Target, Body)>,
    /// Whether its text was executed.
    pub(super) read: bool,
}

/// Compares a kernel's text with what it must compute.
pub(super) fn read(text: &str, program: &Program) -> Result<Facts, String> {
    let file = syn::parse_file(text).map_err(|error| error.to_string())?;
    let function = |item: &Item| match item {
        Item::Fn(function) if function.sig.ident == "permute" => Some(function.clone()),
        _ => None,
    };
    let Some(permute) = file.items.iter().find_map(function) else {
        return Err("there is no `permute`".to_owned());
    };
    let [groups, lanes] = signature(&permute, program)?;
    let features = permute
        .attrs
        .iter()
        .filter(|a| a.path().is_ident("target_feature"));
    let features = features.map(|attribute| attribute.to_token_stream().to_string());
    let quoted = features.filter_map(|text| Some(text.split('"').nth(1)?.to_owned()));
    let split = |list: String| list.split(',').map(str::to_owned).collect::<Vec<_>>();
    let features: Vec<String> = quoted.flat_map(split).collect();
    let macros = file::items(&file.items, program.word(), target(&features, text))?;
    let facts = Facts {
        groups,
        lanes,
        features,
        bodies: macros.bodies,
        read: !file.items.iter().any(is_of_instructions),
    };
    if !facts.read {
        return Ok(facts);
    }
    let mut kernel = Kernel::run(
        &permute.block,
        [groups, program.p2.width(), lanes],
        program.pairs(),
    )?;
    for (group, state) in kernel.states()?.iter().enumerate() {
        for lane in 0..lanes {
            let wanted = program.expected(&mut kernel.graph, group, lane);
            let wanted = wanted.map_err(|refused| refused.what)?;
            let same = |(words, wanted): (&Vec<_>, _)| words[lane] == wanted;
            let differs = state.iter().zip(wanted).position(|pair| !same(pair));
            if let Some(element) = differs {
                return Err(format!(
                    "element {element} of group {group}, lane {lane}, is not what the certificate \
                     proves"
                ));
            }
        }
    }
    Ok(facts)
}

/// What a kernel's instructions are for: its features say it, or the registers that it has.
fn target(features: &[String], text: &str) -> Target {
    let known = [
        ("avx512ifma", Target::Avx512ifma),
        ("avx512f", Target::Avx512),
        ("avx2", Target::Avx2),
    ];
    let found = known
        .iter()
        .find(|(name, _)| features.iter().any(|feature| feature == name));
    match found {
        Some((_, target)) => *target,
        None if features.is_empty() && text.contains("asm!") => Target::X86_64,
        None if features.is_empty() => Target::Scalar,
        None if text.contains("struct Vector(") => Target::Neon,
        None => Target::Aarch64,
    }
}

/// Whether a macro is of one instruction, as in blocks in an order of our own: `join` is in each.
fn is_of_instructions(item: &Item) -> bool {
    matches!(item, Item::Macro(item) if item.ident.as_ref().is_some_and(|name| name == "join"))
}

/// Groups and lanes: `permute` takes that many states of the certificate's width, and its constants.
fn signature(permute: &ItemFn, program: &Program) -> Result<[usize; 2], String> {
    let text = permute.sig.to_token_stream().to_string();
    let numbers = text
        .split([';', ']'])
        .filter_map(|part| part.trim().parse().ok());
    let numbers: Vec<usize> = numbers.take(3).collect();
    let &[lanes, width, groups] = &numbers[..] else {
        return Err(format!("no states: `{text}`"));
    };
    let (word, rounds) = (program.word(), program.p2.external.len());
    let constant = match program.parts {
        1 => word.to_owned(),
        parts => format!("[{word} ; {parts}]"),
    };
    let internal: usize = program.p2.internal.len();
    let wanted = format!(
        "fn permute (states : & mut [[[{word} ; {lanes}] ; {}] ; {groups}] , constants : \
         & Constants < {constant} , {width} , {rounds} , {internal} >)",
        program.p2.width()
    );
    if text == wanted {
        return Ok([groups, lanes]);
    }
    Err(format!(
        "`{text}` is not of the certificate's shape, which is `{wanted}`"
    ))
}
