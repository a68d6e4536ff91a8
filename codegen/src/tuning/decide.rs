//! From figures to what is used.

use super::Figure;

/// By how much a larger kernel must be faster than all smaller ones to be worth its text: less than
/// that, two runs of the same kernel differ by.
pub const MARGIN: f64 = 0.01;

/// Decides which kernels of a cell are used in a shape: of those that permute as many states, the
/// fastest; and that one only if it is faster for each permutation than all smaller ones.
pub fn decide(figures: &mut [Figure]) {
    let stairs = stairs(figures.iter().map(|figure| (figure.states, figure.time)));
    for (index, figure) in figures.iter_mut().enumerate() {
        figure.used = stairs.contains(&index);
    }
    // Largest first, and of as many states the fastest first: the order in which they are tried.
    figures.sort_by(|a, b| {
        (b.states.cmp(&a.states)).then(a.time.total_cmp(&b.time).then(a.kernel.cmp(&b.kernel)))
    });
}

/// Indices of those (states, time) that are faster than all that have fewer states, smallest first.
pub(super) fn stairs(kernels: impl IntoIterator<Item = (usize, f64)>) -> Vec<usize> {
    let mut sorted: Vec<(usize, (usize, f64))> = kernels.into_iter().enumerate().collect();
    sorted.sort_by(|(_, a), (_, b)| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let (mut kept, mut best) = (Vec::new(), f64::INFINITY);
    for (index, (_, time)) in sorted {
        // The first of a size is its fastest; the others are not faster than that one.
        if time < best * (1.0 - MARGIN) {
            kept.push(index);
            best = time;
        }
    }
    kept
}

/// Why a kernel is not used, for people; none if it is.
pub(super) fn why_not(figure: &Figure, all: &[Figure]) -> Option<String> {
    if figure.used {
        return None;
    }
    let used = || all.iter().filter(|other| other.used);
    if let Some(rival) = used().find(|other| other.states == figure.states) {
        return Some(format!("slower than {}", rival.kernel));
    }
    let smaller = used().filter(|other| other.states < figure.states);
    let best = smaller.min_by(|a, b| a.time.total_cmp(&b.time))?;
    let percent = MARGIN * 100.0;
    Some(if figure.time < best.time {
        format!("less than {percent} % faster than {}", best.kernel)
    } else {
        format!("not faster than {}", best.kernel)
    })
}
