//! The macro-ops: what each needs and gives. Bodies are proved to do so; what it stands for follows.
//!
//! With φ = 2^32, Goldilocks' p is φ² - φ + 1: φ² ≡ φ - 1 and φ³ ≡ -1.

mod montgomery;
mod radix32;
mod radix48;
mod radix64;

use crate::row::Piece::{Bits, Quotient};
use crate::row::Reading::{Halves, Shifted, Signed, Unsigned};
use crate::row::Word::{Doubled, Folded, Operand, Product};
use crate::row::{Need, Piece, Range, Reading, Row, Sum, Word};
use reference::Field;

const SIGN: i128 = 1 << 63;
const F: i128 = 1 << 32;
/// The least integer in a word of signed halves.
pub(crate) const LEAST: i128 = -SIGN - F / 2;
/// Bound of the limbs that a product takes.
const LIMB: i128 = 1 << 42;
/// The bits that limbs are up.
pub(crate) const SHIFT: u32 = 10;

fn x(n: usize) -> Piece {
    floor(Operand(n), 0)
}

fn floor(of: Word, from: u32) -> Piece {
    let width = None;
    Bits { of, from, width }
}

fn bits(of: Word, from: u32, width: u32) -> Piece {
    let width = Some(width);
    Bits { of, from, width }
}

/// The 32 bits of a product from `2^(32·n)` upwards.
fn t(n: u32) -> Piece {
    bits(Product(0, 1), 32 * n, 32)
}

fn sum(constant: i128, terms: &[(i128, Piece)]) -> Sum {
    Sum {
        constant,
        terms: terms.to_vec(),
        corrected: None,
    }
}

/// Results that are such sums.
fn sums<const N: usize>(results: [&[(i128, Piece)]; N]) -> Vec<Sum> {
    results.map(|terms| sum(0, terms)).to_vec()
}

/// The low half of a word, and the high one.
fn halves(of: Word, width: u32) -> Vec<Sum> {
    let half = |from| (1, bits(of, from, width));
    sums([&[half(0)], &[half(width)]])
}

/// p, added to a word so often that `2^bits` divides the sum.
fn added(field: &Field, of: Word, bits: u32) -> (i128, Piece) {
    let factor = inverse(field.modulus.wrapping_neg(), bits);
    (field.modulus.into(), Quotient { of, factor, bits })
}

/// p, subtracted from a word so often that `2^bits` divides the difference.
fn subtracted(field: &Field, of: Word, bits: u32) -> (i128, Piece) {
    let factor = inverse(field.modulus, bits);
    (-i128::from(field.modulus), Quotient { of, factor, bits })
}

fn need(k: &[i128], bound: i128) -> Need {
    let left = Some(k.to_vec());
    Need { left, bound }
}

/// That what is multiplied is below a bound.
fn product_below(bound: i128) -> Need {
    let left = None;
    Need { left, bound }
}

fn row(reads: Reading, operands: usize, results: Vec<Sum>) -> Row {
    Row {
        operands,
        bits: 64,
        reads,
        writes: reads,
        needs: Vec::new(),
        carries: false,
        results,
        down: 0,
        either: vec![0],
        range: None,
        parts: None,
        radix: 32,
    }
}

/// Two parts that `pack` and `div2exp-columns` take.
fn below_packed() -> Vec<Need> {
    let greatest = [[1, 0], [0, 1]].map(|k| need(&k, SIGN / 2));
    let least = [[-1, 0], [0, -1]].map(|k| need(&k, 1));
    [least, greatest].concat()
}

/// One word of two parts, of which the second weighs `2^radix`; what it has above 64 bits goes down.
fn packed(p: i128, radix: u32, needs: Vec<Need>) -> Row {
    let terms = [
        (1, x(0)),
        (1 << radix, bits(Operand(1), 0, 64 - radix)),
        (F - 1, floor(Operand(1), 64 - radix)),
    ];
    Row {
        writes: Unsigned,
        needs,
        either: vec![0, -p],
        range: Some((0, F * F - 1)),
        ..row(Signed, 2, sums([&terms]))
    }
}

/// The row of a macro-op, written as `name` or `name(parameter)`; none if the field has no such. Words
/// may be `wide`: of 64 bits in Montgomery form of a radix of so many bits, whatever the field's own are.
pub(crate) fn find(field: &Field, wide: Option<u32>, op: &str) -> Option<Row> {
    let (name, parameter) = match op.strip_suffix(')').and_then(|op| op.split_once('(')) {
        Some((name, parameter)) => (name, Some(parameter)),
        None => (op, None),
    };
    let k = parameter.map(str::parse::<u32>).and_then(Result::ok);
    match (parameter, k, field.montgomery_bits) {
        (Some(word), _, 0) if name == "constant" => {
            let word: u64 = word.parse().ok()?;
            Some(row(Unsigned, 0, vec![sum(word.into(), &[])]))
        }
        (Some(word), _, 32) if name == "constant" => {
            montgomery::word(wide.is_some(), word.parse().ok()?)
        }
        (_, _, 32) if wide == Some(52) => montgomery::radix52(field, name, parameter),
        (_, _, 32) if wide == Some(64) => radix64::find(field, name, parameter),
        (_, _, 32) if wide.is_some() => radix32::find(field, name, parameter),
        (None, _, 0) => plain(field, name),
        (Some(_), Some(k @ 1..=32), 0) => shifted(field, name, k),
        (Some(parameter), None, 0) => constant(name, parameter),
        (_, k, 32) if parameter.is_some() == k.is_some() => montgomery::radix32(field, name, k),
        _ => None,
    }
}

fn plain(field: &Field, name: &str) -> Option<Row> {
    let p = i128::from(field.modulus);
    let word: Range = (0, 2 * SIGN - 1);
    Some(match name {
        "add" => Row {
            needs: vec![need(&[1, 1], 2 * SIGN + p)],
            ..corrected(2, &[(1, x(0)), (1, x(1))], 2 * SIGN, [0, -p])
        },
        "sub" => Row {
            needs: vec![need(&[-1, 1], p + 1)],
            ..corrected(2, &[(1, x(0)), (-1, x(1))], 0, [p, 0])
        },
        "canonicalise" => corrected(1, &[(1, x(0))], p, [0, -p]),
        "halve" => Row {
            down: 1,
            either: vec![0, p],
            ..row(Unsigned, 1, sums([&[(1, x(0))]]))
        },
        "mul" | "square" => {
            let last = usize::from(name == "mul");
            let of = Product(0, last);
            let (low, middle, high) = (bits(of, 0, 64), bits(of, 64, 32), bits(of, 96, 32));
            Row {
                either: vec![0, p, -p],
                range: Some(word),
                ..row(
                    Unsigned,
                    last + 1,
                    sums([&[(1, low), (-1, high), (F - 1, middle)]]),
                )
            }
        }
        "split" => Row {
            writes: Signed,
            ..row(Unsigned, 1, halves(Operand(0), 32))
        },
        "mul-columns" => {
            let (low, high) = ([(1, t(0)), (-1, t(2)), (-1, t(3))], [(1, t(1)), (1, t(2))]);
            Row {
                writes: Signed,
                ..row(Unsigned, 2, sums([&low, &high]))
            }
        }
        // The product divided by 2^64 ≡ φ - 1, as 2^-64 ≡ -φ.
        "mul-columns-redc" => {
            let (low, high) = ([(1, t(2)), (1, t(1))], [(1, t(3)), (-1, t(0)), (-1, t(1))]);
            Row {
                writes: Signed,
                ..row(Unsigned, 2, sums([&low, &high]))
            }
        }
        "mul-wide" | "mul-quarters" | "square-quarters" => {
            let last = usize::from(name != "square-quarters");
            Row {
                radix: 64,
                ..row(Unsigned, last + 1, halves(Product(0, last), 64))
            }
        }
        "share" => {
            let half = |from| bits(Operand(0), from, 32);
            Row {
                either: vec![0, -p],
                range: Some((0, p - 1)),
                ..row(Unsigned, 1, sums([&[(F, half(0)), (F - 1, half(32))]]))
            }
        }
        "pack-halves" => {
            let low = [need(&[-1, 0], SIGN - F + 2), need(&[1, 0], 1 - SIGN / 2)];
            let high = [need(&[0, -1], 1), need(&[0, 1], SIGN / 2)];
            let mut row = packed(p, 32, [low, high].concat());
            row.results[0].constant = -F / 2;
            Row {
                writes: Halves,
                range: Some((LEAST + F - 1, LEAST + F * F - 1)),
                ..row
            }
        }
        // Divided by φ twice: z - (φ - 1)·t - t0 where the second quotient is t.
        "square-halves" | "mul-halves" | "mul-columns-halves" => {
            let last = usize::from(name != "square-halves");
            let (product, sum) = (Product(0, last), Folded(0, last));
            let quotient = [
                (1, floor(sum, 32)),
                (1 - F, bits(sum, 0, 32)),
                (-1, bits(product, 0, 32)),
            ];
            let row = Row {
                either: vec![0, p],
                ..row(Halves, last + 1, sums([&quotient]))
            };
            let reduced = Some((LEAST + 1, LEAST + p));
            match name {
                "square-halves" => Row {
                    needs: vec![need(&[-1], -LEAST)],
                    range: reduced,
                    ..row
                },
                "mul-halves" => Row {
                    needs: vec![need(&[-1, 0], 2 - LEAST - F)],
                    range: reduced,
                    ..row
                },
                _ => Row {
                    writes: Signed,
                    results: [row.results, vec![Sum::default()]].concat(),
                    either: vec![p],
                    parts: Some([(2 - F / 2, 3 * F / 2), (-F / 4 - 1, 5 * F / 4 - 1)]),
                    ..row
                },
            }
        }
        "plus" | "minus" => exact(name, 64),
        "pack" => packed(p, 32, below_packed()),
        // What is above 32 bits goes down by φ² ≡ φ - 1.
        "carry" | "carry-up" => {
            let (low, high) = (Operand(0), Operand(1));
            let first = [(1, bits(low, 0, 32)), (-1, floor(high, 32))];
            let second = [
                (1, bits(high, 0, 32)),
                (1, floor(low, 32)),
                (1, floor(high, 32)),
            ];
            Row {
                writes: if name == "carry" { Signed } else { Shifted },
                ..row(Signed, 2, sums([&first, &second]))
            }
        }
        "preshift" => Row {
            writes: Shifted,
            ..row(Signed, 1, sums([&[(1, x(0))]]))
        },
        "mul-limbs" | "mul-chained" => limbs(name, None)?,
        _ => return radix48::plain(p, name),
    })
}

fn corrected(operands: usize, terms: &[(i128, Piece)], from: i128, by: [i128; 2]) -> Row {
    let corrected = Some((from, by));
    row(
        Unsigned,
        operands,
        vec![Sum {
            corrected,
            ..sum(0, terms)
        }],
    )
}

/// `x / 2^k`: p is added so often that `2^k` divides the sum.
fn divided(field: &Field, k: u32) -> Row {
    let p = i128::from(field.modulus);
    let terms = [(1, x(0)), added(field, Operand(0), k)];
    Row {
        down: k,
        either: vec![0, -(p << k)],
        range: Some((0, p - 1)),
        ..row(Unsigned, 1, sums([&terms]))
    }
}

/// The inverse of an odd number modulo 2^k, by Newton's iteration.
fn inverse(p: u64, k: u32) -> u64 {
    let inverse = (0..6).fold(p, |y, _| {
        y.wrapping_mul(2u64.wrapping_sub(p.wrapping_mul(y)))
    });
    inverse & (u64::MAX >> (64 - k))
}

fn shifted(field: &Field, name: &str, k: u32) -> Option<Row> {
    Some(match name {
        "div2exp" => divided(field, k),
        "shift-left" if k < 32 => Row {
            needs: vec![need(&[-(1 << k)], SIGN + 1), need(&[1 << k], SIGN)],
            ..row(Signed, 1, sums([&[(1 << k, x(0))]]))
        },
        "cut" => {
            let cut = (1 << (32 - k), bits(Operand(0), 0, k));
            let left = (1, floor(Operand(0), k));
            Row {
                needs: vec![need(&[-1], 1)],
                ..row(Signed, 1, sums([&[cut], &[left]]))
            }
        }
        // What is cut off comes back by 2^-k ≡ 2^(32-k)·(1 - φ).
        "div2exp-columns" | "div2exp-signed" => {
            let (up, cut) = (1 << (32 - k), |n| bits(Operand(n), 0, k));
            let first = [(1, floor(Operand(0), k)), (up, cut(0)), (up, cut(1))];
            let second = [(1, floor(Operand(1), k)), (-up, cut(0))];
            let needs = match name {
                "div2exp-columns" => below_packed(),
                _ => Vec::new(),
            };
            let row = row(Signed, 2, sums([&first, &second]));
            Row { needs, ..row }
        }
        _ => return radix48::shifted(name, k),
    })
}

/// Macro-ops whose parameter is the name of a constant.
fn constant(name: &str, parameter: &str) -> Option<Row> {
    if name != "offset" {
        return limbs(name, Some(parameter));
    }
    // n·(2^32, -1) stands for 0, m·(1, 2^32 - 1) for m·p.
    let (n, m) = match parameter.split_once('.')?.0 {
        // Where the second part weighs 2^48, n·(2^48, -1) and m·(1 - 2^32, 2^16) stand for 0.
        "radix48" => (1 << 14, 1 << 13),
        "wide" | "halves" => (1 << 29, 1 << 29),
        "narrow" => (1 << 9, 1 << 9),
        "limb" => (1 << 28, -(1 << 25)),
        _ => return None,
    };
    let by: i128 = match parameter.split_once('.')? {
        ("radix48", "low") => (n << 48) - m * (F - 1),
        ("radix48", "high") => (m << 16) - n,
        (_, "low") => n * F + m,
        (_, "high") => m * (F - 1) - n,
        _ => return None,
    };
    // What flips the sign of a low part, and the 2^31 that `pack-halves` takes away.
    let by = match parameter {
        "halves.low" => by + F / 2 - SIGN,
        "halves.high" => by + F / 2,
        _ => by,
    };
    let mut needs = vec![need(&[1], SIGN - by)];
    needs.extend((by < 0).then(|| need(&[-1], SIGN + 1 + by)));
    let row = row(Signed, 1, vec![sum(by, &[(1, x(0))])]);
    Some(Row { needs, ..row })
}

/// A product of limbs, from the halves `l + φ·h` of its partial products:
/// `(l00 - l11 - h01 - h10 - h11) + φ·(l01 + l10 + l11 + h01 + h10 + h00)`, where the mixed ones are
/// one for a square. Accumulators start with what stands for p or for 0.
fn limbs(name: &str, balance: Option<&str>) -> Option<Row> {
    let n = match balance {
        None => None,
        Some("square") => Some(7),
        Some("cube") => Some(44),
        Some("fourth") => Some(304),
        Some(_) => return None,
    };
    let (low, high) = n.map_or((0, 0), |n: i128| (n * F + 1, F - 1 - n));
    let square = matches!((name, balance), ("square-limbs" | "square-up", Some(_)));
    let (operands, first, mixed, last) = match (name, balance) {
        _ if square => (2, Product(0, 0), vec![Doubled(0, 1)], Product(1, 1)),
        ("mul-limbs", _) | ("mul-up", Some(_)) | ("mul-chained", None) => (
            4,
            Product(0, 2),
            vec![Product(0, 3), Product(1, 2)],
            Product(1, 3),
        ),
        _ => return None,
    };
    let l = |product| (1, bits(product, 0, 32));
    let h = |product| (1, floor(product, 32));
    let less = |(k, piece): (i128, Piece)| (-k, piece);
    let mut bottom = vec![l(first), less(l(last))];
    bottom.extend(mixed.iter().map(|m| less(h(*m))));
    bottom.push(less(h(last)));
    // In the order of bodies, which spares solvers the reordering of sums.
    let mut top = vec![l(last)];
    top.extend(mixed.iter().map(|m| l(*m)));
    top.extend(mixed.iter().map(|m| h(*m)));
    top.push(h(first));
    let needs = (0..operands).flat_map(|n| {
        let only = |k| (0..operands).map(|m| if m == n { k } else { 0 }).collect();
        // Of a square, the high limb is doubled.
        let most = if square && n == 1 { 2 } else { 1 };
        [(-1, 1), (most, LIMB)].map(|(k, bound)| Need {
            left: Some(only(k)),
            bound,
        })
    });
    let needs = needs.collect();
    let row = row(Shifted, operands, vec![sum(low, &bottom), sum(high, &top)]);
    let writes = if name.ends_with("-up") {
        Shifted
    } else {
        Signed
    };
    Some(Row {
        writes,
        needs,
        ..row
    })
}

/// Sums of signed words of so many bits that fit.
fn exact(name: &str, bits: u32) -> Row {
    let sign = if name == "plus" { 1 } else { -1 };
    let bound = 1 << (bits - 1);
    Row {
        bits,
        needs: vec![need(&[-1, -sign], bound + 1), need(&[1, sign], bound)],
        ..row(Signed, 2, sums([&[(1, x(0)), (sign, x(1))]]))
    }
}
