//! Plonky3's Merkle trees: the same roots, caps and openings, whichever types hash them.

use p3_commit::Mmcs;
use p3_field::{Field, PackedValue, PrimeCharacteristicRing};
use p3_goldilocks::{
    Goldilocks, default_goldilocks_poseidon2_8, default_goldilocks_poseidon2_12,
    default_goldilocks_poseidon2_16,
};
use p3_koala_bear::{KoalaBear, default_koalabear_poseidon2_16, default_koalabear_poseidon2_24};
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;
use p3_matrix::horizontally_truncated::HorizontallyTruncated;
use p3_merkle_tree::MerkleTreeMmcs;
use p3_symmetric::{
    CryptographicHasher, PaddingFreeSponge, PseudoCompressionFunction, TruncatedPermutation,
};
use poseidon2_kernels::{Compression, Poseidon2Goldilocks, Poseidon2KoalaBear, Sponge, supported};
use serde::Serialize;
use serde::de::DeserializeOwned;
use verify::corpus::values::Fill;

/// Heights and widths of the matrices of one commitment. Between them: one row, heights that are odd,
/// below any number of lanes, just around one, several matrices of one height, and rows that end
/// within a block.
const BATCHES: &[&[(usize, usize)]] = &[
    &[(1, 5)],
    &[(2, 3)],
    &[(3, 4)],
    &[(7, 1)],
    &[(8, 9)],
    &[(31, 8)],
    &[(33, 7), (33, 6)],
    &[(64, 5), (32, 3), (8, 2), (1, 11)],
    &[(67, 3), (34, 13), (17, 4), (5, 1), (3, 2)],
    &[(100, 2), (25, 5), (100, 1)],
    &[(128, 1), (128, 4)],
    &[(131, 10)],
];

fn matrices<F: Field>(shapes: &[(usize, usize)]) -> Vec<RowMajorMatrix<F>> {
    let mut fill = Fill::new(shapes.len() as u64);
    let mut matrix = |(height, width): &(usize, usize)| {
        let values = (0..height * width).map(|_| F::from_u64(fill.bits()));
        RowMajorMatrix::new(values.collect(), *width)
    };
    shapes.iter().map(&mut matrix).collect()
}

/// Caps and the openings of all rows, as bytes, of each batch and with caps of several heights (at
/// height 0 a cap is a root). Every opening is verified, and so is that no other is accepted.
fn bytes<P, H, C, const N: usize, const D: usize>(hash: &H, compress: &C) -> Vec<Vec<u8>>
where
    P: PackedValue<Value: Field>,
    H: CryptographicHasher<P::Value, [P::Value; D]> + CryptographicHasher<P, [P; D]> + Sync,
    C: PseudoCompressionFunction<[P::Value; D], N> + PseudoCompressionFunction<[P; D], N> + Sync,
    [P::Value; D]: Serialize + DeserializeOwned,
{
    let mut all = Vec::new();
    for cap_height in [0, 1, 3] {
        let mmcs =
            MerkleTreeMmcs::<P, P, H, C, N, D>::new(hash.clone(), compress.clone(), cap_height);
        for shapes in BATCHES {
            let matrices = matrices::<P::Value>(shapes);
            let dimensions: Vec<_> = matrices.iter().map(Matrix::dimensions).collect();
            let height = dimensions.iter().map(|d| d.height).max().unwrap();
            // Plonky3 has caps of powers of two alone.
            if cap_height > 0 && !height.is_power_of_two() {
                continue;
            }
            let (cap, data) = mmcs.commit(matrices);
            let mut openings = Vec::new();
            for row in 0..height {
                let mut opening = mmcs.open_batch(row, &data);
                openings.push(opening.clone().unpack());
                let verified = mmcs.verify_batch(&cap, &dimensions, row, (&opening).into());
                verified.unwrap();
                opening.opened_values[0][0] += P::Value::ONE;
                let verified = mmcs.verify_batch(&cap, &dimensions, row, (&opening).into());
                verified.unwrap_err();
            }
            all.push(postcard::to_allocvec(&(cap, openings)).unwrap());
        }
    }
    all
}

/// The trees of one field (of rows: width and rate; of nodes: width, words of a digest, arity), with each
/// of these types.
macro_rules! same_trees {
    (
        $test:ident: $element:ident, $ours:ident, $peer:path, $peer_of_nodes:path;
        $rows:literal, $rate:literal; $w:literal, $d:literal, $n:literal;
        $($hash:ident, $compress:ident on $vector:ty;)+
    ) => {
        #[test]
        fn $test() {
            let hash = PaddingFreeSponge::<_, $rows, $rate, $d>::new($peer());
            let compress = TruncatedPermutation::<_, $n, $d, $w>::new($peer_of_nodes());
            let stock = bytes::<<$element as Field>::Packing, _, _, $n, $d>(&hash, &compress);
            for isa in supported() {
                let rows = $ours::<$rows>::plonky3().with_isa(isa).unwrap();
                let nodes = $ours::<$w>::plonky3().with_isa(isa).unwrap();
                $({
                    let hash = $hash::<_, $rows, $rate, $d>::new(rows.clone());
                    let compress = $compress::<_, $n, $d, $w>::new(nodes.clone());
                    // Openings are the same bytes, so each tree verifies the others', too.
                    assert!(
                        bytes::<$vector, _, _, $n, $d>(&hash, &compress) == stock,
                        "{}, {} on {}, {}",
                        stringify!($hash),
                        stringify!($compress),
                        stringify!($vector),
                        isa.name(),
                    );
                })+
            }
        }
    };
}

same_trees! {
    goldilocks_8_arity_2: Goldilocks, Poseidon2Goldilocks,
    default_goldilocks_poseidon2_8, default_goldilocks_poseidon2_8;
    8, 4; 8, 4, 2;
    PaddingFreeSponge, TruncatedPermutation on <Goldilocks as Field>::Packing;
    PaddingFreeSponge, TruncatedPermutation on [Goldilocks; 8];
    PaddingFreeSponge, Compression on [Goldilocks; 32];
    Sponge, Compression on <Goldilocks as Field>::Packing;
}

same_trees! {
    goldilocks_12_arity_2: Goldilocks, Poseidon2Goldilocks,
    default_goldilocks_poseidon2_12, default_goldilocks_poseidon2_12;
    12, 8; 12, 4, 2;
    Sponge, Compression on [Goldilocks; 16];
}

same_trees! {
    goldilocks_16_arity_4: Goldilocks, Poseidon2Goldilocks,
    default_goldilocks_poseidon2_16, default_goldilocks_poseidon2_16;
    16, 12; 16, 4, 4;
    PaddingFreeSponge, TruncatedPermutation on [Goldilocks; 16];
    Sponge, Compression on <Goldilocks as Field>::Packing;
}

same_trees! {
    koala_bear_16_arity_2: KoalaBear, Poseidon2KoalaBear,
    default_koalabear_poseidon2_16, default_koalabear_poseidon2_16;
    16, 8; 16, 8, 2;
    PaddingFreeSponge, TruncatedPermutation on [KoalaBear; 16];
    Sponge, Compression on <KoalaBear as Field>::Packing;
}

same_trees! {
    koala_bear_24_and_16_arity_2:
        KoalaBear, Poseidon2KoalaBear, default_koalabear_poseidon2_24, default_koalabear_poseidon2_16;
    24, 16; 16, 8, 2;
    PaddingFreeSponge, TruncatedPermutation on [KoalaBear; 16];
    Sponge, Compression on <KoalaBear as Field>::Packing;
}

/// Matrices without columns, alone and among others: their rows are there, and are nothing.
#[test]
fn rows_without_words_are_leaves_too() {
    fn roots<P, H, C>(hash: H, compress: C) -> Vec<Vec<u8>>
    where
        P: PackedValue<Value = Goldilocks>,
        H: CryptographicHasher<Goldilocks, [Goldilocks; 4]> + CryptographicHasher<P, [P; 4]> + Sync,
        C: PseudoCompressionFunction<[Goldilocks; 4], 2>
            + PseudoCompressionFunction<[P; 4], 2>
            + Sync,
    {
        let mmcs = MerkleTreeMmcs::<P, P, H, C, 2, 4>::new(hash, compress, 0);
        let batches: [&[(usize, usize)]; 6] = [
            &[(1, 0)],
            &[(37, 0)],
            &[(64, 0), (64, 0)],
            &[(64, 0), (64, 3), (32, 0), (1, 0)],
            &[(67, 5), (34, 0), (17, 2), (9, 0)],
            &[(600, 0), (300, 2)],
        ];
        let commit = |shapes: &&[(usize, usize)]| {
            let whole: Vec<_> = shapes.iter().map(|(height, _)| (*height, 7)).collect();
            let matrices = matrices::<Goldilocks>(&whole).into_iter().zip(*shapes);
            let matrices: Vec<_> = matrices
                .map(|(matrix, (_, width))| HorizontallyTruncated::new(matrix, *width).unwrap())
                .collect();
            let dimensions: Vec<_> = matrices.iter().map(Matrix::dimensions).collect();
            let (cap, data) = mmcs.commit(matrices);
            let row = dimensions[0].height / 2;
            let opening = mmcs.open_batch(row, &data);
            mmcs.verify_batch(&cap, &dimensions, row, (&opening).into())
                .unwrap();
            postcard::to_allocvec(&(cap, opening.unpack())).unwrap()
        };
        batches.iter().map(commit).collect()
    }

    type Packing = <Goldilocks as Field>::Packing;
    let peer = default_goldilocks_poseidon2_8;
    let stock = roots::<Packing, _, _>(
        PaddingFreeSponge::<_, 8, 4, 4>::new(peer()),
        TruncatedPermutation::<_, 2, 4, 8>::new(peer()),
    );
    for isa in supported() {
        let ours = Poseidon2Goldilocks::<8>::plonky3().with_isa(isa).unwrap();
        let hash = Sponge::<_, 8, 4, 4>::new(ours.clone());
        let compress = Compression::<_, 2, 4, 8>::new(ours);
        assert_eq!(
            roots::<Packing, _, _>(hash.clone(), compress.clone()),
            stock
        );
        assert_eq!(roots::<[Goldilocks; 32], _, _>(hash, compress), stock);
    }
}
