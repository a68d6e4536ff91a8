//! What else may stand in a kernel's file beside the body of `permute`.

use std::collections::{BTreeMap, BTreeSet};

use syn::{Attribute, Expr, ExprLit, Item, ItemFn, ItemMacro, ItemStatic, ItemStruct};
use syn::{Lit, Meta, MetaNameValue, StaticMutability};

use super::execute::{Read, text};
use super::message::unknown;
use crate::body::{Body, Constants, constant};
use crate::certificate::Program;
use crate::machine::{Broadcast, ISAS, Takes, Target, broadcasts};
use crate::spelling::tokens;

/// The only body that `permute_raw` has: memory becomes states and constants, and nothing else.
const RAW: &str = "{ unsafe { permute (& mut * states . cast () , & * constants . cast ()) } }";

/// A macro that gives a number of a table in every lane.
pub(super) const ENTRY: &str = "entry";

/// A macro that gives a vector as it is.
const OPAQUE: &str = "opaque";

/// Its text, for registers of a class.
macro_rules! opaque {
    ($class:literal) => {
        concat!(
            "($vector:expr) => {{
                let mut vector = $vector;
                unsafe {
                    core::arch::asm!(
                        \"/* {0} */\",
                        inlateout(",
            $class,
            ") vector,
                        options(pure, nomem, nostack, preserves_flags)
                    );
                }
                vector
            }};"
        )
    };
}

/// What [`BETWEEN`] says of macros where lanes are wider than words in memory.
const LONGER: &str = "longer";

/// Macros between words and vectors, of which words they are (of any, where that is empty), and their texts. What they
/// are called is what they do, so they are spelled so.
#[rustfmt::skip]
const BETWEEN: [(&str, &str, &str); 22] = [
    ("broadcast", "", "($word:expr) => { $word };"),
    ("broadcast", "u32", "($word:expr) => { vreinterpretq_u64_u32(vdupq_n_u32($word)) };"),
    ("broadcast", "u32", "($word:expr) => { opaque!(_mm256_set1_epi32($word.cast_signed())) };"),
    (ENTRY, "u32",
        "($matrix:expr, $vector:literal, $lane:literal) => {
            vreinterpretq_u64_u32(vdupq_laneq_u32::<$lane>(vreinterpretq_u32_u64($matrix[$vector].0)))
        };"),
    ("words", "u64", "($vector:expr) => { (vgetq_lane_u64::<0>($vector), vgetq_lane_u64::<1>($vector)) };"),
    ("vector", "u64", "($a:expr, $b:expr) => { vcombine_u64(vcreate_u64($a), vcreate_u64($b)) };"),
    ("vector", "u32",
        "($a:expr, $b:expr, $c:expr, $d:expr, $e:expr, $f:expr, $g:expr, $h:expr) => {
            _mm256_setr_epi32(
                $a.cast_signed(), $b.cast_signed(), $c.cast_signed(), $d.cast_signed(),
                $e.cast_signed(), $f.cast_signed(), $g.cast_signed(), $h.cast_signed(),
            )
        };"),
    ("words", "u64",
        "($vector:expr) => {
            (
                _mm_cvtsi128_si64($vector).cast_unsigned(),
                _mm_cvtsi128_si64(_mm_unpackhi_epi64($vector, $vector)).cast_unsigned(),
            )
        };"),
    ("vector", "u64", "($a:expr, $b:expr) => { _mm_set_epi64x($b.cast_signed(), $a.cast_signed()) };"),
    ("with_first", "u64",
        "($vector:expr, $first:expr) => {
            _mm_castpd_si128(_mm_move_sd(_mm_castsi128_pd($vector), _mm_castsi128_pd($first)))
        };"),
    ("neighbours", "u64", "($vector:expr) => { _mm_shuffle_epi32::<0x4E>($vector) };"),
    (OPAQUE, "", opaque!("ymm_reg")),
    (OPAQUE, "", opaque!("zmm_reg")),
    ("first", "u32", "($vector:expr) => { _mm256_extract_epi32::<0>($vector).cast_unsigned() };"),
    ("with_first", "u32", "($vector:expr, $first:expr) => { _mm256_blend_epi32::<1>($vector, $first) };"),
    ("broadcast", LONGER, "($word:expr) => { u64::from($word) };"),
    ("wide", LONGER, "($vector:expr) => { u64::from($vector) };"),
    ("narrow", LONGER, "($vector:expr) => { $vector as u32 };"),
    ("broadcast", LONGER, "($pair:expr) => { u64::from($pair[0]) };"),
    ("broadcast", LONGER,
        "($pair:expr) => { _mm512_set1_epi64(i64::from($pair[0]) | i64::from($pair[1]) << 32) };"),
    ("wide", LONGER, "($vector:expr) => { _mm512_cvtepu32_epi64($vector) };"),
    ("narrow", LONGER, "($vector:expr) => { _mm512_cvtepi64_epi32($vector) };"),
];

/// Macros that give words of a vector other lanes: an intrinsic, and the lane that each lane's word comes from.
#[rustfmt::skip]
const MOVES: [(&str, &str, [usize; ACROSS]); 8] = [
    ("next", "_mm256_shuffle_epi32::<0x39>", [1, 2, 3, 0, 5, 6, 7, 4]),
    ("neighbours", "_mm256_shuffle_epi32::<0xB1>", [1, 0, 3, 2, 5, 4, 7, 6]),
    ("pairs", "_mm256_shuffle_epi32::<0x4E>", [2, 3, 0, 1, 6, 7, 4, 5]),
    ("blocks", "_mm256_permute4x64_epi64::<0x4E>", [4, 5, 6, 7, 0, 1, 2, 3]),
    ("spread_0", "_mm256_shuffle_epi32::<0x00>", [0, 0, 0, 0, 4, 4, 4, 4]),
    ("spread_1", "_mm256_shuffle_epi32::<0x55>", [1, 1, 1, 1, 5, 5, 5, 5]),
    ("spread_2", "_mm256_shuffle_epi32::<0xAA>", [2, 2, 2, 2, 6, 6, 6, 6]),
    ("spread_3", "_mm256_shuffle_epi32::<0xFF>", [3, 3, 3, 3, 7, 7, 7, 7]),
];

/// Words that a vector holds of one state.
pub(super) const ACROSS: usize = 8;

/// The vector of which such a state has some.
pub(super) const VECTOR_ACROSS: &str = "(__m256i)";

/// The lane that each lane's word comes from, in vectors of so many: of eight, or of two, where neighbours change places.
pub(super) fn moved(name: &str, lanes: usize) -> Option<&'static [usize]> {
    let mut moves = MOVES.iter();
    let (.., from) = moves.find(|(known, ..)| *known == name)?;
    match lanes {
        ACROSS => Some(from),
        2 if name == "neighbours" => Some(&from[..2]),
        _ => None,
    }
}

/// Of a macro between such words and vectors, whether that is what it is called.
fn is_between(name: &str, text: &[String], word: &str, wide: bool) -> bool {
    let fits = |of: &str| match wide {
        true => name == OPAQUE || of == LONGER,
        false => of.is_empty() || of == word,
    };
    let mut written = BETWEEN
        .iter()
        .filter(|(known, of, _)| *known == name && fits(of));
    let of_words = |known: &Broadcast| (known.bits == 32) == (word == "u32");
    let mut broadcasts =
        broadcasts().filter(|known| !wide && name == "broadcast" && of_words(known));
    let spelled = |broadcast: &Broadcast| {
        let word = match broadcast.takes? {
            Takes::Words => "$word",
            Takes::Signed => "$word.cast_signed()",
        };
        Some(format!("($word:expr) => {{ {}({word}) }};", broadcast.name))
    };
    let mut moves = MOVES
        .iter()
        .filter(|(known, ..)| fits("u32") && *known == name);
    let moves_as = |intrinsic: &str| format!("($vector:expr) => {{ {intrinsic}($vector) }};");
    written.any(|(.., known)| tokens(known) == *text)
        || moves.any(|(_, intrinsic, _)| tokens(&moves_as(intrinsic)) == *text)
        || broadcasts.any(|known| spelled(known).is_some_and(|known| tokens(&known) == *text))
}

/// Whether macros of that name are read by it, and not by their text.
pub(super) fn is_reserved(name: &str) -> bool {
    let mut between = BETWEEN.iter();
    between.any(|(known, ..)| *known == name) || moved(name, ACROSS).is_some()
}

/// Bodies by the name of their macro.
pub(crate) type Bodies = BTreeMap<String, (Target, Body)>;

/// The macros of a file.
#[derive(Default)]
pub(super) struct Macros {
    pub(super) constants: Constants,
    /// Those whose operands are words.
    pub(super) bodies: Bodies,
    /// Those whose operands may be halves of words as well. No macro-op is among them.
    pub(super) others: Bodies,
    /// The macro-ops of blocks in an order of our own, which are made of the macros above.
    pub(super) replaced: Bodies,
    /// Those between words and vectors, whose texts are as they must be.
    pub(super) between: BTreeSet<String>,
    /// Whether lanes are wider than words in memory.
    pub(super) wide: bool,
    /// Whether words in memory have 32 bits.
    pub(super) short: bool,
    /// Whether a body is made by the macro of that name.
    names_opaque: bool,
    /// Whether words go from a lane to another, or out of lanes.
    pub(super) crossing: bool,
    /// Whether macros between words and vectors do that.
    pub(super) moving: bool,
}

/// Whether a kernel may name that: intrinsics of its architecture, and the type of constants.
fn is_used(text: &str, target: Target) -> bool {
    let intrinsics = |arch| text == format!("use core :: arch :: {arch} :: * ;");
    let own = ISAS.iter().filter(|isa| isa.has(target));
    let mut arches = own.filter_map(|isa| isa.arch);
    text == "use crate :: Constants ;" || arches.any(intrinsics)
}

/// Attributes other than documentation.
pub(super) fn attributes(attributes: &[Attribute]) -> Vec<String> {
    let code = attributes.iter().filter(|a| !is_documentation(a));
    code.map(text).collect()
}

/// Whether a static is of that type, cannot change and has such attributes.
pub(super) fn is_static(item: &ItemStatic, of_type: &str, own: &[&str]) -> bool {
    tokens(&text(&item.ty)) == tokens(of_type)
        && matches!(item.mutability, StaticMutability::None)
        && attributes(&item.attrs) == own
}

/// Whether it is a line of text.
pub(super) fn is_documentation(attribute: &Attribute) -> bool {
    let Meta::NameValue(MetaNameValue { path, value, .. }) = &attribute.meta else {
        return false;
    };
    let Expr::Lit(ExprLit {
        lit: Lit::Str(line),
        ..
    }) = value
    else {
        return false;
    };
    path.is_ident("doc") && is_prose(&line.value())
}

/// Whether a line of documentation is no part of code, which tests would execute. Code is fenced, or indented by four
/// blanks; behind the mark of a list or a quotation, by five.
pub(super) fn is_prose(line: &str) -> bool {
    let code = ["```", "~~~", "     "];
    !line.starts_with("    ")
        && !code.iter().any(|code| line.contains(code))
        && !line.chars().any(char::is_control)
}

/// The CPU features that a function is compiled with, if that is all that its attributes say.
pub(super) fn features(own: &[Attribute]) -> Option<Vec<String>> {
    let attributes = attributes(own);
    let Some(attribute) = attributes.first() else {
        return Some(Vec::new());
    };
    let list = attribute.strip_prefix("# [target_feature (enable = \"")?;
    let list = list.strip_suffix("\")]")?;
    let names: Vec<String> = list.split(',').map(str::to_owned).collect();
    let plain = |c: char| c.is_ascii_alphanumeric() || ",._-".contains(c);
    (attributes.len() == 1 && list.chars().all(plain)).then_some(names)
}

/// Checks every item of a kernel's file but what `permute` computes, and reads its macros.
pub(super) fn items<'a>(
    items: impl IntoIterator<Item = &'a Item>,
    word: &str,
    wide: bool,
    target: Target,
) -> Read<Macros> {
    let mut seen = BTreeSet::new();
    let (mut macros, mut replaced) = (Vec::new(), Vec::new());
    for item in items {
        let name = match item {
            Item::Use(item) if is_used(&text(item), target) => continue,
            // Further down it would not be what the functions call.
            Item::Macro(item) if !seen.contains("permute") => {
                macros.push(item);
                continue;
            }
            Item::Mod(item)
                if attributes(&item.attrs) == ["# [allow (unused_macros)]"]
                    && item.content.is_some() =>
            {
                for item in item.content.iter().flat_map(|(_, items)| items) {
                    match item {
                        Item::Macro(item) => replaced.push(item),
                        other => return unknown("no macro", other),
                    }
                }
                item.ident.to_string()
            }
            Item::Struct(item) => {
                let packed = format!(
                    "# [repr (C , packed ({}))]",
                    if word == "u32" { 4 } else { 8 }
                );
                let bare = ItemStruct {
                    attrs: Vec::new(),
                    ..item.clone()
                };
                let bare = tokens(&text(&bare));
                let vectors = ISAS.iter().filter_map(|isa| isa.vector);
                let mut vectors = vectors.filter(|(vector, _)| !wide || *vector == "__m256i");
                let is = |vector| tokens(&format!("struct Vector({vector});")) == bare;
                if attributes(&item.attrs) != [packed] || !vectors.any(|(vector, _)| is(vector)) {
                    return unknown("no struct that kernels have", item);
                }
                item.ident.to_string()
            }
            Item::Fn(item) => function(item, word)?,
            other => return unknown("no item that kernels have", other),
        };
        if !seen.insert(name) {
            return unknown("defined twice", item);
        }
    }
    let (texts, replaced) = (arms(&macros)?, arms(&replaced)?);
    let mut all = texts.values().chain(replaced.values()).flatten();
    let names_opaque = all.any(|token| token == OPAQUE);
    let mut macros = Macros {
        wide,
        short: word == "u32",
        names_opaque,
        ..Macros::default()
    };
    let constants = texts
        .iter()
        .filter_map(|(name, text)| Some((name.clone(), constant(text)?)));
    macros.constants = constants.collect();
    for (name, text) in &texts {
        macros.crossing |= name != OPAQUE && text.iter().any(|token| token == "asm");
        if macros.constants.contains_key(name) {
        } else if is_reserved(name) {
            macros.moving |= !wide && !["broadcast", ENTRY, OPAQUE].contains(&&**name);
            // Intrinsics have such names; without one no word becomes a vector.
            let has_vectors = text.iter().any(|token| token.contains('_'));
            if !has_vectors && !target.is_general() || !is_between(name, text, word, wide) {
                return Err(format!("`{name}` is not what it is called"));
            }
            macros.between.insert(name.clone());
        } else {
            match macros.body(name, text, target, false) {
                Err(_) if !replaced.is_empty() => {
                    let body = macros.body(name, text, target, true)?;
                    macros.others.insert(name.clone(), body);
                }
                body => drop(macros.bodies.insert(name.clone(), body?)),
            }
        }
    }
    macros.crossing |= macros.moving;
    for (name, text) in &replaced {
        let body = macros.body(name, text, target, false)?;
        macros.replaced.insert(name.clone(), body);
    }
    Ok(macros)
}

impl Macros {
    /// The bodies of all macro-ops of a certificate, on one kind of registers or both.
    pub(super) fn of(&self, program: &Program) -> Read<Bodies> {
        if self.names_opaque && !self.between.contains(OPAQUE) {
            return Err(format!("there is no `{OPAQUE}`"));
        }
        let mut bodies = Bodies::new();
        for op in program.macros() {
            let before = bodies.len();
            for name in [op.to_owned(), format!("{op}_general")] {
                let body = self.replaced.get(&name).or(self.bodies.get(&name));
                if body.is_some_and(|(_, body)| body.changes_lanes()) {
                    return Err(format!("`{name}` takes words out of their lanes"));
                }
                bodies.extend(body.map(|body| (name, body.clone())));
            }
            if bodies.len() == before {
                return Err(format!("there is no `{op}`"));
            }
        }
        Ok(bodies)
    }

    /// A body on words, or whose operands may be halves of words as well.
    fn body(&self, name: &str, text: &[String], target: Target, any: bool) -> Read<(Target, Body)> {
        let target = match target {
            Target::Neon if name.ends_with("_general") => Target::Aarch64,
            Target::Avx2 if name.ends_with("_general") => Target::Scalar,
            Target::Sse2 if name.ends_with("_general") => Target::X86_64,
            target => target,
        };
        let bits = match target.has_halves() && self.short && !self.wide {
            _ if any => 0,
            true => 32,
            false => 64,
        };
        let body = Body::read(text, &self.constants, target, bits);
        Ok((target, body.map_err(|what| format!("`{name}`: {what}"))?))
    }
}

/// The macros' arms as tokens. One that has several is none that is read.
fn arms(items: &[&ItemMacro]) -> Read<BTreeMap<String, Vec<String>>> {
    let mut arms = BTreeMap::new();
    for item in items {
        let name = text(&item.ident);
        if text(&item.mac.path) != "macro_rules"
            || !attributes(&item.attrs).is_empty()
            || arms.insert(name, tokens(&text(&item.mac.tokens))).is_some()
        {
            return unknown("no macro that kernels have", item);
        }
    }
    Ok(arms)
}

fn function(item: &ItemFn, word: &str) -> Read<String> {
    let name = item.sig.ident.to_string();
    let signature = text(&item.sig);
    let raw = format!("unsafe fn permute_raw (states : * mut {word} , constants : * const {word})");
    let attributes = attributes(&item.attrs);
    let right = match &*name {
        "permute_raw" => signature == raw && text(&item.block) == RAW && attributes.is_empty(),
        "permute" => features(&item.attrs).is_some(),
        _ => false,
    };
    if right {
        return Ok(name);
    }
    unknown("no function that kernels have", &item.sig)
}
