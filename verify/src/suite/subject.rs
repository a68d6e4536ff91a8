//! A kernel under test, with guarded operands.

use std::io;

use poseidon2_generated::Kernel;

use super::call::call;
use super::failure::Wrong;
use super::memory::{Guarded, Placement};
use super::word::Word;
use crate::oracle::Instance;

/// A kernel with memory to run on, and the count of its runs.
pub struct Subject<'a, T: 'static> {
    /// The kernel.
    pub kernel: &'a Kernel<T>,
    /// The instance that it claims to compute.
    pub instance: &'a Instance,
    /// Calls so far.
    pub executions: u64,
    table: Vec<T>,
    memory: Vec<Operands<T>>,
}

struct Operands<T> {
    states: Guarded<T>,
    constants: Guarded<T>,
}

/// One state of a batch: input words and the residues expected.
pub(super) type Case<'a> = (&'a [u64], &'a [u64]);

impl<'a, T: Word> Subject<'a, T> {
    /// Prepares memory in every placement.
    ///
    /// # Errors
    /// Where the system refuses memory.
    pub fn new(kernel: &'a Kernel<T>, instance: &'a Instance) -> io::Result<Self> {
        let memory = Placement::ALL.iter().map(|placement| {
            Ok(Operands {
                states: Guarded::new(kernel.state_words(), *placement)?,
                constants: Guarded::new(kernel.constant_words(), *placement)?,
            })
        });
        Ok(Self {
            kernel,
            instance,
            executions: 0,
            table: Vec::new(),
            memory: memory.collect::<io::Result<_>>()?,
        })
    }

    /// Sets the round constants that the next runs read, prepared as the kernel wants them.
    ///
    /// # Panics
    /// Where the table is not as long as the kernel's.
    pub fn set_table(&mut self, words: &[u64]) {
        let words = words.iter().map(|word| T::from_u64(*word)).collect();
        self.table = prepared(self.kernel, words);
        assert_eq!(
            self.table.len(),
            self.kernel.constant_words(),
            "a table of another shape"
        );
        for operands in &mut self.memory {
            operands.constants.words_mut().copy_from_slice(&self.table);
        }
    }

    /// Runs one batch of exactly [`Kernel::states`] cases, state `s` in group `s / lanes`, lane
    /// `s % lanes`, and compares each with what it should give.
    ///
    /// # Errors
    /// What went wrong first.
    ///
    /// # Panics
    /// Where the batch has another size.
    pub fn run(&mut self, batch: &[Case<'_>]) -> Result<(), Wrong> {
        let Kernel { width, lanes, .. } = *self.kernel;
        assert_eq!(batch.len(), self.kernel.states(), "a batch of another size");
        // The placement changes from run to run; every check has more than three.
        let turn = usize::try_from(self.executions % 3).expect("below 3");
        let Operands { states, constants } = &mut self.memory[turn];
        let index = |state: usize, i: usize| (state / lanes * width + i) * lanes + state % lanes;
        for (state, (input, _)) in batch.iter().enumerate() {
            for (i, word) in input.iter().enumerate() {
                states.words_mut()[index(state, i)] = T::from_u64(*word);
            }
        }
        let (to, from) = (states.words_mut().as_mut_ptr(), constants.words().as_ptr());
        // SAFETY: the operands have the kernel's lengths; the table holds canonical words, or what
        // the kernel's own preparation made of them, and the states legal ones; the caller has
        // checked the CPU's features.
        let preserved = unsafe { call(self.kernel.permute, to, from) };
        self.executions += 1;

        let damage = (states.damage(), constants.damage());
        if damage != (None, None) {
            states.fix();
            constants.fix();
        }
        let written = constants.words() != self.table;
        if written {
            constants.words_mut().copy_from_slice(&self.table);
        }
        if let Err(register) = preserved {
            return Err(Wrong::Register(register));
        }
        match damage {
            (Some(at), _) => return Err(Wrong::Canary("states", at)),
            (_, Some(at)) => return Err(Wrong::Canary("constants", at)),
            (None, None) => {}
        }
        if written {
            return Err(Wrong::Constants);
        }
        let words = states.words();
        for (state, (_, expected)) in batch.iter().enumerate() {
            let got = |i| words[index(state, i)].to_u64();
            let agrees = |i: usize| self.instance.field.agrees(got(i), expected[i]);
            if !(0..width).all(agrees) {
                return Err(Wrong::Output {
                    state,
                    got: (0..width).map(got).collect(),
                });
            }
        }
        Ok(())
    }
}

/// A table of canonical constants in the words that a kernel reads.
#[must_use]
pub fn prepared<T: Word>(kernel: &Kernel<T>, constants: Vec<T>) -> Vec<T> {
    let Some(prepare) = kernel.prepare else {
        return constants;
    };
    let mut words = vec![T::CANARY; constants.len() * kernel.parts];
    prepare(&constants, &mut words);
    words
}
