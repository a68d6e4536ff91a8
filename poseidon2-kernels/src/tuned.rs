//! Whose tuning table is used: that of this CPU, of its nearest kin, or the default of its architecture.

use core::sync::atomic::{AtomicU8, Ordering};

use poseidon2_generated::{Cpu, Served, TUNINGS, Tuning};

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
    // Without another one to choose there is nothing to ask.
    let index = if TUNINGS.len() > 1 { serving().0 } else { 0 };
    // There are fewer than 255 (asserted above).
    TABLE.store(index as u8 + 1, Ordering::Relaxed);
    index
}

/// The index of the table to use, and why that one.
pub(crate) fn serving() -> (usize, Served) {
    Tuning::serving(TUNINGS, Cpu::here().as_ref(), detect::has)
}

#[cfg(test)]
mod tests {
    use super::*;
    use poseidon2_generated::{CpuPattern, Shape};

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
                        (other.field, other.width, other.isa)
                            == (choice.field, choice.width, choice.isa)
                            && other.shapes.contains(&shape)
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
    }

    const ANY: CpuPattern = CpuPattern {
        vendor: "",
        family: 0,
        models: &[],
        features: &[],
    };

    const fn tuning(
        cpu: &'static str,
        known_by: Option<CpuPattern>,
        kin: &'static [CpuPattern],
    ) -> Tuning {
        Tuning {
            cpu,
            default: false,
            known_by,
            kin,
            modelled: false,
            choices: &[],
        }
    }

    #[test]
    fn patterns_ask_for_what_they_give() {
        let zen5 = Cpu::of(*b"AuthenticAMD", 0x00b0_0f21);
        let none = |_: &str| false;
        let amd = CpuPattern {
            vendor: "AuthenticAMD",
            ..ANY
        };
        assert!(amd.matches(Some(&zen5), none) && !amd.matches(None, none));
        let family = |family| CpuPattern { family, ..amd };
        assert!(family(26).matches(Some(&zen5), none) && !family(25).matches(Some(&zen5), none));
        let models = |models| CpuPattern {
            models,
            ..family(26)
        };
        assert!(models(&[2, 3]).matches(Some(&zen5), none));
        assert!(!models(&[3]).matches(Some(&zen5), none));
        let featured = CpuPattern {
            features: &["sve2"],
            ..ANY
        };
        assert!(featured.matches(None, |feature| feature == "sve2"));
        assert!(!featured.matches(Some(&zen5), none));
    }

    #[test]
    fn the_nearest_kin_is_the_one_that_most_is_asked_of() {
        const AMD: CpuPattern = CpuPattern {
            vendor: "AuthenticAMD",
            ..ANY
        };
        let tunings = [
            tuning(
                "wide",
                None,
                &[CpuPattern {
                    features: &["avx2", "avx512f"],
                    ..ANY
                }],
            ),
            tuning("old", None, &[AMD]),
            tuning(
                "zen4",
                Some(CpuPattern { family: 25, ..AMD }),
                &[CpuPattern {
                    features: &["avx512f"],
                    ..AMD
                }],
            ),
            tuning("same", None, &[AMD]),
            tuning(
                "zen4c",
                Some(CpuPattern {
                    family: 25,
                    models: &[160],
                    ..AMD
                }),
                &[],
            ),
            tuning("default", None, &[]),
        ];
        let serving = |cpu: Option<&Cpu>, features: &[&str]| {
            let (index, why) = Tuning::serving(&tunings, cpu, |f| features.contains(&f));
            (tunings[index].cpu, why)
        };
        let amd = |family, model| cpu(*b"AuthenticAMD", family, model);
        let all = ["avx2", "avx512f"];
        assert_eq!(serving(Some(&amd(25, 97)), &all), ("zen4", Served::Itself));
        assert_eq!(
            serving(Some(&amd(25, 160)), &all),
            ("zen4c", Served::Itself)
        );
        assert_eq!(serving(Some(&amd(26, 2)), &all), ("zen4", Served::Kin));
        // Who made it counts for more than what it has; of equals the first.
        assert_eq!(serving(Some(&amd(23, 1)), &["avx2"]), ("old", Served::Kin));
        let other = cpu(*b"CentaurHauls", 7, 1);
        assert_eq!(serving(Some(&other), &all), ("wide", Served::Kin));
        assert_eq!(serving(None, &["avx2"]), ("default", Served::Default));
    }

    /// A CPU of that family and model.
    fn cpu(vendor: [u8; 12], family: u32, model: u32) -> Cpu {
        let (base, extended) = if family > 15 {
            (15, family - 15)
        } else {
            (family, 0)
        };
        let version = extended << 20 | (model >> 4) << 16 | base << 8 | (model & 15) << 4;
        let cpu = Cpu::of(vendor, version);
        assert_eq!((cpu.family, cpu.model), (family, model));
        cpu
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn cpus_that_people_have_are_served_by_their_nearest_kin() {
        let (intel, amd) = (*b"GenuineIntel", *b"AuthenticAMD");
        let (none, avx2, avx512, ifma): (&[&str], &[&str], &[&str], &[&str]) = (
            &[],
            &["avx2"],
            &["avx2", "avx512f"],
            &["avx2", "avx512f", "avx512ifma"],
        );
        let cpus = [
            ("Zen 5 server", amd, 26, 2, ifma, "zen5", Served::Itself),
            ("Zen 5 desktop", amd, 26, 68, ifma, "zen5", Served::Itself),
            ("Zen 4", amd, 25, 97, ifma, "zen4", Served::Itself),
            (
                "Zen 4, AVX-512 hidden",
                amd,
                25,
                97,
                avx2,
                "zen3",
                Served::Kin,
            ),
            ("Zen 3", amd, 25, 33, avx2, "zen3", Served::Itself),
            ("Zen 2", amd, 23, 113, avx2, "zen3", Served::Kin),
            ("Bulldozer", amd, 21, 2, none, "zen5", Served::Kin),
            ("Dhyana", *b"HygonGenuine", 24, 1, avx2, "zen3", Served::Kin),
            (
                "Sapphire Rapids",
                intel,
                6,
                143,
                ifma,
                "golden-cove",
                Served::Itself,
            ),
            (
                "Emerald Rapids",
                intel,
                6,
                207,
                ifma,
                "golden-cove",
                Served::Itself,
            ),
            (
                "Granite Rapids",
                intel,
                6,
                173,
                ifma,
                "golden-cove",
                Served::Itself,
            ),
            (
                "Alder Lake",
                intel,
                6,
                151,
                avx2,
                "golden-cove",
                Served::Itself,
            ),
            (
                "Raptor Lake",
                intel,
                6,
                183,
                avx2,
                "golden-cove",
                Served::Itself,
            ),
            (
                "Arrow Lake",
                intel,
                6,
                198,
                avx2,
                "golden-cove",
                Served::Kin,
            ),
            (
                "Diamond Rapids",
                intel,
                19,
                1,
                ifma,
                "golden-cove",
                Served::Kin,
            ),
            ("Ice Lake", intel, 6, 106, ifma, "golden-cove", Served::Kin),
            (
                "Skylake-SP",
                intel,
                6,
                85,
                avx512,
                "golden-cove",
                Served::Kin,
            ),
            ("Haswell", intel, 6, 60, avx2, "golden-cove", Served::Kin),
            ("Gracemont", intel, 6, 190, avx2, "golden-cove", Served::Kin),
            (
                "Zhaoxin",
                *b"  Shanghai  ",
                7,
                11,
                avx2,
                "zen5",
                Served::Default,
            ),
            (
                "Rosetta",
                *b"VirtualApple",
                6,
                44,
                avx2,
                "zen5",
                Served::Default,
            ),
        ];
        for (name, vendor, family, model, features, table, why) in cpus {
            let cpu = cpu(vendor, family, model);
            let (index, found) = Tuning::serving(TUNINGS, Some(&cpu), |f| features.contains(&f));
            assert_eq!((TUNINGS[index].cpu, found), (table, why), "{name}");
        }
    }

    #[cfg(target_arch = "aarch64")]
    #[test]
    fn cores_that_people_have_are_served_by_their_nearest_kin() {
        let cores: [(&str, &[&str], &str, Served); 5] = [
            (
                "Neoverse V2",
                &["neon", "sve", "sve2", "sha3"],
                "neoverse-v2",
                Served::Itself,
            ),
            (
                "Neoverse V1",
                &["neon", "sve", "sha3"],
                "neoverse-v2",
                Served::Kin,
            ),
            ("Apple M1", &["neon", "sha3"], "neoverse-v2", Served::Kin),
            ("Neoverse N1", &["neon"], "neoverse-n1", Served::Default),
            ("Cortex-A72", &["neon"], "neoverse-n1", Served::Default),
        ];
        for (name, features, table, why) in cores {
            let (index, found) = Tuning::serving(TUNINGS, None, |f| features.contains(&f));
            assert_eq!((TUNINGS[index].cpu, found), (table, why), "{name}");
        }
    }
}
