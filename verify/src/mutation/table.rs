//! Mutants with their verdicts, as a table.

use std::collections::BTreeSet;
use std::fmt;

use super::Kind;

/// The verdicts on one mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) program: String,
    pub(crate) kind: Kind,
    pub(crate) site: String,
    /// What is wrong there.
    pub(crate) what: String,
    pub(crate) proof: Proof,
    /// Whether there is anything to execute that differs from the original.
    pub(crate) executed: bool,
    /// The deterministic test that catches it, if one does.
    pub(crate) caught: Option<&'static str>,
    /// Whether uniform random inputs catch it.
    pub(crate) random: bool,
}

/// What the prover says of a mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Proof {
    /// It refuses it, for this reason.
    Refused(String),
    /// It proves that the mutant computes the same for every input, by this argument, and the
    /// certificate checker finds the proof good.
    Equivalent(String),
    /// Constants and rounds are no matter of its.
    NotAsked,
}

impl Row {
    pub(crate) fn is_refused(&self) -> bool {
        matches!(self.proof, Proof::Refused(_))
    }

    fn is_equivalent(&self) -> bool {
        matches!(self.proof, Proof::Equivalent(_))
    }

    fn is_killed(&self) -> bool {
        self.is_refused() || self.caught.is_some()
    }

    fn survives(&self) -> bool {
        !self.is_killed() && !self.is_equivalent()
    }
}

/// Verdicts on all mutants.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    pub(crate) rows: Vec<Row>,
}

/// What is counted: title, width, and whether a mutant counts.
type Column = (&'static str, usize, fn(&Row) -> bool);

const COLUMNS: [Column; 7] = [
    ("all", 7, |_| true),
    ("killed", 7, Row::is_killed),
    ("equivalent", 10, Row::is_equivalent),
    ("prover", 7, Row::is_refused),
    ("executed", 9, |row| row.executed),
    ("tests", 7, |row| row.caught.is_some()),
    ("random", 7, |row| row.random),
];

impl Table {
    fn count(&self, counts: impl Fn(&Row) -> bool) -> usize {
        self.rows.iter().filter(|row| counts(row)).count()
    }

    /// What must not be: survivors, mutants that tests caught although they are proved equal, and
    /// directed vectors that find no more than uniform ones do.
    pub(crate) fn faults(&self) -> Vec<String> {
        let survivors = self.rows.iter().filter(|row| row.survives());
        let mut faults: Vec<String> = survivors.map(ToString::to_string).collect();
        let equal = self.rows.iter().filter(|row| row.is_equivalent());
        let different = equal.filter(|row| row.caught.is_some());
        faults.extend(different.map(|row| format!("proved equal, and yet different: {row}")));
        let dropped = |row: &Row| row.kind == Kind::Dropped;
        let caught = self.count(|row| dropped(row) && row.caught.is_some());
        let random = self.count(|row| dropped(row) && row.random);
        // Strategies that canonicalise nowhere have no such mutant.
        let asked = self.rows.is_empty() || self.count(dropped) > 0;
        if asked && caught <= random {
            faults.push(format!(
                "dropped canonicalisations: directed vectors catch {caught}, uniform ones {random}"
            ));
        }
        faults
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let caught = match self.executed {
            false => "same code",
            true => self.caught.unwrap_or("-"),
        };
        let proof = match &self.proof {
            Proof::Refused(why) | Proof::Equivalent(why) => why,
            Proof::NotAsked => "-",
        };
        write!(
            f,
            "{} · {} · {} {} · prover: {proof} · tests: {caught} · random: {}",
            self.program,
            self.kind.name(),
            self.site,
            self.what,
            if self.random { "yes" } else { "no" }
        )
    }
}

impl fmt::Display for Table {
    /// Counts by kind, then each mutant that not everything kills.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:<34}", "mutants")?;
        for (title, width, _) in COLUMNS {
            write!(f, " {title:>width$}")?;
        }
        let kinds: BTreeSet<Kind> = self.rows.iter().map(|row| row.kind).collect();
        for kind in kinds.into_iter().map(Some).chain([None]) {
            write!(f, "\n{:<34}", kind.map_or("all", Kind::name))?;
            for (_, width, counts) in COLUMNS {
                let of_kind = |row: &Row| kind.is_none_or(|kind| row.kind == kind);
                let count = self.count(|row| of_kind(row) && counts(row));
                write!(f, " {count:>width$}")?;
            }
        }
        let killed = self.count(Row::is_killed);
        let all = self.count(|row| !row.is_equivalent());
        let percent = 100.0 * killed as f64 / all.max(1) as f64;
        writeln!(
            f,
            "\nscore: {percent:.1} % ({killed} of {all} that are not equivalent)"
        )?;
        for row in self.rows.iter().filter(|row| row.is_equivalent()) {
            writeln!(f, "equivalent: {row}")?;
        }
        for row in self.rows.iter().filter(|row| row.survives()) {
            writeln!(f, "SURVIVES: {row}")?;
        }
        Ok(())
    }
}
