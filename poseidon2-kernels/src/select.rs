//! Which instruction set to use: asked once, remembered, and told.

use core::fmt;
use core::sync::atomic::{AtomicU8, Ordering};

use poseidon2_generated::{Choice, GOLDILOCKS, Isa, KOALA_BEAR, Kernel, Served, TUNINGS};

use crate::{detect, tuned};

/// The environment variable that overrules detection, for tests: an [`Isa::name`].
pub const ENVIRONMENT_VARIABLE: &str = "POSEIDON2_KERNEL";

/// What permutations built from now on will use at best.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Selection {
    /// The instruction set. A permutation without kernels for it uses the next narrower one.
    pub isa: Isa,
    /// Why that one.
    pub reason: Reason,
}

/// Why an instruction set is in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// It is the widest that this CPU has, among those with kernels.
    Detected,
    /// [`select`] asked for it.
    Requested,
    /// The environment variable [`ENVIRONMENT_VARIABLE`] asked for it.
    Environment,
    /// It was detected: the environment variable names none that exists.
    EnvironmentUnknown,
    /// It was detected: the environment variable names one that this CPU cannot run.
    EnvironmentUnsupported,
}

impl Reason {
    const ALL: [Self; 5] = [
        Self::Detected,
        Self::Requested,
        Self::Environment,
        Self::EnvironmentUnknown,
        Self::EnvironmentUnsupported,
    ];
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let detected = if cfg!(feature = "std") {
            "the widest with kernels that this CPU has"
        } else {
            "the widest with kernels that this build was told of"
        };
        match self {
            Self::Detected => f.write_str(detected),
            Self::Requested => f.write_str("selected by the program"),
            Self::Environment => write!(f, "set by {ENVIRONMENT_VARIABLE}"),
            Self::EnvironmentUnknown => {
                write!(
                    f,
                    "{detected}; {ENVIRONMENT_VARIABLE} names no instruction set"
                )
            }
            Self::EnvironmentUnsupported => {
                write!(f, "{detected}; it lacks what {ENVIRONMENT_VARIABLE} names")
            }
        }
    }
}

impl Selection {
    /// The CPU by whose tuning table kernels are chosen.
    #[must_use]
    pub fn tuned_for(&self) -> &'static str {
        TUNINGS[tuned::index()].cpu
    }

    /// The rows of that table for the instruction set: one for each permutation and shape. A
    /// permutation without rows uses those of the next narrower instruction set.
    pub fn rows(&self) -> impl Iterator<Item = &'static Choice> {
        let isa = self.isa;
        let choices = TUNINGS[tuned::index()].choices.iter();
        choices.filter(move |choice| choice.isa == isa)
    }
}

/// In a line; with `{:#}` also the rows of the tuning table.
impl fmt::Display for Selection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.isa.name(), self.reason)?;
        if !f.alternate() {
            return Ok(());
        }
        let tuning = &TUNINGS[tuned::index()];
        let how = if tuning.modelled {
            "modelled"
        } else {
            "measured"
        };
        let why = match tuned::serving().1 {
            Served::Itself => "this CPU",
            Served::Kin => "the nearest kin of this CPU that has a table",
            Served::Default => "as this CPU has no table, nor any kin of it",
        };
        write!(f, "\nkernels as {how} on {}, {why}:", tuning.cpu)?;
        for row in self.rows() {
            let shape = row.shape.name();
            write!(f, "\n  {} w{:<2} {shape:<11}", row.field, row.width)?;
            for step in row.steps {
                let name = step.kernel.rsplit('/').next().unwrap_or(step.kernel);
                write!(f, " {name} ({:.2} of Plonky3's speed)", step.ratio)?;
            }
        }
        Ok(())
    }
}

/// An instruction set was asked for that has no kernels or that this CPU cannot run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnsupportedIsa {
    /// The one asked for.
    pub isa: Isa,
}

impl fmt::Display for UnsupportedIsa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no {} kernels can run here; there are", self.isa.name())?;
        let mut separator = " ";
        for isa in supported() {
            write!(f, "{separator}{}", isa.name())?;
            separator = ", ";
        }
        Ok(())
    }
}

impl core::error::Error for UnsupportedIsa {}

/// The instruction sets whose kernels can run here, narrowest first.
pub fn supported() -> impl Iterator<Item = Isa> {
    Isa::ALL.into_iter().filter(|isa| is_supported(*isa))
}

/// Whether kernels for `isa` exist and all of them can run here.
#[must_use]
pub fn is_supported(isa: Isa) -> bool {
    let mut features = features(GOLDILOCKS, isa)
        .chain(features(KOALA_BEAR, isa))
        .peekable();
    features.peek().is_some() && features.flatten().all(|feature| detect::has(feature))
}

/// Of each kernel for `isa`, what it needs.
fn features<T>(kernels: &[Kernel<T>], isa: Isa) -> impl Iterator<Item = &'static [&'static str]> {
    let kernels = kernels.iter().filter(move |kernel| kernel.isa == isa);
    kernels.map(|kernel| kernel.features)
}

/// What permutations built from now on use, and why. The CPU and the environment are asked once.
///
/// ```
/// println!("{}", poseidon2_kernels::selected());
/// // With the kernels, and how fast they were when they were chosen.
/// println!("{:#}", poseidon2_kernels::selected());
/// ```
#[must_use]
pub fn selected() -> Selection {
    if let Some(selection) = unpack(SELECTED.load(Ordering::Relaxed)) {
        return selection;
    }
    let selection = choose(requested());
    // A choice that was made meanwhile stands: it may be one of `select`.
    let packed =
        SELECTED.compare_exchange(0, pack(selection), Ordering::Relaxed, Ordering::Relaxed);
    packed.err().and_then(unpack).unwrap_or(selection)
}

/// Makes permutations built from now on, in the whole process, use `isa`; those that exist keep
/// what they have. To choose for one permutation alone, use its `with_isa`.
///
/// # Errors
/// If `isa` is not [supported](is_supported) here.
pub fn select(isa: Isa) -> Result<(), UnsupportedIsa> {
    if !is_supported(isa) {
        return Err(UnsupportedIsa { isa });
    }
    let reason = Reason::Requested;
    SELECTED.store(pack(Selection { isa, reason }), Ordering::Relaxed);
    Ok(())
}

/// The selection as [`pack`] writes it; 0 as long as none was made. It guards no other memory, so
/// relaxed ordering is enough.
static SELECTED: AtomicU8 = AtomicU8::new(0);

const fn pack(selection: Selection) -> u8 {
    1 + selection.isa as u8 * Reason::ALL.len() as u8 + selection.reason as u8
}

fn unpack(packed: u8) -> Option<Selection> {
    let index = usize::from(packed.checked_sub(1)?);
    Some(Selection {
        isa: *Isa::ALL.get(index / Reason::ALL.len())?,
        reason: Reason::ALL[index % Reason::ALL.len()],
    })
}

fn choose(requested: Option<Option<Isa>>) -> Selection {
    let detected = |reason| Selection {
        isa: supported().max().unwrap_or(Isa::Scalar),
        reason,
    };
    match requested {
        None => detected(Reason::Detected),
        Some(None) => detected(Reason::EnvironmentUnknown),
        Some(Some(isa)) if is_supported(isa) => Selection {
            isa,
            reason: Reason::Environment,
        },
        Some(Some(_)) => detected(Reason::EnvironmentUnsupported),
    }
}

/// What the environment asks for, if it does: an instruction set, or something unknown.
#[cfg(feature = "std")]
fn requested() -> Option<Option<Isa>> {
    let name = std::env::var_os(ENVIRONMENT_VARIABLE)?;
    Some(name.to_str().and_then(Isa::by_name))
}

/// Without the standard library there is no environment.
#[cfg(not(feature = "std"))]
const fn requested() -> Option<Option<Isa>> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_selection_is_packed_and_unpacked() {
        assert_eq!(unpack(0), None);
        for isa in Isa::ALL {
            for reason in Reason::ALL {
                let selection = Selection { isa, reason };
                assert_eq!(unpack(pack(selection)), Some(selection));
            }
        }
        assert_eq!(unpack(u8::MAX), None);
    }

    #[test]
    fn what_cannot_run_is_not_chosen() {
        let widest = supported().max().unwrap();
        let detected = |reason| Selection {
            isa: widest,
            reason,
        };
        assert_eq!(choose(None), detected(Reason::Detected));
        assert_eq!(choose(Some(None)), detected(Reason::EnvironmentUnknown));
        for isa in Isa::ALL {
            let expected = if is_supported(isa) {
                Selection {
                    isa,
                    reason: Reason::Environment,
                }
            } else {
                detected(Reason::EnvironmentUnsupported)
            };
            assert_eq!(choose(Some(Some(isa))), expected);
        }
    }
}
