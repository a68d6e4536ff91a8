//! Modes that have no counterpart in Plonky3, against a slow reference: on each instruction set, for each field
//! and width, in batches that leave lanes empty and batches that do not.

use poseidon2_kernels::field::{BabyBear, Field, Goldilocks, KoalaBear};
use poseidon2_kernels::modes::{
    Compressor, FeedForward, Hasher, Linear, MatyasMeyerOseas, Mode, RightToLeft, State, Truncated,
    ZeroPadded,
};
use poseidon2_kernels::{LengthMismatch, ParameterSet, Plonky3, Poseidon2, Sponge};
use verify::corpus::values::{Fill, GOLDILOCKS_EDGES};
use verify::oracle::Modes;

use super::ROWS;
use crate::common::{instance, on_each_isa};

/// Words of a field, as the reference has them.
trait Words: Field {
    fn of(word: u64) -> Self::Word;
    fn wide(word: Self::Word) -> u64;
}

impl Words for Goldilocks {
    fn of(word: u64) -> u64 {
        word
    }

    fn wide(word: u64) -> u64 {
        word
    }
}

macro_rules! of_31_bits {
    ($($field:ident)+) => {$(
        impl Words for $field {
            fn of(word: u64) -> u32 {
                word as u32
            }

            fn wide(word: u32) -> u64 {
                word.into()
            }
        }
    )+};
}

of_31_bits!(KoalaBear BabyBear);

fn wide<F: Words>(words: &[F::Word]) -> Vec<u64> {
    words.iter().copied().map(F::wide).collect()
}

/// Words of which many are at the edges of the field, or not below p.
fn words<F: Words>(count: usize) -> Vec<F::Word> {
    let mut fill = Fill::new(count as u64);
    let p = F::wide(F::MODULUS);
    let edges = [0, 1, p / 2, p / 2 + 1, p - 1, p, p + 1];
    let mut word = || match fill.below(3) {
        0 => fill.bits(),
        1 => GOLDILOCKS_EDGES[fill.index(GOLDILOCKS_EDGES.len())],
        _ => edges[fill.index(edges.len())],
    };
    (0..count).map(|_| F::of(word())).collect()
}

/// What tests of one permutation share: the permutation on each instruction set, and the reference over it.
fn on_each<F: Words, const W: usize>(check: impl Fn(Poseidon2<F, W>, Modes<'_>))
where
    Plonky3: ParameterSet<F, W>,
{
    let reference = instance(F::NAME, W).permutation;
    let modes = Modes {
        modulus: reference.modulus,
        width: W,
        permute: &|state| reference.permute(state),
    };
    for poseidon2 in on_each_isa(Poseidon2::<F, W>::plonky3()) {
        check(poseidon2, modes);
    }
}

/// All batches of rows of some lengths, against the state behind each digest.
fn rows_are_hashed<F: Words, M: Mode<F, W>, const W: usize, const OUT: usize>(
    hasher: &Hasher<Poseidon2<F, W>, M, W, OUT>,
    lengths: &[usize],
    expected: impl Fn(&[u64]) -> Vec<u64>,
) {
    for columns in lengths.iter().copied() {
        let most = ROWS[ROWS.len() - 1];
        let words = words::<F>(most * columns);
        let row = |r: usize| &words[r * columns..][..columns];
        let expected: Vec<_> = (0..most)
            .map(|r| expected(&wide::<F>(row(r)))[..OUT].to_vec())
            .collect();
        for rows in ROWS {
            let mut digests = vec![[F::of(u64::MAX); OUT]; rows];
            let words = &words[..rows * columns];
            hasher.hash_rows_into(words, &mut digests).unwrap();
            let digests: Vec<_> = digests.iter().map(|digest| wide::<F>(digest)).collect();
            let (isa, name) = (hasher.permutation().isa().name(), F::NAME);
            assert_eq!(
                digests,
                expected[..rows],
                "{name} {W}, {isa}, {rows} rows of {columns}"
            );
        }
    }
}

fn nodes_are_compressed<
    F: Words,
    M: Mode<F, W>,
    const N: usize,
    const CHUNK: usize,
    const W: usize,
>(
    compressor: &Compressor<Poseidon2<F, W>, M, N, CHUNK, W>,
    expected: impl Fn(&[u64]) -> Vec<u64>,
) {
    let most = ROWS[ROWS.len() - 1];
    let words = words::<F>(most * N * CHUNK);
    let (groups, _) = words.as_chunks::<CHUNK>().0.as_chunks::<N>();
    let expected: Vec<_> = groups
        .iter()
        .map(|group| expected(&wide::<F>(group.as_flattened()))[..CHUNK].to_vec())
        .collect();
    for count in ROWS {
        let mut nodes = vec![[F::of(u64::MAX); CHUNK]; count];
        let groups = &groups[..count];
        compressor.compress_layer_into(groups, &mut nodes).unwrap();
        assert_eq!(nodes, compressor.compress_layer(groups));
        let nodes: Vec<_> = nodes.iter().map(|node| wide::<F>(node)).collect();
        let isa = compressor.permutation().isa().name();
        assert_eq!(
            nodes,
            expected[..count],
            "{} {W}, {isa}, {count} nodes",
            F::NAME
        );
    }
}

/// Some initial state, and as the reference has it.
fn initial<F: Words, const W: usize>() -> (State<F, W>, Vec<u64>) {
    let words = words::<F>(W);
    let state = State::new(core::array::from_fn(|i| words[i]));
    assert_eq!(
        wide::<F>(&state.residues()),
        wide::<F>(&words)
            .iter()
            .map(|word| word % F::wide(F::MODULUS))
            .collect::<Vec<_>>()
    );
    (state, wide::<F>(&words))
}

/// Every mode of one permutation, with rates of half and of three quarters of the state.
macro_rules! modes {
    ($($test:ident: $field:ident $w:literal, rates $half:literal $more:literal, arities $($n:literal of $chunk:literal),+;)+) => {$(
        mod $test {
            use super::*;

            type P = Poseidon2<$field, $w>;

            #[test]
            fn feed_forward() {
                on_each::<$field, $w>(|p, modes| {
                    let hasher = Hasher::<_, FeedForward, $w, $w>::new(p.clone());
                    rows_are_hashed(&hasher, &[0, 1, $half - 1, $half, $w], |row| modes.feed_forward(row));
                    let (state, words) = initial::<$field, $w>();
                    rows_are_hashed(&hasher.starting_from(state), &[0, 1, $half], |row| {
                        modes.feed_forward(&[row, &words[row.len()..]].concat())
                    });
                    $(
                        let compressor = Compressor::<_, FeedForward, $n, $chunk, $w>::new(p.clone());
                        nodes_are_compressed(&compressor, |group| modes.feed_forward(group));
                    )+
                });
            }

            #[test]
            fn truncated() {
                on_each::<$field, $w>(|p, modes| {
                    $(
                        let compressor = Compressor::<_, Truncated, $n, $chunk, $w>::new(p.clone());
                        nodes_are_compressed(&compressor, |group| modes.truncated(group));
                    )+
                    // In a domain.
                    let (state, words) = initial::<$field, $w>();
                    let compressor = Compressor::<_, Truncated, 2, 3, $w>::new(p).starting_from(state);
                    nodes_are_compressed(&compressor, |group| {
                        modes.truncated(&[group, &words[6..]].concat())
                    });
                });
            }

            fn right_to_left<const RATE: usize>() {
                on_each::<$field, $w>(|p, modes| {
                    let lengths = [0, 1, 2, 5].map(|blocks| $w + blocks * RATE);
                    let overwrite = Hasher::<_, RightToLeft<RATE>, $w, $half>::new(p.clone());
                    rows_are_hashed(&overwrite, &lengths, |row| modes.right_to_left(RATE, false, row));
                    resumed(&overwrite, RATE, |row| modes.right_to_left(RATE, false, row));
                    let mmo = Hasher::<_, MatyasMeyerOseas<RATE>, $w, $half>::new(p.clone());
                    rows_are_hashed(&mmo, &lengths, |row| modes.right_to_left(RATE, true, row));
                    resumed(&mmo, RATE, |row| modes.right_to_left(RATE, true, row));
                    let (state, words) = initial::<$field, $w>();
                    rows_are_hashed(&mmo.starting_from(state), &[0, RATE, 3 * RATE], |row| {
                        let state = modes.right_to_left_from(&words, RATE, true, row);
                        state.iter().map(|word| word % modes.modulus).collect()
                    });
                });
            }

            /// Zeros at the end of messages, hashed once.
            fn resumed<M: Mode<$field, $w> + Copy>(
                whole: &Hasher<P, M, $w, $half>,
                rate: usize,
                expected: impl Fn(&[u64]) -> Vec<u64>,
            ) {
                for blocks in [0, 1, 3] {
                    let zeros = vec![0; $w + blocks * rate];
                    let state = whole.state_after(&zeros).unwrap();
                    let zeros = wide::<$field>(&zeros);
                    let known = expected(&zeros);
                    assert_eq!(wide::<$field>(&state.residues()), known);
                    let rest = whole.clone().starting_from(state);
                    rows_are_hashed(&rest, &[0, rate, 2 * rate], |row| {
                        expected(&[row, &zeros].concat())
                    });
                }
            }

            #[test]
            fn right_to_left_half() {
                right_to_left::<$half>();
            }

            #[test]
            fn right_to_left_more() {
                right_to_left::<$more>();
            }

            #[test]
            fn left_to_right() {
                const LENGTHS: [usize; 7] =
                    [0, 1, $more - 1, $more, $more + 1, 2 * $more, 3 * $more + 2];
                on_each::<$field, $w>(|p, modes| {
                    let (state, words) = initial::<$field, $w>();
                    let zeros = vec![0; $w];
                    let some = |words: Vec<u64>| words.iter().map(|word| word % modes.modulus).collect();

                    let sponge = Sponge::<_, $w, $more, { $w / 4 }>::new(p.clone());
                    rows_are_hashed(&sponge, &LENGTHS, |row| modes.overwrite(&zeros, $more, row));
                    let begun = sponge.state_after(&words_of::<$more>()).unwrap();
                    rows_are_hashed(&sponge.clone().starting_from(begun), &LENGTHS, |row| {
                        modes.overwrite(&zeros, $more, &[&wide::<$field>(&words_of::<$more>()), row].concat())
                    });
                    rows_are_hashed(&sponge.starting_from(state), &LENGTHS, |row| {
                        some(modes.overwrite(&words, $more, row))
                    });

                    let padded = Hasher::<_, ZeroPadded<$more>, $w, { $w / 4 }>::new(p.clone());
                    rows_are_hashed(&padded, &LENGTHS, |row| modes.zero_padded(&zeros, $more, row));
                    rows_are_hashed(&padded.starting_from(state), &LENGTHS, |row| {
                        some(modes.zero_padded(&words, $more, row))
                    });

                    let linear = Hasher::<_, Linear<$more>, $w, { $w / 4 }>::new(p);
                    rows_are_hashed(&linear, &LENGTHS, |row| modes.linear(&zeros[$more..], $more, row));
                    rows_are_hashed(&linear.starting_from(state), &LENGTHS[1..], |row| {
                        modes.linear(&words[$more..], $more, row)
                    });
                });
            }

            /// Some whole block.
            fn words_of<const RATE: usize>() -> Vec<<$field as Field>::Word> {
                words::<$field>(RATE)
            }
        }
    )+};
}

modes! {
    goldilocks_8: Goldilocks 8, rates 4 6, arities 2 of 4, 2 of 3, 4 of 2, 8 of 1;
    goldilocks_12: Goldilocks 12, rates 6 8, arities 2 of 4, 3 of 4, 2 of 6;
    goldilocks_16: Goldilocks 16, rates 8 12, arities 2 of 8, 3 of 4, 4 of 4, 8 of 2;
    koala_bear_16: KoalaBear 16, rates 8 12, arities 2 of 8, 3 of 5, 4 of 4, 8 of 2;
    koala_bear_24: KoalaBear 24, rates 12 16, arities 2 of 8, 3 of 8, 4 of 6, 8 of 3;
    baby_bear_16: BabyBear 16, rates 8 12, arities 2 of 8, 4 of 4;
    baby_bear_24: BabyBear 24, rates 12 16, arities 2 of 8, 3 of 8;
}

#[test]
fn lengths_that_a_mode_does_not_take_are_refused() {
    let poseidon2 = Poseidon2::<KoalaBear, 16>::plonky3();
    let mmo = Hasher::<_, MatyasMeyerOseas<12>, 16, 8>::new(poseidon2.clone());
    for length in [0, 4, 12, 15, 17, 20, 27, 29] {
        let row = vec![7; length];
        let refusal = mmo.try_hash_row(&row).unwrap_err();
        let told =
            format!("a message of {length} words: the mode takes 16 and a multiple of 12 more");
        assert_eq!(refusal.to_string(), told);
        assert_eq!(mmo.state_after(&row), Err(refusal));
        let mut digests = [[1; 8]; 2];
        let two = [row.clone(), row.clone()].concat();
        assert_eq!(mmo.hash_rows_into(&two, &mut digests), Err(refusal));
        assert_eq!(digests, [[1; 8]; 2], "nothing is written");
        if length > 0 {
            assert_eq!(mmo.hash_rows(&two, length), Err(refusal));
        }
    }
    assert_eq!(mmo.hash_rows_into(&[], &mut []), Ok(()));

    let state = mmo.state_after(&[0; 28]).unwrap();
    let refusal = mmo.starting_from(state).try_hash_row(&[7; 28]).unwrap_err();
    let told = "a message of 28 words: the mode takes a multiple of 12";
    assert_eq!(refusal.to_string(), told);

    let at_once = Hasher::<_, FeedForward, 16, 8>::new(poseidon2.clone());
    let refusal = at_once.try_hash_row(&[7; 17]).unwrap_err();
    let told = "a message of 17 words: the mode takes any number, at most 16";
    assert_eq!(refusal.to_string(), told);

    // Of the given state something must remain.
    let refusal = at_once
        .starting_from(State::new([5; 16]))
        .try_hash_row(&[7; 16])
        .unwrap_err();
    let told = "a message of 16 words: the mode takes any number, at most 15";
    assert_eq!(refusal.to_string(), told);

    // A block that is only begun leads to no state.
    let sponge = Sponge::<_, 16, 8, 8>::new(poseidon2);
    assert!(matches!(
        sponge.state_after(&[7; 12]),
        Err(LengthMismatch::Message { words: 12, .. })
    ));
}
