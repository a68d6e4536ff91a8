//! A name that nobody knows, and the known ones it may have meant.

use super::Diagnostic;

/// A name that is not one of the valid ones.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown {kind} `{given}`")]
pub struct UnknownName {
    /// What it should name, such as `ISA`.
    pub kind: &'static str,
    /// What was written.
    pub given: String,
    /// What could have been written.
    pub valid: Vec<String>,
}

impl UnknownName {
    /// `given` is not one of `valid`.
    pub fn new<S: Into<String>>(
        kind: &'static str,
        given: impl Into<String>,
        valid: impl IntoIterator<Item = S>,
    ) -> Self {
        let valid = valid.into_iter().map(Into::into).collect();
        Self {
            kind,
            given: given.into(),
            valid,
        }
    }

    /// The nearest valid names, then all of them.
    #[must_use]
    pub fn help(&self) -> String {
        let near = nearest(&self.given, &self.valid);
        let guess = match near.first() {
            Some(name) => format!("did you mean `{name}`? "),
            None => String::new(),
        };
        match self.valid.as_slice() {
            [] => format!("there is no {} yet", self.kind),
            valid => format!("{guess}valid: `{}`", valid.join("`, `")),
        }
    }
}

impl From<UnknownName> for Diagnostic {
    fn from(unknown: UnknownName) -> Self {
        Self::new(unknown.to_string()).help(unknown.help())
    }
}

/// Those of `valid` that a slip of the hand could have turned into `given`, nearest first.
#[must_use]
pub fn nearest<'a, S: AsRef<str>>(given: &str, valid: &'a [S]) -> Vec<&'a str> {
    let given = given.to_lowercase();
    let mut near: Vec<_> = valid
        .iter()
        .map(AsRef::as_ref)
        .map(|name: &str| {
            (
                strsim::damerau_levenshtein(&given, &name.to_lowercase()),
                name,
            )
        })
        .filter(|&(distance, name)| distance <= given.len().max(name.len()) / 3)
        .collect();
    near.sort_by_key(|&(distance, _)| distance);
    near.into_iter().map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_recognised_and_strangers_are_not() {
        let isas = ["scalar", "neon", "avx2", "avx512"];
        assert_eq!(nearest("neno", &isas), ["neon"]);
        assert_eq!(nearest("NEON", &isas), ["neon"]);
        assert_eq!(nearest("avx", &isas), ["avx2"]);
        assert_eq!(nearest("avx521", &isas), ["avx512", "avx2"]);
        assert_eq!(nearest("sve2", &isas), [""; 0]);
        assert_eq!(
            nearest("koalabear", &["goldilocks", "koala-bear"]),
            ["koala-bear"]
        );
        assert_eq!(nearest("", &isas), [""; 0]);
    }
}
