//! Which products of elements and numbers are summed before they are reduced.
//!
//! A sum of products is as large as one reduction takes, `2^31·p`, if the numbers of one sign are at most `2^31`
//! together, for elements are not negative. Where those of the other sign are fewer, a multiple of p is added to the
//! sum, by a number below p; so numbers of both signs may be `2^32` together. That is about eight of them.

use crate::ops::MacroOp;
use crate::params::Field;

/// The most that numbers of one sign may add up to, with what is added to them.
const MOST: u64 = 1 << 31;

/// Ways to share products that are tried.
const WAYS: usize = 10_000;

/// A number that an element is multiplied by, of either sign and less than half of p. What p is multiplied by may be
/// greater, but is less than p.
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

    /// The number in a word of 32 bits.
    pub(super) fn word(self) -> u64 {
        let size = self.size as u32;
        u64::from(if self.negative {
            size.wrapping_neg()
        } else {
            size
        })
    }
}

/// Products that are reduced together, of some sums at once: lanes, or rows of a matrix.
#[derive(Clone)]
struct Group {
    products: Vec<usize>,
    /// What positive factors come to in each sum, and negative ones.
    sums: [Vec<u64>; 2],
}

/// Products that are reduced together: by their numbers, and what p is multiplied by where it is added to them.
pub(super) struct Summed {
    pub(super) products: Vec<usize>,
    pub(super) offset: Option<Vec<Factor>>,
}

/// Shares products among as few groups as it finds, without offsets if that takes no more groups. A product has a factor
/// for each sum; all sums are shared alike.
pub(super) fn share(field: &Field, factors: &[Vec<Factor>]) -> Vec<Summed> {
    let mut ways = (1..).flat_map(|count| [(count, false), (count, true)]);
    let groups = ways.find_map(|(count, moved)| {
        let fits = |group: &Group| {
            let as_it_is = group.offset().is_none();
            group.fits(field) && (moved || as_it_is)
        };
        let greedily = Group::greedily(fits, factors, count);
        greedily.or_else(|| Group::exhaustively(fits, factors, count))
    });
    let groups = groups.expect("each product fits by itself").into_iter();
    let summed = |group: Group| Summed {
        offset: group.offset(),
        products: group.products,
    };
    groups.map(summed).collect()
}

impl Group {
    /// So many groups that have no products yet.
    fn empty(count: usize, factors: &[Vec<Factor>]) -> Vec<Self> {
        let sums = vec![0; factors.first().map_or(0, Vec::len)];
        let group = Self {
            products: Vec::new(),
            sums: [sums.clone(), sums],
        };
        vec![group; count]
    }

    /// What positive and negative factors come to, by sums.
    fn each(&self) -> impl Iterator<Item = [u64; 2]> {
        let [positive, negative] = &self.sums;
        positive.iter().zip(negative).map(|(a, b)| [*a, *b])
    }

    /// What p is multiplied by so that sums fit that are too large, or too far below zero.
    fn offset(&self) -> Option<Vec<Factor>> {
        let excess = self.each().map(|sums| {
            let [above, below] = sums.map(|sum| sum.saturating_sub(MOST));
            Factor {
                size: above.max(below),
                negative: above > 0,
            }
        });
        let excess: Vec<Factor> = excess.collect();
        excess
            .iter()
            .any(|factor| factor.size > 0)
            .then_some(excess)
    }

    fn fits(&self, field: &Field) -> bool {
        let products = self.products.len() + usize::from(self.offset().is_some());
        let small = |[a, b]: [u64; 2]| a + b <= 2 * MOST && a.max(b) < MOST + field.modulus;
        self.each().all(small) && products <= *MacroOp::DOTS.end() as usize
    }

    /// The group with one more product, and the greatest of its sums.
    fn with(&self, product: usize, factors: &[Vec<Factor>]) -> (Self, u64) {
        let mut group = self.clone();
        group.products.push(product);
        for (sum, factor) in factors[product].iter().enumerate() {
            group.sums[usize::from(factor.negative)][sum] += factor.size;
        }
        let greatest = group.each().map(|[positive, negative]| positive + negative);
        let greatest = greatest.max().unwrap_or_default();
        (group, greatest)
    }

    /// Each goes where it leaves the most room.
    fn greedily(
        fits: impl Fn(&Self) -> bool,
        factors: &[Vec<Factor>],
        count: usize,
    ) -> Option<Vec<Self>> {
        let mut groups = Self::empty(count, factors);
        for product in 0..factors.len() {
            let grown = groups.iter().map(|group| group.with(product, factors));
            let fits = grown.enumerate().filter(|(_, (group, _))| fits(group));
            let (n, (group, _)) = fits.min_by_key(|(_, (_, greatest))| *greatest)?;
            groups[n] = group;
        }
        Some(groups)
    }

    /// Whatever fits, where there are not too many ways.
    fn exhaustively(
        fits: impl Fn(&Self) -> bool,
        factors: &[Vec<Factor>],
        count: usize,
    ) -> Option<Vec<Self>> {
        let ways = count.checked_pow(factors.len() as u32);
        let ways = ways.filter(|ways| *ways <= WAYS)?;
        (0..ways).find_map(|mut way| {
            let mut groups = Self::empty(count, factors);
            for product in 0..factors.len() {
                let n = way % count;
                way /= count;
                (groups[n], _) = groups[n].with(product, factors);
            }
            let right = |group: &Self| fits(group) && !group.products.is_empty();
            groups.iter().all(right).then_some(groups)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::KOALA_BEAR;

    /// The sum of least or of greatest products, as far as the sign goes that is asked for.
    fn reached(group: &Summed, factors: &[Vec<Factor>], (sum, sign): (usize, i128)) -> i128 {
        let p = i128::from(KOALA_BEAR.modulus);
        let signed = |factor: &Factor| match factor.negative {
            true => -i128::from(factor.size),
            false => i128::from(factor.size),
        };
        let products = group.products.iter().map(|n| signed(&factors[*n][sum]));
        let greatest = products.map(|k| (p - 1) * (sign * k).max(0));
        let offset = group
            .offset
            .iter()
            .map(|offset| sign * p * signed(&offset[sum]));
        greatest.chain(offset).sum()
    }

    /// The groups of products, each with its factors by sums.
    fn shared(factors: &[Vec<(u64, bool)>]) -> Vec<Summed> {
        let factor = |&(size, negative): &(u64, bool)| Factor { size, negative };
        let factors = factors.iter();
        let factors: Vec<Vec<Factor>> = factors
            .map(|sums| sums.iter().map(factor).collect())
            .collect();
        let groups = share(&KOALA_BEAR, &factors);
        for (group, sum) in groups
            .iter()
            .flat_map(|group| (0..factors[0].len()).map(move |n| (group, n)))
        {
            for sign in [1, -1] {
                let bound = i128::from(KOALA_BEAR.modulus) << 31;
                assert!(reached(group, &factors, (sum, sign)) < bound);
            }
        }
        let products = groups.iter().map(|group| group.products.len());
        assert_eq!(products.sum::<usize>(), factors.len());
        groups
    }

    /// The same where there is one sum.
    fn alone(factors: &[(u64, bool)]) -> Vec<Summed> {
        let factors: Vec<_> = factors.iter().map(|factor| vec![*factor]).collect();
        shared(&factors)
    }

    #[test]
    fn sums_of_one_sign_are_moved_and_those_of_both_are_not() {
        let quarter = KOALA_BEAR.modulus / 4;
        for negative in [false, true] {
            let groups = alone(&[(quarter, negative); 8]);
            assert_eq!(groups.len(), 1);
            assert_eq!(groups[0].offset.as_ref().unwrap()[0].negative, !negative);
        }
        let both: Vec<_> = (0..8).map(|n| (quarter, n % 2 == 1)).collect();
        let groups = alone(&both);
        assert_eq!(groups.len(), 1);
        assert!(groups[0].offset.is_none());
    }

    #[test]
    fn sums_that_are_too_large_are_more_than_one() {
        let half = KOALA_BEAR.modulus / 2;
        assert_eq!(alone(&[(half, false); 4]).len(), 1);
        assert_eq!(alone(&[(half, false); 5]).len(), 2);
        // As many products as a macro-op takes, one of them that of p.
        assert_eq!(alone(&[(1, false); 9]).len(), 1);
        let mut many = [(1, false); 10];
        assert_eq!(alone(&many).len(), 2);
        // Of one sign, p has to be multiplied by less than itself; of both signs, these are 2^32 together.
        many[..4].fill((half, false));
        many[4] = (1 << 25, false);
        assert_eq!(alone(&many[..5]).len(), 2);
        many[4].1 = true;
        assert_eq!(alone(&many[..5]).len(), 1);
    }

    #[test]
    fn whatever_numbers_are_no_sum_is_too_large() {
        let mut word: u64 = 1;
        let mut next = || {
            word = word.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            word >> 33
        };
        for count in 1..40 {
            let factor = |n: u64| (n % (KOALA_BEAR.modulus / 2), n.is_multiple_of(3));
            let factors: Vec<_> = (0..count).map(|_| factor(next())).collect();
            alone(&factors);
        }
    }

    #[test]
    fn rows_are_shared_alike() {
        let half = KOALA_BEAR.modulus / 2;
        // Each row by itself is one sum, and so are both.
        let apart = [
            vec![(half, false), (1, false)],
            vec![(1, false), (half, true)],
        ];
        assert_eq!(shared(&[apart.clone(), apart.clone()].concat()).len(), 1);
        // Together rows have more great numbers than either.
        let crossed: Vec<_> = (0..8)
            .map(|n| {
                vec![
                    (if n < 4 { half } else { 1 }, false),
                    (if n < 4 { 1 } else { half }, false),
                ]
            })
            .collect();
        assert_eq!(shared(&crossed).len(), 1);
        let mut more = crossed.clone();
        more.push(vec![(half, false), (1, false)]);
        assert_eq!(shared(&more).len(), 2);
    }
}
