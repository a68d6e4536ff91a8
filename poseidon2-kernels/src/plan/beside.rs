//! Plans of programs that have Plonky3's own implementation, too.

use poseidon2_generated::{Choice, Server as Row, Step as KernelRow};

use super::{Plan, Request, Server, Step, by_name};

impl<T: Copy> Plan<T> {
    /// Whether some steps are Plonky3's own.
    pub(crate) const fn hands_over(&self) -> bool {
        self.hands_over
    }

    /// The steps where Plonky3's packed type has so many lanes. What no table tells is Plonky3's.
    pub(super) const fn fill_beside(
        &mut self,
        shape: usize,
        choice: Option<&'static Choice>,
        request: Request<T>,
        lanes: usize,
    ) {
        let (steps, rows) = match beside(choice, lanes) {
            Beside::Ours => return self.fill(shape, choice, request),
            Beside::Rows(steps, rows) => (steps, rows),
            Beside::Stock => {
                if lanes > 1 {
                    self.stock(shape, lanes, lanes, request);
                }
                return self.stock(shape, 1, 1, request);
            }
        };
        let mut n = 0;
        while n < rows.len() {
            match rows[n] {
                Row::Kernel { step, least } => {
                    let kernel = by_name(request.registry, steps[step].kernel);
                    self.kernel(shape, kernel, least, request);
                }
                Row::Stock { states, least } => {
                    assert!(
                        states == 1 || states == lanes,
                        "Plonky3's own takes a single state or a vector of them"
                    );
                    self.stock(shape, states, least, request);
                }
            }
            n += 1;
        }
    }

    const fn stock(&mut self, shape: usize, states: usize, least: usize, request: Request<T>) {
        self.hands_over = true;
        let step = Step {
            server: Server::Stock,
            states,
            lanes: states,
            least,
        };
        self.step(shape, step, request.instance.width);
    }
}

/// What a table says about builds whose packed type has so many lanes.
pub(crate) enum Beside {
    /// Our kernels serve, as they do without Plonky3.
    Ours,
    /// These serve, some by these steps.
    Rows(&'static [KernelRow], &'static [Row]),
    /// Nothing, so Plonky3's own serves.
    Stock,
}

pub(crate) const fn beside(choice: Option<&'static Choice>, lanes: usize) -> Beside {
    let Some(choice) = choice else {
        return Beside::Stock;
    };
    if among(choice.stands, lanes) {
        return Beside::Ours;
    }
    let mut n = 0;
    while n < choice.beside.len() {
        let (builds, rows) = choice.beside[n];
        if among(builds, lanes) {
            return Beside::Rows(choice.steps, rows);
        }
        n += 1;
    }
    Beside::Stock
}

const fn among(builds: &[usize], lanes: usize) -> bool {
    let mut n = 0;
    while n < builds.len() {
        if builds[n] == lanes {
            return true;
        }
        n += 1;
    }
    false
}
