//! The measuring process: one build, one instruction set, every match of it in turns.

use std::collections::HashMap;
use std::time::Instant;

use crate::arena::{Match, Pair, matches, packed_states};
use crate::contestant::Contestant;
use crate::plan::{Demand, SAMPLE, Sampling, plan};
use crate::protocol::{Event, Finding, Outcome, Request};
use crate::statistics::{Comparison, TURNS};

/// Measures what is asked, and tells what happens.
pub fn run(request: &Request, mut tell: impl FnMut(&Event)) {
    let start = Instant::now();
    let deadline = request.budget.map(|budget| start + budget);
    let matches = matches(&request.isa, &request.filter);
    let demands = demands(&matches, request.seed);
    let mut ranked: Vec<(&Match, Demand)> = matches.iter().zip(demands).collect();
    let places: Vec<usize> = ranked.iter().map(|one| place(one, &ranked)).collect();
    let mut order: Vec<usize> = (0..ranked.len()).collect();
    order.sort_by_key(|index| (ranked[*index].0.cell.shape.rank(), places[*index]));
    ranked = order.into_iter().map(|index| ranked[index]).collect();

    let demands: Vec<Demand> = ranked.iter().map(|(_, demand)| *demand).collect();
    let budget = request.budget;
    let plan = plan(
        &demands,
        budget.map(|budget| budget.saturating_sub(start.elapsed())),
    );
    tell(&Event::Planned {
        packed: packed_states(),
        cells: plan.iter().flatten().count(),
    });
    for ((one, _), sampling) in ranked.into_iter().zip(plan) {
        let finding = match sampling.filter(|_| !is_past(deadline)) {
            None => Finding::OverBudget,
            Some(sampling) => match (one.set_up)(request.seed) {
                None => Finding::Differs,
                Some(mut pair) => measure(&mut pair, sampling, deadline),
            },
        };
        tell(&Event::Done(Outcome {
            cell: one.cell.clone(),
            peer_states: one.peer_states,
            finding,
        }));
    }
}

fn is_past(deadline: Option<Instant>) -> bool {
    deadline.is_some_and(|deadline| Instant::now() > deadline)
}

/// How many do the same faster: where time is short, the fastest kernel of each kind comes first.
fn place((one, demand): &(&Match, Demand), all: &[(&Match, Demand)]) -> usize {
    let kind = |one: &Match| (one.cell.shape, one.cell.field.clone(), one.cell.width);
    let speed = |one: &Match, demand: &Demand| demand.ours / one.permutations.0 as f64;
    let (own_kind, own_speed) = (kind(one), speed(one, demand));
    let faster = all
        .iter()
        .filter(|(other, demand)| kind(other) == own_kind && speed(other, demand) < own_speed);
    faster.count()
}

/// Estimates what runs take, from a short run of each kernel's cheapest match.
fn demands(matches: &[Match], seed: u64) -> Vec<Demand> {
    let mut speeds: HashMap<&str, Demand> = HashMap::new();
    let mut cheapest: Vec<&Match> = matches.iter().collect();
    cheapest.sort_by_key(|one| one.permutations);
    for one in cheapest {
        speeds
            .entry(&one.cell.kernel)
            .or_insert_with(|| speed(one, seed));
    }
    let demand = |one: &Match| {
        let speed = speeds[one.cell.kernel.as_str()];
        Demand {
            ours: speed.ours * one.permutations.0 as f64,
            peer: speed.peer * one.permutations.1 as f64,
        }
    };
    matches.iter().map(demand).collect()
}

/// Seconds per permutation, roughly.
fn speed(one: &Match, seed: u64) -> Demand {
    // A kernel that fails is found out when its turn comes; until then, any guess will do.
    let guess = Demand {
        ours: 1e-6,
        peer: 1e-6,
    };
    (one.set_up)(seed).map_or(guess, |mut pair| Demand {
        ours: seconds(&mut pair.ours),
        peer: seconds(&mut pair.peer),
    })
}

/// Seconds per permutation, of as many runs as the clock sees: where it ticks coarsely, few take no time.
fn seconds(side: &mut Contestant) -> f64 {
    let mut runs = 4;
    loop {
        let each = side.time(runs) / 1e9;
        // A clock that stands still ends it, too.
        if each * (runs * side.permutations) as f64 >= SAMPLE || runs >= 1 << 20 {
            return each;
        }
        runs *= 2;
    }
}

/// Estimates are estimates: when time is up, the turns so far must do, or the cell is given up.
fn measure(pair: &mut Pair, sampling: Sampling, deadline: Option<Instant>) -> Finding {
    let (mut ours, mut peer) = (Vec::new(), Vec::new());
    for index in 0..sampling.turns {
        if is_past(deadline) {
            break;
        }
        // Who goes first changes, so that neither always finds the other's traces.
        let samples = turn(pair, sampling, index % 2 == 0);
        ours.push(samples.0);
        peer.push(samples.1);
    }
    let turns = ours.len();
    let comparison = Comparison::of(&ours, &peer).filter(|_| turns >= TURNS);
    comparison.map_or(Finding::OverBudget, |comparison| Finding::Measured {
        comparison,
        turns,
    })
}

/// Nanoseconds per permutation of one sample of ours and one of the peer.
fn turn(pair: &mut Pair, sampling: Sampling, ours_first: bool) -> (f64, f64) {
    let Pair { ours, peer } = pair;
    let mut ours = || ours.time(sampling.ours);
    let mut peer = || peer.time(sampling.peer);
    if ours_first {
        let ours = ours();
        (ours, peer())
    } else {
        let peer = peer();
        (ours(), peer)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::cell::Filter;

    #[test]
    fn every_scalar_kernel_is_measured_or_over_budget() {
        let request = Request {
            isa: "scalar".to_owned(),
            filter: Filter {
                widths: vec![8],
                shapes: vec!["chain".to_owned(), "merkle-14".to_owned()],
                ..Filter::default()
            },
            seed: 0,
            budget: Some(Duration::ZERO),
        };
        let mut events = Vec::new();
        run(&request, |event| events.push(event.clone()));
        let Some((Event::Planned { cells: 0, .. }, outcomes)) = events.split_first() else {
            panic!("no time must mean no cells");
        };
        assert!(!outcomes.is_empty());
        for event in outcomes {
            let Event::Done(outcome) = event else {
                panic!("planned twice");
            };
            assert_eq!(outcome.finding, Finding::OverBudget, "{:?}", outcome.cell);
        }
    }

    #[test]
    fn a_cell_is_cut_short_only_where_it_has_enough_turns() {
        let filter = Filter {
            widths: vec![8],
            batches: vec![1],
            shapes: vec!["chain".to_owned()],
            ..Filter::default()
        };
        let matches = matches("scalar", &filter);
        let mut pair = (matches[0].set_up)(0).expect("the results agree");
        let sampling = Sampling {
            turns: TURNS,
            ours: 1,
            peer: 1,
        };
        let past = Instant::now().checked_sub(Duration::from_secs(1));
        assert_eq!(measure(&mut pair, sampling, past), Finding::OverBudget);
        let Finding::Measured { turns, comparison } = measure(&mut pair, sampling, None) else {
            panic!("there was time");
        };
        assert_eq!(turns, TURNS);
        assert!(comparison.ratio > 0.0);
    }

    #[test]
    fn scalar_kernels_agree_with_the_peer_in_every_shape() {
        let filter = Filter {
            shapes: ["independent", "chain", "merkle-14"]
                .map(str::to_owned)
                .to_vec(),
            batches: vec![1, 2],
            ..Filter::default()
        };
        let matches = matches("scalar", &filter);
        assert!(!matches.is_empty());
        for one in &matches {
            assert!((one.set_up)(7).is_some(), "{:?}", one.cell);
        }
    }
}
