//! Which kernels permute how many states: read off the tuning table and the registry at compile time.

use poseidon2_generated::{Choice, Instance, Isa, Kernel, Shape, Tuning};

macro_rules! largest {
    ($($field:ident {
        field: ($family:ident $text:literal $modulus:literal $prime:literal $kernels:ident $tables:ident),
        $($rest:tt)*
    })+) => {{
        let mut words = 0;
        $(
            let kernels = poseidon2_generated::$kernels;
            let mut n = 0;
            while n < kernels.len() {
                if kernels[n].state_words() > words {
                    words = kernels[n].state_words();
                }
                n += 1;
            }
        )+
        words
    }};
}

/// Words of the largest group that [`crate::engine`] has room for: what tables may give to Plonky3's own, or
/// those of the largest kernel, so that a small machine needs little stack. Tests have larger ones than some targets.
pub(crate) const MAX_WORDS: usize = if cfg!(any(feature = "_plonky3", test)) {
    1024
} else {
    poseidon2_generated::each_field!(largest)
};

const MAX_STEPS: usize = 8;

/// The kernels that one permutation uses on one ISA.
#[derive(Debug)]
pub(crate) struct Plan<T: 'static> {
    isa: Isa,
    /// By shape, in the order of [`Shape::ALL`]; in each the order in which they are tried.
    steps: [[Option<Step<T>>; MAX_STEPS]; Shape::ALL.len()],
    /// Which other ISAs' kernels it uses.
    needs: [bool; Isa::ALL.len()],
    /// Whether some steps are Plonky3's own.
    #[cfg(feature = "_plonky3")]
    hands_over: bool,
}

/// Who permutes, how many states at once, and how many must be left for it to be worth its while.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step<T: 'static> {
    pub(crate) server: Server<T>,
    pub(crate) states: usize,
    pub(crate) lanes: usize,
    pub(crate) least: usize,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Server<T: 'static> {
    /// A kernel, and where in the table of constants its own begin.
    Kernel(&'static Kernel<T>, usize),
    /// Plonky3's own.
    #[cfg(feature = "_plonky3")]
    Stock,
}

impl<T> Step<T> {
    /// Takes the states of one call off the front of `rest`, if there are enough for it.
    pub(crate) fn take<'s, S>(&self, rest: &mut &'s mut [S]) -> Option<&'s mut [S]> {
        if rest.len() < self.least {
            return None;
        }
        rest.split_off_mut(..rest.len().min(self.states))
    }

    /// The kernel, unless it is Plonky3's own.
    pub(crate) const fn kernel(&self) -> Option<&'static Kernel<T>> {
        match self.server {
            Server::Kernel(kernel, _) => Some(kernel),
            #[cfg(feature = "_plonky3")]
            Server::Stock => None,
        }
    }
}

/// What a plan is for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request<T: 'static> {
    /// The kernels that there are.
    pub(crate) registry: &'static [Kernel<T>],
    /// Strategies that prepare constants, and how many words of each, in the order of tables.
    pub(crate) prepared: &'static [(&'static str, usize)],
    pub(crate) instance: &'static Instance<T>,
    pub(crate) isa: Isa,
}

impl<T: Copy> Plan<T> {
    /// The plan by a CPU's table; `None` if it has no row for the instruction set. Plain Rust needs
    /// none: without a row it is the registry's kernel for a single state. `packed` has Plonky3's own
    /// serve where it is the faster one, in a build whose packed type has so many lanes.
    ///
    /// # Panics
    /// At compile time: if the table names a kernel that is not in the registry, or one whose
    /// permutation is another; if a plan's last kernel is not for a single state; if a kernel is
    /// larger than `MAX_WORDS`, or may be given too few states; if it reads constants in a form that
    /// tables do not have; if Plonky3's own would be given other numbers of states than it takes.
    pub(crate) const fn new(
        request: Request<T>,
        tuning: &'static Tuning,
        packed: Option<usize>,
    ) -> Option<Self> {
        let mut plan = Self {
            isa: request.isa,
            steps: [const { [None; MAX_STEPS] }; Shape::ALL.len()],
            needs: [false; Isa::ALL.len()],
            #[cfg(feature = "_plonky3")]
            hands_over: false,
        };
        let mut shape = 0;
        while shape < Shape::ALL.len() {
            let choice = find(tuning.choices, request, Shape::ALL[shape]);
            if choice.is_none() && request.isa as usize != Isa::Scalar as usize {
                return None;
            }
            match packed {
                None => plan.fill(shape, choice, request),
                #[cfg(feature = "_plonky3")]
                Some(lanes) => plan.fill_beside(shape, choice, request, lanes),
                #[cfg(not(feature = "_plonky3"))]
                Some(_) => panic!("there is nothing beside our kernels"),
            }
            plan.end(shape);
            shape += 1;
        }
        Some(plan)
    }

    const fn fill(&mut self, shape: usize, choice: Option<&'static Choice>, request: Request<T>) {
        let Some(choice) = choice else {
            self.kernel(shape, plain(request), 1, request);
            return;
        };
        let mut n = 0;
        while n < choice.steps.len() {
            let step = &choice.steps[n];
            self.kernel(
                shape,
                by_name(request.registry, step.kernel),
                step.least,
                request,
            );
            n += 1;
        }
    }

    /// Adds a step for a kernel.
    const fn kernel(
        &mut self,
        shape: usize,
        kernel: &'static Kernel<T>,
        least: usize,
        request: Request<T>,
    ) {
        let instance = request.instance;
        assert!(
            kernel.width == instance.width
                && equal(kernel.parameter_set, instance.parameter_set)
                && equal(kernel.field, instance.field)
                && kernel.external_rounds == instance.external_rounds
                && kernel.internal_rounds == instance.internal_rounds,
            "a kernel's permutation is not the one that is asked for"
        );
        self.needs[kernel.isa as usize] = true;
        let first = first_constant(kernel, request);
        self.step(
            shape,
            Step {
                server: Server::Kernel(kernel, first),
                states: kernel.states(),
                lanes: kernel.lanes,
                least: if least == 0 { 1 } else { least },
            },
            instance.width,
        );
    }

    const fn step(&mut self, shape: usize, step: Step<T>, width: usize) {
        assert!(
            step.states * width <= MAX_WORDS,
            "no room for a kernel's states"
        );
        // States of one lane are permuted where they are: there is no room beside them for those that are missing.
        assert!(
            step.lanes > 1 || step.least >= step.states,
            "a kernel without lanes has to be given all of its states"
        );
        let mut n = 0;
        while self.steps[shape][n].is_some() {
            n += 1;
            assert!(n < MAX_STEPS, "too many steps");
        }
        self.steps[shape][n] = Some(step);
    }

    /// Checks the last step of a shape.
    const fn end(&self, shape: usize) {
        let last = self.last(shape);
        assert!(
            last.states == 1 && last.least == 1,
            "the last step is not for a single state"
        );
    }

    const fn last(&self, shape: usize) -> &Step<T> {
        let mut n = MAX_STEPS;
        while n > 0 {
            n -= 1;
            if let Some(last) = &self.steps[shape][n] {
                return last;
            }
        }
        panic!("no steps");
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

    /// The step for a single state, which tables may have others before.
    pub(crate) const fn for_one(&self) -> &Step<T> {
        self.last(Shape::One as usize)
    }

    /// The steps in the order in which they are tried. The last one takes any number of states.
    pub(crate) fn steps(&self, shape: Shape) -> impl Iterator<Item = &Step<T>> {
        self.steps[shape as usize].iter().flatten()
    }
}

/// Where the constants that a kernel reads begin in a table.
///
/// # Panics
/// If they are not in it.
const fn first_constant<T: Copy>(kernel: &Kernel<T>, request: Request<T>) -> usize {
    if kernel.prepare.is_none() {
        assert!(kernel.parts == 1, "what is not prepared is one word");
        return 0;
    }
    let instance = request.instance;
    let count = instance.external_rounds * instance.width + instance.internal_rounds;
    let (mut first, mut n) = (count, 0);
    while n < request.prepared.len() {
        let (strategy, parts) = request.prepared[n];
        if equal(strategy, kernel.strategy) {
            assert!(
                parts == kernel.parts,
                "a kernel reads other words than are prepared"
            );
            return first;
        }
        first += parts * count;
        n += 1;
    }
    panic!("a kernel reads constants in a form that tables do not have")
}

/// The row of a table.
const fn find<T: Copy>(
    choices: &'static [Choice],
    request: Request<T>,
    shape: Shape,
) -> Option<&'static Choice> {
    let instance = request.instance;
    let mut i = 0;
    while i < choices.len() {
        let choice = &choices[i];
        if choice.width == instance.width
            && choice.isa as usize == request.isa as usize
            && serves(choice, shape)
            && equal(choice.field, instance.field)
            && equal(choice.parameter_set, instance.parameter_set)
        {
            return Some(choice);
        }
        i += 1;
    }
    None
}

const fn serves(choice: &Choice, shape: Shape) -> bool {
    let mut n = 0;
    while n < choice.shapes.len() {
        if choice.shapes[n] as usize == shape as usize {
            return true;
        }
        n += 1;
    }
    false
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

/// The first kernel in plain Rust for a single state, whatever its strategy.
const fn plain<T: Copy>(request: Request<T>) -> &'static Kernel<T> {
    let (registry, instance) = (request.registry, request.instance);
    let mut i = 0;
    while i < registry.len() {
        let kernel = &registry[i];
        if kernel.width == instance.width
            && kernel.isa as usize == Isa::Scalar as usize
            && kernel.states() == 1
            && equal(kernel.parameter_set, instance.parameter_set)
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

#[cfg(feature = "_plonky3")]
#[path = "plan/beside.rs"]
mod beside;
#[cfg(feature = "_plonky3")]
pub(crate) use beside::{Beside, beside};

#[cfg(test)]
#[path = "plan/tests.rs"]
mod tests;
