//! How to spend limited time: which cells to measure, and how often.

use std::time::Duration;

use crate::statistics::TURNS;

/// A sample takes at least this long, in seconds: a thousand times the clock's own cost.
pub const SAMPLE: f64 = 1e-3;

/// More turns than this tell nothing new.
const ENOUGH: usize = 101;

/// What one run of each contestant of a cell takes, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Demand {
    /// Ours.
    pub ours: f64,
    /// The peer.
    pub peer: f64,
}

/// How a cell is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sampling {
    /// Samples of each side.
    pub turns: usize,
    /// Runs of ours in a sample.
    pub ours: u64,
    /// Runs of the peer in a sample.
    pub peer: u64,
}

impl Demand {
    fn sampling(self, turns: usize) -> Sampling {
        let runs = |run: f64| (SAMPLE / run.max(1e-9)).ceil().max(1.0) as u64;
        Sampling {
            turns,
            ours: runs(self.ours),
            peer: runs(self.peer),
        }
    }

    /// Seconds that `sampling` takes, with a turn for setting up.
    fn cost(self, sampling: Sampling) -> f64 {
        let turn = sampling.ours as f64 * self.ours + sampling.peer as f64 * self.peer;
        (sampling.turns + 1) as f64 * turn
    }
}

/// Decides for each demand, the more important ones coming first: `None`, where the least number
/// of turns no longer fits into the budget. Time that is left over buys more turns.
#[must_use]
pub fn plan(demands: &[Demand], budget: Option<Duration>) -> Vec<Option<Sampling>> {
    let Some(budget) = budget else {
        return demands
            .iter()
            .map(|demand| Some(demand.sampling(ENOUGH)))
            .collect();
    };
    let budget = budget.as_secs_f64();
    let mut spent = 0.0;
    let mut accept = |demand: &Demand| {
        let cost = demand.cost(demand.sampling(TURNS));
        let fits = spent + cost <= budget;
        spent += if fits { cost } else { 0.0 };
        fits
    };
    let accepted: Vec<bool> = demands.iter().map(&mut accept).collect();
    let affordable = TURNS as f64 * (budget / spent).min(ENOUGH as f64);
    // An odd number has a median among the samples.
    let turns = ((affordable as usize).saturating_sub(1) | 1).clamp(TURNS, ENOUGH);
    let decide = |(demand, accepted): (&Demand, bool)| accepted.then(|| demand.sampling(turns));
    demands.iter().zip(accepted).map(decide).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn demand(milliseconds: f64) -> Demand {
        let seconds = milliseconds / 1e3;
        Demand {
            ours: seconds,
            peer: seconds,
        }
    }

    fn cost(demands: &[Demand], plan: &[Option<Sampling>]) -> f64 {
        let pairs = demands.iter().zip(plan);
        pairs
            .filter_map(|(demand, sampling)| sampling.map(|s| demand.cost(s)))
            .sum()
    }

    #[test]
    fn short_runs_are_repeated_until_the_clock_sees_them() {
        let plan = plan(&[demand(0.01), demand(50.0)], None);
        let runs: Vec<_> = plan.iter().flatten().map(|s| (s.ours, s.turns)).collect();
        assert_eq!(runs, [(100, ENOUGH), (1, ENOUGH)]);
    }

    #[test]
    fn the_budget_is_kept_and_the_important_comes_first() {
        let demands = [demand(1.0), demand(1.0), demand(1000.0), demand(1.0)];
        let plan = plan(&demands, Some(Duration::from_secs(1)));
        let measured: Vec<_> = plan.iter().map(Option::is_some).collect();
        assert_eq!(measured, [true, true, false, true]);
        assert!(cost(&demands, &plan) <= 1.0);
    }

    #[test]
    fn nobody_gets_fewer_turns_than_a_claim_needs() {
        for seconds in [1, 2, 5, 10, 60, 600] {
            let demands: Vec<_> = (1..40).map(|n| demand(f64::from(n))).collect();
            let budget = Duration::from_secs(seconds);
            let plan = plan(&demands, Some(budget));
            assert!(cost(&demands, &plan) <= budget.as_secs_f64());
            for sampling in plan.iter().flatten() {
                assert!((TURNS..=ENOUGH).contains(&sampling.turns));
                assert_eq!(sampling.turns % 2, 1);
            }
        }
    }

    #[test]
    fn time_left_over_buys_turns() {
        let plan = plan(&[demand(1.0)], Some(Duration::from_millis(100)));
        assert!(plan[0].is_some_and(|sampling| sampling.turns > TURNS));
    }

    #[test]
    fn no_time_is_no_measurement() {
        assert_eq!(plan(&[demand(1.0)], Some(Duration::ZERO)), [None]);
        assert_eq!(plan(&[], Some(Duration::ZERO)), []);
    }
}
