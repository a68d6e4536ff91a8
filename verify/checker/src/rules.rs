//! What each macro-op needs and gives on ranges, written down once more.

use std::fmt;
use std::num::ParseIntError;

use super::header::Header;

/// Least and greatest value.
pub(super) type Range = (i128, i128);

/// A precondition in words, what its left side reaches, and its strict bound.
pub(super) type Need = (&'static str, i128, i128);

/// A macro-op, as certificates write it.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Op<'a> {
    pub(super) name: &'a str,
    pub(super) parameter: Option<&'a str>,
}

impl Op<'_> {
    pub(super) fn number(&self) -> Option<u32> {
        self.numbered()?.ok()
    }

    /// The parameter, if there is one: a number, or something else.
    fn numbered(&self) -> Option<Result<u32, ParseIntError>> {
        Some(self.parameter?.parse())
    }
}

impl fmt::Display for Op<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)?;
        self.parameter.map_or(Ok(()), |k| write!(f, "({k})"))
    }
}

pub(super) struct Rule {
    pub(super) needs: Vec<Need>,
    /// Of the result, or of both.
    pub(super) ranges: Vec<Range>,
}

fn rule(needs: Vec<Need>, ranges: Vec<Range>) -> Option<Rule> {
    Some(Rule { needs, ranges })
}

const SIGN: i128 = 1 << 63;
const LOW: i128 = (1 << 32) - 1;
/// Bound of the limbs that a product takes.
const LIMB: i128 = 1 << 42;

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

/// The rule of a macro-op, if the field has it and it takes such operands.
pub(super) fn apply(header: &Header<'_>, op: Op<'_>, operands: &[Range]) -> Option<Rule> {
    let (p, word) = (header.p, header.word + 1);
    let (any, canonical) = ((0, header.word), (0, p - 1));
    let give = |needs: Vec<Need>, range| rule(needs, vec![range]);
    if let Some(rule) = parts(op, operands) {
        // Their words are read as signed integers.
        let signed = operands.iter().all(|x| -SIGN <= x.0 && x.1 < SIGN);
        return (signed && !header.montgomery).then_some(rule);
    }
    if operands.iter().any(|x| x.0 < 0) {
        return None;
    }
    match (op.name, op.numbered(), operands, header.montgomery) {
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
            let sides = [(even, 0), (odd, p)];
            let sides = sides.into_iter().filter(|(side, _)| side.0 <= side.1);
            let sides = sides.map(|(side, add)| ((side.0 + add) / 2, (side.1 + add) / 2));
            give(vec![], sides.reduce(|x, y| (x.0.min(y.0), x.1.max(y.1)))?)
        }
        ("div2exp", Some(Ok(1..=32)), [_], false) => give(vec![], canonical),
        ("div2exp", Some(Ok(2..=31)), [_], true) => give(vec![], canonical),
        ("div2exp", Some(Ok(1)), [x], true) => give(vec![("x < 2p", x.1, 2 * p)], canonical),
        ("mul", None, [_, _], false) | ("square", None, [_], false) => give(vec![], any),
        ("mul", None, [a, b], true) => give(vec![("a·b < 2^32·p", a.1 * b.1, word * p)], canonical),
        ("square", None, [x], true) => give(vec![("x·x < 2^32·p", x.1 * x.1, word * p)], canonical),
        ("split", None, [x], false) => {
            let high = (x.0 >> 32, x.1 >> 32);
            let one = high.0 == high.1;
            let low = if one {
                (x.0 & LOW, x.1 & LOW)
            } else {
                (0, LOW)
            };
            rule(vec![], vec![low, high])
        }
        ("mul-columns", None, [_, _], false) => {
            // t0 - t2 - t3 and t1 + t2, for the four parts of a product.
            rule(vec![], vec![(-2 * LOW, LOW), (0, 2 * LOW)])
        }
        ("mul-wide", None, [_, _], false) => rule(vec![], vec![any, any]),
        // For a word l0 + f·l1: f·(l0 + l1) - l1, less p if l0 + l1 reaches f = 2^32.
        ("share", None, [_], false) => give(vec![], canonical),
        ("mul-columns-redc", None, [_, _], false) => {
            // t2 + t1 and t3 - t0 - t1, for the four parts of a product.
            rule(vec![], vec![(0, 2 * LOW), (-2 * LOW, LOW)])
        }
        ("square-limbs", _, [x0, x1], false) => {
            let twice = (2 * x1.0, 2 * x1.1);
            let mut rule = limbs(&[(x0, &twice)], [x0, x1, x0, x1], balance(op)?)?;
            rule.needs.push(("2·high < 2^42", twice.1, LIMB));
            Some(rule)
        }
        ("mul-limbs", _, [x0, x1, y0, y1], false) => {
            limbs(&[(x0, y1), (x1, y0)], [x0, x1, y0, y1], balance(op)?)
        }
        _ => None,
    }
}

/// Macro-ops on signed parts of elements.
fn parts(op: Op<'_>, operands: &[Range]) -> Option<Rule> {
    let exact = |least, greatest, range: Range| {
        let needs = vec![(least, -range.0, SIGN + 1), (greatest, range.1, SIGN)];
        rule(needs, vec![range])
    };
    let packed = |low: &Range, high: &Range, ranges| {
        let needs = vec![
            ("low ≥ 0", -low.0, 1),
            ("high ≥ 0", -high.0, 1),
            ("low < 2^62", low.1, SIGN / 2),
            ("high < 2^62", high.1, SIGN / 2),
        ];
        rule(needs, ranges)
    };
    match (op.name, op.numbered(), operands) {
        ("plus", None, [a, b]) => exact("a + b ≥ -2^63", "a + b < 2^63", (a.0 + b.0, a.1 + b.1)),
        ("minus", None, [a, b]) => exact("a - b ≥ -2^63", "a - b < 2^63", (a.0 - b.1, a.1 - b.0)),
        ("shift-left", Some(Ok(k @ 1..=31)), [x]) => {
            exact("2^k·x ≥ -2^63", "2^k·x < 2^63", (x.0 << k, x.1 << k))
        }
        ("offset", _, [x]) => {
            let by = offset(op)?;
            let mut needs = vec![("x + offset < 2^63", x.1, SIGN - by)];
            if by < 0 {
                needs.push(("x + offset ≥ -2^63", -x.0, SIGN + 1 + by));
            }
            rule(needs, vec![(x.0 + by, x.1 + by)])
        }
        ("pack", None, [low, high]) => packed(low, high, vec![(0, 2 * SIGN - 1)]),
        ("div2exp-columns" | "div2exp-signed", Some(Ok(k @ 1..=32)), [low, high]) => {
            // What is cut off each part comes back, `2^(32-k)` times, by 2^-32 = 1 - 2^32.
            let cut = ((1 << k) - 1) << (32 - k);
            let ranges = vec![
                (low.0 >> k, (low.1 >> k) + 2 * cut),
                ((high.0 >> k) - cut, high.1 >> k),
            ];
            let rule = packed(low, high, ranges)?;
            let needs = match op.name {
                "div2exp-columns" => rule.needs,
                _ => Vec::new(),
            };
            Some(Rule { needs, ..rule })
        }
        ("carry", None, [low, high]) => {
            // Tops go down by 2^64 = 2^32 - 1; what is left is below 2^32.
            let top = |x: &Range| (x.0 >> 32, x.1 >> 32);
            let (low, high) = (top(low), top(high));
            let first = (-high.1, LOW - high.0);
            let second = (low.0 + high.0, LOW + low.1 + high.1);
            rule(vec![], vec![first, second])
        }
        ("preshift", None, [x]) => {
            let needs = vec![("x ≥ 0", -x.0, 1), ("x < 2^42", x.1, LIMB)];
            rule(needs, vec![*x])
        }
        _ => None,
    }
}

/// A product of limbs, from the halves `l + 2^32·h` of its partial products: with f = 2^32,
/// f² = f - 1 and f³ = -1 it is
/// `(l00 - l11 - h01 - h10 - h11) + f·(l01 + l10 + l11 + h01 + h10 + h00)`, where the mixed
/// ones are one for a square.
fn limbs(
    mixed: &[(&Range, &Range)],
    [x0, x1, y0, y1]: [&Range; 4],
    (add_low, add_high): (i128, i128),
) -> Option<Rule> {
    if [x0, x1, y0, y1].iter().any(|x| x.1 >= LIMB) {
        return None;
    }
    let low = |x: &Range, y: &Range| (x.1 * y.1).min(LOW);
    let high = |x: &Range, y: &Range| ((x.0 * y.0) >> 32, (x.1 * y.1) >> 32);
    let (first, last) = (high(x0, y0), high(x1, y1));
    let (mut tops, mut most) = ((0, 0), low(x1, y1));
    for (x, y) in mixed {
        let top = high(x, y);
        tops = (tops.0 + top.0, tops.1 + top.1);
        most += low(x, y);
    }
    let low = (
        add_low - low(x1, y1) - tops.1 - last.1,
        add_low + low(x0, y0) - tops.0 - last.0,
    );
    let high = (
        add_high + tops.0 + first.0,
        add_high + most + tops.1 + first.1,
    );
    rule(vec![], vec![low, high])
}

/// What the limbs of a product start with: (n·2^32 + 1, 2^32 - 1 - n), which stands for p.
fn balance(op: Op<'_>) -> Option<(i128, i128)> {
    let n = match op.parameter {
        None => return Some((0, 0)),
        Some("square") => 7,
        Some("cube") => 44,
        Some("fourth") => 304,
        Some(_) => return None,
    };
    Some((n * (LOW + 1) + 1, LOW - n))
}

/// The integer that a macro-op adds to a part.
pub(super) fn offset(op: Op<'_>) -> Option<i128> {
    // n·(2^32, -1) stands for 0, m·(1, 2^32 - 1) for m·p.
    let (name, part) = op.parameter?.split_once('.')?;
    let (n, m) = match name {
        "wide" => (1 << 29, 1 << 29),
        "narrow" => (1 << 9, 1 << 9),
        "limb" => (1 << 28, -(1 << 25)),
        _ => return None,
    };
    match part {
        "low" => Some((n << 32) + m),
        "high" => Some(m * LOW - n),
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
