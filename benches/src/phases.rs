//! Our kernels' phases: the same source, cut at build time between its rounds (`build.rs`). Unit tests do
//! without, as they call none and kernels take long to compile.

#[cfg(all(feature = "phases", not(test)))]
#[allow(
    clippy::all,
    clippy::undocumented_unsafe_blocks,
    missing_docs,
    unused,
    unreachable_pub
)]
mod cut {
    include!(concat!(env!("OUT_DIR"), "/phases.rs"));
}

use crate::ours::Ours;

/// A phase of a kernel, by index. None: this build has none of it, because it was not asked for
/// phases or the kernel has another form than those that can be cut.
pub(crate) fn of<T: Phased>(kernel: Ours<T>, name: &str, index: usize) -> Option<Ours<T>> {
    let (_, phases) = T::PHASES.iter().find(|(cut, _)| *cut == name)?;
    // SAFETY: the phases have the kernel's signature and text, with fewer rounds.
    Some(unsafe { kernel.part(phases[index]) })
}

/// A word whose kernels may have been cut.
pub trait Phased: Copy + Sized + 'static {
    /// Kernels by name, and their phases.
    const PHASES: &[(&'static str, [crate::ours::Entry<Self>; 3])];
}

#[cfg(all(feature = "phases", not(test)))]
impl Phased for u64 {
    const PHASES: &[(&'static str, [crate::ours::Entry<Self>; 3])] = cut::WORDS_64;
}

#[cfg(all(feature = "phases", not(test)))]
impl Phased for u32 {
    const PHASES: &[(&'static str, [crate::ours::Entry<Self>; 3])] = cut::WORDS_32;
}

#[cfg(any(not(feature = "phases"), test))]
impl Phased for u64 {
    const PHASES: &[(&'static str, [crate::ours::Entry<Self>; 3])] = &[];
}

#[cfg(any(not(feature = "phases"), test))]
impl Phased for u32 {
    const PHASES: &[(&'static str, [crate::ours::Entry<Self>; 3])] = &[];
}
