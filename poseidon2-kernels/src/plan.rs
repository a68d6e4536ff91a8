//! Which kernels permute how many states: read off the tuning table and the registry at compile time.

use poseidon2_generated::{Choice, Isa, Kernel, Prepare, Shape, Tuning};

/// Words of the largest group that [`crate::engine`] has room for.
pub(crate) const MAX_WORDS: usize = 1024;

const MAX_STEPS: usize = 12;

/// Strategies of one plan that want constants prepared.
pub(crate) const PREPARED: usize = 2;

/// The kernels that one permutation uses on one ISA.
#[derive(Debug)]
pub(crate) struct Plan<T: 'static> {
    isa: Isa,
    /// By shape, in the order of [`Shape::ALL`]; in each the order in which they are tried.
    steps: [[Option<Step<T>>; MAX_STEPS]; Shape::ALL.len()],
    /// Which other ISAs' kernels it uses.
    needs: [bool; Isa::ALL.len()],
    /// The strategies of the kernels that read prepared constants, and what prepares them.
    prepared: [Option<(&'static str, Prepare<T>)>; PREPARED],
}

/// A kernel, and how many states must be left for it to be worth its while.
#[derive(Debug)]
pub(crate) struct Step<T: 'static> {
    pub(crate) kernel: &'static Kernel<T>,
    pub(crate) least: usize,
    /// Which of the plan's preparations its constants come from.
    pub(crate) prepared: Option<usize>,
}

impl<T> Clone for Step<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Step<T> {}

impl<T> Step<T> {
    /// Takes the states of one call off the front of `rest`, if there are enough for it.
    pub(crate) fn take<'s, S>(&self, rest: &mut &'s mut [S]) -> Option<&'s mut [S]> {
        if rest.len() < self.least {
            return None;
        }
        rest.split_off_mut(..rest.len().min(self.kernel.states()))
    }
}

/// What is asked of the table and of the registry.
#[derive(Clone, Copy)]
pub(crate) struct Request {
    pub(crate) parameter_set: &'static str,
    pub(crate) field: &'static str,
    pub(crate) width: usize,
    pub(crate) external_rounds: usize,
    pub(crate) internal_rounds: usize,
}

impl<T> Plan<T> {
    /// The plan for `isa` by a CPU's table; `None` if it has no row for it. Plain Rust needs none:
    /// without a row it is the registry's kernel for a single state.
    ///
    /// # Panics
    /// At compile time: if the table names a kernel that is not in the registry, or one whose
    /// permutation is another; if a plan's last kernel is not for a single state; if a kernel is
    /// larger than `MAX_WORDS`; if constants are to be prepared in more than `PREPARED` ways.
    pub(crate) const fn new(
        registry: &'static [Kernel<T>],
        tuning: &'static Tuning,
        request: Request,
        isa: Isa,
    ) -> Option<Self> {
        let mut plan = Self {
            isa,
            steps: [const { [None; MAX_STEPS] }; Shape::ALL.len()],
            needs: [false; Isa::ALL.len()],
            prepared: [None; PREPARED],
        };
        let mut shape = 0;
        while shape < Shape::ALL.len() {
            match find(tuning.choices, request, isa, Shape::ALL[shape]) {
                Some(choice) => plan.fill(shape, registry, choice, request),
                None if isa as usize == Isa::Scalar as usize => {
                    let kernel = plain(registry, request);
                    plan.steps[shape][0] = Some(plan.step(kernel, 1, request));
                }
                None => return None,
            }
            shape += 1;
        }
        Some(plan)
    }

    const fn fill(
        &mut self,
        shape: usize,
        registry: &'static [Kernel<T>],
        choice: &'static Choice,
        request: Request,
    ) {
        let count = choice.steps.len();
        assert!(0 < count && count <= MAX_STEPS, "too many steps, or none");
        let mut n = 0;
        while n < count {
            let step = &choice.steps[n];
            let kernel = by_name(registry, step.kernel);
            self.steps[shape][n] = Some(self.step(kernel, step.least, request));
            n += 1;
        }
        let last = &choice.steps[count - 1];
        assert!(
            by_name(registry, last.kernel).states() == 1 && last.least <= 1,
            "the last step is not for a single state"
        );
    }

    const fn step(
        &mut self,
        kernel: &'static Kernel<T>,
        least: usize,
        request: Request,
    ) -> Step<T> {
        assert!(
            kernel.width == request.width
                && equal(kernel.parameter_set, request.parameter_set)
                && kernel.external_rounds == request.external_rounds
                && kernel.internal_rounds == request.internal_rounds,
            "a kernel's permutation is not the one that is asked for"
        );
        assert!(
            kernel.state_words() <= MAX_WORDS,
            "no room for a kernel's states"
        );
        self.needs[kernel.isa as usize] = true;
        Step {
            kernel,
            least: if least == 0 { 1 } else { least },
            prepared: self.prepare_for(kernel),
        }
    }

    /// Keeps what prepares the kernel's constants, unless it reads them as they are.
    const fn prepare_for(&mut self, kernel: &'static Kernel<T>) -> Option<usize> {
        let prepare = match (kernel.parts, kernel.prepare) {
            (1, None) => return None,
            (2, Some(prepare)) => prepare,
            _ => panic!("a kernel that reads constants in a way that is not known here"),
        };
        let mut n = 0;
        while n < PREPARED {
            match &self.prepared[n] {
                Some((strategy, _)) if !equal(strategy, kernel.strategy) => n += 1,
                Some(_) => return Some(n),
                None => {
                    self.prepared[n] = Some((kernel.strategy, prepare));
                    return Some(n);
                }
            }
        }
        panic!("one plan, constants prepared in too many ways")
    }

    /// The ISA that all but a few last states are permuted on.
    pub(crate) const fn isa(&self) -> Isa {
        self.isa
    }

    /// The instruction sets of its kernels.
    pub(crate) fn needs(&self) -> impl Iterator<Item = Isa> {
        let all = Isa::ALL.into_iter().zip(self.needs);
        all.filter_map(|(isa, needed)| needed.then_some(isa))
    }

    /// What makes the constants of the plan's kernels that read two words of each.
    pub(crate) fn prepare(&self) -> [Option<Prepare<T>>; PREPARED] {
        self.prepared
            .map(|prepared| prepared.map(|(_, prepare)| prepare))
    }

    /// The kernel for a single state.
    pub(crate) const fn for_one(&self) -> &Step<T> {
        match &self.steps[Shape::One as usize][0] {
            Some(step) => step,
            None => panic!("every plan has a kernel for a single state"),
        }
    }

    /// The kernels in the order in which they are tried. The last one takes any number of states.
    pub(crate) fn steps(&self, shape: Shape) -> impl Iterator<Item = &Step<T>> {
        self.steps[shape as usize].iter().flatten()
    }
}

/// The row of a table.
pub(crate) const fn find(
    choices: &'static [Choice],
    request: Request,
    isa: Isa,
    shape: Shape,
) -> Option<&'static Choice> {
    let mut i = 0;
    while i < choices.len() {
        let choice = &choices[i];
        if choice.width == request.width
            && choice.isa as usize == isa as usize
            && choice.shape as usize == shape as usize
            && equal(choice.field, request.field)
            && equal(choice.parameter_set, request.parameter_set)
        {
            return Some(choice);
        }
        i += 1;
    }
    None
}

const fn by_name<T>(registry: &'static [Kernel<T>], name: &str) -> &'static Kernel<T> {
    let mut i = 0;
    while i < registry.len() {
        if equal(registry[i].name, name) {
            return &registry[i];
        }
        i += 1;
    }
    panic!("the tuning table names a kernel that is not in the registry")
}

/// Plain Rust for a single state, by the strategy that reads constants as they are.
const fn plain<T>(registry: &'static [Kernel<T>], request: Request) -> &'static Kernel<T> {
    let mut i = 0;
    while i < registry.len() {
        let kernel = &registry[i];
        if kernel.width == request.width
            && kernel.isa as usize == Isa::Scalar as usize
            && kernel.states() == 1
            && equal(kernel.parameter_set, request.parameter_set)
        {
            return kernel;
        }
        i += 1;
    }
    panic!("the registry has no scalar kernel for a single state")
}

/// From the end: names begin alike.
const fn equal(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut i = a.len();
    while i > 0 {
        i -= 1;
        if a[i] != b[i] {
            return false;
        }
    }
    true
}

#[cfg(test)]
#[path = "plan/tests.rs"]
mod tests;
