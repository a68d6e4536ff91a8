//! Reads a table of round constants, and compares it with the instance's own.

use super::execute::Read;
use super::file::is_prose;
use super::message::difference;
use crate::spelling::tokens;
use reference::Instance;

/// Compares the text of a module of constants with what the reference derives.
pub(crate) fn read(text: &str, instance: &Instance) -> Read<()> {
    let (field, permutation) = (instance.field, &instance.permutation);
    let digits = if field.montgomery_bits == 0 { 18 } else { 10 };
    let words = |residues: &[u64]| {
        let words = residues
            .iter()
            .map(|x| format!("{:#0digits$x}", field.encode(*x)));
        format!("[{}]", words.collect::<Vec<_>>().join(", "))
    };
    let external: Vec<String> = permutation
        .external
        .iter()
        .map(|round| words(round))
        .collect();
    let (name, word) = (field.module(), word(field.montgomery_bits));
    let (upper, set) = (name.to_uppercase(), &instance.parameter_set);
    let (width, rounds, internal) = (
        permutation.width(),
        permutation.external.len(),
        permutation.internal.len(),
    );
    let count = format!("{width} * {rounds} + {internal}");
    let mut uses = [
        "Constants".to_owned(),
        "Instance".to_owned(),
        format!("{upper}_TABLES"),
    ];
    uses.sort();
    let wanted = format!(
        "use crate::{{{}}};
        pub static CONSTANTS: Constants<{word}, {width}, {rounds}, {internal}> = Constants {{
            external: [{}], internal: {},
        }};
        pub static INSTANCE: Instance<{word}> = Instance {{
            parameter_set: {set:?}, field: {:?}, width: {width},
            external_rounds: {rounds}, internal_rounds: {internal}, table: &TABLE,
        }};
        static TABLE: [{word}; ({count}) * {upper}_TABLES.words()] = {{
            let mut table = [0; ({count}) * {upper}_TABLES.words()];
            let (external, rest) = table.split_at_mut({width} * {rounds});
            external.copy_from_slice(CONSTANTS.external.as_flattened());
            let (internal, _) = rest.split_at_mut({internal});
            internal.copy_from_slice(&CONSTANTS.internal);
            crate::registry::prepare_{name}({count}, &mut table);
            table
        }};",
        uses.join(", "),
        external.join(", "),
        words(&permutation.internal),
        field.name,
    );
    same(text, &wanted)
}

/// The type of a word.
pub(super) fn word(montgomery_bits: u32) -> &'static str {
    match montgomery_bits {
        0 => "u64",
        _ => "u32",
    }
}

/// Compares a text with what it must be, comments aside.
pub(super) fn same(text: &str, wanted: &str) -> Read<()> {
    let comment = |line: &&str| {
        let rest = line.trim_start().strip_prefix("//");
        rest.is_some_and(|rest| rest.strip_prefix(['/', '!']).is_none_or(is_prose))
    };
    let code = text.lines().filter(|line| !comment(line));
    let (is, must) = (tokens(&code.collect::<Vec<_>>().join("\n")), tokens(wanted));
    match is == must {
        true => Ok(()),
        false => Err(difference(&is, &must)),
    }
}
