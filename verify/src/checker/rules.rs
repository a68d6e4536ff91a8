//! What each macro-op needs and gives on ranges, written down once more.

use super::header::Header;

/// Least and greatest value.
pub(super) type Range = (i128, i128);

/// A precondition in words, what its left side reaches, and its strict bound.
pub(super) type Need = (&'static str, i128, i128);

pub(super) struct Rule {
    pub(super) needs: Vec<Need>,
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
pub(super) fn apply(header: &Header<'_>, op: &str, operands: &[Range]) -> Option<Rule> {
    let (p, word) = (header.p, header.word + 1);
    let canonical = (0, p - 1);
    let give = |needs: Vec<Need>, range| Some(Rule { needs, range });
    let (name, immediate) = match op.strip_suffix(')').and_then(|op| op.split_once('(')) {
        Some((name, k)) => (name, Some(k.parse::<u32>().ok()?)),
        None => (op, None),
    };
    match (name, immediate, operands, header.montgomery) {
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
            give(vec![], (0, header.word))
        }
        ("mul", None, [a, b], true) => give(vec![("a·b < 2^32·p", a.1 * b.1, word * p)], canonical),
        ("square", None, [x], true) => give(vec![("x·x < 2^32·p", x.1 * x.1, word * p)], canonical),
        _ => None,
    }
}

/// A range as people write it.
pub(super) fn range(text: &str) -> Option<Range> {
    let (lo, hi) = text.split_once(" ..= ")?;
    Some((bound(lo)?, bound(hi)?))
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
