//! Choosing states in the middle of a permutation, and the inputs that lead there.

use std::sync::Arc;

use codegen::arith::{MacroOp, Program};
use codegen::params;

use super::machine::{Machine, Visit, Words};
use super::place::Place;
use super::threat::{Kind, Threat};
use super::{Directed, VECTORS};
use super::{choice, place, solve};
use crate::corpus::Table;
use crate::corpus::values::Fill;
use crate::oracle::Instance;

/// Local candidates for one vector, before the costly way backwards is taken.
const TRIES: usize = 200;

/// Where vectors are shot: a program and its instance.
pub(super) struct Range<'a> {
    program: &'a Program,
    instance: &'a Instance,
    field: &'static params::Field,
    machine: Machine,
    /// For each block and value the linear form over the state before the block's linear layer.
    forms: [Vec<Option<Vec<u64>>>; 3],
    /// α⁻¹ modulo p - 1.
    root: u64,
}

/// A state before a layer, by residues of words.
struct Candidate {
    visit: Visit,
    /// Block and round that the state comes before.
    start: (usize, usize),
    state: Vec<u64>,
    /// The words to start from, where the state is the permutation's input.
    input: Option<Vec<u64>>,
    distance: i128,
}

impl<'a> Range<'a> {
    pub(super) fn new(program: &'a Program, instance: &'a Instance) -> Self {
        let alpha = u128::from(instance.permutation.alpha);
        let order = u128::from(instance.field.modulus - 1);
        let turns = (1..=alpha).find(|k| (k * order + 1) % alpha == 0);
        let turns = turns.expect("the exponent is coprime to p - 1");
        let root = ((turns * order + 1) / alpha) as u64;
        let forms =
            std::array::from_fn(|n| solve::forms(instance, &program.pairs, &program.blocks[n]));
        let machine = Machine::new(instance.field, program);
        let field = program.instance.field;
        Self {
            program,
            instance,
            field,
            machine,
            forms,
            root,
        }
    }

    /// Adds vectors for a threat until [`VECTORS`] of them get there, evenly over the rounds.
    pub(super) fn shoot(
        &self,
        threat: &Threat,
        place: &Place,
        seed: u64,
        found: &mut Vec<Directed>,
    ) {
        let hits = |found: &[Directed]| found.iter().filter(|v| v.hits).count();
        if hits(found) >= VECTORS {
            return;
        }
        let mut fill = Fill::new(seed);
        let rounds = place.layers[threat.block].len();
        let each = VECTORS.div_ceil(rounds);
        // Some rounds cannot be hit at some sites; the others then take their share.
        let mut outcomes = vec![(0, 0); rounds];
        for turn in 0..VECTORS * rounds {
            if turn >= each * rounds && hits(found) >= VECTORS {
                break;
            }
            let (hit, missed) = &mut outcomes[turn % rounds];
            if *missed > 2 + *hit && found.len() >= VECTORS {
                continue;
            }
            let vector = self.vector(threat, place, turn % rounds, &mut fill);
            *hit += usize::from(vector.hits);
            *missed += usize::from(!vector.hits);
            if vector.hits || found.len() < VECTORS {
                found.push(vector);
            }
        }
        if found.len() > VECTORS {
            let surplus = found.len() - hits(found).max(VECTORS);
            let mut left = surplus;
            found.retain(|vector| {
                vector.hits || left == 0 || {
                    left -= 1;
                    false
                }
            });
        }
    }

    fn vector(&self, threat: &Threat, place: &Place, round: usize, fill: &mut Fill) -> Directed {
        let mut best: Option<Candidate> = None;
        for _ in 0..TRIES {
            let candidate = self.candidate(threat, place, round, fill);
            if best
                .as_ref()
                .is_none_or(|best| candidate.distance < best.distance)
            {
                best = Some(candidate);
            }
            if best.as_ref().is_some_and(|best| best.distance <= 0) {
                break;
            }
        }
        let Candidate {
            visit,
            start,
            state,
            input,
            ..
        } = best.expect("at least one try");
        let state = input.unwrap_or_else(|| {
            let mut state: Vec<u64> = state
                .iter()
                .map(|word| self.instance.field.decode(*word))
                .collect();
            place
                .inverse
                .input_for(place.layers[start.0][start.1], &mut state);
            state
                .iter()
                .map(|x| self.instance.field.encode(*x))
                .collect()
        });
        self.traced(threat, &place.table, &place.words, visit, state)
    }

    /// A vector, with what the trace of the whole permutation says of it.
    fn traced(
        &self,
        threat: &Threat,
        table: &Arc<Table>,
        words: &Words,
        wanted: Visit,
        state: Vec<u64>,
    ) -> Directed {
        let block = &self.program.blocks[threat.block];
        let mut hits = false;
        self.machine.run(words, &state, |visit, values| {
            if visit == wanted {
                hits = threat.distance(self.field, block, values) <= 0;
            }
        });
        let (site, round) = (threat.site.clone(), wanted.round);
        Directed {
            site,
            band: "",
            round,
            table: table.clone(),
            state,
            hits,
        }
    }

    /// A state before the block, and what the block alone would make of the words it is expected
    /// to come in.
    fn candidate(
        &self,
        threat: &Threat,
        place: &Place,
        round: usize,
        fill: &mut Fill,
    ) -> Candidate {
        let p2 = &self.instance.permutation;
        let field = &self.instance.field;
        let width = p2.width();
        let style = fill.below(5);
        let mut state: Vec<u64> = (0..width)
            .map(|_| choice::residue(&self.instance.field, style, fill))
            .collect();
        let element = if threat.block == 1 {
            fill.index(width)
        } else {
            0
        };
        let visit = Visit {
            block: threat.block,
            round,
            element,
        };
        let forms: Option<Vec<&Vec<u64>>> = threat
            .operands
            .iter()
            .map(|v| self.forms[threat.block][v.index()].as_ref())
            .collect();
        if let Some(candidate) = self.lead(threat, place, visit, &state, fill) {
            return candidate;
        }
        let targets = choice::targets(&self.instance.field, threat, fill);
        match forms {
            Some(forms) if threat.block != 1 => {
                solve::bend(p2, &mut state, &forms, targets, fill);
                if threat.block == 2 {
                    state[0] = self.before_sbox(place, round, state[0]);
                }
            }
            _ => {
                let constant = match threat.block {
                    1 => place.words.external[round][element],
                    _ => place.words.internal[round],
                };
                let shift = if fill.below(2) == 0 {
                    0
                } else {
                    field.modulus - constant % field.modulus
                };
                state[element] = p2.add(targets.0, shift);
            }
        }
        let free = threat.block == 0 && round == 0;
        let words: Vec<u64> = state
            .iter()
            .enumerate()
            .map(|(i, x)| self.word(visit, i, *x, free && fill.below(2) == 0))
            .collect();
        let inputs: Vec<u64> = match threat.block {
            0 => words.clone(),
            1 => vec![words[element], place.words.external[round][element]],
            _ => words
                .iter()
                .copied()
                .chain([place.words.internal[round]])
                .collect(),
        };
        let values = self.machine.trace(threat.block, &inputs);
        let block = &self.program.blocks[threat.block];
        let distance = threat.distance(self.field, block, &values);
        Candidate {
            visit,
            start: (visit.block, round),
            state,
            input: free.then_some(words),
            distance,
        }
    }

    /// Element 0 before an internal round whose S-box gives this word.
    fn before_sbox(&self, place: &Place, round: usize, output: u64) -> u64 {
        let p2 = &self.instance.permutation;
        let field = &self.instance.field;
        let x = p2.pow(field.decode(output), self.root);
        let c = field.decode(place.words.internal[round]);
        field.encode(p2.add(x, field.modulus - c))
    }

    /// For a site that reads element 0 where the round before makes it by a subtraction: a low
    /// residue leaves a subtraction as itself plus p only if the minuend came in so and the
    /// subtrahend is small, so those two are chosen, one round earlier.
    fn lead(
        &self,
        threat: &Threat,
        place: &Place,
        visit: Visit,
        state: &[u64],
        fill: &mut Fill,
    ) -> Option<Candidate> {
        let field = &self.instance.field;
        let block = &self.program.blocks[2];
        let maker = block.definition(block.outputs[0])?;
        let reads = self.forms[2]
            .get(threat.operands[0].index())
            .is_some_and(Option::is_none);
        let montgomery = field.montgomery_bits > 0;
        if visit.block != 2 || visit.round == 0 || !reads || maker.op != MacroOp::Sub || montgomery
        {
            return None;
        }
        let round = visit.round - 1;
        let forms: Option<Vec<&Vec<u64>>> = maker
            .operands
            .iter()
            .map(|v| self.forms[2][v.index()].as_ref())
            .collect();
        let band = 0_u64.wrapping_sub(field.modulus);
        let targets = (band - 1 - fill.below(1 << 16), fill.below(1 << 16));
        let mut state = state.to_vec();
        solve::bend(
            &self.instance.permutation,
            &mut state,
            &forms?,
            targets,
            fill,
        );
        state[0] = self.before_sbox(place, round, state[0]);
        let earlier = Visit { round, ..visit };
        let words = state
            .iter()
            .enumerate()
            .map(|(i, x)| self.word(earlier, i, *x, false));
        let inputs: Vec<u64> = words.chain([place.words.internal[round]]).collect();
        let values = self.machine.trace(2, &inputs);
        let mut inputs: Vec<u64> = block.outputs.iter().map(|v| values[v.index()]).collect();
        inputs.push(place.words.internal[visit.round]);
        let values = self.machine.trace(2, &inputs);
        let distance = threat.distance(self.field, block, &values);
        Some(Candidate {
            visit,
            start: (2, round),
            state,
            input: None,
            distance,
        })
    }

    /// The word in which a residue is expected to arrive: sums and products of random words come
    /// out as residue + p where that fits, differences do not.
    fn word(&self, visit: Visit, element: usize, residue: u64, canonical: bool) -> u64 {
        let field = &self.instance.field;
        let first = visit.round == 0;
        let half = self.instance.permutation.external.len() / 2;
        let maker = match visit.block {
            0 if first => None,
            0 => Some((1, 0)),
            1 if visit.round == half => Some((2, element)),
            2 if !first => Some((2, element)),
            _ => Some((0, element)),
        };
        let lazy = maker.is_none_or(|(block, output)| {
            let block = &self.program.blocks[block];
            let made = block.definition(block.outputs[output]);
            !matches!(
                made.map(|o| o.op),
                Some(MacroOp::Sub | MacroOp::Canonicalise)
            )
        });
        let fits = field.montgomery_bits == 0 && residue < 0_u64.wrapping_sub(field.modulus);
        if lazy && fits && !canonical {
            residue + field.modulus
        } else {
            residue
        }
    }

    /// Where random-looking words never hit: constants chosen so that the state stays zero until
    /// an internal round whose S-box gives a low residue.
    pub(super) fn quietly(&self, threat: &Threat, found: &mut Vec<Directed>) {
        let lacking = VECTORS.saturating_sub(found.iter().filter(|v| v.hits).count());
        if lacking == 0 || threat.block != 2 || !matches!(threat.kind, Kind::Missing(..)) {
            return;
        }
        let p2 = &self.instance.permutation;
        let mut fill = Fill::new(lacking as u64);
        let mut quiet = Vec::new();
        for n in 0..lacking {
            let round = n % p2.internal.len();
            let band = 0_u64.wrapping_sub(p2.modulus).min(p2.modulus);
            let before_sbox = p2.pow(fill.below(band), self.root);
            let table = place::quiet(self.instance, round, before_sbox);
            let words = Words::of(&self.instance.field, &table);
            let visit = Visit {
                block: 2,
                round,
                element: 0,
            };
            let state = vec![0; p2.width()];
            let vector = self.traced(threat, &Arc::new(table), &words, visit, state);
            quiet.extend(vector.hits.then_some(vector));
        }
        let keep = VECTORS.saturating_sub(quiet.len());
        let mut others = 0;
        found.retain(|v| {
            v.hits || {
                others += 1;
                others <= keep
            }
        });
        found.extend(quiet);
    }
}
