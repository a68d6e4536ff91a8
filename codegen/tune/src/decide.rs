//! From figures to what is used.

use codegen::tuning::{Figure, MARGIN, faster, stairs};

/// Decides which kernels of a cell are used for a workload: of those that permute as many states, the
/// fastest; and that one only if it is surely faster for each permutation than all smaller ones.
pub(crate) fn decide(figures: &mut [Figure]) {
    let stairs = stairs(figures.iter());
    for (index, figure) in figures.iter_mut().enumerate() {
        figure.used = stairs.contains(&index);
    }
    // Largest first, and of as many states the fastest first: the order in which they are tried.
    figures.sort_by(|a, b| {
        (b.states.cmp(&a.states)).then(a.time.total_cmp(&b.time).then(a.kernel.cmp(&b.kernel)))
    });
}

/// Why a kernel is not used, for people; none if it is.
pub(crate) fn why_not(figure: &Figure, all: &[Figure]) -> Option<String> {
    if figure.used {
        return None;
    }
    let used = || all.iter().filter(|other| other.used);
    if let Some(rival) = used().find(|other| other.states == figure.states) {
        return Some(format!("slower than {}", rival.kernel));
    }
    let smaller = used().filter(|other| other.states < figure.states);
    let best = smaller.min_by(|a, b| a.time.total_cmp(&b.time))?;
    let kernel = &best.kernel;
    Some(if figure.time >= best.time {
        format!("not faster than {kernel}")
    } else if figure.time >= best.time * (1.0 - MARGIN) {
        format!("less than {} % faster than {kernel}", MARGIN * 100.0)
    } else if !faster(figure.timing(), best.timing()) {
        format!("by its spread not surely faster than {kernel}")
    } else {
        // A faster one of as many states lost, and with it all of them.
        format!("slower than another of {} states", figure.states)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(kernel: &str, states: usize, time: f64, spread: f64) -> Figure {
        Figure {
            kernel: kernel.to_owned(),
            states,
            lanes: 1,
            time,
            ratio: 1.0,
            spread,
            used: false,
        }
    }

    fn decided(mut figures: Vec<Figure>) -> Vec<(String, Option<String>)> {
        decide(&mut figures);
        let all = figures.iter();
        all.map(|f| (f.kernel.clone(), why_not(f, &figures)))
            .collect()
    }

    #[test]
    fn a_larger_kernel_is_used_if_the_intervals_do_not_meet() {
        // 90 ± 4.5 and 100 ± 5 do not meet: 94.5 < 95.
        let apart = [figure("b1", 1, 100.0, 0.1), figure("b2", 2, 90.0, 0.1)];
        assert_eq!(
            decided(apart.to_vec()),
            [("b2".to_owned(), None), ("b1".to_owned(), None)]
        );
        // With a little more of spread on either side they do.
        for (small, large) in [(0.12, 0.1), (0.1, 0.12)] {
            let meet = vec![figure("b1", 1, 100.0, small), figure("b2", 2, 90.0, large)];
            let why = "by its spread not surely faster than b1".to_owned();
            assert_eq!(decided(meet)[0], ("b2".to_owned(), Some(why)));
        }
    }

    #[test]
    fn without_spread_the_margin_decides() {
        let pair = |time| vec![figure("b1", 1, 100.0, 0.0), figure("b2", 2, time, 0.0)];
        assert_eq!(decided(pair(96.9))[0].1, None);
        let why = |time| decided(pair(time))[0].1.clone().unwrap();
        assert_eq!(why(97.1), "less than 3 % faster than b1");
        assert_eq!(why(101.0), "not faster than b1");
    }

    #[test]
    fn a_size_whose_fastest_is_not_sure_has_no_other() {
        let figures = vec![
            figure("b1", 1, 100.0, 0.02),
            figure("noisy_b2", 2, 80.0, 0.9),
            figure("b2", 2, 82.0, 0.02),
            figure("b4", 4, 81.0, 0.02),
        ];
        let told = decided(figures);
        let used: Vec<_> = told.iter().filter(|(_, why)| why.is_none()).collect();
        assert_eq!(used.len(), 2, "{told:?}");
        assert_eq!(told[0], ("b4".to_owned(), None));
        assert!(told[1].1.as_ref().unwrap().contains("not surely faster"));
        assert_eq!(
            told[2].1.as_deref(),
            Some("slower than another of 2 states")
        );
    }

    #[test]
    fn a_larger_kernel_must_be_faster_than_all_smaller_ones() {
        let figures = vec![
            figure("columns_b4", 16, 260.0, 0.02),
            figure("columns_b2", 8, 250.0, 0.02),
            figure("b2", 8, 500.0, 0.02),
            figure("columns_b1", 4, 300.0, 0.02),
        ];
        let told = decided(figures);
        let why: Vec<_> = told.iter().map(|(_, why)| why.as_deref()).collect();
        let expected = [
            Some("not faster than columns_b2"),
            None,
            Some("slower than columns_b2"),
            None,
        ];
        assert_eq!(why, expected);
    }
}
