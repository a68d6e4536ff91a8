//! Sums of products with numbers.

use crate::ir::Value;
use crate::lower::parts::Builder;
use crate::lower::products::{Factor, share};
use crate::lower::reduced::Reduced;
use crate::lower::ring::Ring;
use crate::ops::MacroOp;
use crate::params::Field;
use std::cmp::Reverse;

impl Builder {
    /// What each row of a matrix makes of elements, by the name of its sums. Products are summed in the same order in
    /// all.
    pub(super) fn rows(
        &mut self,
        elements: &[Value],
        rows: &[&[u64]],
        name: impl Fn(usize) -> String,
    ) -> Vec<Value> {
        let field = self.words();
        let column = |j: usize| {
            rows.iter()
                .map(move |row| Factor::of(field, row[j]))
                .collect()
        };
        let columns = elements.iter().enumerate();
        let columns = columns.map(|(j, x)| (*x, column(j)));
        let mut columns: Vec<(Value, Vec<Factor>)> = columns.collect();
        let greatest = |column: &[Factor]| column.iter().map(|factor| factor.size).max();
        columns.retain(|(_, column)| greatest(column) > Some(0));
        // The greatest first; of many rows, each column has great ones.
        if rows.len() == 1 {
            columns.sort_by_key(|(_, column)| Reverse(greatest(column)));
        }
        let factors: Vec<Vec<Factor>> = columns.iter().map(|(_, column)| column.clone()).collect();
        let mut groups = share(field, &factors);
        for group in &mut groups {
            // What was made last comes last.
            group.products.sort_by_key(|product| columns[*product].0);
        }
        let sums = (0..rows.len()).map(|row| {
            let name = name(row);
            let sums = groups.iter().enumerate().map(|(n, group)| {
                let offset = group.offset.as_ref();
                let offset = offset.map(|factors| (self.word(field.modulus), factors[row]));
                let products = group.products.iter().map(|product| &columns[*product]);
                let products = products.map(|(x, column)| (*x, column[row]));
                self.reduced(&format!("{name}.{n}"), offset.into_iter().chain(products))
            });
            let sums: Vec<Value> = sums.collect();
            self.total(&format!("{name}.sum"), &sums)
        });
        sums.collect()
    }

    /// The sum of some products, below p.
    fn reduced(&mut self, name: &str, group: impl Iterator<Item = (Value, Factor)>) -> Value {
        let operands = group.flat_map(|(x, factor)| [x, self.word(factor.word())]);
        let operands: Vec<Value> = operands.collect();
        let op = MacroOp::sum_of_products(operands.len() / 2);
        let sum = self.push(name, op, &operands);
        self.positive(&format!("{name}.reduced"), sum)
    }
}

impl Ring for Builder {
    type Element = Value;

    const SPLIT: usize = 4;

    const SPLIT_BY_ROOT: usize = 8;

    fn field(&self) -> &'static Field {
        self.words()
    }

    fn add(&mut self, name: &str, a: Value, b: Value) -> Value {
        self.added(name, a, b)
    }

    fn subtract(&mut self, name: &str, a: Value, b: Value) -> Value {
        self.subtracted(name, a, b)
    }

    fn dot(&mut self, name: &str, elements: &[Value], factors: &[u64]) -> Value {
        self.rows(elements, &[factors], |_| name.to_owned())[0]
    }
}
