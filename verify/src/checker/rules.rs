//! What each macro-op needs and gives on ranges, written down once more.

use super::certificate::{Block, Certificate, Kind, Site};
use super::{Fault, Outcome, agree, refuse};
use crate::oracle::{GOLDILOCKS, KOALA_BEAR};

type Range = (i128, i128);

/// The numbers of a field that rules speak of.
pub(super) struct Field {
    pub(super) p: i128,
    pub(super) bits: u32,
    pub(super) montgomery: bool,
}

impl Field {
    /// The field of a certificate, all of whose statements about it must be so.
    pub(super) fn of(certificate: &Certificate<'_>) -> Outcome<Self> {
        let (line, name) = certificate.header("field")?;
        let known = [GOLDILOCKS, KOALA_BEAR];
        let Some(field) = known.into_iter().find(|field| field.name == name) else {
            return refuse(line, Fault::Stated, format!("unknown field `{name}`"));
        };
        let montgomery = field.montgomery_bits > 0;
        let bits = if montgomery { 32 } else { 64 };
        let p = i128::from(field.modulus);
        let field = Self {
            p,
            bits,
            montgomery,
        };
        for (key, must) in [
            ("modulus", p.to_string()),
            ("word-bits", bits.to_string()),
            ("montgomery", montgomery.to_string()),
            ("boundary", format!("0 {}", field.boundary())),
        ] {
            let (line, is) = certificate.header(key)?;
            agree(line, key, is, &must)?;
        }
        Ok(field)
    }

    /// The greatest word.
    pub(super) fn word_max(&self) -> i128 {
        (1 << self.bits) - 1
    }

    /// The greatest word that may stand in a state between blocks.
    pub(super) fn boundary(&self) -> i128 {
        if self.montgomery {
            self.p - 1
        } else {
            self.word_max()
        }
    }
}

/// Preconditions with what they reach and their strict bounds, and the range of the result.
pub(super) struct Rule {
    pub(super) needs: Vec<(&'static str, i128, i128)>,
    pub(super) range: Range,
}

/// Where `e` ends up if it is moved by `low` below `at`, and by `high` from `at` on.
fn split(e: Range, at: i128, low: i128, high: i128) -> Range {
    let below = (e.0 + low, e.1.min(at - 1) + low);
    let above = (e.0.max(at) + high, e.1 + high);
    match (e.0 < at, e.1 >= at) {
        (true, true) => (below.0.min(above.0), below.1.max(above.1)),
        (true, false) => below,
        _ => above,
    }
}

/// The rule of a macro-op, if the field has it and it takes that many operands.
pub(super) fn apply(field: &Field, op: &str, operands: &[Range]) -> Option<Rule> {
    let (p, word) = (field.p, field.word_max() + 1);
    let canonical = (0, p - 1);
    let give = |needs: Vec<(&'static str, i128, i128)>, range| Some(Rule { needs, range });
    let (name, immediate) = match op.strip_suffix(')').and_then(|op| op.split_once('(')) {
        Some((name, k)) => (name, Some(k.parse::<u32>().ok()?)),
        None => (op, None),
    };
    match (name, immediate, operands, field.montgomery) {
        ("add", None, [a, b], false) => {
            let sum = (a.0 + b.0, a.1 + b.1);
            let need = ("a + b < 2^64 + p", sum.1, word + p);
            give(vec![need], split(sum, word, 0, -p))
        }
        ("add", None, [a, b], true) => {
            let sum = (a.0 + b.0, a.1 + b.1);
            give(vec![("a + b < 2^32", sum.1, word)], sum)
        }
        ("sub", None, [a, b], montgomery) => {
            let difference = (a.0 - b.1, a.1 - b.0);
            let mut needs = vec![("b - a ≤ p", -difference.0, p + 1)];
            if montgomery {
                needs.push(("a - b < 2^32 - p", difference.1, word - p));
            }
            give(needs, split(difference, 0, p, 0))
        }
        ("canonicalise", None, [x], _) => give(vec![], split(*x, p, 0, -p)),
        ("halve", None, [x], false) => {
            // Even words halve; odd ones gain p first.
            let even = (x.0 + (x.0 & 1), x.1 - (x.1 & 1));
            let odd = (x.0 + (1 - (x.0 & 1)), x.1 - (1 - (x.1 & 1)));
            let parts = [(even, 0), (odd, p)]
                .into_iter()
                .filter(|(part, _)| part.0 <= part.1);
            let parts = parts.map(|(part, add)| ((part.0 + add) / 2, (part.1 + add) / 2));
            let hull = parts.reduce(|x, y| (x.0.min(y.0), x.1.max(y.1)))?;
            give(vec![], hull)
        }
        ("div2exp", Some(1..=32), [_], false) => give(vec![], canonical),
        ("div2exp", Some(2..=31), [_], true) => give(vec![], canonical),
        ("div2exp", Some(1), [x], true) => give(vec![("x < 2p", x.1, 2 * p)], canonical),
        ("mul", None, [_, _], false) | ("square", None, [_], false) => {
            give(vec![], (0, field.word_max()))
        }
        ("mul", None, [a, b], true) => give(vec![("a·b < 2^32·p", a.1 * b.1, word * p)], canonical),
        ("square", None, [x], true) => give(vec![("x·x < 2^32·p", x.1 * x.1, word * p)], canonical),
        _ => None,
    }
}

/// Whether what is said in favour of leaving a canonicalisation out is so.
pub(super) fn reason_holds(
    field: &Field,
    block: &Block<'_>,
    site: &Site<'_>,
    reason: &str,
) -> bool {
    let operand = |letter: &str| site.operand(letter).map(|v| &block.values[v]);
    let lies_in = |letter: &str, range: &str| {
        let stated = range
            .split_once(" ..= ")
            .map(|(lo, hi)| (bound(lo), bound(hi)));
        operand(letter).map(|v| (Some(v.range.0), Some(v.range.1))) == stated
    };
    if let Some(ranges) = reason.strip_prefix("ranges: a in ") {
        let parts = ranges.split_once(", b in ");
        return parts.is_some_and(|(a, b)| lies_in("a", a) && lies_in("b", b));
    }
    let Some((letter, fact)) = reason.split_once(" is ") else {
        return false;
    };
    let Some(value) = operand(letter) else {
        return false;
    };
    let output = fact.strip_prefix("the output of ");
    if let Some((producer, range)) = output.and_then(|rest| rest.rsplit_once(", in ")) {
        let made = match value.kind {
            Kind::Input(_) => producer == block.name,
            Kind::Operation(..) => value.is(producer) || value.name == producer,
        };
        return made && lies_in(letter, range);
    }
    let constant = matches!(value.kind, Kind::Input("constant")) && value.range.1 < field.p;
    match fact {
        "zero" => value.range == (0, 0),
        "an entry of the constant table, below p" => constant,
        _ => constant && fact == "a round constant, canonicalised at construction, below p",
    }
}

/// A bound as people write it: `12`, `0xffff`, `2^64`, `2^64-1`, `2^64+3`; never negative here.
fn bound(text: &str) -> Option<i128> {
    if let Some(digits) = text.strip_prefix("0x") {
        return i128::from_str_radix(digits, 16).ok();
    }
    let Some(power) = text.strip_prefix("2^") else {
        return text.parse().ok();
    };
    let (exponent, offset) = power.split_at(power.find(['-', '+']).unwrap_or(power.len()));
    let exponent = exponent.parse::<u32>().ok().filter(|e| *e < 126)?;
    let offset = if offset.is_empty() {
        0
    } else {
        offset.parse::<i128>().ok()?
    };
    Some((1 << exponent) + offset)
}
