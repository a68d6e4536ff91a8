//! How products are reduced, written once as a term.
//!
//! Comparing a body with a contract that says "any word of the right residue" is hard work for a
//! solver; comparing it with a term that reduces as it does is easy. So bodies of products are
//! compared with this one, and this one, once for all of them, with the contract. A body that
//! reduces otherwise is compared with the contract itself.

use crate::ops::{Contract, Proof, times};
use crate::params::Field;
use crate::term::Term;

/// The reduction of `product` that templates use; `None` if the contract is about no product.
pub(super) fn reduced(contract: &Contract, product: &Term) -> Option<Term> {
    match contract.row.proof {
        Proof::Folded => Some(fold(contract.field.modulus, product)),
        Proof::Montgomery => Some(montgomery(contract.field, product)),
        _ => None,
    }
}

/// `lo - h + (2^32 - 1)·n` for a product `lo + 2^64·n + 2^96·h`, one correction each way.
fn fold(modulus: u64, product: &Term) -> Term {
    let epsilon = Term::constant(modulus.wrapping_neg().into(), 64);
    let lo = product.bits(0, 64);
    let n = product.bits(64, 32).resize(64);
    let h = product.bits(96, 32).resize(64);
    let t = lo.sub(&h);
    let u = lo.ult(&h).select(&t.sub(&epsilon), &t);
    let e = n.shl(32).sub(&n);
    let v = u.add(&e);
    v.ult(&e).select(&v.add(&epsilon), &v)
}

/// The high half of `product - q·p`, plus `p` if that is negative.
fn montgomery(field: &Field, product: &Term) -> Term {
    let p = Term::constant(field.modulus.into(), 32);
    let q = times(&product.resize(32), field.inverse_mod_word(32).into(), 32);
    let multiple = times(&q.resize(64), field.modulus.into(), 64);
    let t = product.bits(32, 32).sub(&multiple.bits(32, 32));
    let u = t.add(&p);
    t.ult(&u).select(&t, &u)
}
