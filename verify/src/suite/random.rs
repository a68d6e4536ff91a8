//! Random cases: raw words, biased towards where kernels go wrong.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, RngAlgorithm, TestError, TestRng, TestRunner};

use super::failure::{Failure, Wrong};
use super::subject::{Case, Subject};
use super::word::Word;
use crate::corpus::Table;
use crate::corpus::values::edges;
use crate::oracle::{Field, Instance, Permutation};

/// The check's name in reports.
pub(super) const CHECK: &str = "random";

/// Cases for each kernel where `PROPTEST_CASES` does not say otherwise.
pub const DEFAULT_CASES: u32 = 1000;

/// Round constants to draw from.
#[derive(Clone, Debug)]
enum Constants {
    Standard,
    Zero,
    Top,
    Drawn(Vec<u64>),
}

impl Constants {
    fn name(&self) -> String {
        match self {
            Self::Standard => "standard".to_owned(),
            Self::Zero => "all 0".to_owned(),
            Self::Top => "all p - 1".to_owned(),
            Self::Drawn(residues) => format!("residues {residues:x?}"),
        }
    }

    fn table(&self, instance: &Instance) -> Table {
        let name = self.name();
        match self {
            Self::Standard => Table::standard(instance),
            Self::Zero => Table::filled(instance, &name, || 0),
            Self::Top => Table::filled(instance, &name, || instance.field.modulus - 1),
            Self::Drawn(residues) => {
                let mut residues = residues.iter().copied().cycle();
                Table::filled(instance, &name, || residues.next().unwrap_or(0))
            }
        }
    }
}

/// Legal state words: anything, the band where words are not canonical, the edges, small words.
fn word(field: Field) -> BoxedStrategy<u64> {
    let p = field.modulus;
    if field.montgomery_bits == 0 {
        prop_oneof![
            4 => any::<u64>(),
            3 => p..=u64::MAX,
            2 => select(edges(&field).to_vec()),
            1 => 0..=u64::from(u32::MAX),
            1 => p - (1 << 32)..p,
        ]
        .boxed()
    } else {
        prop_oneof![
            4 => 0..p,
            2 => select(edges(&field).to_vec()),
            1 => 0..(1_u64 << 16),
            1 => p - (1 << 16)..p,
        ]
        .boxed()
    }
}

/// Residues: anything, and those that lazy reductions leave at or above p.
fn residue(field: Field) -> impl Strategy<Value = u64> {
    let p = field.modulus;
    prop_oneof![4 => 0..p, 1 => 0..p.min(1 << 32), 1 => p - (1 << 16)..p]
}

fn constants(instance: &Instance) -> BoxedStrategy<Constants> {
    let table = Table::standard(instance);
    let count = table.external.concat().len() + table.internal.len();
    prop_oneof![
        4 => Just(Constants::Standard),
        1 => Just(Constants::Zero),
        1 => Just(Constants::Top),
        2 => vec(residue(instance.field), count).prop_map(Constants::Drawn),
    ]
    .boxed()
}

/// The number of cases that the environment asks for.
#[must_use]
pub fn cases() -> u32 {
    let asked = std::env::var("PROPTEST_CASES").ok();
    asked
        .and_then(|cases| cases.parse().ok())
        .unwrap_or(DEFAULT_CASES)
}

/// Runs `cases` random batches. Returns the number of states that were compared.
///
/// # Errors
/// The failure, on the smallest batch that still fails.
pub(super) fn run<T: Word>(
    subject: &mut Subject<'_, T>,
    cases: u32,
    seed: u64,
) -> Result<u64, Box<Failure>> {
    let instance = subject.instance;
    let (width, states) = (subject.kernel.width, subject.kernel.states());
    let config = Config {
        cases,
        failure_persistence: None,
        max_shrink_iters: 2048,
        ..Config::default()
    };
    let rng = TestRng::from_seed(
        RngAlgorithm::ChaCha,
        &kernel_seed(seed, subject.kernel.name),
    );
    let mut runner = TestRunner::new_with_rng(config, rng);
    let inputs = vec(word(instance.field), width * states);
    let subject = std::cell::RefCell::new(subject);
    let outcome = runner.run(&(constants(instance), inputs), |(constants, words)| {
        let mut subject = subject.borrow_mut();
        match attempt(&mut subject, &constants, &words) {
            Ok(()) => Ok(()),
            Err(failed) => Err(TestCaseError::fail(format!("{:?}", failed.wrong))),
        }
    });
    let subject = subject.into_inner();
    match outcome {
        Ok(()) => Ok(u64::from(cases) * states as u64),
        Err(TestError::Abort(reason)) => Err(gave_up(&reason.to_string(), seed)),
        Err(TestError::Fail(reason, (constants, words))) => {
            // Shrinking returns the batch alone; one more run shows what it gives.
            match attempt(subject, &constants, &words) {
                Ok(()) => Err(gave_up(&format!("fails now and then: {reason}"), seed)),
                Err(failed) => {
                    let case = (CHECK, "drawn at random, then shrunk");
                    let name = constants.name();
                    let at = |state: usize| {
                        let range = state * width..(state + 1) * width;
                        (&words[range], failed.expected[state].as_slice())
                    };
                    Err(Box::new(Failure::new(&failed.wrong, case, seed, name, at)))
                }
            }
        }
    }
}

struct Failed {
    wrong: Wrong,
    expected: Vec<Vec<u64>>,
}

fn attempt<T: Word>(
    subject: &mut Subject<'_, T>,
    constants: &Constants,
    words: &[u64],
) -> Result<(), Failed> {
    let instance = subject.instance;
    let table = constants.table(instance);
    subject.set_table(&table.words(instance));
    let permutation = table.permutation(instance);
    let inputs: Vec<&[u64]> = words.chunks_exact(subject.kernel.width).collect();
    let expected: Vec<_> = inputs
        .iter()
        .map(|input| image(&permutation, &instance.field, input))
        .collect();
    let batch: Vec<Case<'_>> = inputs
        .iter()
        .zip(&expected)
        .map(|(input, expected)| (*input, expected.as_slice()))
        .collect();
    subject.run(&batch).map_err(|wrong| Failed {
        wrong,
        expected: expected.clone(),
    })
}

fn image(permutation: &Permutation, field: &Field, input: &[u64]) -> Vec<u64> {
    let mut state: Vec<u64> = input.iter().map(|word| field.decode(*word)).collect();
    permutation.permute(&mut state);
    state
}

fn gave_up(reason: &str, seed: u64) -> Box<Failure> {
    Box::new(Failure {
        check: CHECK.to_owned(),
        origin: "drawn at random".to_owned(),
        seed,
        constants: String::new(),
        problem: reason.to_owned(),
        input: Vec::new(),
        expected: Vec::new(),
        got: Vec::new(),
    })
}

/// Each kernel draws from a stream of its own, so that leaving one out changes no other (FNV-1a).
fn kernel_seed(seed: u64, name: &str) -> [u8; 32] {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in name.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    }
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    bytes[8..16].copy_from_slice(&hash.to_le_bytes());
    bytes
}
