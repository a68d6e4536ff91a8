//! Leaves of KoalaBear rows in several modes: how many permutations each takes, and how long.
//!
//! The digests differ, as the modes do. Rows are hashed as plain words (residues, which are converted) and as
//! Plonky3's elements.

use std::hint::black_box;
use std::ops::Range;

use clap::Parser;
use p3_koala_bear::KoalaBear;
use p3_symmetric::CryptographicHasher;
use plonky3_examples::turns::{Contestant, compare};
use poseidon2_kernels::field;
use poseidon2_kernels::modes::{
    Hasher, MatyasMeyerOseas, Mode, Overwrite, RightToLeft, State, States,
};
use poseidon2_kernels::{Poseidon2KoalaBear, selected};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

/// Time leaf hashes over Poseidon2 KoalaBear 16, rate-8 overwrite against rate-12 Matyas-Meyer-Oseas and
/// others, taking turns in one process.
#[derive(Parser)]
#[command(version)]
struct Options {
    /// There are 2^LOG_ROWS rows.
    #[arg(long, default_value_t = 12, value_parser = clap::value_parser!(u8).range(..=20))]
    log_rows: u8,
    /// A row has 16 columns and 24 times so many more, which all modes take.
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u8).range(1..=100))]
    blocks: u8,
    /// How often each of them takes its turn.
    #[arg(long, default_value_t = 51, value_parser = clap::value_parser!(u16).range(1..))]
    rounds: u16,
}

type F = field::KoalaBear;
type Leaves<M> = Hasher<Poseidon2KoalaBear<16>, M, 16, 8>;

fn main() -> Result<(), String> {
    let options = Options::parse();
    let (rows, columns) = (1 << options.log_rows, 16 + 24 * usize::from(options.blocks));
    println!("{rows} rows of {columns}, {}", selected());
    let mut rng = SmallRng::seed_from_u64(1);
    let elements: Vec<KoalaBear> = (0..rows * columns).map(|_| rng.random()).collect();
    let words: Vec<u32> = (0..rows * columns).map(|_| rng.random()).collect();
    let (words, elements) = (words.as_slice(), elements.as_slice());

    println!(
        "permutations of a row: {}",
        [
            count("from the right, rate 8", &RightToLeft::<8>, columns),
            count("rate 12", &RightToLeft::<12>, columns),
            count("MMO, rate 12", &MatyasMeyerOseas::<12>, columns),
            count("from the left, rate 8", &Overwrite::<8>, columns),
        ]
        .join("; ")
    );
    let rounds = options.rounds.into();
    let mut contestants = [
        on_words::<RightToLeft<8>>("words, right, rate 8", words, rows),
        on_words::<RightToLeft<12>>("words, right, rate 12", words, rows),
        on_words::<MatyasMeyerOseas<12>>("words, MMO, rate 12", words, rows),
        on_words::<Overwrite<8>>("words, left, rate 8", words, rows),
    ];
    print!("{}", compare(&mut contestants, rounds)?.0);
    let mut contestants = [
        on_elements::<RightToLeft<8>>("elements, right, rate 8", elements, rows),
        on_elements::<RightToLeft<12>>("elements, right, rate 12", elements, rows),
        on_elements::<MatyasMeyerOseas<12>>("elements, MMO, rate 12", elements, rows),
        on_elements::<Overwrite<8>>("elements, left, rate 8", elements, rows),
    ];
    print!("{}", compare(&mut contestants, rounds)?.0);
    Ok(())
}

fn on_words<'a, M: Mode<F, 16> + Default + 'a>(
    name: &'static str,
    rows: &'a [u32],
    count: usize,
) -> Contestant<'a, ()> {
    let leaves = Leaves::<M>::new(Poseidon2KoalaBear::plonky3());
    let mut digests = vec![[0; 8]; count];
    let hash = move |()| {
        let hashed = leaves.hash_rows_into(black_box(rows), &mut digests);
        hashed.expect("all modes take rows of this length");
        black_box(&mut digests);
    };
    Contestant::new(name, || (), hash)
}

fn on_elements<'a, M: Mode<F, 16> + Default + Clone + 'a>(
    name: &'static str,
    rows: &'a [KoalaBear],
    count: usize,
) -> Contestant<'a, ()> {
    let leaves = Leaves::<M>::new(Poseidon2KoalaBear::plonky3());
    let mut digests = vec![[KoalaBear::default(); 8]; count];
    let hash = move |()| {
        leaves.hash_many(black_box(rows), &mut digests);
        black_box(&mut digests);
    };
    Contestant::new(name, || (), hash)
}

/// The permutations that a mode asks for.
fn count(name: &str, mode: &impl Mode<F, 16>, columns: usize) -> String {
    let mut counter = Counter {
        left: columns,
        permutations: 0,
    };
    mode.start(&mut counter);
    mode.absorb(&mut counter);
    format!("{name}: {}", counter.permutations)
}

/// States that only count.
struct Counter {
    left: usize,
    permutations: usize,
}

impl States<F, 16> for Counter {
    fn set(&mut self, _: &State<F, 16>) {}

    fn overwrite(&mut self, elements: Range<usize>) -> usize {
        let count = elements.len().min(self.left);
        self.left -= count;
        count
    }

    fn add(&mut self, elements: Range<usize>) -> usize {
        self.overwrite(elements)
    }

    fn clear(&mut self, _: Range<usize>) {}

    fn copy(&mut self, _: Range<usize>, _: usize) {}

    fn permute(&mut self) {
        self.permutations += 1;
    }

    fn feed_forward(&mut self) {
        self.permutations += 1;
    }
}
