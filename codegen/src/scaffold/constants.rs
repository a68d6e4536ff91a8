//! Round constants as Rust tables, in the words that kernels read.

use std::str::FromStr as _;

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

use crate::params::Instance;

/// Path of an instance's constants, relative to the generated crate.
#[must_use]
pub fn constants_path(instance: &Instance) -> String {
    let set = instance.parameter_set.replace('-', "_");
    let field = instance.field.module();
    format!("src/{set}/{field}/constants_w{}.rs", instance.width)
}

/// The module with the constants of an instance, in the order and form of
/// `poseidon2_generated::Constants`: residues, or Montgomery words where the field's kernels keep
/// those; not yet through rustfmt, without the ownership header.
#[must_use]
pub fn constants_module(instance: &Instance) -> String {
    let Instance {
        field,
        width,
        external_rounds,
        internal_rounds,
        ..
    } = instance;
    let word = format_ident!("u{}", field.word_bits());
    let rows = instance.constants.external.iter().map(|row| {
        let words = row.iter().map(|x| literal(instance, *x));
        quote!([#(#words),*])
    });
    let internal = instance.constants.internal.iter();
    let internal = internal.map(|x| literal(instance, *x));
    let [w, rf, rp] =
        [width, external_rounds, internal_rounds].map(|n| Literal::usize_unsuffixed(*n));
    let about = format!(
        " Round constants of Poseidon2 over {} of width {width}, parameter set `{}`.",
        field.name, instance.parameter_set
    );
    let form = if field.is_montgomery() {
        format!(
            " Each is a residue x as the word x·2^{} mod p.",
            field.word_bits()
        )
    } else {
        " Each is a residue in `[0, p)`.".to_owned()
    };
    let (set, name) = (&instance.parameter_set, field.name);
    let prepare = format_ident!("prepare_{}", field.module());
    let tables = format_ident!("{}_TABLES", field.module().to_uppercase());
    let tokens = quote! {
        #![doc = #about]

        use crate::{Constants, Instance, #tables};

        #[doc = #about]
        #[doc = ""]
        #[doc = #form]
        pub static CONSTANTS: Constants<#word, #w, #rf, #rp> = Constants {
            external: [#(#rows),*],
            internal: [#(#internal),*],
        };

        #[doc = " The permutation that has them."]
        pub static INSTANCE: Instance<#word> = Instance {
            parameter_set: #set,
            field: #name,
            width: #w,
            external_rounds: #rf,
            internal_rounds: #rp,
            table: &TABLE,
        };

        #[doc = " The constants in every form, made when this is compiled."]
        static TABLE: [#word; (#w * #rf + #rp) * #tables.words()] = {
            let mut table = [0; (#w * #rf + #rp) * #tables.words()];
            let (external, rest) = table.split_at_mut(#w * #rf);
            external.copy_from_slice(CONSTANTS.external.as_flattened());
            let (internal, _) = rest.split_at_mut(#rp);
            internal.copy_from_slice(&CONSTANTS.internal);
            crate::registry::#prepare(#w * #rf + #rp, &mut table);
            table
        };
    };
    // Items apart, which `prettyplease` does not do.
    unparse(tokens).replace("};\n///", "};\n\n///")
}

/// All digits, so that columns line up.
fn literal(instance: &Instance, residue: u64) -> Literal {
    let field = instance.field;
    let digits = field.word_bits() as usize / 4 + 2;
    let text = format!("{:#0digits$x}", field.to_montgomery(residue));
    Literal::from_str(&text).unwrap_or_else(|_| Literal::u64_unsuffixed(residue))
}

fn unparse(tokens: TokenStream) -> String {
    let text = tokens.to_string();
    syn::parse2(tokens).map_or(text, |file| prettyplease::unparse(&file))
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
            let text = constants_module(&instance);
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
        let text = constants_module(&instance("plonky3", &KOALA_BEAR, 16).unwrap());
        let head: Vec<&str> = text
            .lines()
            .take_while(|line| !line.contains("0x"))
            .collect();
        insta::assert_snapshot!(head.join("\n"));
    }
}
