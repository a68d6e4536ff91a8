//! Vectors aimed at each site: choose what its operands shall be, find a state before the layer
//! that makes them so, and run the rounds backwards to the input that leads there.
//!
//! Uniform inputs practically never meet a site with operands that matter: the band of
//! non-canonical words has 2^32 of 2^64 members.

mod forms;

use codegen::ir::Program;
use codegen::params;

use crate::corpus::values::{Fill, edges};
use crate::corpus::{Section, Table};
use crate::oracle::{Instance, Inverse, Layer, Poseidon2};
use forms::{Form, Operands, Site, sites};

/// The check's name in reports.
pub const CHECK: &str = "aimed at sites";

/// Vectors for each site.
pub const VECTORS: usize = 64;

/// Aimed cases of some instances; one thread for each.
///
/// # Panics
/// Where a thread does, or where the generator does not know an oracle's instance.
#[must_use]
pub fn sections(instances: &[Instance]) -> Vec<Section> {
    std::thread::scope(|scope| {
        let handles: Vec<_> = instances
            .iter()
            .map(|instance| scope.spawn(move || section(instance)))
            .collect();
        let join = |handle: std::thread::ScopedJoinHandle<'_, _>| handle.join().expect("no panic");
        handles.into_iter().map(join).collect()
    })
}

fn section(instance: &Instance) -> Section {
    let mut section = Section::new(instance, Table::standard(instance));
    let inverse = Inverse::new(&instance.permutation).expect("every layer is a bijection");
    for site in instance_sites(instance) {
        let mut fill = Fill::new(section.len() as u64);
        let inputs: Vec<_> = (0..VECTORS)
            .map(|turn| {
                let (layer, mut state) = before(instance, &inverse, &site, turn, &mut fill);
                inverse.input_for(layer, &mut state);
                state.iter().map(|x| instance.field.encode(*x)).collect()
            })
            .collect();
        section.push(instance, CHECK, site.name, inputs);
    }
    section
}

fn instance_sites(instance: &Instance) -> Vec<Site> {
    let field = params::Field::by_name(instance.field.name);
    let field = field.expect("the generator knows the oracles' fields");
    let width = instance.permutation.width();
    let known = params::instance(instance.parameter_set, field, width);
    let program = Program::build(&known.expect("the generator knows the oracles' instances"));
    sites(&program, &instance.permutation)
}

/// The number of a layer that feeds the site, and a state before it with well-chosen operands.
fn before(
    instance: &Instance,
    inverse: &Inverse,
    site: &Site,
    turn: usize,
    fill: &mut Fill,
) -> (usize, Vec<u64>) {
    let p2 = &instance.permutation;
    let is_right = |layer: &Layer| match (&site.operands, layer) {
        (Operands::Linear { layer, .. }, other) => layer == other,
        (Operands::ExternalConstant, Layer::ExternalConstants(_)) => true,
        (Operands::InternalConstant, Layer::InternalConstant(_)) => true,
        _ => false,
    };
    let layers = inverse.layers().iter().enumerate();
    let places: Vec<_> = layers.filter(|(_, layer)| is_right(layer)).collect();
    let (number, layer) = places[turn % places.len()];
    let residue = |_| fill.dangerous_residue(&instance.field);
    let mut state: Vec<u64> = (0..p2.width()).map(residue).collect();
    match (&site.operands, layer) {
        (Operands::Linear { a, b, .. }, _) => {
            let targets = pair(instance, turn, fill);
            aim(p2, &mut state, a, b.as_ref(), targets, fill);
        }
        (_, Layer::ExternalConstants(round)) => {
            for (x, c) in state.iter_mut().zip(&p2.external[*round]) {
                *x = partner(instance, *c, turn, fill);
            }
        }
        (_, Layer::InternalConstant(round)) => {
            state[0] = partner(instance, p2.internal[*round], turn, fill);
        }
        _ => {}
    }
    (number, state)
}

/// Changes one or two elements so that the forms take the values wanted. Where the second form is
/// a multiple of the first, the first decides.
fn aim(
    p2: &Poseidon2,
    state: &mut [u64],
    a: &Form,
    b: Option<&Form>,
    (to_a, to_b): (u64, u64),
    fill: &mut Fill,
) {
    let width = state.len();
    let value = |form: &Form, state: &[u64]| {
        let terms = form.iter().zip(state).map(|(m, x)| p2.mul(*m, *x));
        terms.fold(0, |sum, term| p2.add(sum, term))
    };
    let minus = |x: u64, y: u64| p2.add(x, p2.modulus - y);
    let invert = |x: u64| p2.pow(x, p2.modulus - 2);
    let turned = fill.index(width);
    let order = || (0..width).map(|i| (i + turned) % width);
    let miss_a = minus(to_a, value(a, state));
    if let Some(b) = b {
        let miss_b = minus(to_b, value(b, state));
        for i in order() {
            for j in order() {
                let determinant = minus(p2.mul(a[i], b[j]), p2.mul(a[j], b[i]));
                if determinant != 0 {
                    let scale = invert(determinant);
                    let by_i = minus(p2.mul(miss_a, b[j]), p2.mul(a[j], miss_b));
                    let by_j = minus(p2.mul(a[i], miss_b), p2.mul(miss_a, b[i]));
                    state[i] = p2.add(state[i], p2.mul(by_i, scale));
                    state[j] = p2.add(state[j], p2.mul(by_j, scale));
                    return;
                }
            }
        }
    }
    if let Some(i) = order().find(|i| a[*i] != 0) {
        state[i] = p2.add(state[i], p2.mul(miss_a, invert(a[i])));
    }
}

/// Two residues whose words are trouble together.
fn pair(instance: &Instance, turn: usize, fill: &mut Fill) -> (u64, u64) {
    let field = &instance.field;
    let p = field.modulus;
    let any = fill.below(p);
    let (a, b) = match turn % 8 {
        0 => (low(p, fill), low(p, fill)),
        1 => (low(p, fill), p - 1 - fill.below(8)),
        2 => (p - 1 - fill.below(8), low(p, fill)),
        3 => (p - 1 - fill.below(8), p - 1 - fill.below(8)),
        4 | 5 => {
            return (
                field.decode(any),
                partner(instance, field.decode(any), turn, fill),
            );
        }
        6 => (
            edges(field)[fill.index(19)] % p,
            edges(field)[fill.index(19)] % p,
        ),
        _ => (any, any),
    };
    (field.decode(a), field.decode(b))
}

/// A residue whose word, added to the word of `other`, comes out near a power of two, near p, or
/// is trouble by itself.
fn partner(instance: &Instance, other: u64, turn: usize, fill: &mut Fill) -> u64 {
    let field = &instance.field;
    let p = field.modulus;
    let word = field.encode(other);
    let near = 8 - fill.below(16).cast_signed();
    let carry = if p > 1 << 32 { 1 << 64 } else { 1 << 31 };
    let wanted = match turn % 4 {
        0 => carry - i128::from(word) + i128::from(near),
        1 => i128::from(p) - i128::from(word) + i128::from(near),
        2 => i128::from(low(p, fill)),
        _ => i128::from(p - 1 - fill.below(8)),
    };
    let word = wanted.rem_euclid(i128::from(p));
    field.decode(u64::try_from(word).expect("a remainder by p is below p"))
}

/// A word that a lazy reduction may leave as itself plus p.
fn low(p: u64, fill: &mut Fill) -> u64 {
    let band = 0_u64.wrapping_sub(p);
    fill.below(band.min(p >> 6))
}

#[cfg(test)]
mod tests;
