//! Directed test cases with their expected images.
//!
//! A corpus is computed once, on the fast host, and shared by all kernels of an instance and by
//! every host that runs them: emulated hosts only compare.

pub(crate) mod build;
mod file;
mod regressions;
pub mod values;
mod witness;

pub use build::all;
pub use file::{read, write};
pub use witness::witness;

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::oracle::{Instance, Permutation};

/// The name of the parameter set's own table.
const STANDARD: &str = "standard";

/// A set of round constants, by name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Table {
    /// What is special about these constants.
    pub name: String,
    /// Residues added in the external rounds.
    pub external: Vec<Vec<u64>>,
    /// Residues added in the internal rounds.
    pub internal: Vec<u64>,
}

impl Table {
    /// The parameter set's own constants.
    #[must_use]
    pub fn standard(instance: &Instance) -> Self {
        Self {
            name: STANDARD.to_owned(),
            external: instance.permutation.external.clone(),
            internal: instance.permutation.internal.clone(),
        }
    }

    /// Whether these are the parameter set's own constants.
    #[must_use]
    pub fn is_standard(&self) -> bool {
        self.name == STANDARD
    }

    /// Every constant drawn from `residue`.
    pub fn filled(instance: &Instance, name: &str, mut residue: impl FnMut() -> u64) -> Self {
        let mut table = Self::standard(instance);
        name.clone_into(&mut table.name);
        let external = table.external.iter_mut().flatten();
        for x in external.chain(&mut table.internal) {
            *x = residue();
        }
        table
    }

    /// The instance's permutation with these constants.
    #[must_use]
    pub fn permutation(&self, instance: &Instance) -> Permutation {
        Permutation {
            external: self.external.clone(),
            internal: self.internal.clone(),
            ..instance.permutation.clone()
        }
    }

    /// The words that a kernel reads.
    #[must_use]
    pub fn words(&self, instance: &Instance) -> Vec<u64> {
        let residues = self.external.iter().flatten().chain(&self.internal);
        residues.map(|x| instance.field.encode(*x)).collect()
    }
}

/// A run of cases with a common origin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// Which check these cases belong to, such as `edge pairs`.
    pub check: String,
    /// Where they come from, in words.
    pub origin: String,
    /// How many there are.
    pub count: usize,
}

/// The cases of one instance with one table of constants.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Section {
    /// Parameter set, field and width.
    pub instance: (String, String, usize),
    /// The round constants.
    pub table: Table,
    /// The groups, in the order of the cases.
    pub groups: Vec<Group>,
    /// For each case its input words, then the expected residues.
    #[serde(skip)]
    pub words: Vec<u64>,
}

impl Section {
    /// A section without cases.
    #[must_use]
    pub fn new(instance: &Instance, table: Table) -> Self {
        let width = instance.permutation.width();
        let names = (
            instance.parameter_set.to_owned(),
            instance.field.name.to_owned(),
        );
        Self {
            instance: (names.0, names.1, width),
            table,
            groups: Vec::new(),
            words: Vec::new(),
        }
    }

    /// Whether these cases are for that instance.
    #[must_use]
    pub fn is_for(&self, instance: &Instance) -> bool {
        self.instance.0 == instance.parameter_set
            && self.instance.1 == instance.field.name
            && self.instance.2 == instance.permutation.width()
    }

    /// Cases in all groups.
    #[must_use]
    pub fn len(&self) -> usize {
        self.words.len() / (2 * self.instance.2)
    }

    /// Whether there are no cases.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The input words of a case, and the residues it must give.
    #[must_use]
    pub fn case(&self, index: usize) -> (&[u64], &[u64]) {
        let width = self.instance.2;
        self.words[2 * width * index..2 * width * (index + 1)].split_at(width)
    }

    /// The groups with the indices of their cases.
    pub fn ranges(&self) -> impl Iterator<Item = (&Group, Range<usize>)> {
        self.groups.iter().scan(0, |start, group| {
            let range = *start..*start + group.count;
            *start = range.end;
            Some((group, range))
        })
    }

    /// Appends a group of cases; their images come from the reference.
    pub fn push(
        &mut self,
        instance: &Instance,
        check: &str,
        origin: String,
        inputs: impl IntoIterator<Item = Vec<u64>>,
    ) {
        let permutation = self.table.permutation(instance);
        let before = self.len();
        for input in inputs {
            let mut state: Vec<u64> = input.iter().map(|x| instance.field.decode(*x)).collect();
            permutation.permute(&mut state);
            self.words.extend(input);
            self.words.extend(state);
        }
        self.groups.push(Group {
            check: check.to_owned(),
            origin,
            count: self.len() - before,
        });
    }
}
