//! An instance as a text, for whoever computes it without this crate: `verify/reference` says what it
//! means.

use std::fmt::{self, Write as _};

use super::{Cut, ExternalLayer, Instance, Linear, M4, Order, ParameterSet, Rational};

impl Instance {
    /// What is stated of the permutation, its constants aside: the head of certificates.
    #[must_use]
    pub fn head(&self) -> String {
        let mut text = String::new();
        self.write_head(&mut text)
            .expect("writing to a string cannot fail");
        text
    }

    fn write_head(&self, f: &mut String) -> fmt::Result {
        writeln!(f, "parameter-set {}", self.parameter_set)?;
        writeln!(f, "field {}", self.field.name)?;
        writeln!(f, "width {}", self.width)?;
        writeln!(f, "external-rounds {}", self.external_rounds)?;
        writeln!(f, "internal-rounds {}", self.internal_rounds)?;
        writeln!(f, "alpha {}", self.alpha)?;
        let (external, internal) = match &self.linear {
            Linear::Poseidon1(mds) => {
                let rows = if mds.is_circulant() { 1 } else { self.width };
                return writeln!(f, "mds {}", listed(mds.rows[..rows].iter().flatten()));
            }
            Linear::Poseidon2 { external, internal } => (external, internal),
        };
        // What Plonky3's layers have goes without saying.
        let ExternalLayer { m4, order, initial } = external;
        if *m4 != M4 {
            writeln!(f, "m4 {}", listed(m4.iter().flatten()))?;
        }
        if *order != Order::Blocks {
            writeln!(f, "order {order}")?;
        }
        if !initial {
            writeln!(f, "initial no")?;
        }
        if internal.scale != Rational::ONE {
            writeln!(f, "scale {}", internal.scale)?;
        }
        writeln!(f, "diagonal {}", listed(&internal.diagonal))
    }

    /// The whole instance, as a file of its own.
    #[must_use]
    pub fn statement(&self) -> String {
        let head = self.head();
        let constants = match self.constants.grain {
            Some(Cut::Paper) => "constants grain\n".to_owned(),
            Some(Cut::ExternalFirst) => "constants grain external-first\n".to_owned(),
            None => format!(
                "external {}\ninternal {}\n",
                listed(self.constants.external.iter().flatten()),
                listed(&self.constants.internal)
            ),
        };
        format!("poseidon2-instance 1\n{head}{constants}")
    }

    /// Where that file is, relative to the generated crate; none for instances of named parameter sets,
    /// which the reference knows.
    #[must_use]
    pub fn statement_path(&self) -> Option<String> {
        let known = ParameterSet::by_name(&self.parameter_set).is_some();
        (!known).then(|| format!("proofs/{}/w{}.instance", self.folder(), self.width))
    }
}

fn listed<T: ToString>(items: impl IntoIterator<Item = T>) -> String {
    let items: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
    items.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::{KOALA_BEAR, Mds, instance, poseidon1_constants};

    #[test]
    fn the_reference_reads_what_is_stated() {
        let mut instance = instance("plonky3", &KOALA_BEAR, 16).unwrap();
        let known = reference::find("plonky3", "koala-bear", 16).unwrap();
        assert_eq!(instance.statement_path(), None);
        for grain in [instance.constants.grain, None] {
            instance.constants.grain = grain;
            let read = reference::Instance::read(&instance.statement()).unwrap();
            assert_eq!(read.permutation, known.permutation);
        }
        instance.parameter_set = "mine".to_owned();
        let Linear::Poseidon2 { external, internal } = &mut instance.linear else {
            panic!("the set is one of Poseidon2");
        };
        internal.scale = Rational::new(true, 3, 2);
        external.m4[1][2] = instance.field.modulus - 1;
        external.order = Order::Strides;
        external.initial = false;
        instance.constants.grain = Some(Cut::ExternalFirst);
        let path = instance.statement_path();
        assert_eq!(path.as_deref(), Some("proofs/mine/koala_bear/w16.instance"));
        let read = reference::Instance::read(&instance.statement()).unwrap();
        let permutation = read.permutation;
        let stated = reference::Linear::Poseidon2 {
            external: reference::External {
                m4: [
                    [2, 3, 1, 1],
                    [1, 2, KOALA_BEAR.modulus - 1, 1],
                    M4[2],
                    M4[3],
                ],
                order: reference::Order::Strides,
                initial: false,
            },
            scale: Rational::new(true, 3, 2).residue(&KOALA_BEAR),
            diagonal: instance.diagonal_residues(),
        };
        assert_eq!(
            (read.parameter_set, permutation.linear),
            ("mine".to_owned(), stated)
        );
        let cut = crate::params::round_constants(Cut::ExternalFirst, &KOALA_BEAR, 16, 8, 20);
        assert_eq!(
            (permutation.external, permutation.internal),
            (cut.external, cut.internal)
        );
    }

    #[test]
    fn poseidon1_is_stated_with_its_constants_or_how_they_are_derived() {
        let mut instance = instance("plonky3", &KOALA_BEAR, 16).unwrap();
        "mine".clone_into(&mut instance.parameter_set);
        let circulant = Mds::circulant(&[1, 1, 51, 1, 11, 17, 2, 1, 101, 63, 15, 2, 67, 22, 13, 3]);
        let mut other = circulant.clone();
        other.rows[0][0] += 8;
        for mds in [circulant, other] {
            instance.constants = poseidon1_constants(&KOALA_BEAR, &mds, 8, 20);
            instance.linear = Linear::Poseidon1(mds.clone());
            for grain in [instance.constants.grain, None] {
                instance.constants.grain = grain;
                let read = reference::Instance::read(&instance.statement()).unwrap();
                let permutation = read.permutation;
                assert_eq!(
                    permutation.linear,
                    reference::Linear::Poseidon1(mds.rows.clone())
                );
                assert_eq!(
                    (permutation.external, permutation.internal),
                    (
                        instance.constants.external.clone(),
                        instance.constants.internal.clone()
                    )
                );
            }
        }
    }
}
