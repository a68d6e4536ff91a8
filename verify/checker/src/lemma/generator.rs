//! Lemmas as the generator asks for them, of one body or one module at a time, and what it remembers
//! them by.
//!
//! `cargo verify` proves the lemmas of whole crates, and those only.

use std::collections::HashMap;

use super::products::Whole;
use super::question::Question;
use super::text::Products;
use super::{Lemma, Of, ranges};
use crate::certificate::Program;
use crate::machine::Target;
use crate::reader::prepare;
use crate::{Refused, ops, reader};

impl Lemma {
    /// The lemma of a macro-op over a field, in wide words of a radix or not, of the body that a macro's text has.
    /// The macros of the constants that it names stand beside it.
    ///
    /// # Errors
    /// A text that is not read, and a macro-op that is not known.
    pub fn of_macro(
        (field, wide): (&str, Option<u32>),
        op: &str,
        target: Target,
        text: &str,
    ) -> Result<Self, String> {
        let known = reference::fields().find(|known| known.name == field);
        let field = known.ok_or_else(|| format!("no field `{field}`"))?;
        let row = ops::find(&field, wide, op).ok_or_else(|| format!("no macro-op `{op}`"))?;
        let (target, body) = reader::body(text, (&field, wide), target)?;
        let of = Of::Body(target, body);
        let op = op.to_owned();
        Ok(Self { field, op, row, of })
    }

    /// What is to be proved, as SMT-LIB text: a question about true products, without the macro-op's
    /// name.
    #[must_use]
    pub fn statement(&self) -> String {
        match &self.of {
            Of::Body(_, body) => self.questions(body).map(|of| of.statement()).collect(),
            Of::Ranges(cases) => ranges::leaves(&self.row, &ranges::derived(&self.row, cases)),
        }
    }
}

impl Question<'_> {
    /// All of it as one question, with products as they are.
    fn statement(&self) -> String {
        let text = self.broken(&HashMap::new(), Whole::Function);
        self.script(&text, &[], Products::Exact)
    }
}

impl Program {
    /// Checks that a module prepares constants for this program, which was checked; gives what it rests
    /// on.
    ///
    /// # Errors
    /// Why the text is refused.
    pub fn lemmas_of_preparation(&self, text: &str) -> Result<Vec<Lemma>, Refused> {
        self.gathered(true, prepare::read(text, self))
    }
}
