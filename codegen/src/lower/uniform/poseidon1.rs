//! Poseidon1's matrix: each element is brought into every lane and multiplied by its column. Circulant matrices are
//! [taken apart](Lowering::layer) first.
//!
//! Partial rounds have the matrix, too: what it makes of all elements but the first does not wait for an S-box, and
//! forms with fewer products have more that wait for each other. What the S-box gives joins the sums of products before
//! they are reduced.

use super::pieces::Rows;
use super::{Lowering, sbox};
use crate::arith::{Block, LANES, Move, PieceId, Pieces};
use crate::ir::BlockKind;
use crate::lower::products::{Factor, share};
use crate::lower::reduced::Reduced;
use crate::ops::MacroOp;
use crate::params::{Field, Mds};

/// A vector to be multiplied, and the column of the matrix that each lane's word belongs to.
type Element = (PieceId, [usize; LANES]);

/// A vector's words, spread over lanes: of each result, the first four lanes have one word and the others another.
/// All together bring every word to every lane.
fn spread(b: &mut Rows, x: PieceId, column: usize) -> Vec<Element> {
    let other = b.moved(Move::Blocks, x);
    let both = [x, other].into_iter().enumerate();
    let all = both.flat_map(|(n, x)| Move::SPREADS.map(|way| (n, x, way)));
    let all = all.map(|(n, x, way)| {
        let columns = std::array::from_fn(|lane| column + (way.source(lane) + 4 * n) % LANES);
        (b.moved(way, x), columns)
    });
    all.collect()
}

/// A matrix of as many rows as a vector has lanes: its entries by row and column, as residues.
type Square = Vec<[u64; LANES]>;

impl Lowering<'_> {
    pub(super) fn mds(&self, mds: &Mds) -> (Block, Pieces) {
        let mut b = Rows::new(self.field, self.instance.width, false);
        let state: Vec<PieceId> = (0..self.vectors()).map(|n| b.row(n)).collect();
        let rows = self.layer(&mut b, "external[*].mds", mds, &state, None);
        b.finish(BlockKind::ExternalLinear, None, rows)
    }

    pub(super) fn partial_round(&self, mds: &Mds) -> (Block, Pieces) {
        let mut b = Rows::new(self.field, self.instance.width, true);
        let operands = [b.first(), b.constant(), b.word(self.field.modulus)];
        let z = sbox(&mut b, "internal", operands, self.instance.alpha);
        let mut state: Vec<PieceId> = (0..self.vectors()).map(|n| b.row(n)).collect();
        let zeros = b.words([0; LANES]);
        state[0] = b.with_first([state[0], zeros]);
        let z = b.broadcast(z);
        let rows = self.layer(&mut b, "internal.mds", mds, &state, Some(z));
        let first = b.first_of(rows[0]);
        b.finish(BlockKind::InternalRound, Some(first), rows)
    }

    /// What a matrix makes of a state. With a `first`, element 0 is there in every lane, and the state has zero for it.
    ///
    /// A circulant one is made of blocks `B₀, B₁, …` that go round, too. Of two vectors it makes
    ///
    /// ```text
    /// u = (B₀ + B₁)/2·(x₀ + x₁)     v = (B₀ - B₁)/2·(x₀ - x₁)     y₀ = u + v     y₁ = u - v
    /// ```
    ///
    /// and of three, with four products in place of nine (Winograd, "Arithmetic Complexity of Computations", 1980, on
    /// cyclic convolutions), all of them a third of what is written here,
    ///
    /// ```text
    /// m  = (B₀ + B₁ + B₂)·(x₀ + x₁ + x₂)     pᵢⱼ = (Bᵢ - Bⱼ)·(xᵢ - xⱼ)     t = m + p₀₁ + p₀₂ + p₁₂
    /// y₀ = t - 3·p₁₂     y₁ = t - 3·p₀₁     y₂ = t - 3·p₀₂
    /// ```
    fn layer(
        &self,
        b: &mut Rows,
        name: &str,
        mds: &Mds,
        state: &[PieceId],
        first: Option<PieceId>,
    ) -> Vec<PieceId> {
        let first = first.map(|z| (z, [0; LANES]));
        let field = self.field;
        let block = |n: usize| -> Square {
            let row = |lane: usize| -> [u64; LANES] {
                std::array::from_fn(|column| mds.rows[n * LANES + lane][column])
            };
            (0..LANES).map(row).collect()
        };
        let combined = |x: &Square, y: &Square, of: fn(&Field, u64, u64) -> u64| -> Square {
            let rows = x.iter().zip(y);
            rows.map(|(x, y)| std::array::from_fn(|n| of(field, x[n], y[n])))
                .collect()
        };
        let scaled = |rows: &Square, divisor| -> Square {
            let factor = field.inv(divisor).expect("2 and 3 are less than p");
            let rows = rows.iter();
            rows.map(|row| row.map(|entry| field.mul(factor, entry)))
                .collect()
        };
        let product = |b: &mut Rows, name: &str, rows: &Square, x, first: Option<Element>| {
            let mut elements = spread(b, x, 0);
            elements.extend(first);
            self.multiplied(b, name, rows, &elements)
        };
        match (mds.is_circulant(), state) {
            (true, &[x0, x1]) => {
                let blocks = [block(0), block(1)];
                let sum = b.added(&format!("{name}.plus"), x0, x1);
                let difference = b.apply(&format!("{name}.minus"), MacroOp::Sub, &[x0, x1]);
                let rows = scaled(&combined(&blocks[0], &blocks[1], Field::add), 2);
                let u = product(b, &format!("{name}.u"), &rows, sum, first);
                let rows = scaled(&combined(&blocks[0], &blocks[1], Field::sub), 2);
                let v = product(b, &format!("{name}.v"), &rows, difference, first);
                vec![
                    b.added(&format!("{name}.row[0]"), u, v),
                    b.apply(&format!("{name}.row[1]"), MacroOp::Sub, &[u, v]),
                ]
            }
            (true, &[x0, x1, x2]) => {
                let blocks = [block(0), block(1), block(2)];
                let sum = b.total(&format!("{name}.plus"), &[x0, x1, x2]);
                let rows = combined(&blocks[0], &blocks[1], Field::add);
                let rows = scaled(&combined(&rows, &blocks[2], Field::add), 3);
                let m = product(b, &format!("{name}.m"), &rows, sum, first);
                let products = [[0, 1], [0, 2], [1, 2]].map(|[i, j]| {
                    let difference = format!("{name}.minus[{i}{j}]");
                    let operands = [state[i], state[j]];
                    let difference = b.apply(&difference, MacroOp::Sub, &operands);
                    let rows = scaled(&combined(&blocks[i], &blocks[j], Field::sub), 3);
                    // Only x₀ has element 0.
                    let first = first.filter(|_| i == 0);
                    product(b, &format!("{name}.p[{i}{j}]"), &rows, difference, first)
                });
                let [p01, p02, p12] = products;
                let t = b.total(&format!("{name}.t"), &[m, p01, p02, p12]);
                let rows = [p12, p01, p02].into_iter().enumerate();
                rows.map(|(n, p)| {
                    let name = format!("{name}.row[{n}]");
                    let thrice = b.total(&format!("{name}.thrice"), &[p, p, p]);
                    b.apply(&name, MacroOp::Sub, &[t, thrice])
                })
                .collect()
            }
            _ => {
                let elements = state.iter().enumerate();
                let mut elements: Vec<Element> = elements
                    .flat_map(|(n, x)| spread(b, *x, n * LANES))
                    .collect();
                elements.extend(first);
                let rows = mds.rows.chunks(LANES).enumerate();
                rows.map(|(n, rows)| {
                    self.multiplied(b, &format!("{name}.row[{n}]"), rows, &elements)
                })
                .collect()
            }
        }
    }

    /// What the rows of a matrix, one for each lane, make of elements that are in every lane, below p.
    fn multiplied(
        &self,
        b: &mut Rows,
        name: &str,
        rows: &[impl AsRef<[u64]>],
        elements: &[Element],
    ) -> PieceId {
        let factors = elements.iter().map(|(_, columns)| {
            let entry = |lane: usize| rows[lane].as_ref()[columns[lane]];
            let factors = (0..LANES).map(|lane| Factor::of(self.field, entry(lane)));
            factors.collect()
        });
        let factors: Vec<Vec<Factor>> = factors.collect();
        let groups = share(self.field, &factors).into_iter().enumerate();
        let sums = groups.map(|(n, group)| {
            let p = [self.field.modulus; LANES];
            let offset = group.offset.iter().map(|factors| (b.words(p), factors));
            let products = group.products.iter();
            let products = products.map(|&product| (elements[product].0, &factors[product]));
            let terms: Vec<_> = offset.chain(products).collect();
            let operands = terms.into_iter().flat_map(|(x, factors)| {
                [x, b.words(std::array::from_fn(|lane| factors[lane].word()))]
            });
            let operands: Vec<PieceId> = operands.collect();
            let op = MacroOp::sum_of_products(operands.len() / 2);
            let name = format!("{name}.{n}");
            let sum = b.apply(&name, op, &operands);
            b.positive(&format!("{name}.reduced"), sum)
        });
        let sums: Vec<PieceId> = sums.collect();
        b.total(&format!("{name}.sum"), &sums)
    }
}
