//! Which residues are trouble.

use super::threat::{Kind, Threat};
use crate::corpus::values::Fill;
use crate::oracle::Field;

/// A residue for an element that no operand is bent by; all of one state share a style.
pub(super) fn residue(field: &Field, style: u64, fill: &mut Fill) -> u64 {
    let p = field.modulus;
    let band = 0_u64.wrapping_sub(p).min(p);
    match style {
        0 => band / 2 + fill.below(band / 2),
        1 => fill.below(p),
        2 => p - 1 - fill.below(1 << 12),
        3 => fill.below(1 << 12),
        _ => fill.dangerous_residue(field),
    }
}

/// Residues for the operands: low ones, whose words are p more, whose sums are as large as
/// sums get, and whose differences are as far below zero.
pub(super) fn targets(field: &Field, threat: &Threat, fill: &mut Fill) -> (u64, u64) {
    let p = field.modulus;
    let band = 0_u64.wrapping_sub(p).min(p);
    let is_sub = matches!(&threat.kind, Kind::Missing(_, need) | Kind::Nearest(need, _)
        if need.text.starts_with("b - a"));
    let (low, near) = (fill.below(band / 2), fill.below(1 << 16));
    let high = band / 2 + fill.below(band / 2);
    let top = p - 1 - fill.below(1 << 16);
    let any = |fill: &mut Fill| fill.below(p);
    match (fill.below(6), is_sub, &threat.kind) {
        (0, ..) => (any(fill), any(fill)),
        (1, ..) => (band - 1 - near, top),
        (2, false, _) => (top, band - 1 - near),
        (2, true, _) => (near, top),
        // The half of a low even residue's other word is less than the middle of the band.
        (3, true, Kind::Missing(..)) => (near, low),
        (3, false, _) => (band - 1 - low / 4, band / 2 - 1 - near),
        (_, true, Kind::Nearest(..)) => (near, top),
        (_, true, _) => (low, high),
        (_, false, Kind::Nearest(..)) => (band - 1 - near, top),
        (_, false, _) => (high, band - 1 - low),
    }
}
