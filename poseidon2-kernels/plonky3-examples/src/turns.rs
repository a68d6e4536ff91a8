//! Contestants that take turns, so that what slows the machine down slows all of them.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// One of those that are compared: what it makes, and how long that took.
pub struct Contestant<'a, T> {
    name: &'static str,
    run: Box<dyn FnMut() -> (T, Duration) + 'a>,
    times: Vec<Duration>,
}

impl<'a, T> Contestant<'a, T> {
    /// `prepare` is not timed; what it makes is given to `run`, which is.
    pub fn new<S>(
        name: &'static str,
        mut prepare: impl FnMut() -> S + 'a,
        mut run: impl FnMut(S) -> T + 'a,
    ) -> Self {
        let run = move || {
            let prepared = prepare();
            let start = Instant::now();
            let result = run(prepared);
            (result, start.elapsed())
        };
        Self {
            name,
            run: Box::new(run),
            times: Vec::new(),
        }
    }

    /// Quartiles of its times, in milliseconds.
    fn quartiles(&self) -> [f64; 3] {
        let mut times: Vec<f64> = self.times.iter().map(|t| t.as_secs_f64() * 1e3).collect();
        times.sort_by(f64::total_cmp);
        [1, 2, 3].map(|n| times.get(n * times.len() / 4).copied().unwrap_or(f64::NAN))
    }
}

/// Lets contestants take turns, after one turn each that does not count; their times as a table, and
/// what they made. The first one is what the others are compared with.
///
/// # Errors
/// If a contestant makes something else than another one, or than before.
pub fn compare<T: PartialEq>(
    contestants: &mut [Contestant<'_, T>],
    rounds: usize,
) -> Result<(String, T), String> {
    let turns = (rounds + 1) * contestants.len();
    let style = ProgressStyle::with_template("{msg:24} {wide_bar} {pos}/{len}  {eta} left")
        .unwrap_or_else(|_| ProgressStyle::default_bar());
    let bar = ProgressBar::new(turns as u64).with_style(style);
    let mut made = None;
    for round in 0..=rounds {
        for turn in 0..contestants.len() {
            // Each is the first of a round in its turn.
            let index = (turn + round) % contestants.len();
            let contestant = &mut contestants[index];
            bar.set_message(contestant.name);
            let (result, time) = (contestant.run)();
            match &made {
                None => made = Some(result),
                Some(made) if *made == result => {}
                Some(_) => return Err(format!("{} made something else", contestant.name)),
            }
            if round > 0 {
                contestant.times.push(time);
            }
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    let made = made.ok_or("nobody took part")?;
    Ok((table(contestants), made))
}

fn table<T>(contestants: &[Contestant<'_, T>]) -> String {
    let base = contestants.first().map_or("", |first| first.name);
    let mut table = format!(
        "{:24} {:>10}  {:>21}  of {base}'s time\n",
        "", "median", "quartiles"
    );
    let mut first = None;
    for contestant in contestants {
        let [low, median, high] = contestant.quartiles();
        let ratio = median / *first.get_or_insert(median);
        let name = contestant.name;
        // Writing to a `String` does not fail.
        let _ = writeln!(
            table,
            "{name:24} {median:>7.1} ms  {low:>8.1} – {high:>7.1} ms  {ratio:.3}"
        );
    }
    table
}
