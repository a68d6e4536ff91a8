//! What has gone wrong in hand-written kernels elsewhere; each case keeps the name of its report.

use super::values::{Fill, edges};
use super::{Section, Table};
use crate::oracle::{Instance, Inverse, Layer};

const CHECK: &str = "regressions";

/// 2^64 − 1 as a Goldilocks residue: what a constructor must make of that constant.
const ALL_ONES: u64 = 0xffff_fffe;

/// The regression cases of an instance, one section for each table of constants they need.
pub(super) fn sections(instance: &Instance) -> Vec<Section> {
    let mut sections = vec![standard(instance)];
    if instance.field.montgomery_bits == 0 {
        sections.extend(goldilocks_constants(instance));
    }
    sections
}

fn standard(instance: &Instance) -> Section {
    let mut section = Section::new(instance, Table::standard(instance));
    let p = instance.field.modulus;
    let width = instance.permutation.width();
    let mut push = |origin: &str, states: Vec<Vec<u64>>| {
        section.push(instance, CHECK, origin.to_owned(), states);
    };
    if instance.field.montgomery_bits == 0 {
        let operands = [(0xffff_ffff_0b68_83d0, 0xffff_ffff_ffff_ffef)];
        let origin = "p3 #1580: add with both operands at or above p";
        push(origin, ordered_pairs(width, &operands));

        let operands = [(0, p + 1), (0, u64::MAX), (5, p + 6), (1, u64::MAX - 1)];
        let origin = "p3 #1591: subtraction with b > p and a < b - p";
        push(origin, ordered_pairs(width, &operands));

        let origin = "p3 #1684: a lane that is exactly p, written as p";
        push(origin, one_hot(width, p));

        let product = instance.permutation.mul(0xaaaa_aaaa_1364_2a00, 3);
        let origin = "p3 0.8.0 mul_asm: a product that comes out at or above p";
        push(origin, after_sboxes(instance, product));
    } else {
        let top = |fill: &mut Fill| p - 1 - fill.below(1 << 24);
        let origin = "stwo #1409: signed doubling of operands near 2^31";
        push(origin, filled(width, 64, top));

        let edge = |fill: &mut Fill| edges(&instance.field)[fill.index(19)];
        let origin = "p3 #729: the 31-bit external layer, every element at an edge";
        push(origin, filled(width, 256, edge));
    }
    let origin = "p3 #1429, #1600: sums of products with every operand p - 1";
    push(origin, vec![vec![p - 1; width]]);

    let mut next = 0;
    let distinct = |_: &mut Fill| {
        next += 1;
        next
    };
    let origin = "p3 #1430: an output register that aliases an input";
    push(origin, filled(width, 64, distinct));
    section
}

fn goldilocks_constants(instance: &Instance) -> Vec<Section> {
    let p = instance.field.modulus;
    let width = instance.permutation.width();
    let of = |name, residue| Section::new(instance, Table::filled(instance, name, || residue));
    let mut all_ones = of("all 2^64 - 1 (reduced)", ALL_ONES);
    let mut wanted = vec![0; width];
    wanted[0] = ALL_ONES;
    let permutation = all_ones.table.permutation(instance);
    let inverse = Inverse::new(&permutation).expect("every layer is a bijection");
    let internal = |layer: &Layer| matches!(layer, Layer::InternalConstant(_));
    let inputs = (0..inverse.layers().len())
        .filter(|i| internal(&inverse.layers()[*i]))
        .map(|i| {
            let mut state = wanted.clone();
            inverse.input_for(i, &mut state);
            state
        });
    let origin = "p3 #2262: constant 2^64 - 1 on the state [2^64 - 1, 0, ..] in internal rounds";
    let inputs: Vec<_> = inputs.collect();
    all_ones.push(instance, CHECK, origin.to_owned(), inputs);

    let mut ones = of("all p + 1 (reduced)", 1);
    let origin = "p3 #1956: constant p + 1 on states of 2^64 - 1";
    let states = [vec![u64::MAX; width], vec![p - 1; width], vec![p; width]];
    ones.push(instance, CHECK, origin.to_owned(), states);
    vec![all_ones, ones]
}

/// Every ordered pair of elements holds every pair of operands; the others are 0.
fn ordered_pairs(width: usize, operands: &[(u64, u64)]) -> Vec<Vec<u64>> {
    let mut states = Vec::new();
    for (a, b) in operands {
        for i in 0..width {
            for j in (0..width).filter(|j| *j != i) {
                let mut state = vec![0; width];
                (state[i], state[j]) = (*a, *b);
                states.push(state);
            }
        }
    }
    states
}

fn one_hot(width: usize, word: u64) -> Vec<Vec<u64>> {
    let hot = |i| (0..width).map(|j| if i == j { word } else { 0 }).collect();
    (0..width).map(hot).chain([vec![word; width]]).collect()
}

/// Inputs that make `residue` the result of an S-box, at each place where that can happen.
fn after_sboxes(instance: &Instance, residue: u64) -> Vec<Vec<u64>> {
    let inverse = Inverse::new(&instance.permutation).expect("every layer is a bijection");
    let linear = |layer: &Layer| matches!(layer, Layer::ExternalLinear | Layer::InternalLinear);
    let mut fill = Fill::new(residue);
    (0..inverse.layers().len())
        .filter(|i| linear(&inverse.layers()[*i]))
        .map(|i| {
            let element = |j| match j % 2 {
                0 => residue,
                _ => fill.below(instance.field.modulus),
            };
            let mut state: Vec<u64> = (0..instance.permutation.width()).map(element).collect();
            inverse.input_for(i, &mut state);
            state
        })
        .collect()
}

fn filled(width: usize, count: usize, mut word: impl FnMut(&mut Fill) -> u64) -> Vec<Vec<u64>> {
    let mut fill = Fill::new(count as u64);
    (0..count)
        .map(|_| (0..width).map(|_| word(&mut fill)).collect())
        .collect()
}
