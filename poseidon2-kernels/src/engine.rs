//! What every permutation does, whatever its field: constants and a plan, applied to states.

#[cfg(feature = "_plonky3")]
use alloc::sync::Arc;

use poseidon2_generated::{Isa, Kernel, Shape, TUNINGS};

use crate::constants::CanonicalConstants;
use crate::features::compiled_for;
use crate::field::Field;
use crate::lanes::{Buffer, interleave, separate};
use crate::parameters::ParameterSet;
#[cfg(feature = "_plonky3")]
use crate::parameters::Stock;
use crate::plan::{Plan, Request, Server, Step};
use crate::select::{UnsupportedIsa, is_supported, selected};
use crate::tuned;

/// Constants, and the kernels to use with them.
pub(crate) struct Engine<F: Field, const W: usize, S> {
    constants: CanonicalConstants<F, W, S>,
    /// Of instruction sets that can run here.
    plan: &'static Plan<F::Word>,
    /// Plonky3's own, if the plan hands anything over to it.
    #[cfg(feature = "_plonky3")]
    stock: Option<Arc<dyn Stock<F::Word>>>,
}

impl<F: Field, const W: usize, S> Clone for Engine<F, W, S> {
    fn clone(&self) -> Self {
        Self {
            constants: self.constants.clone(),
            plan: self.plan,
            #[cfg(feature = "_plonky3")]
            stock: self.stock.clone(),
        }
    }
}

/// Plans for one instruction set: of our kernels alone, and beside Plonky3's own.
type Faces<T> = [Option<Plan<T>>; FACES];

const FACES: usize = if cfg!(feature = "_plonky3") { 2 } else { 1 };

impl<F: Field, const W: usize, S: ParameterSet<F, W>> Engine<F, W, S> {
    /// For each tuning table those for each instruction set, in the order of [`Isa::ALL`].
    const PLANS: &'static [[Faces<F::Word>; Isa::ALL.len()]; TUNINGS.len()] = &{
        let mut plans =
            [const { [const { [const { None }; FACES] }; Isa::ALL.len()] }; TUNINGS.len()];
        let mut table = 0;
        while table < plans.len() {
            let mut i = 0;
            while i < Isa::ALL.len() {
                plans[table][i] = Self::faces(table, Isa::ALL[i]);
                i += 1;
            }
            table += 1;
        }
        plans
    };

    const fn faces(table: usize, isa: Isa) -> Faces<F::Word> {
        let request = Request {
            registry: F::KERNELS,
            prepared: F::TABLES.prepared,
            instance: S::INSTANCE,
            isa,
        };
        [
            Plan::new(request, &TUNINGS[table], None),
            #[cfg(feature = "_plonky3")]
            Plan::new(request, &TUNINGS[table], Some(S::PACKED)),
        ]
    }

    const SCALAR: &'static Plan<F::Word> = match &Self::PLANS[0][Isa::Scalar as usize][0] {
        Some(plan) => plan,
        None => panic!("plain Rust always has a plan"),
    };

    /// On the selected instruction set.
    pub(crate) fn new(constants: CanonicalConstants<F, W, S>) -> Self {
        let selection = selected();
        #[cfg(feature = "_plonky3")]
        if selection.hands_over() {
            let plan = Self::plan(selection.isa, 1);
            let stock = || S::stock(constants.external(), constants.internal());
            if let Some(stock) = plan.hands_over().then(stock).flatten() {
                return Self {
                    constants,
                    plan,
                    stock: Some(stock),
                };
            }
        }
        Self::on(constants, selection.isa)
    }

    /// On `isa`, or the next narrower one for which there are kernels; on our kernels alone.
    ///
    /// # Errors
    /// If `isa` cannot run here.
    pub(crate) fn with_isa(self, isa: Isa) -> Result<Self, UnsupportedIsa> {
        if !is_supported(isa) {
            return Err(UnsupportedIsa { isa });
        }
        Ok(Self::on(self.constants, isa))
    }

    fn on(constants: CanonicalConstants<F, W, S>, isa: Isa) -> Self {
        Self {
            constants,
            plan: Self::plan(isa, 0),
            #[cfg(feature = "_plonky3")]
            stock: None,
        }
    }

    /// The plan for `isa`, or for the widest of the supported ones below it.
    fn plan(isa: Isa, face: usize) -> &'static Plan<F::Word> {
        let plans = Self::PLANS[tuned::index()].iter().rev();
        let mut plans = plans.filter_map(|faces| faces[face].as_ref());
        let fits = |plan: &&Plan<_>| plan.isa() <= isa && plan.needs().all(is_supported);
        plans.find(fits).unwrap_or(Self::SCALAR)
    }
}

impl<F: Field, const W: usize, S> Engine<F, W, S> {
    pub(crate) const fn isa(&self) -> Isa {
        self.plan.isa()
    }

    pub(crate) fn kernels(&self, shape: Shape) -> impl Iterator<Item = &'static Kernel<F::Word>> {
        self.plan.steps(shape).filter_map(Step::kernel)
    }

    /// The plan's steps for what is to be done, in order.
    pub(crate) fn steps(&self, shape: Shape) -> impl Iterator<Item = &'static Step<F::Word>> {
        self.plan.steps(shape)
    }

    pub(crate) const fn constants(&self) -> &CanonicalConstants<F, W, S> {
        &self.constants
    }

    /// The plan's step for a single state.
    #[inline]
    pub(crate) const fn for_one(&self) -> &'static Step<F::Word> {
        self.plan.for_one()
    }

    /// Permutes one state. `load` makes of any word one that kernels accept.
    #[inline]
    pub(crate) fn permute_one(
        &self,
        state: &mut [F::Word; W],
        load: impl Fn(F::Word) -> F::Word,
        store: impl Fn(F::Word) -> F::Word,
    ) {
        self.in_place(self.for_one(), state, load, store);
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
            if step.lanes == 1 {
                while let Some(states) = step.take(&mut rest) {
                    self.in_place(step, states.as_flattened_mut(), load, store);
                }
            } else if rest.len() >= step.least {
                let mut buffer = Buffer::new();
                let words = buffer.zeros(step.states * W);
                while let Some(states) = step.take(&mut rest) {
                    interleave(states, step, words, load);
                    self.call(step, words);
                    separate::<_, W, W>(words, step, states, store);
                }
            }
        }
    }

    /// With a kernel of one lane, states are already in its order.
    #[inline]
    pub(crate) fn in_place(
        &self,
        step: &Step<F::Word>,
        words: &mut [F::Word],
        load: impl Fn(F::Word) -> F::Word,
        store: impl Fn(F::Word) -> F::Word,
    ) {
        compiled_for(step, || {
            words.iter_mut().for_each(|word| *word = load(*word));
        });
        self.call(step, words);
        compiled_for(step, || {
            words.iter_mut().for_each(|word| *word = store(*word));
        });
    }

    /// Has a step of the plan done. Each word must be one that kernels of the field accept: any word
    /// for Goldilocks, below p for 31-bit fields.
    #[inline]
    pub(crate) fn call(&self, step: &Step<F::Word>, words: &mut [F::Word]) {
        let (kernel, first) = match step.server {
            Server::Kernel(kernel, first) => (kernel, first),
            #[cfg(feature = "_plonky3")]
            Server::Stock => {
                let stock = self.stock.as_ref();
                return stock.map_or_else(|| unreachable!(), |stock| stock.permute(words));
            }
        };
        assert_eq!(words.len(), kernel.state_words());
        let constants = &self.constants.table()[first..][..kernel.constant_words()];
        // SAFETY: `words` is as long as the kernel wants (asserted above), aligned and exclusively
        // borrowed. `constants` has as many words as the kernel reads, by the slice; they are those
        // of a `Constants` of the kernel's width and rounds, which `Plan::step` compared with the
        // instance whose constants these are: the words below p, as `CanonicalConstants` ensures, or
        // what the kernel's own strategy prepared of them, whose place `Plan::step` looked up.
        // State words: what this function is documented to be given, by `load` in the callers.
        // CPU features: a plan is used only if `is_supported` found the features of every kernel
        // of each instruction set that the plan has kernels of; scalar kernels need none.
        unsafe { (kernel.permute)(words.as_mut_ptr(), constants.as_ptr()) }
    }
}
