//! Where kernels are in memory, and one call of one of them for a tracer to watch.

use p3_goldilocks::{Goldilocks, default_goldilocks_poseidon2_8};
use p3_symmetric::Permutation;
use poseidon2_generated::{GOLDILOCKS, KOALA_BEAR, Kernel};

use crate::corpus::Table;
use crate::oracle;
use crate::request::{Located, Traced, verify_anchor};
use crate::suite::{Word, missing, prepared};

/// The peer's scalar permutation of width 8, under a name of the same kind as ours.
pub const PEER: &str = "peer/goldilocks/w8";

/// Runs a kernel once, on its instance's standard constants.
///
/// # Errors
/// A message where there is no such kernel on this host.
pub fn trace(name: &str) -> Result<Traced, String> {
    if name == PEER {
        return Ok(trace_peer());
    }
    if let Some(kernel) = GOLDILOCKS.iter().find(|kernel| kernel.name == name) {
        return trace_kernel(kernel);
    }
    match KOALA_BEAR.iter().find(|kernel| kernel.name == name) {
        Some(kernel) => trace_kernel(kernel),
        None => Err(format!("no kernel `{name}` on this architecture")),
    }
}

/// Where all kernels are.
#[must_use]
pub fn locate() -> Located {
    fn each<T>(kernels: &'static [Kernel<T>]) -> impl Iterator<Item = (String, u64)> {
        let start = |kernel: &Kernel<T>| kernel.permute as usize as u64;
        kernels
            .iter()
            .map(move |kernel| (kernel.name.to_owned(), start(kernel)))
    }
    Located {
        anchor: verify_anchor as *const () as u64,
        kernels: each(GOLDILOCKS).chain(each(KOALA_BEAR)).collect(),
    }
}

fn trace_kernel<T: Word>(kernel: &Kernel<T>) -> Result<Traced, String> {
    let missing = missing(kernel.features);
    if !missing.is_empty() {
        return Err(format!("this CPU lacks {}", missing.join(", ")));
    }
    let instance = oracle::find(kernel.parameter_set, kernel.field, kernel.width)
        .ok_or_else(|| format!("no oracle knows the instance of {}", kernel.name))?;
    let table = Table::standard(&instance).words(&instance);
    let constants = table.iter().map(|word| T::from_u64(*word)).collect();
    let constants = prepared(kernel, constants);
    if constants.len() != kernel.constant_words() {
        return Err(format!("{} reads a table of another shape", kernel.name));
    }
    let count = kernel.state_words() as u64;
    let mut states: Vec<T> = (0..count).map(T::from_u64).collect();
    // SAFETY: the operands have the kernel's lengths, the words are small, the constants
    // canonical or what the kernel's own preparation made of such, and the CPU has the features.
    unsafe { (kernel.permute)(states.as_mut_ptr(), constants.as_ptr()) };
    Ok(Traced {
        entry: kernel.permute as usize as u64,
        anchor: verify_anchor as *const () as u64,
        states: kernel.states(),
    })
}

fn trace_peer() -> Traced {
    let peer = default_goldilocks_poseidon2_8();
    let mut state = std::array::from_fn(|i| Goldilocks::new(i as u64));
    let permute = std::hint::black_box(permute_peer as fn(&_, &mut _));
    permute(&peer, &mut state);
    let _ = std::hint::black_box(state);
    Traced {
        entry: permute_peer as *const () as u64,
        anchor: verify_anchor as *const () as u64,
        states: 1,
    }
}

#[inline(never)]
fn permute_peer(peer: &p3_goldilocks::Poseidon2Goldilocks<8>, state: &mut [Goldilocks; 8]) {
    peer.permute_mut(state);
}
