//! Named constants of a field that templates may use, written in capitals.

use std::sync::LazyLock;

use super::{Kind, Target, table};
use crate::names::Part;
use crate::params::{Balance, Family, Field, Offset};

/// A named constant of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constant {
    /// Its name in templates and kernels.
    pub name: &'static str,
    /// Its value in one element's word.
    pub value: u64,
    /// What it is, for the comment beside its definition.
    pub about: String,
}

/// What templates of a family may name, for the modulus of `field`.
fn computed(field: &Field) -> Vec<Constant> {
    let p = field.modulus;
    let mut found = Vec::new();
    let mut constant = |name, value, about: &str| {
        let about = about.to_owned();
        found.push(Constant { name, value, about });
    };
    let form = format!("p = 2^{} - 2^{} + 1", field.bits(), field.two_adicity());
    constant("P", p, &form);
    match field.family {
        Family::Goldilocks => {
            let epsilon = "2^64 mod p = 2^32 - 1, also the mask of the low half";
            constant("EPSILON", p.wrapping_neg(), epsilon);
            constant("HALF", p.div_ceil(2), "(p + 1) / 2, the half of one");
            let sign = "the sign bit, to compare unsigned words by signed instructions";
            constant("SIGN", 1 << 63, sign);
            let signs = "the sign bits of both halves";
            constant("SIGNS", 1 << 63 | 1 << 31, signs);
            constant("SIGN_LOW", 1 << 31, "the sign bit of the low half");
            let mixed = "2^63 - 2^32: makes the sum of the mixed products non-negative";
            constant("MIXED", (1 << 63) - (1 << 32), mixed);
            let centre =
                "2^31 - 2: what that leaves in both columns, with 2^32 - 1 in the high one it is p";
            constant("CENTRE", (1 << 31) - 2, centre);
            constant("ONE", 1, "one");
            constant("ZERO", 0, "zero");
            let up = "what a limb is multiplied by to be 10 bits up";
            constant("UP", 1 << 10, up);
            let less = "the same with a minus, modulo 2^52";
            constant("UP_LESS", (1 << 52) - (1 << 10), less);
            for balance in Balance::ALL {
                let parts = Part::BOTH.map(|part| balance.value(part).cast_unsigned());
                let both =
                    "what makes a low limb non-negative, and what the high limb holds, 20 bits up";
                constant(
                    balance.both(),
                    (parts[0] + parts[1]) << Balance::SHIFT,
                    both,
                );
            }
            for part in Part::BOTH {
                for offset in Offset::ALL {
                    let value = offset.value(part).cast_unsigned();
                    let sum = if offset == Offset::Halves {
                        "2^31"
                    } else {
                        "zero"
                    };
                    let about = format!("the {} part of a pair that stands for {sum}", part.name());
                    constant(offset.constant(part), value, &about);
                }
                let limb = match part {
                    Part::Low => "what makes a low limb non-negative, 20 bits up",
                    Part::High => "what the high limb holds in return, 20 bits up",
                };
                for balance in Balance::ALL {
                    let value = balance.value(part).cast_unsigned() << Balance::SHIFT;
                    constant(balance.constant(part), value, limb);
                }
            }
        }
        Family::Montgomery31 => {
            constant("MU", field.inverse_mod_word(32), "p^-1 mod 2^32");
            constant("NINE", 9, "nine");
            constant("ZERO", 0, "zero");
            for k in field.odd_divisions() {
                let about = format!("p^-1 mod 2^{k}, {} bits up", 32 - k);
                let up = field.inverse_mod_word(k) << (32 - k);
                constant(QUOTIENT[k as usize], up, &about);
            }
        }
        Family::Montgomery64 => {
            let inverse = field.inverse_mod_word(32);
            constant("MU", inverse, "p^-1 mod 2^32");
            constant("LESS_MU", (1 << 32) - inverse, "-p^-1 mod 2^32");
            constant("LOW", (1 << 32) - 1, "2^32 - 1");
            constant("RECIPROCAL", (1 << 48) / p, "2^48 / p, rounded down");
        }
        Family::Montgomery128 => {
            constant("MU", field.inverse_mod_word(64), "p^-1 mod 2^64");
        }
        Family::Montgomery52 => {
            let less = (1 << 52) - field.inverse_mod_word(52);
            constant("MU", less, "-p^-1 mod 2^52");
            constant("P_LESS_1", p - 1, "p - 1, which is -1");
            constant("ZERO", 0, "zero");
            // 2^52 itself has no place in 52 bits.
            let divisions = 1..=field.two_adicity() as usize;
            for (k, down) in divisions.clone().zip(&DOWN[divisions]) {
                let about = format!(
                    "2^{}: the high half of a product by it is a quotient by 2^{k}",
                    52 - k
                );
                constant(down, 1 << (52 - k), &about);
            }
            for k in field.odd_divisions() {
                let [mask, less] = [(1 << k) - 1, (1 << k) - field.inverse_mod_word(k)];
                constant(CUT[k as usize - 1][0], mask, &format!("2^{k} - 1"));
                constant(QUOTIENT[k as usize], less, &format!("-p^-1 mod 2^{k}"));
                let up = QUOTIENT_UP[k as usize];
                let about = format!("-p^-1 mod 2^{k}, {} bits up", 52 - k);
                constant(up, less << (52 - k), &about);
            }
        }
    }
    if field.family != Family::Goldilocks {
        for (k, [low, weight]) in (1..).zip(&*CUT).take(field.two_adicity() as usize) {
            let about = format!("what is cut off by a division by 2^{k}");
            constant(low, (1 << k) - 1, &about);
            let about = format!("(p - 1) / 2^{k}, which is -1 / 2^{k}");
            constant(weight, (p - 1) >> k, &about);
        }
    }
    found
}

/// Names for divisions by `2^k`, from k = 1 on: the mask of what is cut off, and what that is multiplied by.
static CUT: LazyLock<Vec<[&'static str; 2]>> = LazyLock::new(|| {
    let names = |k| ["LOW", "WEIGHT"].map(|name| &*format!("{name}_{k}").leak());
    (1..=32).map(names).collect()
});

/// Names of p^-1 or its opposite modulo `2^k`.
static QUOTIENT: LazyLock<Vec<&'static str>> =
    LazyLock::new(|| (0..=32).map(|k| &*format!("MU_{k}").leak()).collect());

/// The same at the upper end of 52 bits.
static QUOTIENT_UP: LazyLock<Vec<&'static str>> =
    LazyLock::new(|| (0..=32).map(|k| &*format!("MU_UP_{k}").leak()).collect());

/// Names of what divides by `2^k` as a product of 52 bits.
static DOWN: LazyLock<Vec<&'static str>> =
    LazyLock::new(|| (0..=32).map(|k| &*format!("DOWN_{k}").leak()).collect());

static ALL: LazyLock<Vec<(&'static Field, Vec<Constant>)>> =
    LazyLock::new(|| Field::in_all_words().map(|f| (f, computed(f))).collect());

/// The constants of a field.
#[must_use]
pub fn of(field: &Field) -> &'static [Constant] {
    let known = ALL.iter().find(|(known, _)| *known == field);
    known.map_or(&[], |(_, constants)| constants)
}

impl Constant {
    /// The constant of that name.
    #[must_use]
    pub fn by_name(field: &Field, name: &str) -> Option<&'static Self> {
        of(field).iter().find(|constant| constant.name == name)
    }

    /// What a register of that kind holds: where a 64-bit lane holds two elements, both get it.
    #[must_use]
    pub fn word(&self, field: &Field, target: Target, kind: Kind) -> u64 {
        if elements_per_word(field, target) == 2 && kind == Kind::Word {
            self.value << 32 | self.value
        } else {
            self.value
        }
    }
}

/// Elements of the field in one register of state words, or in one lane: two of a 31-bit field in a lane
/// of 64 bits.
#[must_use]
pub fn elements_per_word(field: &Field, target: Target) -> u32 {
    state_kind(field, target).bits() / field.word_bits()
}

/// The kind of register that holds state words.
#[must_use]
pub fn state_kind(field: &Field, target: Target) -> Kind {
    match table(target).has_words_of(32) && field.word_bits() == 32 {
        true => Kind::Half,
        false => Kind::Word,
    }
}
