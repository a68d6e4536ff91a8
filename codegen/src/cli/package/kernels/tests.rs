//! What kernels without figures are taken for.

use super::figures::{side_by_side, without_figures};
use super::*;
use crate::tuning::{Figure, Key};

/// A kernel of one state is not taken to be as fast as vectors of eight: it would serve in place of them.
#[test]
fn kernels_without_figures_are_compared_with_their_like() {
    let manifest = include_str!("../../../../../generated/manifest.json");
    let kernels: Vec<KernelInfo> = serde_json::from_str(manifest).unwrap();
    let name = |kernel: &KernelInfo| kernel.name.rsplit('/').next().unwrap().to_owned();
    let across = kernels.iter().find(|kernel| kernel.layout == "across");
    let key = Key::of(across.unwrap()).unwrap();
    let own = kernels
        .iter()
        .filter(|kernel| Key::of(kernel).as_ref() == Some(&key));
    let (single, vectors): (Vec<_>, Vec<_>) = own.partition(|kernel| kernel.lanes == 1);
    let known = Figure {
        kernel: name(vectors[0]),
        states: vectors[0].lanes,
        lanes: vectors[0].lanes,
        time: 100.0,
        ratio: 1.0,
        spread: 0.0,
        used: true,
    };
    let mut other = vectors[0].clone();
    other.name += "_other";
    let missing = [single[0].clone(), other.clone()];
    let found = without_figures(&key, std::slice::from_ref(&known), &missing);
    let found: Vec<_> = found
        .iter()
        .map(|figure| (&*figure.kernel, figure.time))
        .collect();
    assert_eq!(found, [(&*name(&other), 100.0)]);
}

/// Kernels of one strategy take each other's times, and no others.
#[test]
fn two_groups_take_the_lesser_time() {
    let figure = |kernel: &str, states, time| Figure {
        kernel: kernel.to_owned(),
        states,
        lanes: 8,
        time,
        ratio: 1.0,
        spread: 0.0,
        used: true,
    };
    let mut figures = [
        figure("w24_avx512ifma_radix52_b1", 8, 106.1),
        figure("w24_avx512_signed_b1", 16, 90.0),
        figure("w24_avx512ifma_radix52_b2", 16, 111.8),
    ];
    side_by_side(&mut figures);
    assert_eq!(figures.map(|figure| figure.time), [111.8, 90.0, 106.1]);
}
