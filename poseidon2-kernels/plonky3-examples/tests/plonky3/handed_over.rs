//! What Plonky3's own serves: the same function, and told.
//!
//! Which rows those are depends on the CPU and on the build, so each test looks at all shapes of both
//! fields; on a CPU and in a build where nothing is handed over, it is our kernels that are looked at.

use p3_field::{Field, PackedValue, PrimeField32};
use p3_goldilocks::Goldilocks;
use p3_koala_bear::{KoalaBear, default_koalabear_poseidon2_16};
use p3_symmetric::{
    CryptographicHasher, PaddingFreeSponge, Permutation, PseudoCompressionFunction,
    TruncatedPermutation,
};
use poseidon2_kernels::{
    Compression, Poseidon2Goldilocks, Poseidon2KoalaBear, Reason, Shape, Sponge, selected,
};
use verify::corpus::values::Fill;

fn states(count: usize) -> Vec<[KoalaBear; 16]> {
    let mut fill = Fill::new(count as u64);
    (0..count)
        .map(|_| [(); 16].map(|()| KoalaBear::new(fill.bits() as u32)))
        .collect()
}

/// Each lane holds a state, and all lanes come out right.
fn vectors<V: PackedValue<Value = KoalaBear>>(
    ours: &Poseidon2KoalaBear<16>,
    given: &[[KoalaBear; 16]],
    images: &[[KoalaBear; 16]],
) {
    for (given, images) in given
        .chunks_exact(V::WIDTH)
        .zip(images.chunks_exact(V::WIDTH))
    {
        let permuted = ours.permute(V::pack_columns::<16>(given));
        assert_eq!(V::unpack_iter(permuted).collect::<Vec<_>>(), images);
    }
}

#[test]
fn koala_bear_in_every_form() {
    let ours = Poseidon2KoalaBear::<16>::plonky3();
    let peer = default_koalabear_poseidon2_16();
    let given = states(70);
    let images: Vec<_> = given.iter().map(|state| peer.permute(*state)).collect();
    for (state, image) in given.iter().zip(&images) {
        assert_eq!(ours.permute(*state), *image);
    }
    vectors::<<KoalaBear as Field>::Packing>(&ours, &given, &images);
    vectors::<[KoalaBear; 1]>(&ours, &given, &images);
    vectors::<[KoalaBear; 5]>(&ours, &given, &images);
    vectors::<[KoalaBear; 8]>(&ours, &given, &images);
    vectors::<[KoalaBear; 16]>(&ours, &given, &images);
    vectors::<[KoalaBear; 23]>(&ours, &given, &images);
    vectors::<[KoalaBear; 64]>(&ours, &given, &images);

    // On plain words, residues that are not below p among them.
    let word = |state: &[KoalaBear; 16]| state.map(|element| element.as_canonical_u32());
    for length in 0..given.len() {
        let mut words: Vec<_> = given[..length].iter().map(word).collect();
        if let Some(first) = words.iter_mut().flatten().next() {
            *first += 0x7f00_0001;
        }
        ours.permute_many(&mut words);
        assert!(
            words
                .iter()
                .eq(&images[..length].iter().map(word).collect::<Vec<_>>())
        );
    }
    let mut one = word(&given[0]);
    ours.permute_one(&mut one);
    assert_eq!(one, word(&images[0]));
}

#[test]
fn koala_bear_in_every_mode() {
    let ours = Poseidon2KoalaBear::<16>::plonky3();
    let peer = default_koalabear_poseidon2_16();
    let theirs = PaddingFreeSponge::<_, 16, 8, 8>::new(peer.clone());
    let sponge = Sponge::<_, 16, 8, 8>::new(ours.clone());
    let elements: Vec<_> = states(70).into_iter().flatten().collect();
    for (rows, columns) in [(1, 16), (7, 3), (8, 0), (40, 28), (70, 16)] {
        let input = &elements[..rows * columns];
        let row = |r: usize| theirs.hash_slice(&input[r * columns..][..columns]);
        let expected: Vec<[KoalaBear; 8]> = (0..rows).map(row).collect();
        let mut digests = vec![[KoalaBear::default(); 8]; rows];
        sponge.hash_many(input, &mut digests);
        assert_eq!(digests, expected, "{rows} rows of {columns}");
    }
    let theirs = TruncatedPermutation::<_, 2, 8, 16>::new(peer);
    let compression = Compression::<_, 2, 8, 16>::new(ours);
    let (pairs, _) = elements.as_chunks::<8>().0.as_chunks::<2>();
    let expected: Vec<_> = pairs.iter().map(|pair| theirs.compress(*pair)).collect();
    let mut nodes = vec![[KoalaBear::default(); 8]; pairs.len()];
    compression.compress_many(pairs, &mut nodes);
    assert_eq!(nodes, expected);
}

#[test]
fn constants_are_handed_over_too() {
    use rand::SeedableRng;
    let rng = || rand::rngs::SmallRng::seed_from_u64(5);
    let ours = Poseidon2KoalaBear::<16>::new_from_rng_128(&mut rng());
    let peer = p3_koala_bear::Poseidon2KoalaBear::<16>::new_from_rng_128(&mut rng());
    for state in states(20) {
        assert_eq!(ours.permute(state), peer.permute(state));
    }
    let ours = Poseidon2Goldilocks::<12>::new_from_rng_128(&mut rng());
    let peer = p3_goldilocks::Poseidon2Goldilocks::<12>::new_from_rng_128(&mut rng());
    let state = [Goldilocks::new(u64::MAX); 12];
    assert_eq!(ours.permute(state), peer.permute(state));
}

#[test]
fn it_is_told() {
    let selection = selected();
    let told = format!("{selection:#}");
    let row = |field: &str, shape: &str| {
        let mut lines = told.lines();
        let found = lines.find(|line| line.contains(field) && line.contains(shape));
        found.map(str::to_owned)
    };
    let ours = Poseidon2KoalaBear::<16>::plonky3();
    let chosen = matches!(selection.reason, Reason::Requested | Reason::Environment);
    for shape in Shape::ALL {
        let row = row("koala-bear w16", shape.name()).expect("every permutation has a row");
        let kernels = ours.kernels_for(shape).count();
        assert_eq!(
            row.matches("times Plonky3's speed").count(),
            kernels,
            "{row}"
        );
        // Of single states, not of as many as a vector has.
        let mut stock = row.split("Plonky3's own").skip(1);
        assert_eq!(
            stock.any(|after| !after.starts_with(" of ")),
            ours.kernels_for(shape).all(|k| k.states() > 1),
            "{row}"
        );
        // Whoever asks for kernels gets kernels.
        assert!(!(chosen && row.contains("Plonky3's own")), "{row}");
    }
    let asked_for = ours.with_isa(selection.isa).unwrap();
    assert!(asked_for.kernels_for(Shape::One).next().is_some());
}

#[test]
fn types_are_no_larger_than_the_peers() {
    let peer = size_of::<p3_goldilocks::Poseidon2Goldilocks<8>>();
    let koala_bear = size_of::<p3_koala_bear::Poseidon2KoalaBear<16>>();
    let ours = [
        size_of::<Poseidon2Goldilocks<8>>(),
        size_of::<Poseidon2Goldilocks<12>>(),
        size_of::<Poseidon2Goldilocks<16>>(),
        size_of::<Poseidon2KoalaBear<16>>(),
        size_of::<Sponge<Poseidon2Goldilocks<8>, 8, 4, 4>>(),
    ];
    for size in ours {
        assert!(
            size <= 48 && size <= peer && size <= koala_bear,
            "{size}, {peer}, {koala_bear}"
        );
    }
}
