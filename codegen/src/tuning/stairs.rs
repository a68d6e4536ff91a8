//! Whether a kernel that permutes more states in a call is worth using.

use super::Figure;

/// By how much a larger kernel must be faster than all smaller ones to be worth its text: less is no
/// claim (docs/measuring.md).
pub const MARGIN: f64 = 0.03;

/// Whether one time and spread is surely less than another: by the margin, and so that the intervals
/// of the middle half of their samples do not meet.
#[must_use]
pub fn faster((time, spread): (f64, f64), (other, others): (f64, f64)) -> bool {
    let (high, low) = (time * (1.0 + spread / 2.0), other * (1.0 - others / 2.0));
    time < other * (1.0 - MARGIN) && high < low
}

impl Figure {
    /// Time and spread.
    #[must_use]
    pub const fn timing(&self) -> (f64, f64) {
        (self.time, self.spread)
    }
}

/// Indices of the figures that are worth having, smallest kernel first: of those that permute as many
/// states the fastest, if it is surely [`faster`] for a permutation than all smaller ones.
#[must_use]
pub fn stairs<'a>(figures: impl IntoIterator<Item = &'a Figure>) -> Vec<usize> {
    let mut sorted: Vec<(usize, &Figure)> = figures.into_iter().enumerate().collect();
    sorted.sort_by(|(_, a), (_, b)| (a.states.cmp(&b.states)).then(a.time.total_cmp(&b.time)));
    // The first of a size is its fastest.
    sorted.dedup_by_key(|(_, figure)| figure.states);
    let mut kept: Vec<(usize, &Figure)> = Vec::new();
    for (index, figure) in sorted {
        // It is faster than the last one, and so than all before that.
        if kept
            .last()
            .is_none_or(|(_, last)| faster(figure.timing(), last.timing()))
        {
            kept.push((index, figure));
        }
    }
    kept.into_iter().map(|(index, _)| index).collect()
}
