//! Sums of products with numbers.

use crate::ir::Value;
use crate::lower::parts::Builder;
use crate::lower::products::{Factor, share};
use crate::lower::reduced::Reduced;
use crate::lower::ring::Ring;
use crate::ops::MacroOp;
use crate::params::Field;

impl Builder {
    /// The sum of multiples of residues.
    fn sum_of_products(&mut self, name: &str, elements: &[Value], factors: &[u64]) -> Value {
        let field = self.words();
        let factors = factors.iter().map(|factor| Factor::of(field, *factor));
        let mut terms: Vec<(Value, Factor)> = elements.iter().copied().zip(factors).collect();
        terms.retain(|(_, factor)| factor.size > 0);
        // The greatest first.
        terms.sort_by_key(|(_, factor)| std::cmp::Reverse(factor.size));
        let factors: Vec<[Factor; 1]> = terms.iter().map(|(_, factor)| [*factor]).collect();
        let groups = share(field, &factors).into_iter().enumerate();
        let sums = groups.map(|(n, mut group)| {
            // What was made last comes last.
            group.products.sort_by_key(|product| terms[*product].0);
            let offset = group
                .offset
                .map(|[factor]| (self.word(field.modulus), factor));
            let products = group.products.into_iter().map(|product| terms[product]);
            self.reduced(&format!("{name}.{n}"), offset.into_iter().chain(products))
        });
        let sums: Vec<Value> = sums.collect();
        self.total(&format!("{name}.sum"), &sums)
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
        self.sum_of_products(name, elements, factors)
    }
}
