//! Sums of products with numbers.
//!
//! A sum of products is as large as one reduction takes, `2^31·p`, if the numbers are at most `2^31` together:
//! those that are taken as positive, and those that are taken less p, each by themselves, for elements are not
//! negative. That is about eight of them.

use crate::ir::Value;
use crate::lower::parts::Builder;
use crate::lower::ring::Ring;
use crate::ops::MacroOp;
use crate::params::Field;

/// A number that an element is multiplied by, of either sign and less than half of p.
#[derive(Clone, Copy)]
struct Factor {
    size: u64,
    negative: bool,
}

/// Products that are reduced together.
#[derive(Clone, Default)]
struct Group {
    /// What positive numbers sum up to, and negative ones.
    sums: [u64; 2],
    terms: Vec<(Value, Factor)>,
}

impl Group {
    /// Shares products among so many groups, if they fit: the greatest first, each with the least others.
    fn share(terms: &[(Value, Factor)], count: usize) -> Option<Vec<Self>> {
        let mut groups = vec![Self::default(); count];
        for (x, factor) in terms {
            let side = usize::from(factor.negative);
            let fits = |group: &&mut Self| {
                let few = group.terms.len() < *MacroOp::DOTS.end() as usize;
                few && group.sums[side] + factor.size <= 1 << 31
            };
            let least = groups.iter_mut().filter(fits);
            let least = least.min_by_key(|group| group.sums[side])?;
            least.sums[side] += factor.size;
            least.terms.push((*x, *factor));
        }
        Some(groups)
    }
}

impl Builder {
    /// The sum of multiples of residues.
    fn sum_of_products(&mut self, name: &str, elements: &[Value], factors: &[u64]) -> Value {
        let field = self.words();
        let factor = |factor: &u64| {
            let word = field.to_montgomery(*factor);
            let negative = word > field.modulus / 2;
            let size = if negative { field.modulus - word } else { word };
            Factor { size, negative }
        };
        let terms = elements.iter().copied().zip(factors.iter().map(factor));
        let mut terms: Vec<(Value, Factor)> = terms.collect();
        terms.sort_by_key(|(_, factor)| std::cmp::Reverse(factor.size));
        let groups = (1..).find_map(|count| Group::share(&terms, count));
        let groups = groups.expect("each product fits by itself");
        let groups = groups.iter().enumerate();
        let sums: Vec<Value> = groups
            .map(|(n, group)| self.reduced(field, &format!("{name}.{n}"), group))
            .collect();
        self.total(&format!("{name}.sum"), &sums)
    }

    /// The sum of some products, below p.
    fn reduced(&mut self, field: &Field, name: &str, group: &Group) -> Value {
        // What was made last comes last.
        let mut terms = group.terms.clone();
        terms.sort_by_key(|(x, _)| *x);
        let operands = terms.into_iter();
        let operands = operands.flat_map(|(x, factor)| [x, self.signed_word(field, factor)]);
        let operands: Vec<Value> = operands.collect();
        let op = match operands.len() as u32 / 2 {
            1 => MacroOp::MulSigned,
            products => MacroOp::Dot(products),
        };
        let sum = self.push(name, op, &operands);
        self.positive(&format!("{name}.reduced"), sum)
    }

    fn signed_word(&mut self, field: &Field, Factor { size, negative }: Factor) -> Value {
        if !negative {
            return self.word(size);
        }
        let operands = [field.modulus - size, field.modulus].map(|word| self.word(word));
        let name = format!("constant[-{size}]");
        self.applied(MacroOp::Minus, &operands)
            .unwrap_or_else(|| self.push(&name, MacroOp::Minus, &operands))
    }
}

impl Ring for Builder {
    type Element = Value;

    const SPLIT: usize = 8;

    const SPLIT_BY_ROOT: usize = 12;

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
