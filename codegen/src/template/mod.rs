//! Templates of macro-op bodies: read at run time, rendered by tera, read by the ISA's table.
//!
//! A template is found at `<isa>/<layout>/<field>/<macro-op>.tera`. Its text, once rendered, is
//! one instruction a line in the ISA's own notation, over the operands' names (`a`, `b` or `x`),
//! temporaries that are written once, and the field's constants in capitals. It must write `r`.

mod body;
mod error;
mod load;
mod mark;
pub mod ops;

pub use load::{Rendered, TemplateSet};

#[cfg(test)]
mod tests;
