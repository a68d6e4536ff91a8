//! The ledger: kernel by host, how often it was executed. A kernel that did not run is not a
//! kernel that passed.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use super::kernels::Orders;
use super::workspace::Listed;
use crate::suite::report::{Outcome, Report};

/// What one host did.
#[derive(Debug)]
pub(super) struct Column {
    host: String,
    reports: BTreeMap<String, Report>,
}

impl Column {
    /// A host's reports, by kernel.
    pub(super) fn of(host: &str, reports: Vec<Report>) -> Self {
        let named = |report: Report| (report.kernel.clone(), report);
        Self {
            host: host.to_owned(),
            reports: reports.into_iter().map(named).collect(),
        }
    }
}

/// All kernels on all hosts.
#[derive(Debug, Serialize)]
pub(super) struct Ledger {
    seed: u64,
    cases: u32,
    hosts: Vec<String>,
    kernels: Vec<Row>,
}

#[derive(Debug, Serialize)]
struct Row {
    kernel: String,
    /// One report for each host; none where the kernel is not for the host's architecture.
    runs: Vec<Option<Report>>,
    /// Why the kernel counts as not run, where no host ran it.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_run: Option<String>,
}

impl Ledger {
    /// Joins what should be there with what ran.
    pub(super) fn new(manifest: &[Listed], columns: Vec<Column>, orders: &Orders) -> Self {
        let mut names: Vec<String> = manifest.iter().map(|listed| listed.name.clone()).collect();
        // Kernels that are compiled in but not listed would otherwise escape notice.
        let unlisted = columns.iter().flat_map(|column| column.reports.keys());
        names.extend(unlisted.cloned());
        names.sort();
        names.dedup();
        let hosts = columns.iter().map(|column| column.host.clone()).collect();
        let row = |kernel: String| {
            let run = |column: &Column| column.reports.get(&kernel).cloned();
            let runs: Vec<_> = columns.iter().map(run).collect();
            let listed = manifest.iter().find(|listed| listed.name == kernel);
            let not_run = match listed.map(|listed| listed.target_arch.as_deref()) {
                _ if runs.iter().any(Option::is_some) => None,
                Some(Some(arch)) => Some(format!("no {arch} host took part")),
                _ => Some("left out".to_owned()),
            };
            Row {
                kernel,
                runs,
                not_run,
            }
        };
        Self {
            seed: orders.seed,
            cases: orders.cases,
            hosts,
            kernels: names.into_iter().map(row).collect(),
        }
    }

    /// The ledger as JSON.
    pub(super) fn json(&self) -> std::io::Result<String> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }

    fn runs(&self) -> impl Iterator<Item = (&str, &Report)> {
        self.kernels.iter().flat_map(|row| {
            let runs = self.hosts.iter().zip(&row.runs);
            runs.filter_map(|(host, run)| Some((host.as_str(), run.as_ref()?)))
        })
    }

    /// Every failure in full.
    pub(super) fn failures(&self) -> Vec<String> {
        let failure = |(host, report): (&str, &Report)| match &report.outcome {
            Outcome::Failed(failure) => Some(format!("{} on {host}\n{failure}", report.kernel)),
            Outcome::Died(reason) => Some(format!("{} on {host}\n{reason}", report.kernel)),
            Outcome::Passed | Outcome::NotRun(_) => None,
        };
        self.runs().filter_map(failure).collect()
    }

    /// Every failure in a line.
    pub(super) fn problems(&self) -> Vec<String> {
        let problem = |(host, report): (&str, &Report)| match &report.outcome {
            Outcome::Failed(failure) => {
                Some(format!("{} on {host}: {}", report.kernel, failure.problem))
            }
            Outcome::Died(reason) => Some(format!("{} on {host}: {reason}", report.kernel)),
            Outcome::Passed | Outcome::NotRun(_) => None,
        };
        self.runs().filter_map(problem).collect()
    }
}

fn cell(run: Option<&Report>) -> String {
    match run.map(|report| (&report.outcome, report)) {
        None => "-".to_owned(),
        Some((Outcome::Passed, report)) => format!("{} calls", report.executions),
        Some((Outcome::Failed(failure), _)) => format!("FAILED ({})", failure.check),
        Some((Outcome::Died(_), _)) => "FAILED (died)".to_owned(),
        Some((Outcome::NotRun(reason), _)) => format!("not run: {reason}"),
    }
}

impl fmt::Display for Ledger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines = vec![vec!["kernel".to_owned()]];
        lines[0].extend(self.hosts.iter().cloned());
        for row in &self.kernels {
            let mut line = vec![row.kernel.clone()];
            line.extend(row.runs.iter().map(|run| cell(run.as_ref())));
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
        let count = |wanted: fn(&Outcome) -> bool| {
            self.runs()
                .filter(|(_, report)| wanted(&report.outcome))
                .count()
        };
        let never = self
            .kernels
            .iter()
            .filter(|row| row.not_run.is_some())
            .count();
        write!(
            f,
            "{} kernels: {} runs passed, {} failed, {} not run; {} random cases each, seed {}",
            self.kernels.len(),
            count(|outcome| matches!(outcome, Outcome::Passed)),
            count(|outcome| matches!(outcome, Outcome::Failed(_) | Outcome::Died(_))),
            count(|outcome| matches!(outcome, Outcome::NotRun(_))) + never,
            self.cases,
            self.seed,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(name: &str, target_arch: Option<&str>) -> Listed {
        Listed {
            name: name.to_owned(),
            target_arch: target_arch.map(str::to_owned),
        }
    }

    fn report(kernel: &str, outcome: Outcome) -> Report {
        Report {
            kernel: kernel.to_owned(),
            outcome,
            executions: 12,
            checks: BTreeMap::new(),
            seconds: 0.0,
        }
    }

    #[test]
    fn every_listed_kernel_has_a_line() {
        let manifest = [
            listed("a_scalar", None),
            listed("b_avx512", Some("x86_64")),
            listed("c_avx2", Some("x86_64")),
            listed("d_neon", Some("aarch64")),
        ];
        let lacks = Outcome::NotRun("CPU lacks avx512f".to_owned());
        let died = Outcome::Died("killed by SIGSEGV".to_owned());
        let reports = vec![
            report("a_scalar", Outcome::Passed),
            report("b_avx512", lacks),
            report("c_avx2", died),
        ];
        let orders = Orders::new(Some(7), 10, Vec::new());
        let ledger = Ledger::new(
            &manifest,
            vec![Column::of("x86_64 (native)", reports)],
            &orders,
        );
        let expected = "\
kernel    x86_64 (native)
a_scalar  12 calls
b_avx512  not run: CPU lacks avx512f
c_avx2    FAILED (died)
d_neon    not run: no aarch64 host took part
4 kernels: 1 runs passed, 1 failed, 2 not run; 10 random cases each, seed 7";
        assert_eq!(ledger.to_string(), expected);
        assert_eq!(
            ledger.problems(),
            ["c_avx2 on x86_64 (native): killed by SIGSEGV"]
        );
    }
}
