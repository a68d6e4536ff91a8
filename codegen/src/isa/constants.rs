//! Named constants of a field that templates may use, written in capitals.

use super::{Kind, Target};
use crate::names::Part;
use crate::params::Field;
use crate::params::{Balance, Offset};

/// A named constant of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Constant {
    /// Its name in templates and kernels.
    pub name: &'static str,
    /// Its value in one element's word.
    pub value: u64,
    /// What it is, for the comment beside its definition.
    pub about: &'static str,
}

const fn constant(name: &'static str, value: u64, about: &'static str) -> Constant {
    Constant { name, value, about }
}

const GOLDILOCKS: &[Constant] = &[
    constant("P", 0xffff_ffff_0000_0001, "p = 2^64 - 2^32 + 1"),
    constant(
        "EPSILON",
        0xffff_ffff,
        "2^64 mod p = 2^32 - 1, also the mask of the low half",
    ),
    constant(
        "HALF",
        0x7fff_ffff_8000_0001,
        "(p + 1) / 2, the half of one",
    ),
    constant(
        "SIGN",
        1 << 63,
        "the sign bit, to compare unsigned words by signed instructions",
    ),
    constant("ONE", 1, "one"),
    constant("ZERO", 0, "zero"),
    part(Offset::Wide, Part::Low),
    part(Offset::Wide, Part::High),
    part(Offset::Narrow, Part::Low),
    part(Offset::Narrow, Part::High),
    part(Offset::Limb, Part::Low),
    part(Offset::Limb, Part::High),
    shifted(Balance::Square, Part::Low),
    shifted(Balance::Square, Part::High),
    shifted(Balance::Cube, Part::Low),
    shifted(Balance::Cube, Part::High),
    shifted(Balance::Fourth, Part::Low),
    shifted(Balance::Fourth, Part::High),
];

const fn shifted(balance: Balance, part: Part) -> Constant {
    let about = match part {
        Part::Low => "what makes a low limb non-negative, 20 bits up",
        Part::High => "what the high limb holds in return, 20 bits up",
    };
    let value = balance.value(part).cast_unsigned() << Balance::SHIFT;
    constant(balance.constant(part), value, about)
}

const fn part(offset: Offset, part: Part) -> Constant {
    let about = match part {
        Part::Low => "the low part of a pair that stands for zero",
        Part::High => "the high part of a pair that stands for zero",
    };
    constant(
        offset.constant(part),
        offset.value(part).cast_unsigned(),
        about,
    )
}

const KOALA_BEAR: &[Constant] = &[
    constant("P", 0x7f00_0001, "p = 2^31 - 2^24 + 1"),
    constant("MU", 0x8100_0001, "p^-1 mod 2^32"),
];

/// The constants of a field.
#[must_use]
pub fn of(field: &Field) -> &'static [Constant] {
    match field.name {
        "goldilocks" => GOLDILOCKS,
        "koala-bear" => KOALA_BEAR,
        _ => &[],
    }
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

/// Elements of the field in one 64-bit lane: two of a 31-bit field in a SIMD lane.
#[must_use]
pub fn elements_per_word(field: &Field, target: Target) -> u32 {
    match target {
        Target::Scalar | Target::X86_64 | Target::Aarch64 => 1,
        Target::Neon | Target::Avx2 | Target::Avx512 | Target::Avx512Ifma => 64 / field.word_bits,
    }
}

/// The kind of register that holds state words.
#[must_use]
pub fn state_kind(field: &Field, target: Target) -> Kind {
    match target {
        Target::Scalar | Target::X86_64 if field.word_bits == 32 => Kind::Half,
        _ => Kind::Word,
    }
}
