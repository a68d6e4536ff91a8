//! Bodies on given operands: a solver computes, with products as they are.
//!
//! Nothing is proved by this. It tells why something is not, and guesses what may help a proof, which
//! then has to hold without it.

use std::fmt;

use super::products::Whole;
use super::question::Question;
use super::solver::{Answer, Solver};
use super::text::{self, Products, define, literal};
use crate::body::Value;
use crate::ops::{LEAST, SHIFT};
use crate::row::Reading;

/// Operands for which a body does something else than the row says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counterexample {
    /// The operands.
    pub operands: Vec<u64>,
    /// What the body gives.
    pub gives: Vec<u64>,
    /// Of each result, the words that the row allows.
    pub wants: Vec<Vec<u64>>,
}

impl fmt::Display for Counterexample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = |words: &[u64], between: &str| {
            let words: Vec<String> = words.iter().map(|word| format!("{word:#x}")).collect();
            words.join(between)
        };
        let wants: Vec<String> = self.wants.iter().map(|all| words(all, " or ")).collect();
        let (operands, gives) = (words(&self.operands, ", "), words(&self.gives, ", "));
        write!(
            f,
            "of {operands} it makes {gives}, not {}",
            wants.join(", ")
        )
    }
}

/// Operands on which steps that are no parts of a product rarely look like it: carries go through.
pub(super) const SAMPLES: [[u64; 2]; 4] = [
    [0xffff_ffff_ffff_ffff, 0xffff_ffff_0000_0003],
    [0x9e37_79b9_7f4a_7c15, 0xbf58_476d_1ce4_e5b9],
    [0xd1b5_4a32_d192_ed03, 0x94d0_49bb_1331_11eb],
    [0x0123_4567_fedc_ba98, 0xaaaa_aaab_5555_5556],
];

impl Question<'_> {
    /// Steps that seem to be halves or quarters of the operands' product: their bits, and the bit that they
    /// begin at.
    pub(super) fn look_like_parts(&self, solver: &Solver) -> Vec<(Value, u32, u32)> {
        let words = self.body.made();
        let words: Vec<(Value, u32)> = words.filter(|(_, bits)| (32..=64).contains(bits)).collect();
        let terms: Vec<(String, u32)> = words
            .iter()
            .map(|(word, bits)| (text::value(*word, *bits), *bits))
            .collect();
        let wanted: Vec<Value> = words.iter().map(|(word, _)| *word).collect();
        let steps = text::steps(self.body, &wanted, &[].into());
        let numbered = words.iter().enumerate();
        let mut found: Vec<(usize, (Value, u32), u32)> = numbered
            .flat_map(|(n, word)| {
                let places = (0..128).step_by(word.1 as usize);
                places.map(move |low| (n, *word, low))
            })
            .collect();
        for sample in SAMPLES {
            let operands = &sample[..self.body.operands.min(2)];
            let product = u128::from(operands[0]) * u128::from(operands[operands.len() - 1]);
            let values = self.compute(solver, &(self.given(operands) + &steps), &terms);
            found.retain(|(n, (_, bits), low)| {
                values.get(*n).copied()
                    == Some(product >> low & u128::from(u64::MAX >> (64 - bits)))
            });
        }
        found
            .into_iter()
            .map(|(_, (word, bits), low)| (word, bits, low))
            .collect()
    }

    /// Operands that break a row, from those that break it if products are any functions; or why
    /// there are none, in words.
    pub(super) fn refuted(
        &self,
        solver: &Solver,
        words: &[u128],
    ) -> Result<Counterexample, String> {
        let words: Vec<u64> = words.iter().map(|word| *word as u64).collect();
        if let Some(found) = self.example(solver, &words) {
            return Ok(found);
        }
        let text = self.broken(&[].into(), Whole::Function);
        let near = self.operands().into_iter().map(|x| {
            let edges = self.edges().into_iter();
            let edges = edges.map(|edge| format!("(= {x} {})", literal(edge.into(), self.width)));
            format!("(assert (or {}))\n", edges.collect::<Vec<_>>().join(" "))
        });
        let near: String = near.collect();
        for aim in [near.as_str(), ""] {
            let question = self.script(&(text.clone() + aim), &self.operands(), Products::Exact);
            match solver.answer(&question, self.body.operands) {
                Answer::Possible(words) => {
                    let words: Vec<u64> = words.iter().map(|word| *word as u64).collect();
                    if let Some(found) = self.example(solver, &words) {
                        return Ok(found);
                    }
                }
                Answer::Impossible if aim.is_empty() => {
                    return Err(
                        "it holds of true products, but not by what is assumed of them".into(),
                    );
                }
                _ => {}
            }
        }
        let words: Vec<String> = words.iter().map(|word| format!("{word:#x}")).collect();
        Err(format!(
            "it does not follow from what is assumed of products; for operands {} it would fail if \
             they were something else",
            words.join(", ")
        ))
    }

    /// Words near which carries and corrections change their minds, in each element.
    fn edges(&self) -> Vec<u64> {
        let (bits, p) = (self.claim.bits, self.p);
        let (top, half) = (1 << (bits - 1), 1 << (bits / 2));
        let edges = [
            0,
            1,
            2,
            half - 1,
            half,
            half + 1,
            top - 1,
            top,
            p - 1,
            p,
            p + 1,
        ];
        let greatest = u64::MAX >> (64 - bits);
        let edges = edges
            .into_iter()
            .chain([greatest - half, greatest - 1, greatest]);
        let every = (0..self.width).step_by(bits as usize);
        let every = every.fold(0u64, |all, at| all | 1 << at);
        edges.map(|edge| edge.wrapping_mul(every)).collect()
    }

    /// What a body does on these words, if it breaks the row.
    fn example(&self, solver: &Solver, words: &[u64]) -> Option<Counterexample> {
        let (row, width) = (self.claim.row, self.claim.width());
        let text = self.given(words)
            + &self.claim.operands(Whole::Function)
            + &text::steps(self.body, &self.body.results, &[].into())
            + &self.claim.statement(&self.results());
        let broken = "(ite (and needs (not gives)) #b1 #b0)".to_owned();
        let named = |name: &str, count: usize, bits: u32| {
            let names = (0..count).map(|n| (format!("{name}{n}"), bits));
            names.collect::<Vec<_>>()
        };
        let (operands, results) = (row.operands, row.results.len());
        // What two results stand for together, many words do.
        let short = row.parts.is_none() && width <= 128;
        let terms = [
            vec![(broken, 1)],
            named("e", operands, self.claim.bits),
            named("r", results, self.claim.bits),
            if short {
                named("sum", results, width)
            } else {
                Vec::new()
            },
        ];
        let values = self.compute(solver, &text, &terms.concat());
        let (broken, values) = values.split_first()?;
        let (elements, sums) = values.split_at(operands + results);
        let elements: Vec<u64> = elements.iter().map(|value| *value as u64).collect();
        let (operands, gives) = elements.split_at(operands);
        (*broken == 1).then(|| Counterexample {
            operands: operands.to_vec(),
            gives: gives.to_vec(),
            wants: sums.iter().map(|sum| self.wanted(*sum)).collect(),
        })
    }

    /// The words that the row allows where its sum is this.
    fn wanted(&self, sum: u128) -> Vec<u64> {
        let (row, unused) = (self.claim.row, 128 - self.claim.width());
        let sum = (sum << unused).cast_signed() >> unused;
        let (bits, down) = (self.claim.bits, row.down);
        let (lo, hi) = row.range.unwrap_or(match row.writes {
            Reading::Halves => (LEAST, LEAST + (1 << 64) - 1),
            Reading::Unsigned => (0, (1 << bits) - 1),
            Reading::Signed => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
            Reading::Shifted => (0, (1 << 42) - 1),
            Reading::Below52 => (0, (1 << 52) - 1),
            Reading::Below63 => (0, (1 << 63) - 1),
        });
        let all = row.either.iter().map(|n| sum + n);
        let whole = all
            .filter(|n| n.trailing_zeros() >= down)
            .map(|n| n >> down);
        let up = if row.writes == Reading::Shifted {
            SHIFT
        } else {
            0
        };
        let words = whole.filter(|n| (lo..=hi).contains(n));
        words
            .map(|n| match row.writes {
                Reading::Halves => (n - LEAST) as u64 ^ -LEAST as u64,
                _ => (n << up) as u64 & u64::MAX >> (64 - bits),
            })
            .collect()
    }

    /// Operands as they are.
    pub(super) fn given(&self, operands: &[u64]) -> String {
        let given = operands.iter().enumerate().map(|(n, x)| {
            define(
                &format!("x{n}"),
                self.width,
                &literal((*x).into(), self.width),
            )
        });
        given.collect()
    }

    /// The values of these terms of so many bits; none if they cannot be had.
    pub(super) fn compute(
        &self,
        solver: &Solver,
        text: &str,
        terms: &[(String, u32)],
    ) -> Vec<u128> {
        let names: Vec<String> = (0..terms.len()).map(|n| format!("value{n}")).collect();
        let values = names.iter().zip(terms).map(|(name, (term, bits))| {
            format!("(declare-const {name} (_ BitVec {bits}))\n(assert (= {name} {term}))\n")
        });
        let text = text.to_owned() + &values.collect::<String>();
        let question = self.script(&text, &names, Products::Exact);
        match solver.answer(&question, names.len()) {
            Answer::Possible(values) => values,
            _ => Vec::new(),
        }
    }
}
