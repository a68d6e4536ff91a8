//! Which residues are trouble.

use super::threat::{Kind, Threat};
use crate::corpus::values::{Fill, edges};
use crate::oracle::Field;

/// Words below p for the elements that no operand is bent by; all of one state share a style.
pub(super) fn residues(field: &Field, width: usize, fill: &mut Fill) -> Vec<u64> {
    let (p, half) = (field.modulus, field.band() / 2);
    let style = fill.below(5);
    let word = |_| match style {
        0 => half + fill.below(half),
        1 => fill.below(p),
        2 => p - 1 - fill.below(1 << 12),
        3 => fill.below(1 << 12),
        _ => field.encode(fill.dangerous_residue(field)),
    };
    (0..width).map(word).collect()
}

/// Residues for the operands: low ones, whose words are p more, whose sums are as large as
/// sums get, and whose differences are as far below zero.
pub(super) fn targets(field: &Field, threat: &Threat, fill: &mut Fill) -> (u64, u64) {
    let (p, band) = (field.modulus, field.band());
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

/// Two words below p that are trouble together.
pub(super) fn pair(field: &Field, turn: usize, fill: &mut Fill) -> (u64, u64) {
    let p = field.modulus;
    let any = fill.below(p);
    let high = |fill: &mut Fill| p - 1 - fill.below(8);
    let edge = |fill: &mut Fill| edges(field)[fill.index(19)] % p;
    match turn % 8 {
        0 => (low(field, fill), low(field, fill)),
        1 => (low(field, fill), high(fill)),
        2 => (high(fill), low(field, fill)),
        3 => (high(fill), high(fill)),
        4 | 5 => (any, partner(field, any, turn, fill)),
        6 => (edge(fill), edge(fill)),
        _ => (any, any),
    }
}

/// A word below p that, added to another, comes out near a power of two, near p, or is trouble by
/// itself.
pub(super) fn partner(field: &Field, word: u64, turn: usize, fill: &mut Fill) -> u64 {
    let p = i128::from(field.modulus);
    let near = 8 - i128::from(fill.below(16));
    let carry = if p > 1 << 32 { 1 << 64 } else { 1 << 31 };
    let wanted = match turn % 4 {
        0 => carry - i128::from(word) + near,
        1 => p - i128::from(word) + near,
        2 => i128::from(low(field, fill)),
        _ => p - 1 - i128::from(fill.below(8)),
    };
    wanted.rem_euclid(p) as u64
}

/// A word that a lazy reduction may leave as itself plus p.
fn low(field: &Field, fill: &mut Fill) -> u64 {
    fill.below(field.band().min(field.modulus >> 6))
}
