//! The ledger: kernel by host, how often it was executed. A kernel that did not run is not a
//! kernel that passed.

use std::collections::BTreeMap;
use std::fmt;

use codegen::kernel::KernelInfo;
use serde::Serialize;

use super::kernels::{Host, Orders};
use super::rows::Rows;
use crate::budget::Code;
use crate::suite::report::{Outcome, Report};

/// What one host did.
#[derive(Debug)]
pub(super) struct Column {
    host: String,
    arch: String,
    reports: BTreeMap<String, Report>,
    codes: BTreeMap<String, Code>,
}

impl Column {
    /// A host's reports and machine code, by kernel.
    pub(super) fn of(host: &Host, reports: Vec<Report>, codes: BTreeMap<String, Code>) -> Self {
        let named = |report: Report| (report.kernel.clone(), report);
        Self {
            host: host.name.clone(),
            arch: host.arch.clone(),
            reports: reports.into_iter().map(named).collect(),
            codes,
        }
    }
}

/// All kernels on all hosts.
#[derive(Debug, Serialize)]
pub(super) struct Ledger {
    seed: u64,
    cases: u32,
    /// The same where kernels are emulated.
    emulated: u32,
    hosts: Vec<String>,
    kernels: Vec<Row>,
    instructions: Rows,
}

#[derive(Debug, Serialize)]
struct Row {
    kernel: String,
    #[serde(skip)]
    eager: bool,
    /// One for each host.
    runs: Vec<Run>,
    /// The kernel's machine code for each host, where it has any.
    code: Vec<Option<Code>>,
    /// Why the kernel counts as not run, where no host ran it.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_run: Option<String>,
}

/// What came of a kernel on a host.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Run {
    /// The host says so.
    Reported(Report),
    /// The kernel is not for this host's architecture.
    OtherArchitecture,
    /// The manifest lists the kernel, but the suite has not been compiled with it.
    Missing,
}

/// What a run counts as.
enum Verdict<'a> {
    /// So many calls.
    Passed(u64),
    /// What is wrong, in a word or two and in a line.
    Failed(&'a str, &'a str),
    NotRun(&'a str),
    Elsewhere,
}

impl Run {
    fn verdict(&self) -> Verdict<'_> {
        let missing = "listed in the manifest, but not compiled in";
        match self {
            Self::OtherArchitecture => Verdict::Elsewhere,
            Self::Missing => Verdict::Failed("not compiled in", missing),
            Self::Reported(report) => match &report.outcome {
                Outcome::Passed => Verdict::Passed(report.executions),
                Outcome::Failed(failure) => Verdict::Failed(&failure.check, &failure.problem),
                Outcome::Died(reason) => Verdict::Failed("died", reason),
                Outcome::NotRun(reason) => Verdict::NotRun(reason),
            },
        }
    }

    fn cell(&self) -> String {
        match self.verdict() {
            Verdict::Passed(calls) => format!("{calls} calls"),
            Verdict::Failed(what, _) => format!("FAILED ({what})"),
            Verdict::NotRun(reason) => format!("not run: {reason}"),
            Verdict::Elsewhere => "-".to_owned(),
        }
    }
}

impl Ledger {
    /// Joins what should be there with what ran.
    pub(super) fn new(
        manifest: &[KernelInfo],
        columns: Vec<Column>,
        instructions: Rows,
        orders: &Orders,
    ) -> Self {
        let mut names: Vec<String> = manifest.iter().map(|listed| listed.name.clone()).collect();
        // Kernels that are compiled in but not listed would otherwise escape notice.
        let unlisted = columns.iter().flat_map(|column| column.reports.keys());
        names.extend(unlisted.cloned());
        names.sort();
        names.dedup();
        let hosts = columns.iter().map(|column| column.host.clone()).collect();
        let row = |kernel: String| {
            let listed = manifest.iter().find(|listed| listed.name == kernel);
            let arch = listed.and_then(|listed| listed.target_arch.as_deref());
            let run = |column: &Column| match column.reports.get(&kernel) {
                Some(report) => Run::Reported(report.clone()),
                None if listed.is_some_and(|listed| !listed.is_for(&column.arch)) => {
                    Run::OtherArchitecture
                }
                None => Run::Missing,
            };
            let runs: Vec<_> = columns.iter().map(run).collect();
            let nowhere = runs.iter().all(|run| matches!(run, Run::OtherArchitecture));
            let not_run = arch.filter(|_| nowhere);
            Row {
                eager: listed.is_some_and(|listed| listed.strategy == "eager"),
                not_run: not_run.map(|arch| format!("no {arch} host took part")),
                code: columns
                    .iter()
                    .map(|column| column.codes.get(&kernel).copied())
                    .collect(),
                kernel,
                runs,
            }
        };
        Self {
            seed: orders.seed,
            cases: orders.cases,
            emulated: orders.emulated,
            hosts,
            kernels: names.into_iter().map(row).collect(),
            instructions,
        }
    }

    /// The ledger as JSON.
    pub(super) fn json(&self) -> std::io::Result<String> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }

    fn runs(&self) -> impl Iterator<Item = (&Row, &str, &Run)> {
        self.kernels.iter().flat_map(|row| {
            let runs = self.hosts.iter().zip(&row.runs);
            runs.map(move |(host, run)| (row, host.as_str(), run))
        })
    }

    fn codes(&self) -> impl Iterator<Item = (&Row, &str, &Code)> {
        self.kernels.iter().flat_map(|row| {
            let codes = self.hosts.iter().zip(&row.code);
            codes.filter_map(move |(host, code)| Some((row, host.as_str(), code.as_ref()?)))
        })
    }

    /// Whether no kernel ran.
    pub(super) fn is_idle(&self) -> bool {
        let [passed, failed, _] = self.counts();
        passed + failed == 0
    }

    /// Runs that passed, failed, and were not.
    fn counts(&self) -> [usize; 3] {
        let mut counts = [0; 3];
        for (_, _, run) in self.runs() {
            match run.verdict() {
                Verdict::Passed(_) => counts[0] += 1,
                Verdict::Failed(..) => counts[1] += 1,
                Verdict::NotRun(_) => counts[2] += 1,
                Verdict::Elsewhere => {}
            }
        }
        counts[2] += self
            .kernels
            .iter()
            .filter(|row| row.not_run.is_some())
            .count();
        counts
    }

    /// Every failure in full.
    pub(super) fn failures(&self) -> Vec<String> {
        let failure = |(row, host, run): (&Row, &str, &Run)| match run {
            Run::Reported(Report {
                outcome: Outcome::Failed(failure),
                ..
            }) => Some(format!("{} on {host}\n{failure}", row.kernel)),
            _ => None,
        };
        self.runs().filter_map(failure).collect()
    }

    /// Every failure in a line.
    pub(super) fn problems(&self) -> Vec<String> {
        let problem = |(row, host, run): (&Row, &str, &Run)| match run.verdict() {
            Verdict::Failed(_, problem) => Some(format!("{} on {host}: {problem}", row.kernel)),
            _ => None,
        };
        let excess = self.codes().filter_map(|(row, host, code)| {
            let excess = code.excess(row.eager)?;
            Some(format!("{} on {host}: {excess}", row.kernel))
        });
        let kernels = self.runs().filter_map(problem).chain(excess);
        kernels.chain(self.instructions.problems()).collect()
    }
}

impl fmt::Display for Ledger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines = vec![vec!["kernel".to_owned()]];
        lines[0].extend(self.hosts.iter().cloned());
        for row in &self.kernels {
            let mut line = vec![row.kernel.clone()];
            line.extend(row.runs.iter().map(Run::cell));
            if let (Some(reason), Some(last)) = (&row.not_run, line.last_mut()) {
                *last = format!("not run: {reason}");
            }
            lines.push(line);
        }
        let width = |column: usize| {
            let cells = lines.iter().filter_map(|line| line.get(column));
            cells.map(String::len).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..=self.hosts.len()).map(width).collect();
        for line in &lines {
            let mut text = String::new();
            for (cell, width) in line.iter().zip(&widths) {
                text += &format!("{cell:<width$}  ");
            }
            writeln!(f, "{}", text.trim_end())?;
        }
        if let Some((row, host, code)) = self.codes().max_by_key(|(_, _, code)| code.text) {
            let kernel = &row.kernel;
            writeln!(f, "largest text: {} bytes, {kernel} on {host}", code.text)?;
        }
        write!(f, "{}", self.instructions)?;
        let [passed, failed, not_run] = self.counts();
        write!(
            f,
            "{} kernels: {passed} runs passed, {failed} failed, {not_run} not run; \
             {} random cases each ({} where emulated), seed {}",
            self.kernels.len(),
            self.cases,
            self.emulated,
            self.seed,
        )
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::super::candidates::kernel as listed;
    use super::super::cli::Cli;
    use super::*;

    fn report(kernel: &str, outcome: Outcome) -> Report {
        Report {
            kernel: kernel.to_owned(),
            outcome,
            executions: 12,
            checks: BTreeMap::new(),
            seconds: 0.0,
        }
    }

    fn orders() -> Orders {
        let cli = Cli::parse_from(["verify", "--seed", "7", "--cases", "10"]);
        Orders::new(&cli.runs, Vec::new())
    }

    #[test]
    fn every_listed_kernel_has_a_line() {
        let manifest = [
            listed("a_scalar", None),
            listed("b_avx512", Some("x86_64")),
            listed("c_avx2", Some("x86_64")),
            listed("d_neon", Some("aarch64")),
            listed("e_scalar", None),
        ];
        let lacks = Outcome::NotRun("CPU lacks avx512f".to_owned());
        let died = Outcome::Died("killed by SIGSEGV".to_owned());
        let reports = vec![
            report("a_scalar", Outcome::Passed),
            report("b_avx512", lacks),
            report("c_avx2", died),
        ];
        let orders = orders();
        let ledger = Ledger::new(
            &manifest,
            vec![Column::of(
                &Host::named("x86_64 (native)", "x86_64"),
                reports,
                BTreeMap::new(),
            )],
            Rows::default(),
            &orders,
        );
        let expected = "\
kernel    x86_64 (native)
a_scalar  12 calls
b_avx512  not run: CPU lacks avx512f
c_avx2    FAILED (died)
d_neon    not run: no aarch64 host took part
e_scalar  FAILED (not compiled in)
5 kernels: 1 runs passed, 2 failed, 2 not run; 10 random cases each (10 where emulated), seed 7";
        assert_eq!(ledger.to_string(), expected);
        let problems = [
            "c_avx2 on x86_64 (native): killed by SIGSEGV",
            "e_scalar on x86_64 (native): listed in the manifest, but not compiled in",
        ];
        assert_eq!(ledger.problems(), problems);
        assert!(!ledger.is_idle());
    }

    #[test]
    fn a_ledger_of_kernels_that_cannot_run_is_idle() {
        let manifest = [
            listed("b_avx512", Some("x86_64")),
            listed("d_neon", Some("aarch64")),
        ];
        let lacks = Outcome::NotRun("CPU lacks avx512f".to_owned());
        let host = Host::named("x86_64 (native)", "x86_64");
        let column = Column::of(&host, vec![report("b_avx512", lacks)], BTreeMap::new());
        let orders = orders();
        assert!(Ledger::new(&manifest, vec![column], Rows::default(), &orders).is_idle());
    }
}
