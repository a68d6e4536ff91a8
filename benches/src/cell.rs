//! One place in the table: a kernel in a shape.

use serde::{Deserialize, Serialize};

use crate::shape::Shape;

/// A kernel in a shape.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cell {
    /// The kernel's full name.
    pub kernel: String,
    /// The field.
    pub field: String,
    /// Elements in a state.
    pub width: usize,
    /// The instruction set.
    pub isa: String,
    /// Where states live.
    pub layout: String,
    /// How values are represented.
    pub strategy: String,
    /// Interleaved groups of states.
    pub batch: usize,
    /// What is done with it.
    pub shape: Shape,
}

impl Cell {
    /// Whether the peer uses its packed type. Where states are many it would; where there is one
    /// group of them, it is given a group of the same kind: one state to a kernel that needs no
    /// more, a packed one to a kernel of several lanes.
    #[must_use]
    pub fn peer_is_packed(&self, lanes: usize) -> bool {
        lanes > 1 || !self.shape.is_chained()
    }
}

/// What to time: an empty list lets everything through.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Filter {
    /// Fields.
    pub fields: Vec<String>,
    /// Widths.
    pub widths: Vec<usize>,
    /// Instruction sets.
    pub isas: Vec<String>,
    /// Batches.
    pub batches: Vec<usize>,
    /// Shapes, or families of them.
    pub shapes: Vec<String>,
    /// Strategies.
    pub strategies: Vec<String>,
}

impl Filter {
    /// Whether a cell is asked for.
    #[must_use]
    pub fn admits(&self, cell: &Cell) -> bool {
        let shape = |name: &String| cell.shape.is_named(name);
        let shapes = self.shapes.is_empty() || self.shapes.iter().any(shape);
        shapes
            && among(&self.fields, &cell.field)
            && among(&self.widths, &cell.width)
            && among(&self.isas, &cell.isa)
            && among(&self.batches, &cell.batch)
            && among(&self.strategies, &cell.strategy)
    }

    /// Whether phases are asked for.
    #[must_use]
    pub fn admits_phases(&self) -> bool {
        let phase = |name: &String| Shape::PHASES.iter().any(|shape| shape.is_named(name));
        self.shapes.is_empty() || self.shapes.iter().any(phase)
    }
}

/// Whether a list lets a value through.
pub(crate) fn among<T: PartialEq>(asked: &[T], value: &T) -> bool {
    asked.is_empty() || asked.contains(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(shape: Shape) -> Cell {
        let [field, isa, layout, strategy] = ["goldilocks", "avx2", "lanes", "eager"];
        Cell {
            kernel: "plonky3/goldilocks/w8_avx2_b2".to_owned(),
            field: field.to_owned(),
            width: 8,
            isa: isa.to_owned(),
            layout: layout.to_owned(),
            strategy: strategy.to_owned(),
            batch: 2,
            shape,
        }
    }

    #[test]
    fn an_empty_filter_admits_everything() {
        assert!(Filter::default().admits(&cell(Shape::Merkle(16))));
        assert!(Filter::default().admits_phases());
    }

    #[test]
    fn every_list_must_have_it() {
        let filter = Filter {
            shapes: vec!["merkle".to_owned(), "chain".to_owned()],
            widths: vec![8],
            ..Filter::default()
        };
        assert!(filter.admits(&cell(Shape::Merkle(16))));
        assert!(filter.admits(&cell(Shape::Chain)));
        assert!(!filter.admits(&cell(Shape::Independent)));
        assert!(!filter.admits_phases());
        let batches = vec![1, 4];
        assert!(!Filter { batches, ..filter }.admits(&cell(Shape::Chain)));
    }

    #[test]
    fn one_state_is_timed_against_one_state() {
        assert!(!cell(Shape::Chain).peer_is_packed(1));
        assert!(cell(Shape::Chain).peer_is_packed(4));
        assert!(cell(Shape::Independent).peer_is_packed(1));
        assert!(cell(Shape::Merkle(14)).peer_is_packed(1));
        assert!(!cell(Shape::Internal).peer_is_packed(1));
    }
}
