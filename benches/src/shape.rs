//! The shapes of work in which permutations are timed.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// States of the [`Shape::Independent`] array.
pub const ARRAY: usize = 1024;

/// Calls in one run of a chain: enough for the loop around them to vanish.
pub const CALLS: usize = 16;

/// What is done with the permutation, or with a part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Shape {
    /// An array of [`ARRAY`] states, each permuted in place.
    Independent,
    /// The states of one call, permuted again and again: output feeds input.
    Chain,
    /// 2-to-1 compression, layer by layer, of 2^n leaves.
    Merkle(u32),
    /// The whole permutation, as a chain, timed next to the phases.
    Natural,
    /// The external rounds before the internal ones, with the linear layer before them.
    ExternalInitial,
    /// The internal rounds.
    Internal,
    /// The external rounds after the internal ones.
    ExternalFinal,
}

/// A stretch of rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// All of them.
    Whole,
    /// One of the three phases, by index.
    Phase(usize),
}

impl Shape {
    /// All of them; what comes first is measured first, when time is short.
    pub const ALL: [Self; 9] = [
        Self::Independent,
        Self::Chain,
        Self::Natural,
        Self::ExternalInitial,
        Self::Internal,
        Self::ExternalFinal,
        Self::Merkle(14),
        Self::Merkle(16),
        Self::Merkle(18),
    ];

    /// The three phases, in the order of the permutation.
    pub const PHASES: [Self; 3] = [Self::ExternalInitial, Self::Internal, Self::ExternalFinal];

    /// Names that stand for several shapes.
    pub const FAMILIES: [&str; 2] = ["merkle", "phases"];

    /// Its place in the order of measurement.
    #[must_use]
    pub fn rank(self) -> usize {
        let at = Self::ALL.iter().position(|shape| *shape == self);
        at.unwrap_or(Self::ALL.len())
    }

    /// Permutations in one run by someone who permutes this many states in a call.
    #[must_use]
    pub fn permutations(self, states: usize) -> usize {
        match self {
            Self::Merkle(log) => (1 << log) - 1,
            Self::Independent => ARRAY.next_multiple_of(states),
            _ => CALLS * states,
        }
    }

    /// The rounds that it runs.
    #[must_use]
    pub fn part(self) -> Part {
        match Self::PHASES.iter().position(|phase| *phase == self) {
            Some(index) => Part::Phase(index),
            None => Part::Whole,
        }
    }

    /// Whether a name means it: its own, or that of its family.
    #[must_use]
    pub fn is_named(self, name: &str) -> bool {
        match self {
            _ if name == self.to_string() => true,
            Self::Merkle(_) => name == "merkle",
            Self::Natural | Self::ExternalInitial | Self::Internal | Self::ExternalFinal => {
                name == "phases"
            }
            Self::Independent | Self::Chain => false,
        }
    }

    /// Whether the states of a call are the only ones, so that nothing else can fill its gaps.
    #[must_use]
    pub fn is_chained(self) -> bool {
        !matches!(self, Self::Independent | Self::Merkle(_))
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Independent => f.pad("independent"),
            Self::Chain => f.pad("chain"),
            Self::Merkle(log) => f.pad(&format!("merkle-{log}")),
            Self::Natural => f.pad("natural"),
            Self::ExternalInitial => f.pad("external-initial"),
            Self::Internal => f.pad("internal"),
            Self::ExternalFinal => f.pad("external-final"),
        }
    }
}

impl FromStr for Shape {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let mut shapes = Self::ALL.into_iter();
        let shape = shapes.find(|shape| shape.to_string() == name);
        shape.ok_or_else(|| format!("no shape `{name}`"))
    }
}

impl TryFrom<String> for Shape {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        name.parse()
    }
}

impl From<Shape> for String {
    fn from(shape: Shape) -> Self {
        shape.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for shape in Shape::ALL {
            assert_eq!(shape.to_string().parse(), Ok(shape));
            assert!(shape.is_named(&shape.to_string()));
        }
        assert!("merkle-99".parse::<Shape>().is_err());
    }

    #[test]
    fn families_are_what_they_say() {
        let named = |name: &str| {
            Shape::ALL
                .iter()
                .filter(|shape| shape.is_named(name))
                .count()
        };
        assert_eq!(named("merkle"), 3);
        assert_eq!(named("phases"), 4);
        assert_eq!(named("chain"), 1);
        assert_eq!(Shape::Internal.part(), Part::Phase(1));
        assert_eq!(Shape::Natural.part(), Part::Whole);
    }
}
