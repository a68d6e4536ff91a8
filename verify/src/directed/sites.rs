//! Vectors that meet the threats of a program whose elements are words.

use codegen::ir::BlockKind;
use codegen::ops::MacroOp;

use super::aim::{Aim, Start};
use super::choice;
use super::machine::Visit;
use super::place::{self, Place};
use super::threat::{Kind, Threat};
use super::{VECTORS, Vector};
use crate::corpus::values::Fill;

/// Local candidates for one vector, before the costly way backwards is taken.
const TRIES: usize = 200;

/// Rounds' worth of vectors that are shot at least, at blocks that are executed once or twice as well.
const ROUNDS: usize = 4;

/// A state in the middle of a permutation.
struct Candidate {
    visit: Visit,
    start: Start,
    /// The words to start from, where the state is the permutation's input.
    input: Option<Vec<u64>>,
    distance: i128,
}

impl Aim<'_> {
    /// Vectors for a threat until [`VECTORS`] of them get there, evenly over the rounds; others
    /// make up the number where not so many do.
    pub(super) fn threatened(
        &self,
        threat: &Threat,
        places: &[Place<'_>],
        seed: u64,
    ) -> Vec<Vector> {
        let (mut hits, mut misses) = (Vec::new(), Vec::new());
        for place in places {
            if hits.len() < VECTORS {
                self.shoot(threat, place, &mut Fill::new(seed), &mut hits, &mut misses);
            }
        }
        self.quietly(threat, &places[0], &mut hits);
        let lacking = VECTORS.saturating_sub(hits.len());
        hits.extend(misses.into_iter().take(lacking));
        hits
    }

    fn shoot(
        &self,
        threat: &Threat,
        place: &Place<'_>,
        fill: &mut Fill,
        hits: &mut Vec<Vector>,
        misses: &mut Vec<Vector>,
    ) {
        let rounds = place.rounds(self.program.blocks[threat.block].kind).len();
        // Some rounds cannot be hit at some sites; the others then take their share.
        let mut outcomes = vec![(0, 0); rounds];
        let each = VECTORS.div_ceil(rounds);
        for turn in 0..VECTORS * rounds.max(ROUNDS) {
            if turn >= each * rounds && hits.len() >= VECTORS {
                break;
            }
            let (hit, missed) = &mut outcomes[turn % rounds];
            if *missed > 2 + *hit && hits.len() + misses.len() >= VECTORS {
                continue;
            }
            let vector = self.vector(threat, place, turn % rounds, fill);
            *hit += usize::from(vector.hits);
            *missed += usize::from(!vector.hits);
            let list = if vector.hits {
                &mut *hits
            } else {
                &mut *misses
            };
            list.push(vector);
        }
    }

    fn vector(&self, threat: &Threat, place: &Place<'_>, round: usize, fill: &mut Fill) -> Vector {
        let mut best = self.candidate(threat, place, round, fill);
        for _ in 1..TRIES {
            if best.distance <= 0 {
                break;
            }
            let other = self.candidate(threat, place, round, fill);
            if other.distance < best.distance {
                best = other;
            }
        }
        let input = best.input;
        let input = input.unwrap_or_else(|| self.input(place, &best.start));
        place.traced(input, |visit, values| {
            visit == best.visit && self.distance(threat, values) <= 0
        })
    }

    fn distance(&self, threat: &Threat, values: &[u64]) -> i128 {
        threat.distance(self.field, &self.program.blocks[threat.block], values)
    }

    /// A state before the block, and what the block alone would make of the words it is expected
    /// to come in.
    fn candidate(
        &self,
        threat: &Threat,
        place: &Place<'_>,
        round: usize,
        fill: &mut Fill,
    ) -> Candidate {
        let field = &self.instance.field;
        let width = self.program.instance.width;
        let kind = self.program.blocks[threat.block].kind;
        let mut state = choice::residues(field, width, fill);
        let (element, constant) = match kind {
            BlockKind::ExternalSbox => {
                let element = fill.index(width);
                (element, place.external(round, element))
            }
            BlockKind::InternalRound => (0, place.internal(round)),
            _ => (0, 0),
        };
        let visit = Visit {
            block: threat.block,
            round,
            element,
        };
        let forms = self.forms(threat.block, &threat.operands);
        if forms.is_none()
            && let Some(candidate) = self.lead(threat, place, visit, &state, fill)
        {
            return candidate;
        }
        let targets = choice::targets(field, threat, fill);
        let start = if let Some(forms) = forms {
            self.bent(place, visit, &forms, targets, state, fill)
        } else {
            let shift = fill.below(2) * (field.modulus - constant);
            state[element] = self.instance.permutation.add(targets.0, shift);
            let layer = place.rounds(kind)[round];
            Start { layer, state }
        };
        let free = kind == BlockKind::ExternalLinear && round == 0;
        let mut words = self.words(visit, &start.state, || free && fill.below(2) == 0);
        let input = free.then(|| words.clone());
        if kind == BlockKind::ExternalSbox {
            words = vec![words[element]];
        }
        if kind != BlockKind::ExternalLinear {
            words.push(constant);
        }
        let values = place.machine.trace(threat.block, &words);
        Candidate {
            visit,
            start,
            input,
            distance: self.distance(threat, &values),
        }
    }

    /// For a site that reads element 0 where the round before makes it by a subtraction: a low
    /// residue leaves a subtraction as itself plus p only if the minuend came in so and the
    /// subtrahend is small, so those two are chosen, one round earlier.
    fn lead(
        &self,
        threat: &Threat,
        place: &Place<'_>,
        visit: Visit,
        state: &[u64],
        fill: &mut Fill,
    ) -> Option<Candidate> {
        let block = &self.program.blocks[visit.block];
        let maker = block.definition(block.outputs[0])?;
        if block.kind != BlockKind::InternalRound
            || maker.op != MacroOp::Sub
            || self.field.is_montgomery()
        {
            return None;
        }
        let round = visit.round.checked_sub(1)?;
        let forms = self.forms(visit.block, &maker.operands)?;
        let low = |fill: &mut Fill| fill.below(1 << 16);
        let targets = (self.instance.field.band() - 1 - low(fill), low(fill));
        let earlier = Visit { round, ..visit };
        let start = self.bent(place, earlier, &forms, targets, state.to_vec(), fill);
        let execute = |mut words: Vec<u64>, round| {
            words.push(place.internal(round));
            place.machine.trace(visit.block, &words)
        };
        let values = execute(self.words(earlier, &start.state, || false), round);
        let outputs = block.outputs.iter().map(|v| values[v.index()]);
        let values = execute(outputs.collect(), visit.round);
        Some(Candidate {
            visit,
            start,
            input: None,
            distance: self.distance(threat, &values),
        })
    }

    /// The words in which residues are expected to arrive: sums and products of random words come
    /// out as residue + p where that fits, differences do not.
    fn words(&self, visit: Visit, state: &[u64], mut canonical: impl FnMut() -> bool) -> Vec<u64> {
        let first = visit.round == 0;
        let half = self.instance.permutation.external.len() / 2;
        let [linear, sbox, internal] = [0, 1, 2];
        let word = |(element, residue): (usize, &u64)| {
            let maker = match visit.block {
                0 if first => None,
                0 => Some((sbox, 0)),
                1 if visit.round == half => Some((internal, element)),
                2 if !first => Some((internal, element)),
                _ => Some((linear, element)),
            };
            let lazy = maker.is_none_or(|(block, output)| {
                let block = &self.program.blocks[block];
                let made = block.definition(block.outputs[output]);
                let exact = [MacroOp::Sub, MacroOp::Canonicalise];
                made.is_none_or(|made| !exact.contains(&made.op))
            });
            let fits = !self.field.is_montgomery() && *residue < self.instance.field.band();
            let more = if lazy && fits && !canonical() {
                self.field.modulus
            } else {
                0
            };
            residue + more
        };
        state.iter().enumerate().map(word).collect()
    }

    /// Where random-looking words never hit: constants chosen so that the state stays zero until
    /// an internal round whose S-box gives a low residue.
    fn quietly(&self, threat: &Threat, place: &Place<'_>, hits: &mut Vec<Vector>) {
        let internal = self.program.blocks[threat.block].kind == BlockKind::InternalRound;
        if !internal || !matches!(threat.kind, Kind::Missing(..)) {
            return;
        }
        let lacking = VECTORS.saturating_sub(hits.len());
        let mut fill = Fill::new(lacking as u64);
        for n in 0..lacking {
            let round = n % self.program.instance.internal_rounds;
            let before_sbox = place.root(fill.below(self.instance.field.band()));
            let table = place::quiet(self.instance, round, before_sbox);
            let quiet = Place::new(self.program, self.instance, table);
            let zeros = vec![0; self.program.instance.width];
            let vector = quiet.traced(zeros, |visit, values| {
                let there = visit.block == threat.block && visit.round == round;
                there && self.distance(threat, values) <= 0
            });
            hits.extend(vector.hits.then_some(vector));
        }
    }
}
