//! A file of a crate that was read, with something else in it: whether it would be refused.
//!
//! Mutants ask so, which show that what is wrong is noticed. No file that is generated is accepted
//! by this.

use crate::Refused;
use crate::kernel::{Crate, File};
use crate::reader::{Bodies, Facts};

impl Crate {
    /// Checks the text of a file of the crate, such as `plonky3/goldilocks/w8_scalar_redc_b1`, against
    /// all others as they are. Tells whether bodies of macros and the interface are the old ones too: to
    /// prove others takes a solver, and to refuse them the lists of kernels.
    ///
    /// # Errors
    /// Why it is refused.
    pub fn check(&self, name: &str, text: &str) -> Result<bool, Refused> {
        match File::of(name, text) {
            File::Preparation => {
                let bodies = self.preparation(name, text).map_err(Refused::whole)?;
                let known = self.preparations.get(name);
                Ok(known.is_some_and(|known| are_known(&bodies, known)))
            }
            File::Kernel => {
                let (certificate, facts) = self.kernel(text)?;
                let known = self.kernels.get(name);
                Ok(known.is_some_and(|(of, known)| *of == certificate && facts.same_as(known)))
            }
            _ => self.table(name, text).map(|()| true),
        }
    }
}

impl Facts {
    /// Whether another text has the same interface, and bodies that were proved.
    fn same_as(&self, other: &Self) -> bool {
        let shape = |facts: &Self| (facts.groups, facts.lanes, facts.features.clone());
        shape(self) == shape(other) && are_known(&self.bodies, &other.bodies)
    }
}

/// Whether all bodies are among those that were proved.
fn are_known(bodies: &Bodies, proved: &Bodies) -> bool {
    let mut bodies = bodies.iter();
    bodies.all(|(name, body)| proved.get(name) == Some(body))
}
