//! States whose images somebody else's code gave. A spec that states one is refused if its parameters give
//! another image.

use reference::Permutation;

use super::reader::{Item, to_length};
use crate::diag::{Diagnostic, Diagnostics};
use crate::params::{Field, Instance};

pub(super) const KEYS: &[&str] = &["from", "in", "out"];

/// What stands for an element that is not known.
const UNKNOWN: &str = "?";

/// A state and its image, as residues.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownAnswer {
    /// Whose code or which test gave the image.
    pub from: String,
    /// The state.
    pub state: Vec<u64>,
    /// Its image; none in place of an element that is not known.
    pub image: Vec<Option<u64>>,
}

/// The answers, each of which the permutation gives.
pub(super) fn read(
    item: Item<'_>,
    instance: Option<&Instance>,
) -> Result<Vec<KnownAnswer>, Diagnostics> {
    let permutation = instance.map(by_reference).transpose()?;
    let (mut answers, mut errors) = (Vec::new(), Diagnostics::new());
    for item in item.tables("known-answer")? {
        answers.extend(errors.keep(answer(item, instance, permutation.as_ref())));
    }
    errors.into_result().map(|()| answers)
}

fn answer(
    item: Item<'_>,
    instance: Option<&Instance>,
    permutation: Option<&Permutation>,
) -> Result<KnownAnswer, Diagnostics> {
    let table = item.table("[[known-answer]]", KEYS)?;
    let from = table.required("from", |item| item.text().map(str::to_owned));
    let state = table.required("in", |item| {
        let elements = elements(item, "in", instance)?;
        let known: Option<Vec<u64>> = elements.into_iter().collect();
        known.ok_or_else(|| {
            let error = vague(item, "an element of a state is not known");
            Diagnostics::from(error.help(format!("only `out` may have \"{UNKNOWN}\"")))
        })
    });
    let image = table.required("out", |item| {
        let elements = elements(item, "out", instance)?;
        let some = elements.iter().any(Option::is_some);
        let nothing = || {
            let error = vague(item, "nothing of an image is known");
            Diagnostics::from(error.help("state one element at least"))
        };
        some.then_some(elements).ok_or_else(nothing)
    });
    let (Some(from), Some(state), Some(image)) = (from, state, image) else {
        return Err(Diagnostics::new());
    };
    let answer = KnownAnswer { from, state, image };
    let contradiction = permutation.and_then(|permutation| answer.contradiction(permutation));
    let Some(((place, element), item)) = contradiction.zip(table.get("out")) else {
        return Ok(answer);
    };
    let from = &answer.from;
    let message = format!("these parameters do not give what is known from {from}");
    let error = item.error(message, format!("element {place} is {element:#x}"));
    let help = "what projects differ in: rounds, M4 and its order, V or V + 1, a scaled internal \
                layer, the order of constants (docs/instances.md)";
    Err(error.help(help).into())
}

fn vague(item: Item<'_>, what: &str) -> Diagnostic {
    item.error(what, "no permutation can be compared with it")
}

/// As many elements as the width, below p.
fn elements(
    item: Item<'_>,
    key: &str,
    instance: Option<&Instance>,
) -> Result<Vec<Option<u64>>, Diagnostics> {
    let items = item.array()?;
    let (found, mut errors) = (items.len(), Diagnostics::new());
    if let Some(width) = instance
        .map(|instance| instance.width)
        .filter(|w| *w != found)
    {
        let message = format!("`{key}` has {found} elements, not {width}");
        let error = item.error(message, "one for each element of a state");
        errors.push(error.help(match key {
            "out" if found < width => format!("write \"{UNKNOWN}\" for those that are not known"),
            _ => to_length(found, width),
        }));
    }
    let field = instance.map(|instance| instance.field);
    let elements = items
        .into_iter()
        .map(|item| errors.keep(element(item, field)));
    let elements: Vec<_> = elements.collect();
    errors.into_result()?;
    Ok(elements.into_iter().flatten().collect())
}

fn element(item: Item<'_>, field: Option<&Field>) -> Result<Option<u64>, Diagnostic> {
    if item.as_text() == Some(UNKNOWN) {
        return Ok(None);
    }
    let word = item.unsigned()?;
    match field.filter(|field| word >= field.modulus) {
        Some(field) => {
            let (name, p) = (field.name, field.modulus);
            let error = item.error(format!("{word:#x} is no residue of {name}"), "not below p");
            Err(error.help(format!("p = {p:#x}; Montgomery forms must be converted")))
        }
        None => Ok(Some(word)),
    }
}

/// The permutation as the reference has it: by its name, or as it is stated.
pub(crate) fn by_reference(instance: &Instance) -> Result<Permutation, Diagnostic> {
    let (set, field, width) = instance.key();
    if let Some(known) = reference::find(set, field, width) {
        return Ok(known.permutation);
    }
    let read = reference::Instance::read(&instance.statement());
    read.map(|read| read.permutation).map_err(|misstated| {
        let what = misstated.what;
        Diagnostic::new(format!(
            "the reference does not read what is stated of {set}: {what}"
        ))
    })
}

impl KnownAnswer {
    /// The first element that the permutation gives another value, and that value.
    fn contradiction(&self, permutation: &Permutation) -> Option<(usize, u64)> {
        let mut permuted = self.state.clone();
        permutation.permute(&mut permuted);
        let given = permuted.into_iter().enumerate().zip(&self.image);
        let mut wrong = given.filter(|((_, x), known)| known.is_some_and(|known| known != *x));
        wrong.next().map(|(given, _)| given)
    }
}
