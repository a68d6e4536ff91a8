//! The types that Plonky3 packs elements in.

/// Calls `$callback!(PERMUTATION over ELEMENT: ROUNDS, LOAD, VECTOR)` for each vector type: arrays of
/// any number of elements (with `, L`, the name of that number), and the packed type of the build.
/// The conditions are those under which Plonky3 has the types.
///
/// `LOAD` makes of an element's word one that kernels accept. KoalaBear's are below p unless
/// Plonky3 broke its own promise; kernels are not made to depend on it.
macro_rules! for_each_vector {
    ($callback:ident) => {
        for_each_vector!(
            $callback!(Poseidon2Goldilocks over Goldilocks: 8 + 22, identity),
            p3_goldilocks::{PackedGoldilocksAVX2, PackedGoldilocksAVX512, PackedGoldilocksNeon}
        );
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        $callback!(
            Poseidon2Goldilocks over Goldilocks: 8 + 22, identity,
            p3_goldilocks::PackedGoldilocksWasmSimd128
        );
        for_each_vector!(
            $callback!(Poseidon2KoalaBear over KoalaBear: 8 + 20, field::KoalaBear::reduce),
            p3_koala_bear::{PackedKoalaBearAVX2, PackedKoalaBearAVX512, PackedKoalaBearNeon}
        );
    };
    (
        $callback:ident!($name:ident over $element:ident: $rf:literal + $rp:literal, $load:expr),
        $krate:ident::{$avx2:ident, $avx512:ident, $neon:ident}
    ) => {
        $callback!($name over $element: $rf + $rp, $load, [$element; L], L);
        #[cfg(all(
            target_arch = "x86_64",
            target_feature = "avx2",
            not(target_feature = "avx512f")
        ))]
        $callback!($name over $element: $rf + $rp, $load, $krate::$avx2);
        #[cfg(all(target_arch = "x86_64", target_feature = "avx512f"))]
        $callback!($name over $element: $rf + $rp, $load, $krate::$avx512);
        #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
        $callback!($name over $element: $rf + $rp, $load, $krate::$neon);
    };
}
