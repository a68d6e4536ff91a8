//! Lemmas: each macro-op body keeps its contract.

use crate::arith::{Contract, MacroOp};
use crate::diag::{Diagnostic, Diagnostics};
use crate::isa::constants::elements_per_word;
use crate::isa::term::Term;
use crate::machine;
use crate::template::Rendered;

/// Checks a body against its contract on pairs of edge words; gives the body's hash.
///
/// # Errors
/// Operands for which the contract is broken.
pub fn discharge(contract: &Contract, rendered: &Rendered) -> Result<String, Diagnostics> {
    let field = contract.field;
    let bits = field.word_bits;
    let twice = elements_per_word(field, rendered.target) == 2;
    let tape = rendered
        .body
        .tape(machine::constants(field, rendered.target));
    let p = field.modulus;
    let mask = u64::MAX >> (64 - bits);
    let edges: Vec<u64> = [
        0,
        1,
        2,
        p - 2,
        p - 1,
        p,
        p.wrapping_add(1),
        p / 2,
        p / 2 + 1,
        mask,
        mask - 1,
        0xffff_ffff,
        0xffff_fffe,
        1 << 32,
        1 << 31,
        1 << 63,
    ]
    .into_iter()
    .filter(|&x| x <= mask)
    .collect();
    let arity = if matches!(contract.op, MacroOp::Add | MacroOp::Sub | MacroOp::Mul) {
        2
    } else {
        1
    };
    for &a in &edges {
        for &b in &edges {
            let words: Vec<u64> = [a, b].into_iter().take(arity).collect();
            let terms: Vec<Term> = words
                .iter()
                .map(|&x| Term::constant(u128::from(x), bits))
                .collect();
            if contract
                .needs_terms(&terms)
                .iter()
                .any(|need| need.eval(&[]) == 0)
            {
                continue;
            }
            let lane = |x: u64| u128::from(if twice { x << 32 | x } else { x });
            let lanes: Vec<u128> = words.iter().map(|&x| lane(x)).collect();
            let result = tape.eval(&lanes)[0] & u128::from(mask);
            let result_term = Term::constant(result, bits);
            if contract.gives_term(&terms, &result_term).eval(&[]) == 0 {
                return Err(Diagnostic::new(format!(
                    "{}: {} does not give {} for {words:x?}: got {result:#x}",
                    rendered.file,
                    rendered.op,
                    contract.gives_text()
                ))
                .help("mend the template")
                .into());
            }
        }
    }
    Ok(rendered.hash.clone())
}
