//! Which products of elements and numbers are summed before they are reduced.
//!
//! A sum of products is as large as one reduction takes, `2^31·p`, if the numbers are at most `2^31` together: those
//! that are taken as positive, and those that are taken less p, each by themselves, for elements are not negative.
//! That is about eight of them.

use crate::ops::MacroOp;
use crate::params::Field;

/// The most that numbers of one sign may add up to.
const MOST: u64 = 1 << 31;

/// Ways to share products that are tried.
const WAYS: usize = 10_000;

/// A number that an element is multiplied by, of either sign and less than half of p.
#[derive(Clone, Copy)]
pub(super) struct Factor {
    pub(super) size: u64,
    pub(super) negative: bool,
}

impl Factor {
    /// That of a residue.
    pub(super) fn of(field: &Field, residue: u64) -> Self {
        let word = field.to_montgomery(residue);
        let negative = word > field.modulus / 2;
        let size = if negative { field.modulus - word } else { word };
        Self { size, negative }
    }
}

/// Products that are reduced together, with a factor for each lane.
#[derive(Clone)]
struct Group<const LANES: usize> {
    products: Vec<usize>,
    /// What positive factors come to in each lane, and negative ones.
    sums: [[u64; LANES]; 2],
}

/// Shares products among few groups, by their numbers.
pub(super) fn share<const LANES: usize>(factors: &[[Factor; LANES]]) -> Vec<Vec<usize>> {
    let groups = (1..).find_map(|count| {
        let greedily = Group::greedily(factors, count);
        greedily.or_else(|| Group::exhaustively(factors, count))
    });
    let groups = groups.expect("each product fits by itself").into_iter();
    groups.map(|group| group.products).collect()
}

impl<const LANES: usize> Group<LANES> {
    fn empty(count: usize) -> Vec<Self> {
        let group = Self {
            products: Vec::new(),
            sums: [[0; LANES]; 2],
        };
        vec![group; count]
    }

    fn fits(&self) -> bool {
        let few = self.products.len() <= *MacroOp::DOTS.end() as usize;
        few && self.sums.iter().flatten().all(|sum| *sum <= MOST)
    }

    /// The group with one more product, and the greatest of the sums that grow.
    fn with(&self, product: usize, factors: &[[Factor; LANES]]) -> (Self, u64) {
        let mut group = self.clone();
        group.products.push(product);
        let mut greatest = 0;
        for (lane, factor) in factors[product].iter().enumerate() {
            let sum = &mut group.sums[usize::from(factor.negative)][lane];
            *sum += factor.size;
            greatest = greatest.max(*sum);
        }
        (group, greatest)
    }

    /// Each goes where it leaves the most room.
    fn greedily(factors: &[[Factor; LANES]], count: usize) -> Option<Vec<Self>> {
        let mut groups = Self::empty(count);
        for product in 0..factors.len() {
            let grown = groups.iter().map(|group| group.with(product, factors));
            let fits = grown.enumerate().filter(|(_, (group, _))| group.fits());
            let (n, (group, _)) = fits.min_by_key(|(_, (_, greatest))| *greatest)?;
            groups[n] = group;
        }
        Some(groups)
    }

    /// Whatever fits, where there are not too many ways.
    fn exhaustively(factors: &[[Factor; LANES]], count: usize) -> Option<Vec<Self>> {
        let ways = count.checked_pow(factors.len() as u32);
        let ways = ways.filter(|ways| *ways <= WAYS)?;
        (0..ways).find_map(|mut way| {
            let mut groups = Self::empty(count);
            for product in 0..factors.len() {
                let n = way % count;
                way /= count;
                (groups[n], _) = groups[n].with(product, factors);
            }
            let right = |group: &Self| group.fits() && !group.products.is_empty();
            groups.iter().all(right).then_some(groups)
        })
    }
}
