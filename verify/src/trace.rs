//! Where kernels are in memory, and one call of one of them for a tracer to watch.

mod peer;

use poseidon2_generated::Kernel;

use crate::corpus::Table;
use crate::oracle::{self, Instance};
use crate::request::{Located, Traced, verify_anchor};
use crate::suite::{Visitor, Word, missing, prepared, visit};

pub use peer::PEER;

/// Runs a kernel once, on its instance's standard constants.
///
/// # Errors
/// A message where there is no such kernel on this host.
pub fn trace(name: &str) -> Result<Traced, String> {
    if let Some(traced) = peer::trace(name) {
        return Ok(traced);
    }
    let mut find = Find(name, None);
    visit(&mut find);
    let none = || Err(format!("no kernel `{name}` on this architecture"));
    find.1.unwrap_or_else(none)
}

/// A kernel's name, and how its run ended.
struct Find<'a>(&'a str, Option<Result<Traced, String>>);

impl Visitor for Find<'_> {
    fn visit<T: Word>(&mut self, kernel: &'static Kernel<T>) {
        if kernel.name == self.0 {
            self.1 = Some(trace_kernel(kernel));
        }
    }
}

/// Where all kernels are.
#[must_use]
pub fn locate() -> Located {
    let mut located = Located {
        anchor: verify_anchor as *const () as u64,
        kernels: Vec::new(),
    };
    visit(&mut located);
    located
}

impl Visitor for Located {
    fn visit<T: Word>(&mut self, kernel: &'static Kernel<T>) {
        let start = kernel.permute as usize as u64;
        self.kernels.push((kernel.name.to_owned(), start));
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
    let Kernel { width, lanes, .. } = *kernel;
    let index = |state: usize, i: usize| (state / lanes * width + i) * lanes + state % lanes;
    let mut states = vec![T::from_u64(0); kernel.state_words()];
    for (state, residues) in residues(&instance, kernel.states()).enumerate() {
        for (i, residue) in residues.iter().enumerate() {
            states[index(state, i)] = T::from_u64(instance.field.encode(*residue));
        }
    }
    // SAFETY: the operands have the kernel's lengths, the words are canonical, and so are the
    // constants, which its own preparation has been given if it has one; the CPU has the features.
    unsafe { (kernel.permute)(states.as_mut_ptr(), constants.as_ptr()) };
    Ok(Traced {
        entry: kernel.permute as usize as u64,
        anchor: verify_anchor as *const () as u64,
        states: kernel.states(),
        agrees: expected(&instance, kernel.states()).all(|(state, residues)| {
            let got = |i| states[index(state, i)].to_u64();
            (0..width).all(|i| instance.field.agrees(got(i), residues[i]))
        }),
    })
}

/// The states that are permuted.
fn residues(instance: &Instance, states: usize) -> impl Iterator<Item = Vec<u64>> {
    let width = instance.permutation.width();
    let state = move |state: usize| (0..width).map(|i| (state * width + i) as u64).collect();
    (0..states).map(state)
}

/// What each of them becomes by the peer: the other oracle takes so long that its instructions
/// would be most of the trace.
fn expected(instance: &Instance, states: usize) -> impl Iterator<Item = (usize, Vec<u64>)> {
    let peer = oracle::plonky3::permutation(instance);
    let permuted = residues(instance, states).map(move |mut state| {
        peer.iter().for_each(|permute| permute(&mut state));
        state
    });
    permuted.enumerate()
}
