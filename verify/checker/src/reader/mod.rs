//! Reads a kernel's file: whether its text computes what its certificate proves.
//!
//! The text is executed on names of values. What it leaves in memory must be, word for word, what
//! the blocks of the certificate make of the same states and constants in the order of the paper.
//! So every index, lane, group, round and operand is compared, and nothing is taken from the
//! generator.

mod bounds;
pub(super) mod constants;
mod evaluate;
mod execute;
mod expected;
mod file;
mod graph;
mod matrix;
mod message;
pub(super) mod modules;
pub(super) mod prepare;
pub(super) mod registry;
#[cfg(test)]
mod tests;
pub(super) mod tuning;

use crate::body::Body;
use crate::certificate::Program;
use bounds::{DEEP, LONG};
use execute::{Kernel, STEPS, Value};
pub(super) use file::Bodies;
use file::{ACROSS, VECTOR_ACROSS};
use graph::{Graph, Id, Node};
use matrix::MATRIX;
use proc_macro2::{LexError, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Item, ItemFn};

use crate::machine::{ISAS, Isa, Target};
use crate::spelling::tokens;
use reference::Field;

/// What a kernel's text says of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    /// Groups of states in a call.
    pub(super) groups: usize,
    /// States in a group.
    pub(super) lanes: usize,
    /// Whether a state lies across the lanes of vectors.
    pub(super) across: bool,
    /// What its instructions are for.
    pub(super) target: Option<Target>,
    /// CPU features that it is compiled with.
    pub(super) features: Vec<String>,
    /// The bodies of its macro-ops, by the name of their macro.
    pub(super) bodies: Bodies,
}

/// Compares a kernel's text with what it must compute.
pub(super) fn read(text: &str, program: &Program) -> Result<Facts, String> {
    let file = parse_whole(text)?;
    let permute = file.items.iter().find_map(|item| match item {
        Item::Fn(function) if function.sig.ident == "permute" => Some(function),
        _ => None,
    });
    let permute = permute.ok_or("there is no `permute`")?;
    let [groups, lanes] = signature(permute, program)?;
    let features = file::features(&permute.attrs).ok_or("attributes that no kernel has")?;
    let target = target(&features, &file);
    let mut graph = Graph::new(!target.has_halves());
    let ([of_type, written], factors) = program.factors(&mut graph);
    let is_factors = |item: &Item| {
        let Item::Static(item) = item else {
            return false;
        };
        item.ident == "FACTORS"
            && file::is_static(item, &of_type, &[])
            && tokens(&execute::text(&item.expr)) == tokens(&written)
    };
    let short = program.word() == "u32";
    let is_matrix =
        |item: &&Item| matches!(item, Item::Static(item) if short && item.ident == MATRIX);
    let matrix = matrix::read(file.items.iter().find(is_matrix), &mut graph)?;
    let items = file.items.iter();
    let items = items.filter(|item| !is_factors(item) && !is_matrix(item));
    let macros = file::items(items, program.word(), program.wide.is_some(), target)?;
    let bodies = macros.of(program)?;
    let ordered = !macros.replaced.is_empty();
    if ordered && (target != Target::Neon || macros.moving && short) {
        // Instructions on two words at once are none on the name of one, once a word is in another's place.
        return Err("these instructions are in no order of their own".to_owned());
    }
    let width = program.permutation.width();
    let across = is_across(&file.items, lanes, program)?;
    let length = if across { ACROSS } else { lanes };
    if let Some(bits) = vector_bits(&file.items) {
        let word = if short { 32 } else { 64 };
        if length * word != bits {
            return Err(format!("a vector has {bits} bits, not {length} words"));
        }
    }
    // Both parts of an element, which are no lanes of vectors in memory.
    let beside = target == Target::Sse2;
    let (rows, looked_at) = match across {
        true => (width / ACROSS, ACROSS),
        // Where no word leaves its lane, one lane is like another.
        false if macros.crossing && !beside => (width, lanes),
        false => (width, 1),
    };
    let sizes = [groups, rows, length, looked_at];
    // The element, and the lane of its group.
    let place = |row, lane| match across {
        true => (row * ACROSS + lane, 0),
        false => (row, lane),
    };
    let constants = program.constants(&mut graph);
    let states = words(sizes, |group, row, lane| {
        let (i, lane) = place(row, lane);
        graph.add(Node::State(group, i, lane))
    });
    let vectors = [
        format!("& mut [[Vector ; {rows}] ; {groups}]"),
        match program.word() {
            "u32" if program.wide.is_none() => matrix::vectors(&matrix, length),
            _ => String::new(),
        },
    ];
    let memory = [
        ("states", states),
        ("constants", constants),
        ("FACTORS", factors),
        (MATRIX, matrix),
    ];
    let in_vector = if beside { 2 } else { looked_at };
    let mut kernel = Kernel::new(memory, graph, in_vector, macros, vectors);
    kernel.are_cast = vector(&file.items).is_some();
    kernel.whole(&permute.block)?;
    let Kernel {
        mut graph, memory, ..
    } = kernel;
    if ordered {
        graph.replace(&bodies);
    }
    let (mut wanted, mut left) = (Vec::new(), STEPS);
    for group in 0..groups {
        let states = if across { 1 } else { looked_at };
        let lanes = (0..states).map(|lane| program.expected(&mut graph, [group, lane], &mut left));
        let lanes = lanes.collect::<Result<Vec<_>, _>>();
        wanted.push(lanes.map_err(|refused| refused.what)?);
    }
    let wanted = words(sizes, |group, row, lane| {
        let (i, lane) = place(row, lane);
        wanted[group][lane][i]
    });
    if memory["states"] != wanted {
        let [group, row] = message::other(&memory["states"], &wanted);
        let (element, _) = place(row, 0);
        return Err(format!(
            "from element {element} of group {group} on, states end up as other words than the certificate's"
        ));
    }
    Ok(Facts {
        groups,
        lanes,
        across: across || beside,
        target: Some(target),
        features,
        bodies,
    })
}

/// What a vector of states is, where a kernel has any.
fn vector(items: &[Item]) -> Option<String> {
    items.iter().find_map(|item| match item {
        Item::Struct(item) => Some(item.fields.to_token_stream().to_string()),
        _ => None,
    })
}

/// Its bits.
fn vector_bits(items: &[Item]) -> Option<usize> {
    let own = vector(items)?;
    let mut known = ISAS.iter().filter_map(|isa| isa.vector);
    let (_, bits) = known.find(|(vector, _)| own == format!("({vector})"))?;
    Some(bits)
}

/// Whether a kernel of one state has it in the lanes of vectors.
fn is_across(items: &[Item], lanes: usize, program: &Program) -> Result<bool, String> {
    let Some(vector) = vector(items).filter(|_| lanes == 1) else {
        return Ok(false);
    };
    let words = program.word() == "u32" && program.wide.is_none();
    match words && vector == VECTOR_ACROSS && program.permutation.width().is_multiple_of(ACROSS) {
        true => Ok(true),
        false => Err(format!("no state is in the lanes of `{vector}`")),
    }
}

/// The body that the text of one macro has, in wide words or not, beside those of constants that it
/// names.
pub(super) fn body(
    text: &str,
    (field, wide): (&Field, Option<u32>),
    target: Target,
) -> Result<(Target, Body), String> {
    let word = constants::word(field.montgomery_bits);
    let bodies = file::items(&parse(text)?.items, word, wide.is_some(), target)?.bodies;
    let mut bodies = bodies.into_values();
    match (bodies.next(), bodies.next()) {
        (Some(body), None) => Ok(body),
        _ => Err("not the text of one macro".to_owned()),
    }
}

/// Words of states in memory: as vectors, or in arrays of one.
fn words(
    [groups, width, lanes, looked_at]: [usize; 4],
    mut word: impl FnMut(usize, usize, usize) -> Id,
) -> Value {
    let mut element = |group, i| {
        let vector = Value::Words((0..looked_at).map(|lane| word(group, i, lane)).collect());
        if lanes == 1 {
            Value::Many(vec![vector])
        } else {
            vector
        }
    };
    let mut state = |group| Value::Many((0..width).map(|i| element(group, i)).collect());
    Value::Many((0..groups).map(&mut state).collect())
}

/// A file of which the compiler leaves nothing out.
fn parse_whole(text: &str) -> Result<syn::File, String> {
    let file = parse_bare(text)?;
    match all_names(file.to_token_stream(), |name| !name.contains("cfg")) {
        true => Ok(file),
        false => Err("what is compiled depends on something".to_owned()),
    }
}

/// A file that has no attributes as a whole.
fn parse_bare(text: &str) -> Result<syn::File, String> {
    let file = parse(text)?;
    match file::attributes(&file.attrs).is_empty() {
        true => Ok(file),
        false => Err("attributes of a whole file".to_owned()),
    }
}

/// Whether that holds for all names, of which comments have none.
fn all_names(tokens: TokenStream, holds: fn(&str) -> bool) -> bool {
    tokens.into_iter().all(|token| match token {
        TokenTree::Group(group) => all_names(group.stream(), holds),
        TokenTree::Ident(name) => holds(&name.to_string()),
        TokenTree::Punct(_) | TokenTree::Literal(_) => true,
    })
}

fn parse(text: &str) -> Result<syn::File, String> {
    let tokens: TokenStream = text.parse().map_err(|error: LexError| error.to_string())?;
    if !bounds::shallow(tokens.clone(), DEEP) {
        return Err(format!(
            "more than {DEEP} tokens are inside each other, or one is longer than {LONG}"
        ));
    }
    // As raw ones have and some that are not ASCII.
    if !all_names(tokens.clone(), |name| {
        name.is_ascii() && !name.starts_with("r#")
    }) {
        return Err("a name that can be written otherwise, too".to_owned());
    }
    syn::parse2(tokens).map_err(|error| error.to_string())
}

/// What a kernel's instructions are for: its features say it, or the registers that it has.
fn target(features: &[String], file: &syn::File) -> Target {
    let tokens = file.to_token_stream();
    let in_assembly = !all_names(tokens.clone(), |name| name != "asm");
    let has = |feature: &str| features.iter().any(|own| own == feature);
    match Isa::of_features(features).map(|isa| isa.target) {
        _ if has("sse2") || has("avx512vl") => Target::Sse2,
        Some(Target::Neon) if vector(&file.items).is_none() => Target::Aarch64,
        Some(Target::Avx512ifma) if has("avx512dq") => Target::Avx512dq,
        Some(target) => target,
        None if in_assembly && tokens.to_string().contains(": u32 ;") => Target::Armv8m,
        None if in_assembly => Target::X86_64,
        None => Target::Scalar,
    }
}

/// States that a kernel may take in a call. The program is executed for each.
const STATES: usize = 64;

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
    let (word, rounds) = (program.word(), program.permutation.external.len());
    let constant = match program.constant_words() {
        1 => word.to_owned(),
        parts => format!("[{word} ; {parts}]"),
    };
    let internal: usize = program.permutation.internal.len();
    let wanted = format!(
        "fn permute (states : & mut [[[{word} ; {lanes}] ; {}] ; {groups}] , constants : \
         & Constants < {constant} , {width} , {rounds} , {internal} >)",
        program.permutation.width()
    );
    if groups == 0 || lanes == 0 {
        return Err(format!("no states: `{text}`"));
    }
    if groups.saturating_mul(lanes) > STATES {
        return Err(format!("more than {STATES} states: `{text}`"));
    }
    if text == wanted {
        return Ok([groups, lanes]);
    }
    Err(format!(
        "`{text}` is not of the certificate's shape, which is `{wanted}`"
    ))
}
