//! Round constants as Rust tables, in the words that kernels read.

use askama::Template;

use super::texts::{constant, render};
use crate::diag::Diagnostic;
use crate::params::{Field, Instance};

/// Path of an instance's constants, relative to the generated crate.
#[must_use]
pub fn constants_path(instance: &Instance) -> String {
    format!("src/{}/constants_w{}.rs", instance.folder(), instance.width)
}

#[derive(Template)]
#[template(path = "constants.rs.jinja", escape = "none")]
struct Constants<'a> {
    instance: &'a Instance,
}

/// The module with the constants of an instance, in the order and form of
/// `poseidon2_generated::Constants`: residues, or Montgomery words where the field's kernels keep
/// those; not yet through rustfmt, without the ownership header.
///
/// # Errors
/// None that is known; formatting may fail in principle.
pub fn constants_module(instance: &Instance) -> Result<String, Diagnostic> {
    render(&Constants { instance })
}

/// All digits, so that columns line up.
fn literal(field: &Field, residue: &u64) -> String {
    let digits = field.word_bits() as usize / 4 + 2;
    format!("{:#0digits$x}", field.to_montgomery(*residue))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::{GOLDILOCKS, KOALA_BEAR, instance};

    #[test]
    fn every_word_of_the_tables_stands_in_the_text() {
        for (field, width, path) in [
            (&GOLDILOCKS, 12, "src/plonky3/goldilocks/constants_w12.rs"),
            (&KOALA_BEAR, 16, "src/plonky3/koala_bear/constants_w16.rs"),
        ] {
            let instance = instance("plonky3", field, width).unwrap();
            let text = constants_module(&instance).unwrap();
            let words: Vec<u64> = text
                .split(|c: char| !c.is_ascii_alphanumeric())
                .filter_map(|token| token.strip_prefix("0x"))
                .map(|digits| u64::from_str_radix(digits, 16).unwrap())
                .collect();
            let residues = instance.constants.external.iter().flatten();
            let residues = residues.chain(&instance.constants.internal);
            let expected: Vec<u64> = residues.map(|x| field.to_montgomery(*x)).collect();
            assert_eq!(words, expected);
            assert_eq!(constants_path(&instance), path);
        }
    }

    #[test]
    fn the_module_of_a_montgomery_field() {
        let text = constants_module(&instance("plonky3", &KOALA_BEAR, 16).unwrap()).unwrap();
        let head: Vec<&str> = text
            .lines()
            .take_while(|line| !line.contains("0x"))
            .collect();
        insta::assert_snapshot!(head.join("\n"));
    }
}
