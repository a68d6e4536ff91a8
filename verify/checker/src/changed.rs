//! A file of a crate that was read, with something else in it: whether it would be refused.
//!
//! Mutants ask so, which show that what is wrong is noticed. No file that is generated is accepted
//! by this.

use crate::Refused;
use crate::kernel::{Crate, File};
use crate::reader::{Bodies, Facts};

impl Crate {
    /// Checks the text of a file of the crate, such as `plonky3/goldilocks/w8_scalar_redc_b1`, against
    /// all others as they are.
    ///
    /// # Errors
    /// Why it is refused.
    pub fn check(&self, name: &str, text: &str) -> Result<(), Refused> {
        let outcome = match File::of(name, text) {
            File::Preparation => self.preparation(name, text).and_then(|bodies| {
                let known = self.preparations.get(name);
                proved(&bodies, known.unwrap_or(&Bodies::new()))
            }),
            File::Kernel => {
                let (certificate, facts) = self.kernel(text)?;
                match self.kernels.get(name) {
                    Some((of, known)) if *of == certificate => facts.same_as(known),
                    _ => Err("it is not what the registry has".to_owned()),
                }
            }
            _ => return self.table(name, text),
        };
        outcome.map_err(Refused::whole)
    }
}

impl Facts {
    /// That another text has the same interface, and bodies that were proved.
    fn same_as(&self, other: &Self) -> Result<(), String> {
        let shape = |facts: &Self| (facts.groups, facts.lanes, facts.features.clone());
        if shape(self) != shape(other) {
            return Err("it is not what the registry has".to_owned());
        }
        proved(&self.bodies, &other.bodies)
    }
}

/// That all bodies are among those that were proved.
fn proved(bodies: &Bodies, others: &Bodies) -> Result<(), String> {
    let proved = |(name, body): &(&String, &_)| others.get(*name) == Some(*body);
    match bodies.iter().find(|body| !proved(body)) {
        Some((name, _)) => Err(format!("of this body of `{name}` there is no proof")),
        None => Ok(()),
    }
}
