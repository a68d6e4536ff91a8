//! What every permutation does, whatever its field: constants and a plan, applied to states.

use poseidon2_generated::{Constants, Isa, Kernel, Shape, TUNINGS};

use crate::constants::CanonicalConstants;
use crate::field::{Field, Width};
use crate::lanes::{Buffer, interleave, separate};
use crate::plan::{PREPARED, Plan, Request, Step};
use crate::select::{UnsupportedIsa, is_supported, selected};
use crate::tuned;

/// Constants, and the kernels to use with them.
#[derive(Debug)]
pub(crate) struct Engine<F: Field, const W: usize, const RF: usize, const RP: usize> {
    constants: CanonicalConstants<F, W, RF, RP>,
    /// What [`Plan::prepare`] made of `constants`, for the kernels that read two words of each.
    prepared: [Option<Constants<[F::Word; 2], W, RF, RP>>; PREPARED],
    /// Of instruction sets that can run here.
    plan: &'static Plan<F::Word>,
}

impl<F: Field, const W: usize, const RF: usize, const RP: usize> Clone for Engine<F, W, RF, RP> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F: Field, const W: usize, const RF: usize, const RP: usize> Copy for Engine<F, W, RF, RP> {}

impl<F, const W: usize, const RF: usize, const RP: usize> Engine<F, W, RF, RP>
where
    F: Width<W, RF, RP>,
{
    const REQUEST: Request = Request {
        parameter_set: "plonky3",
        field: F::NAME,
        width: W,
        external_rounds: RF,
        internal_rounds: RP,
    };

    /// For each tuning table one for each instruction set, in the order of [`Isa::ALL`].
    const PLANS: &'static [[Option<Plan<F::Word>>; Isa::ALL.len()]; TUNINGS.len()] = &{
        let mut plans = [const { [const { None }; Isa::ALL.len()] }; TUNINGS.len()];
        let mut table = 0;
        while table < plans.len() {
            let mut i = 0;
            while i < Isa::ALL.len() {
                plans[table][i] =
                    Plan::new(F::KERNELS, &TUNINGS[table], Self::REQUEST, Isa::ALL[i]);
                i += 1;
            }
            table += 1;
        }
        plans
    };

    const SCALAR: &'static Plan<F::Word> = match &Self::PLANS[0][Isa::Scalar as usize] {
        Some(plan) => plan,
        None => panic!("plain Rust always has a plan"),
    };

    /// On the selected instruction set.
    pub(crate) fn new(constants: CanonicalConstants<F, W, RF, RP>) -> Self {
        Self::on(constants, Self::plan(selected().isa))
    }

    fn on(constants: CanonicalConstants<F, W, RF, RP>, plan: &'static Plan<F::Word>) -> Self {
        let prepared = plan.prepare().map(|prepare| {
            let prepare = prepare?;
            let nothing = [F::Word::default(); 2];
            let mut table = Constants {
                external: [[nothing; W]; RF],
                internal: [nothing; RP],
            };
            let external = table.external.as_flattened_mut().as_flattened_mut();
            prepare(constants.external().as_flattened(), external);
            prepare(constants.internal(), table.internal.as_flattened_mut());
            Some(table)
        });
        Self {
            constants,
            prepared,
            plan,
        }
    }

    /// On `isa`, or the next narrower one for which there are kernels.
    ///
    /// # Errors
    /// If `isa` cannot run here.
    pub(crate) fn with_isa(self, isa: Isa) -> Result<Self, UnsupportedIsa> {
        if !is_supported(isa) {
            return Err(UnsupportedIsa { isa });
        }
        Ok(Self::on(self.constants, Self::plan(isa)))
    }

    /// The plan for `isa`, or for the widest of the supported ones below it.
    fn plan(isa: Isa) -> &'static Plan<F::Word> {
        let plans = Self::PLANS[tuned::index()].iter().flatten().rev();
        let mut plans = plans.filter(|plan| plan.isa() <= isa && plan.needs().all(is_supported));
        plans.next().unwrap_or(Self::SCALAR)
    }
}

impl<F: Field, const W: usize, const RF: usize, const RP: usize> Engine<F, W, RF, RP> {
    pub(crate) const fn isa(&self) -> Isa {
        self.plan.isa()
    }

    pub(crate) fn kernels(&self, shape: Shape) -> impl Iterator<Item = &'static Kernel<F::Word>> {
        self.plan.steps(shape).map(|step| step.kernel)
    }

    /// The plan's steps for what is to be done, in order.
    pub(crate) fn steps(&self, shape: Shape) -> impl Iterator<Item = &'static Step<F::Word>> {
        self.plan.steps(shape)
    }

    pub(crate) const fn constants(&self) -> &CanonicalConstants<F, W, RF, RP> {
        &self.constants
    }

    /// Permutes one state. `load` makes of any word one that kernels accept.
    #[inline]
    pub(crate) fn permute_one(
        &self,
        state: &mut [F::Word; W],
        load: impl Fn(F::Word) -> F::Word,
        store: impl Fn(F::Word) -> F::Word,
    ) {
        self.in_place(self.plan.for_one(), state, load, store);
    }

    /// Permutes each state. `load` makes of any word one that kernels accept.
    pub(crate) fn permute_many(
        &self,
        states: &mut [[F::Word; W]],
        load: impl Fn(F::Word) -> F::Word + Copy,
        store: impl Fn(F::Word) -> F::Word + Copy,
    ) {
        let mut rest = states;
        for step in self.plan.steps(Shape::Independent) {
            let kernel = step.kernel;
            if kernel.lanes == 1 {
                while let Some(states) = step.take(&mut rest) {
                    self.in_place(step, states.as_flattened_mut(), load, store);
                }
            } else if rest.len() >= step.least {
                let mut buffer = Buffer::new();
                let words = buffer.zeros(kernel.state_words());
                while let Some(states) = step.take(&mut rest) {
                    interleave(states, kernel.lanes, words, load);
                    self.call(step, words);
                    separate(words, kernel.lanes, states, store);
                }
            }
        }
    }

    /// With a kernel of one lane, states are already in its order.
    #[inline]
    fn in_place(
        &self,
        step: &Step<F::Word>,
        words: &mut [F::Word],
        load: impl Fn(F::Word) -> F::Word,
        store: impl Fn(F::Word) -> F::Word,
    ) {
        words.iter_mut().for_each(|word| *word = load(*word));
        self.call(step, words);
        words.iter_mut().for_each(|word| *word = store(*word));
    }

    /// Calls the kernel of a step of the plan. Each word must be one that kernels of the field
    /// accept: any word for Goldilocks, below p for KoalaBear.
    #[inline]
    pub(crate) fn call(&self, step: &Step<F::Word>, words: &mut [F::Word]) {
        let kernel = step.kernel;
        assert_eq!(words.len(), kernel.state_words());
        let prepared = step.prepared.map(|index| &self.prepared[index]);
        let constants = match prepared {
            Some(Some(table)) => core::ptr::from_ref(table).cast(),
            Some(None) => unreachable!("prepared when built"),
            None => self.constants.as_ptr(),
        };
        // SAFETY: `words` is as long as the kernel wants (asserted above), aligned and exclusively
        // borrowed. `constants` is a `Constants` of the kernel's width and rounds, which
        // `Plan::step` compared. It holds as many words of each constant as the kernel reads:
        // `Plan::new` lets in kernels of one word, which get words below p, as
        // `CanonicalConstants` ensures; and kernels of two words, for which it notes whose
        // `prepare` makes them, and `Self::on` made `prepared` with it of those very constants.
        // State words: what this function is documented to be given, by `load` in the callers.
        // CPU features: a plan is used only if `is_supported` found the features of every kernel
        // of each instruction set that the plan has kernels of; scalar kernels need none.
        unsafe { (kernel.permute)(words.as_mut_ptr(), constants) }
    }
}
