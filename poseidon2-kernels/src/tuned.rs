//! Whose tuning table is used: that of this CPU, or the default of its architecture.

use core::sync::atomic::{AtomicU8, Ordering};

use poseidon2_generated::{Cpu, TUNINGS, Tuning};

use crate::detect;

/// One more than the index of the table; 0 as long as the CPU was not asked. It guards no other
/// memory, so relaxed ordering is enough.
static TABLE: AtomicU8 = AtomicU8::new(0);

const _: () = assert!(
    !TUNINGS.is_empty() && TUNINGS.len() < u8::MAX as usize,
    "no tuning table for this target"
);

/// The index of the table to use. The CPU is asked once: that can take a while under a hypervisor.
pub(crate) fn index() -> usize {
    if let Some(index) = usize::from(TABLE.load(Ordering::Relaxed)).checked_sub(1) {
        return index;
    }
    let index = find();
    // There are fewer than 255 (asserted above).
    TABLE.store(index as u8 + 1, Ordering::Relaxed);
    index
}

fn find() -> usize {
    // Without another one to choose there is nothing to ask.
    if TUNINGS.len() > 1 {
        let found = TUNINGS.iter().position(recognises);
        found.unwrap_or(TUNINGS.len() - 1)
    } else {
        0
    }
}

/// Whether a table is about this CPU.
pub(crate) fn recognises(tuning: &Tuning) -> bool {
    tuning.recognises(Cpu::here().as_ref(), detect::has)
}

#[cfg(test)]
mod tests {
    use super::*;
    use poseidon2_generated::Shape;

    #[test]
    fn the_last_table_is_the_default_and_there_is_no_other() {
        let (last, others) = TUNINGS.split_last().unwrap();
        assert!(last.default && others.iter().all(|tuning| !tuning.default));
        assert!(index() < TUNINGS.len());
        assert_eq!(index(), index());
    }

    #[test]
    fn rows_are_complete() {
        for tuning in TUNINGS {
            for choice in tuning.choices {
                let of_same = |shape| {
                    let mut choices = tuning.choices.iter();
                    choices.any(|other| {
                        (other.field, other.width, other.isa, other.shape)
                            == (choice.field, choice.width, choice.isa, shape)
                    })
                };
                assert!(Shape::ALL.into_iter().all(of_same), "{choice:?}");
                assert!(choice.steps.last().is_some_and(|step| step.least == 1));
            }
        }
    }

    #[test]
    fn cpus_are_told_apart_as_cpuid_tells_them() {
        // Zen 5, Zen 4 and Sapphire Rapids.
        let amd = *b"AuthenticAMD";
        let zen5 = Cpu::of(amd, 0x00b0_0f21);
        assert_eq!(
            (zen5.vendor(), zen5.family, zen5.model),
            ("AuthenticAMD", 26, 2)
        );
        let zen4 = Cpu::of(amd, 0x00a1_0f11);
        assert_eq!((zen4.family, zen4.model), (25, 17));
        let rapids = Cpu::of(*b"GenuineIntel", 0x0008_06f8);
        assert_eq!((rapids.family, rapids.model), (6, 143));
        let table = Tuning {
            cpu: "zen5",
            default: false,
            vendor: "AuthenticAMD",
            family: 26,
            models: &[],
            features: &[],
            modelled: false,
            choices: &[],
        };
        let none = |_: &str| false;
        assert!(table.recognises(Some(&zen5), none));
        assert!(!table.recognises(Some(&zen4), none) && !table.recognises(None, none));
        let some = Tuning {
            models: &[3],
            ..table
        };
        assert!(!some.recognises(Some(&zen5), none));
        let featured = Tuning {
            vendor: "",
            features: &["sve2"],
            ..table
        };
        assert!(featured.recognises(None, |feature| feature == "sve2"));
        assert!(!featured.recognises(Some(&zen5), none));
    }
}
