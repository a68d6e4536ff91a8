//! The instances of the `plonky3` parameter set, as data.

use super::grain::{Cut, constants};
use super::permutation::{Linear, Permutation};

/// A prime field and the word that holds one element of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Name, as in kernels state it.
    pub name: &'static str,
    /// The prime p.
    pub modulus: u64,
    /// The exponent of the S-box.
    pub alpha: u64,
    /// Log of the factor that the kernels' words carry: 32 for Montgomery form, 0 for none.
    pub montgomery_bits: u32,
}

impl Field {
    /// The name as a Rust module: `koala_bear`.
    #[must_use]
    pub fn module(&self) -> String {
        self.name.replace('-', "_")
    }

    /// The word that stands for a residue in kernels' tables and outputs.
    #[must_use]
    pub fn encode(&self, residue: u64) -> u64 {
        self.reduce(u128::from(residue) << self.montgomery_bits)
    }

    /// The residue that a word stands for, be it canonical or not.
    #[must_use]
    pub fn decode(&self, word: u64) -> u64 {
        let half = u128::from(self.modulus.div_ceil(2));
        let halve = |x, _| self.reduce(u128::from(x) * half);
        (0..self.montgomery_bits).fold(self.reduce(u128::from(word)), halve)
    }

    /// Whether a kernel may give this word for this residue.
    #[must_use]
    pub fn agrees(&self, word: u64, residue: u64) -> bool {
        if self.montgomery_bits == 0 {
            self.decode(word) == residue
        } else {
            word == self.encode(residue)
        }
    }

    /// A lazy reduction may leave a residue below this as another word: p more.
    #[must_use]
    pub fn band(&self) -> u64 {
        self.modulus.wrapping_neg().min(self.modulus)
    }

    fn reduce(&self, x: u128) -> u64 {
        u64::try_from(x % u128::from(self.modulus)).expect("a residue is below p, which fits u64")
    }
}

/// p = 2^64 − 2^32 + 1.
pub const GOLDILOCKS: Field = Field {
    name: "goldilocks",
    modulus: 0xffff_ffff_0000_0001,
    alpha: 7,
    montgomery_bits: 0,
};

/// p = 2^31 − 2^24 + 1.
pub const KOALA_BEAR: Field = Field {
    name: "koala-bear",
    modulus: 0x7f00_0001,
    alpha: 3,
    montgomery_bits: 32,
};

/// p = 2^31 − 2^27 + 1.
const BABY_BEAR: Field = Field {
    name: "baby-bear",
    modulus: 0x7800_0001,
    alpha: 7,
    montgomery_bits: 32,
};

/// p = 2^31 − 1.
const MERSENNE_31: Field = Field {
    name: "mersenne-31",
    modulus: 0x7fff_ffff,
    alpha: 5,
    montgomery_bits: 32,
};

/// A named instance: a field, a width and the permutation that they stand for.
#[derive(Clone, Debug)]
pub struct Instance {
    /// The parameter set, such as `plonky3`.
    pub parameter_set: String,
    /// The field.
    pub field: Field,
    /// The permutation with the parameter set's own constants.
    pub permutation: Permutation,
}

/// One entry ±n/2^k of an internal diagonal: (n, k).
type Entry = (i64, u32);

struct Row {
    field: Field,
    internal_rounds: usize,
    diagonal: &'static [Entry],
}

const PARAMETER_SET: &str = "plonky3";
const EXTERNAL_ROUNDS: usize = 8;

#[rustfmt::skip]
const PLONKY3: [Row; 9] = [
    Row { field: GOLDILOCKS, internal_rounds: 22, diagonal: &[
        (-2, 0), (1, 0), (2, 0), (1, 1), (3, 0), (-1, 1), (-3, 0), (-4, 0),
    ] },
    Row { field: GOLDILOCKS, internal_rounds: 22, diagonal: &[
        (-2, 0), (1, 0), (2, 0), (1, 1), (3, 0), (4, 0), (-1, 1), (-3, 0), (-4, 0),
        (1, 2), (-1, 2), (1, 3),
    ] },
    Row { field: GOLDILOCKS, internal_rounds: 22, diagonal: &[
        (-2, 0), (1, 0), (2, 0), (1, 1), (3, 0), (4, 0), (-1, 1), (-3, 0), (-4, 0),
        (1, 3), (1, 4), (1, 5), (-1, 3), (-1, 4), (-1, 5), (1, 32),
    ] },
    Row { field: KOALA_BEAR, internal_rounds: 20, diagonal: &[
        (-2, 0), (1, 0), (2, 0), (1, 1), (3, 0), (4, 0), (-1, 1), (-3, 0), (-4, 0),
        (1, 8), (1, 3), (1, 24), (-1, 8), (-1, 3), (-1, 4), (-1, 24),
    ] },
    Row { field: KOALA_BEAR, internal_rounds: 23, diagonal: &[
        (-2, 0), (1, 0), (2, 0), (1, 1), (3, 0), (4, 0), (-1, 1), (-3, 0), (-4, 0),
        (1, 8), (1, 2), (1, 3), (1, 4), (1, 5), (1, 6), (1, 24),
        (-1, 8), (-1, 3), (-1, 4), (-1, 5), (-1, 6), (-1, 7), (-1, 9), (-1, 24),
    ] },
    Row { field: BABY_BEAR, internal_rounds: 13, diagonal: &[
        (-2, 0), (1, 0), (2, 0), (1, 1), (3, 0), (4, 0), (-1, 1), (-3, 0), (-4, 0),
        (1, 8), (1, 2), (1, 3), (1, 27), (-1, 8), (-1, 4), (-1, 27),
    ] },
    Row { field: BABY_BEAR, internal_rounds: 21, diagonal: &[
        (-2, 0), (1, 0), (2, 0), (1, 1), (3, 0), (4, 0), (-1, 1), (-3, 0), (-4, 0),
        (1, 8), (1, 2), (1, 3), (1, 4), (1, 7), (1, 9), (1, 27),
        (-1, 8), (-1, 2), (-1, 3), (-1, 4), (-1, 5), (-1, 6), (-1, 7), (-1, 27),
    ] },
    Row { field: MERSENNE_31, internal_rounds: 14, diagonal: &[
        (-2, 0), (1, 0), (2, 0), (4, 0), (8, 0), (16, 0), (32, 0), (64, 0),
        (1 << 7, 0), (1 << 8, 0), (1 << 10, 0), (1 << 12, 0), (1 << 13, 0), (1 << 14, 0),
        (1 << 15, 0), (1 << 16, 0),
    ] },
    Row { field: MERSENNE_31, internal_rounds: 22, diagonal: &[
        (-2, 0), (1, 0), (2, 0), (4, 0), (8, 0), (16, 0), (32, 0), (64, 0),
        (1 << 7, 0), (1 << 8, 0), (1 << 9, 0), (1 << 10, 0), (1 << 11, 0), (1 << 12, 0),
        (1 << 13, 0), (1 << 14, 0), (1 << 15, 0), (1 << 16, 0), (1 << 17, 0), (1 << 18, 0),
        (1 << 19, 0), (1 << 20, 0), (1 << 21, 0), (1 << 22, 0),
    ] },
];

/// Every field that an oracle knows.
pub fn fields() -> impl Iterator<Item = Field> {
    [GOLDILOCKS, KOALA_BEAR, BABY_BEAR, MERSENNE_31].into_iter()
}

/// Every instance that an oracle knows.
#[must_use]
pub fn instances() -> Vec<Instance> {
    PLONKY3.iter().map(plonky3).collect()
}

/// The instance of these names, if there is one.
#[must_use]
pub fn find(parameter_set: &str, field: &str, width: usize) -> Option<Instance> {
    // Constants are derived for this one alone: traced programs come here.
    let named = |row: &&Row| row.field.name == field && row.diagonal.len() == width;
    let row = PLONKY3.iter().find(named)?;
    (parameter_set == PARAMETER_SET).then(|| plonky3(row))
}

fn plonky3(row: &Row) -> Instance {
    let Field { modulus, alpha, .. } = row.field;
    let mut permutation = Permutation {
        modulus,
        alpha,
        linear: Linear::plonky3(Vec::new()),
        external: vec![Vec::new(); EXTERNAL_ROUNDS],
        internal: vec![0; row.internal_rounds],
    };
    let entries = row.diagonal.iter().map(|(numerator, shift)| {
        let negative = *numerator < 0;
        permutation.fraction(negative, numerator.unsigned_abs(), *shift)
    });
    let diagonal = entries.collect();
    permutation.linear = Linear::plonky3(diagonal);
    (permutation.external, permutation.internal) = constants(&permutation, Cut::Paper);
    Instance {
        parameter_set: PARAMETER_SET.to_owned(),
        field: row.field,
        permutation,
    }
}
