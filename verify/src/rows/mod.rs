//! Every row of the file of instructions by itself. A program made from the rows executes them; what
//! they leave is compared with what they mean.

mod source;

use codegen::isa::{Kind, Target, table};
use codegen::term::Term;
use codegen::term::tape::Tape;

use crate::corpus::values::Fill;
use source::Case;

/// Random operands of each execution's kind, besides the edges.
const RANDOM: usize = 10_000;

/// Words that make carries, borrows and sign bits matter.
const WORDS: [u64; 19] = [
    0,
    1,
    2,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_fffe,
    0xffff_ffff,
    0x1_0000_0000,
    0x1_0000_0001,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    0x8000_0000_0000_0001,
    0xffff_fffe_ffff_ffff,
    0xffff_ffff_0000_0000,
    0xffff_ffff_0000_0001,
    0xffff_ffff_0000_0002,
    0xffff_ffff_ffff_fffe,
    0xffff_ffff_ffff_ffff,
    0x0123_4567_89ab_cdef,
];

/// Operands of one execution.
type Operands = [u64; 4];

/// Operand `n` as a register holds it. The last word stands beside the one in a pair.
fn fit(operands: &Operands, n: usize, kind: &Kind) -> u128 {
    let word = operands[n];
    match kind {
        Kind::Pair => u128::from(operands[3]) << 64 | u128::from(word),
        _ => u128::from(word & u64::MAX >> (64 - kind.bits())),
    }
}

/// How many operands begin the list that a row with so many sources wants: every pair or triple of
/// words occurs, in whole vectors.
fn edges(sources: usize) -> usize {
    WORDS.len().pow(sources.min(3) as u32).next_multiple_of(8)
}

/// Operands for all rows: edges, then random words.
fn operands(seed: u64) -> Vec<Operands> {
    let edge = |n: usize| {
        let word = |k: u32| WORDS[n / WORDS.len().pow(k % 3) % WORDS.len()].rotate_left(k / 3);
        [0, 1, 2, 3].map(word)
    };
    let mut random = Fill::new(seed);
    let edges = (0..edges(usize::MAX)).map(edge);
    edges
        .chain((0..RANDOM).map(|_| [(); 4].map(|()| random.bits())))
        .collect()
}

/// The rows of a target, the program that executes them, and its operands.
#[derive(Debug)]
pub(crate) struct Trial {
    target: Target,
    cases: Vec<Case>,
    operands: Vec<Operands>,
}

impl Trial {
    /// The trial of a target; its random operands follow from the seed.
    pub(crate) fn new(target: Target, seed: u64) -> Self {
        Self {
            target,
            cases: source::cases(target),
            operands: operands(seed),
        }
    }

    /// The text of the program. It takes the file of operands and the one for results; without a standard
    /// library it is compiled with the one, and prints the other.
    pub(crate) fn program(&self, std: bool) -> String {
        source::program(self.target, &self.cases, std)
    }

    /// The file of operands.
    pub(crate) fn operands(&self) -> Vec<u8> {
        let words = self.operands.iter().flatten();
        words.flat_map(|word| word.to_le_bytes()).collect()
    }

    /// How many rows are executed.
    pub(crate) fn rows(&self) -> usize {
        let mut names: Vec<&str> = self.cases.iter().map(|case| case.row.name).collect();
        names.dedup();
        names.len()
    }

    /// Compares the results with what the rows mean; gives the number of executions.
    ///
    /// # Errors
    /// An execution with another result.
    pub(crate) fn check(&self, results: &[u8]) -> Result<u64, String> {
        let (words, _) = results.as_chunks();
        let mut left = words.iter().copied().map(u64::from_le_bytes);
        let mut executions = 0;
        for case in &self.cases {
            executions += self.check_case(case, &mut left)?;
        }
        match left.next() {
            None => Ok(executions),
            Some(_) => Err("there are more results than rows leave".to_owned()),
        }
    }

    fn check_case(&self, case: &Case, left: &mut impl Iterator<Item = u64>) -> Result<u64, String> {
        let table = table(self.target);
        let kinds = case.row.sources;
        let variable = |(n, kind): (usize, &Kind)| Term::var(n, kind.bits());
        let variables: Vec<Term> = kinds.iter().enumerate().map(variable).collect();
        let meaning = Tape::new(&case.row.apply(&variables, &case.immediates), kinds.len());
        let random = &self.operands[edges(usize::MAX)..];
        let wanted = [&self.operands[..edges(kinds.len())], random];
        let mut executions = 0;
        for lanes in wanted
            .map(|all| all.chunks_exact(case.width(table)))
            .into_iter()
            .flatten()
        {
            let words = |lane: usize| -> Vec<u128> {
                let of = |(n, kind)| fit(&lanes[lane], n, kind);
                kinds.iter().enumerate().map(of).collect()
            };
            let means = |lane: usize| meaning.eval(&words(lane));
            let means: Vec<_> = (0..lanes.len()).map(means).collect();
            executions += 1;
            let count = case.lanes(table);
            for place in 0..case.row.results.len() * count {
                let (result, n) = (place / count, place % count);
                let mut word = || left.next().map(u128::from);
                let got = match case.row.results[result] {
                    Kind::Pair => word()
                        .zip(word())
                        .map(|(first, second)| second << 64 | first),
                    _ => word(),
                };
                let got = got.ok_or("there are fewer results than rows leave")?;
                let expected = match case.lane {
                    None => means[n][result],
                    Some(lane) if count == 1 || n == lane => means[lane][result],
                    // Of a vector, the lane below stays, and the one above becomes zero.
                    Some(lane) if n < lane => words(n)[0],
                    Some(_) => 0,
                };
                if got != expected {
                    return Err(format!(
                        "{} of {:x?} gives {got:#x} and means {expected:#x}",
                        case.describe(),
                        words(case.lane.unwrap_or(n))
                    ));
                }
            }
        }
        Ok(executions)
    }
}
