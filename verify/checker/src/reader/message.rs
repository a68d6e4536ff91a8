//! What a text that is not read says, in few words.

use quote::ToTokens;

use super::execute::{Read, Value, text};

pub(super) fn unknown<T>(what: &str, tokens: &impl ToTokens) -> Read<T> {
    let mut shown = text(tokens);
    shown.truncate(shown.floor_char_boundary(80));
    Err(format!("{what}: `{shown}`"))
}

/// Where states begin to be other ones: the group, and the vector in it.
pub(super) fn other(is: &Value, must: &Value) -> [usize; 2] {
    let same = |is: &Value, must: &Value| match (is, must) {
        (Value::Many(is), Value::Many(must)) => is
            .iter()
            .zip(must)
            .take_while(|(is, must)| is == must)
            .count(),
        _ => 0,
    };
    let group = same(is, must);
    match (is, must) {
        (Value::Many(is), Value::Many(must)) if group < is.len().min(must.len()) => {
            [group, same(&is[group], &must[group])]
        }
        _ => [group, 0],
    }
}

/// Where a text begins to be another one.
pub(super) fn difference(is: &[String], must: &[String]) -> String {
    let at = is.iter().zip(must).take_while(|(is, must)| is == must);
    let start = at.count().saturating_sub(8);
    let near = |all: &[String]| {
        let near: Vec<&str> = all[start..].iter().take(12).map(String::as_str).collect();
        near.join(" ")
    };
    format!("`{}` stands where `{}` must be", near(is), near(must))
}
