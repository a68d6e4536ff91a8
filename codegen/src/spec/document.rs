//! A spec's text as `toml_edit` edits it.
//!
//! Field elements have up to 64 bits, the integers of `toml_edit` 63. So literals that are too wide
//! for it are kept aside while a text is edited, each with a string in its place, and put back as
//! their author wrote them.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};
use toml_edit::DocumentMut;

use crate::diag::Diagnostic;

/// `source`, changed by `change`.
///
/// # Errors
/// `source` is no TOML, or `change` refuses it.
pub(super) fn edit(
    source: &str,
    change: impl FnOnce(&mut DocumentMut) -> Result<(), Diagnostic>,
) -> Result<String, Diagnostic> {
    let aside = Aside::of(source)?;
    let text = aside.narrow(source);
    let mut document: DocumentMut = text
        .parse()
        .map_err(|error: toml_edit::TomlError| not_toml(error.message()))?;
    change(&mut document)?;
    Ok(aside.put_back(document.to_string()))
}

fn not_toml(reason: &str) -> Diagnostic {
    Diagnostic::new(format!("the spec is not TOML: {reason}"))
}

/// Literals of integers beyond 63 bits, where they stand, and what stands for them.
struct Aside {
    literals: Vec<(Range<usize>, String, String)>,
}

impl Aside {
    fn of(source: &str) -> Result<Self, Diagnostic> {
        let table = DeTable::parse(source).map_err(|error| not_toml(error.message()))?;
        let mut spans = Vec::new();
        table
            .get_ref()
            .values()
            .for_each(|v| collect(v, &mut spans));
        spans.sort_by_key(|span| span.start);
        let mut mark = "integer".to_owned();
        while source.contains(&mark) {
            mark.push('_');
        }
        let literals = spans.into_iter().enumerate().map(|(n, span)| {
            let literal = source[span.clone()].to_owned();
            (span, literal, format!("\"{mark}{n}\""))
        });
        Ok(Self {
            literals: literals.collect(),
        })
    }

    fn narrow(&self, source: &str) -> String {
        let mut text = source.to_owned();
        // From the end, so that places before stay where they are.
        for (span, _, stand_in) in self.literals.iter().rev() {
            text.replace_range(span.clone(), stand_in);
        }
        text
    }

    fn put_back(&self, text: String) -> String {
        let literals = self.literals.iter();
        literals.fold(text, |text, (_, literal, stand_in)| {
            text.replace(stand_in, literal)
        })
    }
}

/// The places of integers that an `i64` does not hold.
fn collect(value: &Spanned<DeValue<'_>>, spans: &mut Vec<Range<usize>>) {
    match value.get_ref() {
        DeValue::Integer(n) if i64::from_str_radix(n.as_str(), n.radix()).is_err() => {
            spans.push(value.span());
        }
        DeValue::Array(array) => array.iter().for_each(|value| collect(value, spans)),
        DeValue::Table(table) => table.values().for_each(|value| collect(value, spans)),
        _ => {}
    }
}
