//! Statistics of a set of samples, and of two that took turns.

use serde::{Deserialize, Serialize};

/// Turns that each contestant takes at least.
pub const TURNS: usize = 21;

/// The spread above which nothing is claimed.
pub const NOISE: f64 = 0.03;

/// The middle of a set of samples and the interval of its middle half.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// The first quartile.
    pub low: f64,
    /// The median.
    pub median: f64,
    /// The third quartile.
    pub high: f64,
}

impl Summary {
    /// Of at least one sample.
    #[must_use]
    pub fn of(samples: &[f64]) -> Option<Self> {
        let mut sorted = samples.to_vec();
        sorted.sort_by(f64::total_cmp);
        let last = sorted.len().checked_sub(1)?;
        // Linear interpolation between neighbours.
        let quantile = |quarters: usize| {
            let (at, part) = (last * quarters / 4, last * quarters % 4);
            let next = sorted[(at + 1).min(last)];
            sorted[at] + (next - sorted[at]) * part as f64 / 4.0
        };
        Some(Self {
            low: quantile(1),
            median: quantile(2),
            high: quantile(3),
        })
    }

    /// The width of the interval, as a part of the median.
    #[must_use]
    pub fn spread(&self) -> f64 {
        if self.high == self.low {
            return 0.0;
        }
        (self.high - self.low) / self.median
    }

    /// Whether the intervals have a value in common.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.low <= other.high && other.low <= self.high
    }
}

/// What a comparison allows to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Ours is faster: the intervals are apart and narrow.
    Win,
    /// Ours is slower, as certainly.
    Loss,
    /// The intervals overlap: neither is faster.
    Overlap,
    /// The intervals are apart, but too wide for a claim.
    Noisy,
}

/// Two that took turns, in nanoseconds per permutation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// Ours.
    pub ours: Summary,
    /// The peer.
    pub peer: Summary,
    /// How often ours fits into the time of the peer: the median over turns.
    pub ratio: f64,
    /// The wider one of the two spreads.
    pub spread: f64,
}

impl Comparison {
    /// Of samples in the order of turns. None: there are none, one side lacks some, or one took no time,
    /// as a coarse clock tells it.
    #[must_use]
    pub fn of(ours: &[f64], peer: &[f64]) -> Option<Self> {
        let timed = |samples: &[f64]| samples.iter().all(|sample| *sample > 0.0);
        if ours.len() != peer.len() || !timed(ours) || !timed(peer) {
            return None;
        }
        // A turn's two samples are neighbours in time, so that what slows the machine for longer
        // than a turn slows both.
        let ratios: Vec<f64> = ours.iter().zip(peer).map(|(o, p)| p / o).collect();
        let (ours, peer) = (Summary::of(ours)?, Summary::of(peer)?);
        Some(Self {
            ours,
            peer,
            ratio: Summary::of(&ratios)?.median,
            spread: ours.spread().max(peer.spread()),
        })
    }

    /// What it allows to say.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        if self.ours.overlaps(&self.peer) {
            Verdict::Overlap
        } else if self.spread >= NOISE {
            Verdict::Noisy
        } else if self.ours.median < self.peer.median {
            Verdict::Win
        } else {
            Verdict::Loss
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(low: f64, median: f64, high: f64) -> Summary {
        Summary { low, median, high }
    }

    #[test]
    fn quartiles_of_known_samples() {
        assert_eq!(Summary::of(&[]), None);
        assert_eq!(Summary::of(&[7.0]), Some(summary(7.0, 7.0, 7.0)));
        let shuffled = [5.0, 1.0, 4.0, 2.0, 3.0];
        assert_eq!(Summary::of(&shuffled), Some(summary(2.0, 3.0, 4.0)));
        let even = [1.0, 2.0, 3.0, 4.0];
        assert_eq!(Summary::of(&even), Some(summary(1.75, 2.5, 3.25)));
        assert_eq!(summary(9.0, 10.0, 11.0).spread(), 0.2);
    }

    #[test]
    fn intervals_that_touch_overlap() {
        let a = summary(1.0, 2.0, 3.0);
        assert!(a.overlaps(&summary(3.0, 4.0, 5.0)));
        assert!(summary(3.0, 4.0, 5.0).overlaps(&a));
        assert!(a.overlaps(&summary(1.5, 2.0, 2.5)));
        assert!(!a.overlaps(&summary(3.1, 4.0, 5.0)));
    }

    /// `turns` samples around `middle`, as far as `noise` of it to each side.
    fn samples(middle: f64, noise: f64, turns: usize) -> Vec<f64> {
        let place = |turn: usize| turn as f64 / (turns - 1) as f64 * 2.0 - 1.0;
        (0..turns)
            .map(|turn| middle * (1.0 + noise * place(turn)))
            .collect()
    }

    fn compare(ours: (f64, f64), peer: (f64, f64)) -> Comparison {
        let [ours, peer] = [ours, peer].map(|(middle, noise)| samples(middle, noise, TURNS));
        Comparison::of(&ours, &peer).expect("as many on both sides")
    }

    #[test]
    fn a_win_needs_intervals_that_are_apart() {
        let win = compare((100.0, 0.01), (150.0, 0.01));
        assert_eq!(win.verdict(), Verdict::Win);
        assert!((win.ratio - 1.5).abs() < 1e-9);
        assert_eq!(
            compare((150.0, 0.01), (100.0, 0.01)).verdict(),
            Verdict::Loss
        );
        // Faster by the medians alone.
        let overlap = compare((100.0, 0.02), (101.0, 0.02));
        assert!(overlap.ratio > 1.0);
        assert_eq!(overlap.verdict(), Verdict::Overlap);
    }

    #[test]
    fn a_win_needs_narrow_intervals() {
        let noisy = compare((100.0, 0.05), (200.0, 0.001));
        assert!(!noisy.ours.overlaps(&noisy.peer));
        assert_eq!(noisy.verdict(), Verdict::Noisy);
    }

    #[test]
    fn what_slows_both_for_a_while_is_not_in_the_ratio() {
        let slow = |turn: usize| if turn < 5 { 3.0 } else { 1.0 };
        let ours: Vec<f64> = (0..TURNS).map(|turn| 100.0 * slow(turn)).collect();
        let peer: Vec<f64> = (0..TURNS).map(|turn| 130.0 * slow(turn)).collect();
        let comparison = Comparison::of(&ours, &peer).expect("as many on both sides");
        assert!((comparison.ratio - 1.3).abs() < 1e-9);
    }

    #[test]
    fn sides_of_different_lengths_are_not_compared() {
        assert_eq!(Comparison::of(&[1.0], &[1.0, 2.0]), None);
        assert_eq!(Comparison::of(&[], &[]), None);
        // Nor are those that the clock did not see.
        assert_eq!(Comparison::of(&[0.0, 1.0], &[1.0, 1.0]), None);
        assert_eq!(Comparison::of(&[1.0], &[0.0]), None);
    }
}
