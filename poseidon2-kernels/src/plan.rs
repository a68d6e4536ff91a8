//! Which kernels permute how many states: read off the registry at compile time.

use poseidon2_generated::{Isa, Kernel, Prepare};

/// Words of the largest group that [`crate::engine`] has room for.
pub(crate) const MAX_WORDS: usize = 1024;

const MAX_STEPS: usize = 8;

/// Measured on Zen 5: a call of a Goldilocks kernel for AVX2 or AVX-512, of any width, takes as long
/// as three to four states on scalar kernels.
const WORTH_A_GROUP: usize = 4;

/// The kernels that one permutation uses on one ISA, in the order in which it tries them.
#[derive(Debug)]
pub(crate) struct Plan<T: 'static> {
    isa: Isa,
    steps: [Option<Step<T>>; MAX_STEPS],
    single: &'static Kernel<T>,
    /// The strategy of the kernels that read prepared constants, and what prepares them.
    prepared: Option<(&'static str, Prepare<T>)>,
}

/// A kernel, and how many states must be left for it to be worth its while.
#[derive(Debug)]
pub(crate) struct Step<T: 'static> {
    pub(crate) kernel: &'static Kernel<T>,
    pub(crate) least: usize,
}

impl<T> Step<T> {
    /// Takes the states of one call off the front of `rest`, if there are enough for it.
    pub(crate) fn take<'s, S>(&self, rest: &mut &'s mut [S]) -> Option<&'s mut [S]> {
        if rest.len() < self.least {
            return None;
        }
        rest.split_off_mut(..rest.len().min(self.kernel.states()))
    }
}

/// What is asked of the registry.
#[derive(Clone, Copy)]
pub(crate) struct Request {
    pub(crate) parameter_set: &'static str,
    pub(crate) width: usize,
    pub(crate) external_rounds: usize,
    pub(crate) internal_rounds: usize,
}

impl<T> Plan<T> {
    /// The plan for the kernels of `isa`, largest batch first; `None` if it has none.
    ///
    /// A kernel that permutes one state per SIMD lane takes a last, partial group if it has at
    /// least [`WORTH_A_GROUP`] states; fewer are left to scalar kernels.
    ///
    /// # Panics
    /// At compile time: if the registry has no scalar kernel for a single state, or one of its
    /// kernels has other rounds than its width and parameter set, or is larger than `MAX_WORDS`,
    /// or if the plan's kernels want constants prepared in more than one way.
    pub(crate) const fn new(
        registry: &'static [Kernel<T>],
        request: Request,
        isa: Isa,
    ) -> Option<Self> {
        let mut plan = Self {
            isa,
            steps: [const { None }; MAX_STEPS],
            single: Self::single(registry, request),
            prepared: None,
        };
        let Some(mut smallest) = plan.push_batches(registry, request, isa, 0) else {
            return None;
        };
        if let Some(Step { kernel, least }) = &mut plan.steps[smallest]
            && kernel.states() > 1
        {
            if *least > WORTH_A_GROUP {
                *least = WORTH_A_GROUP;
            }
            match plan.push_batches(registry, request, Isa::Scalar, smallest + 1) {
                Some(last) => smallest = last,
                None => panic!("the registry has no scalar kernel"),
            }
        }
        match &plan.steps[smallest] {
            Some(Step { kernel, .. }) if kernel.states() == 1 => plan.single = kernel,
            _ => panic!("the registry has no kernel for a single state"),
        }
        Some(plan)
    }

    /// Adds the kernels of `isa` from step `n` on, by falling number of states; the last index.
    const fn push_batches(
        &mut self,
        registry: &'static [Kernel<T>],
        request: Request,
        isa: Isa,
        mut n: usize,
    ) -> Option<usize> {
        let mut below = usize::MAX;
        while let Some(kernel) = largest(registry, request, isa, below) {
            assert!(n < MAX_STEPS, "more batches than a plan has steps");
            below = kernel.states();
            self.prepare_for(kernel);
            self.steps[n] = Some(Step {
                kernel,
                least: kernel.states(),
            });
            n += 1;
        }
        if below == usize::MAX {
            None
        } else {
            Some(n - 1)
        }
    }

    /// Keeps what prepares the kernel's constants, unless it reads them as they are.
    const fn prepare_for(&mut self, kernel: &'static Kernel<T>) {
        match (kernel.parts, kernel.prepare, &self.prepared) {
            (1, None, _) => {}
            (2, Some(prepare), None) => self.prepared = Some((kernel.strategy, prepare)),
            (2, Some(_), Some((strategy, _))) => assert!(
                equal(kernel.strategy, strategy),
                "one plan, constants prepared in two ways"
            ),
            _ => panic!("a kernel that reads constants in a way that is not known here"),
        }
    }

    const fn single(registry: &'static [Kernel<T>], request: Request) -> &'static Kernel<T> {
        match largest(registry, request, Isa::Scalar, 2) {
            Some(kernel) => kernel,
            None => panic!("the registry has no scalar kernel for a single state"),
        }
    }

    /// The ISA that all but a few last states are permuted on.
    pub(crate) const fn isa(&self) -> Isa {
        self.isa
    }

    /// Makes the constants of the plan's kernels that read two words of each.
    pub(crate) fn prepare(&self) -> Option<Prepare<T>> {
        self.prepared.map(|(_, prepare)| prepare)
    }

    /// The kernel for a single state.
    pub(crate) const fn for_one(&self) -> &'static Kernel<T> {
        self.single
    }

    /// The kernels in the order in which they are tried. The last one takes any number of states.
    pub(crate) fn steps(&self) -> impl Iterator<Item = &Step<T>> {
        self.steps.iter().flatten()
    }
}

/// The kernel of `isa` with most states below `below`; the first in the registry if several have
/// as many.
const fn largest<T>(
    registry: &'static [Kernel<T>],
    request: Request,
    isa: Isa,
    below: usize,
) -> Option<&'static Kernel<T>> {
    let mut found: Option<&'static Kernel<T>> = None;
    let mut i = 0;
    while i < registry.len() {
        let kernel = &registry[i];
        let states = kernel.states();
        let more = match found {
            Some(kernel) => states > kernel.states(),
            None => true,
        };
        if more && states < below && serves(kernel, request, isa) {
            assert!(
                kernel.state_words() <= MAX_WORDS,
                "no room for a kernel's states"
            );
            found = Some(kernel);
        }
        i += 1;
    }
    found
}

/// Whether it computes what is asked for, on that ISA, in the layout and by the strategy that are
/// used there.
const fn serves<T>(kernel: &Kernel<T>, request: Request, isa: Isa) -> bool {
    let same = kernel.width == request.width
        && kernel.isa as usize == isa as usize
        && equal(kernel.parameter_set, request.parameter_set)
        && equal(kernel.layout, layout(isa))
        && is_chosen(kernel);
    assert!(
        !same
            || kernel.external_rounds == request.external_rounds
                && kernel.internal_rounds == request.internal_rounds,
        "a kernel's rounds are not those of its parameter set"
    );
    same
}

/// The layout to use where an ISA has kernels in several.
const fn layout(isa: Isa) -> &'static str {
    match isa {
        // NEON has no 64-bit multiply: field products are faster on the general registers.
        Isa::Scalar | Isa::Neon => "registers",
        _ => "lanes",
    }
}

/// Whether a kernel is the one to use among those of its ISA and width.
///
/// The one place that says so. Measured on Zen 5, per state: on vectors, Goldilocks kernels whose
/// elements have parts beat those of one word at every width and batch; at widths 12 and 16 two
/// groups fill the registers, and four are slower than two.
const fn is_chosen<T>(kernel: &Kernel<T>) -> bool {
    let words = matches!(kernel.isa, Isa::Scalar | Isa::Neon) || !equal(kernel.field, "goldilocks");
    let strategy = match kernel.isa {
        _ if words => "eager",
        Isa::Avx512ifma => "limbs",
        _ => "columns",
    };
    let crowded = !words && kernel.width > 8 && kernel.batch > 2;
    equal(kernel.strategy, strategy) && !crowded
}

const fn equal(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut i = 0;
    while i < a.len() && i < b.len() && a[i] == b[i] {
        i += 1;
    }
    i == a.len() && i == b.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    unsafe fn nothing(_states: *mut u64, _constants: *const u64) {}

    const REQUEST: Request = Request {
        parameter_set: "plonky3",
        width: 8,
        external_rounds: 8,
        internal_rounds: 22,
    };

    const fn kernel(isa: Isa, layout: &'static str, batch: usize, lanes: usize) -> Kernel<u64> {
        Kernel {
            name: "",
            parameter_set: "plonky3",
            field: "goldilocks",
            width: 8,
            external_rounds: 8,
            internal_rounds: 22,
            isa,
            layout,
            strategy: "eager",
            batch,
            lanes,
            features: &[],
            parts: 1,
            prepare: None,
            permute: nothing,
        }
    }

    /// The same kernel on columns.
    const fn columns(kernel: Kernel<u64>) -> Kernel<u64> {
        Kernel {
            strategy: "columns",
            parts: 2,
            prepare: Some(|_, _| {}),
            ..kernel
        }
    }

    static REGISTRY: &[Kernel<u64>] = &[
        kernel(Isa::Scalar, "registers", 1, 1),
        kernel(Isa::Scalar, "registers", 4, 1),
        kernel(Isa::Avx2, "lanes", 2, 8),
        columns(kernel(Isa::Avx2, "lanes", 2, 8)),
        kernel(Isa::Avx2, "lanes", 1, 8),
        columns(kernel(Isa::Avx2, "lanes", 1, 8)),
        kernel(Isa::Neon, "lanes", 4, 2),
        kernel(Isa::Neon, "registers", 2, 1),
        kernel(Isa::Neon, "registers", 1, 1),
        Kernel {
            width: 12,
            ..kernel(Isa::Avx512, "lanes", 1, 8)
        },
        Kernel {
            parameter_set: "other",
            ..kernel(Isa::Avx512, "lanes", 1, 8)
        },
    ];

    /// Per step: ISA, states of the kernel, fewest states.
    fn steps(plan: &Plan<u64>) -> Vec<(Isa, usize, usize)> {
        let row = |step: &Step<u64>| (step.kernel.isa, step.kernel.states(), step.least);
        plan.steps().map(row).collect()
    }

    #[test]
    fn wide_kernels_hand_a_rest_to_scalar_ones() {
        let plan = const { Plan::new(REGISTRY, REQUEST, Isa::Avx2) }.unwrap();
        let scalar = [(Isa::Scalar, 4, 4), (Isa::Scalar, 1, 1)];
        let avx2 = [(Isa::Avx2, 16, 16), (Isa::Avx2, 8, 4)];
        assert_eq!(steps(&plan), [avx2, scalar].concat());
        assert_eq!(plan.for_one().isa, Isa::Scalar);
    }

    #[test]
    fn vectors_permute_on_columns() {
        let plan = const { Plan::new(REGISTRY, REQUEST, Isa::Avx2) }.unwrap();
        let strategies: Vec<_> = plan.steps().map(|step| step.kernel.strategy).collect();
        assert_eq!(strategies, ["columns", "columns", "eager", "eager"]);
        assert!(plan.prepare().is_some());
        let scalar = Plan::new(REGISTRY, REQUEST, Isa::Scalar).unwrap();
        assert!(scalar.prepare().is_none());
    }

    #[test]
    fn kernels_for_one_state_need_no_scalar_ones() {
        let plan = Plan::new(REGISTRY, REQUEST, Isa::Neon).unwrap();
        assert_eq!(steps(&plan), [(Isa::Neon, 2, 2), (Isa::Neon, 1, 1)]);
        assert_eq!(plan.for_one().isa, Isa::Neon);
    }

    #[test]
    fn kernels_of_other_permutations_are_not_taken() {
        assert!(Plan::new(REGISTRY, REQUEST, Isa::Avx512).is_none());
    }
}
