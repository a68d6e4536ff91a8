//! Whether what a browser showed is right.

use std::fmt;

use serde::Deserialize;

/// Values of a progress bar that are a movement.
const STEPS: usize = 10;

/// What the tabulator key has to reach from the top, in this order.
const CONTROLS: [&str; 3] = ["file", "columns", "sample"];

/// What the page says of its kernels if they are those with vectors.
const VECTORS: &str = "Instruction set of these kernels: wasm.";

/// What was seen of the page.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Seen {
    /// Chromium's.
    pub(super) version: String,
    /// Of each file that was chosen.
    pub(super) outcomes: Vec<Outcome>,
    /// Of the last one, dropped.
    dropped: Outcome,
    /// Of the page's own leaves.
    sample: Outcome,
    /// What the tabulator key reached.
    reached: Vec<String>,
    /// What browsers tell developers: errors, and requests that are not allowed.
    console: Vec<String>,
    /// All that was asked for.
    urls: Vec<String>,
}

/// What the page showed of a file, of both sides: ours and stock Plonky3.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Outcome {
    error: String,
    roots: [String; 2],
    times: [String; 2],
    method: String,
    /// All values that the bars showed.
    progress: [Vec<f64>; 2],
}

impl Seen {
    /// All that is wrong, given what the native program says of the files.
    pub(super) fn faults(&self, native: &[Result<String, String>]) -> Vec<String> {
        let mut faults = Vec::new();
        if self.outcomes.len() != native.len() {
            let (seen, files) = (self.outcomes.len(), native.len());
            faults.push(format!("the page told of {seen} files, not of {files}"));
        }
        let chosen = self.outcomes.iter().zip(native).enumerate();
        let chosen = chosen.map(|(n, both)| (format!("file {}", n + 1), both));
        let dropped = native.last().map(|native| (&self.dropped, native));
        let dropped = dropped.map(|both| ("the last file, dropped".to_owned(), both));
        for (what, (outcome, expected)) in chosen.chain(dropped) {
            let seen = outcome.answer();
            if seen != *expected {
                let (seen, expected) = (told(&seen), told(expected));
                faults.push(format!("{what}: {seen}; natively {expected}"));
            }
        }
        if let Err(error) = self.sample.answer() {
            faults.push(format!("the page's own leaves: {error}"));
        }
        match self.outcomes.first() {
            Some(first) if !first.method.contains(VECTORS) => {
                let method = &first.method;
                faults.push(format!("no kernels with vectors: {method:?}"));
            }
            Some(first) => faults.extend(first.progress.iter().filter_map(|bar| still(bar))),
            None => {}
        }
        if self.reached != CONTROLS {
            faults.push(format!("the tabulator key reached {:?}", self.reached));
        }
        let console = self.console.iter();
        faults.extend(console.map(|line| format!("the console has {line}")));
        let own = |url: &&String| url.starts_with("file:") || url.starts_with("blob:");
        let others = self.urls.iter().filter(|url| !own(url));
        faults.extend(others.map(|url| format!("the page asked for {url}")));
        faults
    }
}

impl Outcome {
    /// The root, or what is wrong with the file.
    fn answer(&self) -> Result<String, String> {
        let [ours, stock] = &self.roots;
        match (self.error.as_str(), ours == stock, ours.is_empty()) {
            ("", true, false) => Ok(ours.clone()),
            ("", ..) => Err(format!("roots {ours:?} and {stock:?}")),
            (error, _, true) => Err(error.to_owned()),
            (error, ..) => Err(format!("{error:?} beside the root {ours:?}")),
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let answer = self.answer();
        f.write_str(&told(&answer))?;
        if answer.is_err() {
            return Ok(());
        }
        let [ours, stock] = &self.times;
        let [one, other] = self.progress.each_ref().map(|bar| distinct(bar));
        write!(
            f,
            "; {ours}, stock {stock}; {one} and {other} values of progress"
        )
    }
}

/// A root, or what is wrong with a file.
fn told(answer: &Result<String, String>) -> String {
    match answer {
        Ok(root) => root.clone(),
        Err(error) => format!("refused: {error}"),
    }
}

/// Values that are not those before them.
fn distinct(bar: &[f64]) -> usize {
    bar.chunk_by(|a, b| a == b).count()
}

/// What is wrong with a progress bar: it moves, never back, and to its end.
fn still(bar: &[f64]) -> Option<String> {
    let moved = bar.is_sorted() && distinct(bar) >= STEPS && bar.last() == Some(&1.0);
    (!moved).then(|| format!("a progress bar showed {bar:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen() -> Seen {
        let outcome = |root: &str, error: &str| Outcome {
            error: error.to_owned(),
            roots: [root, root].map(str::to_owned),
            times: ["1 ms", "2 ms"].map(str::to_owned),
            method: VECTORS.to_owned(),
            progress: [0, 1].map(|_| (0..=10).map(|n| f64::from(n) / 10.0).collect()),
        };
        Seen {
            version: "1".to_owned(),
            outcomes: vec![outcome("ab", ""), outcome("", "there"), outcome("cd", "")],
            dropped: outcome("cd", ""),
            sample: outcome("ef", ""),
            reached: CONTROLS.map(str::to_owned).to_vec(),
            console: Vec::new(),
            urls: vec![
                "file:///page/index.html".to_owned(),
                "blob:null/1".to_owned(),
            ],
        }
    }

    fn native() -> [Result<String, String>; 3] {
        [Ok("ab".into()), Err("there".into()), Ok("cd".into())]
    }

    #[test]
    fn what_is_right_passes() {
        assert_eq!(seen().faults(&native()), [""; 0]);
    }

    #[test]
    fn whatever_is_wrong_is_told() {
        type Change = fn(&mut Seen);
        let wrong: [(&str, Change); 16] = [
            ("of 2 files", |seen| drop(seen.outcomes.pop())),
            ("file 1: 00;", |seen| {
                seen.outcomes[0].roots = ["00", "00"].map(str::to_owned);
            }),
            ("roots \"ab\" and \"00\"", |seen| {
                seen.outcomes[0].roots[1] = "00".to_owned();
            }),
            ("file 2: refused: else;", |seen| {
                seen.outcomes[1].error = "else".to_owned();
            }),
            ("beside the root", |seen| {
                seen.outcomes[1].roots[0] = "00".to_owned();
            }),
            ("roots \"\" and \"\"", |seen| seen.outcomes[1].error.clear()),
            ("dropped", |seen| seen.dropped.roots = Default::default()),
            ("own leaves", |seen| seen.sample.roots[0].clear()),
            ("no kernels with vectors", |seen| {
                seen.outcomes[0].method = "Instruction set of these kernels: scalar.".to_owned();
            }),
            ("progress bar", |seen| seen.outcomes[0].progress[0].clear()),
            ("progress bar", |seen| {
                seen.outcomes[0].progress[1] = vec![0.0, 0.5, 1.0];
            }),
            ("progress bar", |seen| {
                seen.outcomes[0].progress[1].reverse();
            }),
            ("progress bar", |seen| {
                seen.outcomes[0].progress[0].push(0.9);
            }),
            ("tabulator", |seen| seen.reached.swap(0, 1)),
            ("console", |seen| seen.console.push("SEVERE: x".to_owned())),
            ("asked for https:", |seen| {
                seen.urls.push("https://example.com/".to_owned());
            }),
        ];
        for (what, change) in wrong {
            let mut seen = seen();
            change(&mut seen);
            let faults = seen.faults(&native());
            assert!(
                faults.iter().any(|fault| fault.contains(what)),
                "{what}: {faults:?}"
            );
        }
    }
}
