//! Mutants with their verdicts, as a table.

use std::collections::BTreeMap;
use std::fmt;

use super::Kind;

/// The verdicts on one mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The program.
    pub program: String,
    /// What kind of mutant it is.
    pub kind: Kind,
    /// Where it is.
    pub site: String,
    /// What is wrong there.
    pub what: String,
    /// Why the prover refuses it, if it does.
    pub refused: Option<String>,
    /// Why the mutant computes the same for every input, where the prover proves that it does.
    pub equivalent: Option<String>,
    /// Whether there is anything to execute that differs from the original.
    pub executed: bool,
    /// The deterministic test that catches it, if one does.
    pub caught: Option<&'static str>,
    /// Whether uniform random inputs catch it.
    pub random: bool,
}

impl Row {
    /// Whether anything kills the mutant.
    #[must_use]
    pub fn is_killed(&self) -> bool {
        self.refused.is_some() || self.caught.is_some()
    }
}

/// Verdicts on all mutants.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// One row a mutant.
    pub rows: Vec<Row>,
}

/// How many mutants of one kind what killed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Mutants.
    pub mutants: usize,
    /// Killed by anything.
    pub killed: usize,
    /// Proved to compute the same.
    pub equivalent: usize,
    /// Refused by the prover.
    pub refused: usize,
    /// With something to execute.
    pub executed: usize,
    /// Caught by known answers or directed vectors.
    pub caught: usize,
    /// Caught by uniform random inputs.
    pub random: usize,
}

impl Table {
    /// Counts by kind.
    #[must_use]
    pub fn tallies(&self) -> BTreeMap<Kind, Tally> {
        let mut tallies: BTreeMap<Kind, Tally> = BTreeMap::new();
        for row in &self.rows {
            tallies.entry(row.kind).or_default().add(row);
        }
        tallies
    }

    /// Counts of everything.
    #[must_use]
    pub fn total(&self) -> Tally {
        let mut total = Tally::default();
        self.rows.iter().for_each(|row| total.add(row));
        total
    }

    /// The mutants that nothing killed, and that are not proved to compute the same.
    #[must_use]
    pub fn survivors(&self) -> Vec<&Row> {
        let survives = |row: &&Row| !row.is_killed() && row.equivalent.is_none();
        self.rows.iter().filter(survives).collect()
    }

    /// What must not be: survivors, mutants that tests caught although they are proved equal, and
    /// directed vectors that find no more than uniform ones do.
    #[must_use]
    pub fn faults(&self) -> Vec<String> {
        let mut faults: Vec<String> = self.survivors().iter().map(ToString::to_string).collect();
        let equal = self.rows.iter().filter(|row| row.equivalent.is_some());
        let different = equal.filter(|row| row.caught.is_some());
        faults.extend(different.map(|row| format!("proved equal, and yet different: {row}")));
        let dropped = self.tallies().get(&Kind::Dropped).copied();
        let dropped = dropped.unwrap_or_default();
        if dropped.caught <= dropped.random {
            let Tally { caught, random, .. } = dropped;
            faults.push(format!(
                "dropped canonicalisations: directed vectors catch {caught}, uniform ones {random}"
            ));
        }
        faults
    }

    /// Killed mutants among those that are not proved to compute the same.
    #[must_use]
    pub fn score(&self) -> (usize, usize) {
        let total = self.total();
        (total.killed, total.mutants - total.equivalent)
    }

    /// The mutants that only the prover sees, though they can be executed.
    #[must_use]
    pub fn seen_by_the_prover_alone(&self) -> Vec<&Row> {
        let alone = |row: &&Row| row.refused.is_some() && row.executed && row.caught.is_none();
        self.rows.iter().filter(alone).collect()
    }
}

impl Tally {
    fn add(&mut self, row: &Row) {
        self.mutants += 1;
        self.killed += usize::from(row.is_killed());
        self.equivalent += usize::from(row.equivalent.is_some());
        self.refused += usize::from(row.refused.is_some());
        self.executed += usize::from(row.executed);
        self.caught += usize::from(row.caught.is_some());
        self.random += usize::from(row.random);
    }

    fn line(&self, f: &mut fmt::Formatter<'_>, name: &str) -> fmt::Result {
        let Self {
            mutants,
            killed,
            equivalent,
            refused,
            executed,
            caught,
            random,
        } = self;
        writeln!(
            f,
            "{name:<34} {mutants:>7} {killed:>7} {equivalent:>10} {refused:>7} {executed:>9} {caught:>7} \
             {random:>7}"
        )
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let caught = match self.executed {
            false => "same code",
            true => self.caught.unwrap_or("-"),
        };
        write!(
            f,
            "{} · {} · {} {} · prover: {} · tests: {caught} · random: {}",
            self.program,
            self.kind.name(),
            self.site,
            self.what,
            self.refused
                .as_deref()
                .or(self.equivalent.as_deref())
                .unwrap_or("-"),
            if self.random { "yes" } else { "no" }
        )
    }
}

impl fmt::Display for Table {
    /// Counts by kind, then each mutant that not everything kills; the alternate form lists all.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if f.alternate() {
            self.rows.iter().try_for_each(|row| writeln!(f, "{row}"))?;
        }
        writeln!(
            f,
            "{:<34} {:>7} {:>7} {:>10} {:>7} {:>9} {:>7} {:>7}",
            "mutants", "all", "killed", "equivalent", "prover", "executed", "tests", "random"
        )?;
        for (kind, tally) in self.tallies() {
            tally.line(f, kind.name())?;
        }
        self.total().line(f, "all")?;
        let (killed, all) = self.score();
        let percent = 100.0 * killed as f64 / all.max(1) as f64;
        writeln!(
            f,
            "score: {percent:.1} % ({killed} of {all} that are not equivalent)"
        )?;
        for row in self.rows.iter().filter(|row| row.equivalent.is_some()) {
            writeln!(f, "equivalent: {row}")?;
        }
        for row in self.survivors() {
            writeln!(f, "SURVIVES: {row}")?;
        }
        Ok(())
    }
}
