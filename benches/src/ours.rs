//! How a generated kernel is called: with which constants, on which words.

use poseidon2_generated::Kernel;

use crate::contestant::Permuter;

/// The signature of kernels and of their phases.
pub type Entry<T> = unsafe fn(*mut T, *const T);

/// A kernel, or a part of it, with the constants that it reads: whatever must be known to call a
/// kernel is known here and nowhere else.
#[derive(Clone, Debug)]
pub struct Ours<T: 'static> {
    kernel: &'static Kernel<T>,
    entry: Entry<T>,
    constants: Vec<T>,
}

impl<T: Copy> Ours<T> {
    /// The whole kernel, on a table of canonical constants: external, then internal. None: the
    /// table has another length than the kernel's, or this CPU lacks a feature that it needs.
    #[must_use]
    pub fn new(kernel: &'static Kernel<T>, constants: &[T]) -> Option<Self> {
        let fits = constants.len() * kernel.parts == kernel.constant_words();
        (fits && poseidon2_kernels::is_supported(kernel.isa)).then(|| {
            let mut words = constants.repeat(kernel.parts);
            if let Some(prepare) = kernel.prepare {
                prepare(constants, &mut words);
            }
            Self {
                kernel,
                entry: kernel.permute,
                constants: words,
            }
        })
    }

    /// A part of the same kernel.
    ///
    /// # Safety
    /// `entry` must be sound wherever the kernel's own is.
    #[must_use]
    pub unsafe fn part(self, entry: Entry<T>) -> Self {
        Self { entry, ..self }
    }
}

impl<T: Copy> Permuter<T> for Ours<T> {
    fn width(&self) -> usize {
        self.kernel.width
    }

    fn lanes(&self) -> usize {
        self.kernel.lanes
    }

    fn states(&self) -> usize {
        self.kernel.states()
    }

    #[inline]
    fn permute(&self, words: &mut [T]) {
        assert_eq!(words.len(), self.kernel.state_words());
        // SAFETY: `words` has the kernel's length (asserted), the constants have theirs and the
        // CPU has the features (`new`); constants are canonical, as `new` asks, and prepared by
        // the kernel's own preparation if it has one (`new`); words of 31-bit fields come from
        // below p and from kernels.
        unsafe { (self.entry)(words.as_mut_ptr(), self.constants.as_ptr()) }
    }
}
