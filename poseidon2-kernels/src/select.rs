//! Which instruction set to use: detected once, cached, and reported.

use core::fmt;
use core::sync::atomic::{AtomicU8, Ordering};

#[cfg(feature = "_plonky3")]
use poseidon2_generated::Server;
use poseidon2_generated::{Choice, Isa, Served, Shape, Step, TUNINGS};

use crate::{field, tuned};
#[cfg(feature = "_plonky3")]
use crate::{
    parameters,
    plan::{self, Beside},
};

/// The environment variable that overrides detection, for tests. Its value is an [`Isa::name`], in upper or
/// lower case; any other value is ignored, and [`selected`] says so.
pub const ENVIRONMENT_VARIABLE: &str = "POSEIDON2_KERNEL";

/// The instruction set that permutations built from now on use if they have kernels for it, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Selection {
    /// The instruction set. A permutation without kernels for it uses the next narrower one.
    pub isa: Isa,
    /// Why it was selected.
    pub reason: Reason,
}

/// Why an instruction set was selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// It is the widest that this CPU has, among those with kernels.
    Detected,
    /// [`select`] asked for it.
    Requested,
    /// The environment variable [`ENVIRONMENT_VARIABLE`] asked for it.
    Environment,
    /// It was detected, because the value of the environment variable is not the name of an instruction set.
    EnvironmentUnknown,
    /// It was detected, because the environment variable names one that this CPU cannot run.
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
                    "{detected}; {ENVIRONMENT_VARIABLE} is ignored: its value is none of"
                )?;
                let mut names = Isa::ALL.into_iter().map(Isa::name);
                names.try_for_each(|name| write!(f, " {name}"))
            }
            Self::EnvironmentUnsupported => {
                write!(
                    f,
                    "{detected}; {ENVIRONMENT_VARIABLE} is ignored: this CPU cannot run what it names"
                )
            }
        }
    }
}

impl Selection {
    /// The CPU whose tuning table chooses kernels.
    #[must_use]
    pub fn tuned_for(&self) -> &'static str {
        TUNINGS[tuned::index()].cpu
    }

    /// The rows in use of that table, by permutation and shape. Each is for the selected instruction set, or
    /// for the next narrower one that has rows.
    pub fn rows(&self) -> impl Iterator<Item = (Shape, &'static Choice)> {
        let isa = self.isa;
        let choices = TUNINGS[tuned::index()].choices;
        let same = |a: &Choice, b: &Choice| {
            (a.parameter_set, a.field, a.width) == (b.parameter_set, b.field, b.width)
        };
        let used = move |choice: &&Choice| {
            let others = choices.iter().filter(|other| same(choice, other));
            let isas = others.map(|other| other.isa);
            isas.filter(|other| *other <= isa).max() == Some(choice.isa)
        };
        let of = move |first: &'static Choice, shape| {
            let mut rows = choices.iter().filter(used);
            let row = rows.find(|row| same(first, row) && row.shapes.contains(&shape))?;
            Some((shape, row))
        };
        // Each permutation has one row for single states.
        let single = |row: &&Choice| row.shapes.contains(&Shape::One);
        let permutations = choices.iter().filter(used).filter(single);
        permutations.flat_map(move |first| {
            let shapes = Shape::ALL.into_iter();
            shapes.filter_map(move |shape| of(first, shape))
        })
    }

    /// Whether Plonky3's own serves where it is the faster one: unless somebody asked for kernels.
    #[cfg(feature = "_plonky3")]
    pub(crate) const fn hands_over(&self) -> bool {
        match self.reason {
            Reason::Detected | Reason::EnvironmentUnknown | Reason::EnvironmentUnsupported => true,
            Reason::Requested | Reason::Environment => false,
        }
    }

    /// Writes who serves by a row, in the order in which they are tried.
    fn servers(
        &self,
        row: &'static Choice,
        shape: Shape,
        f: &mut fmt::Formatter<'_>,
    ) -> fmt::Result {
        #[cfg(feature = "_plonky3")]
        if self.hands_over() {
            match plan::beside(Some(row), parameters::packed_lanes(row.field)) {
                Beside::Ours => {}
                Beside::Rows(steps, servers) => {
                    return servers.iter().try_for_each(|server| match server {
                        Server::Kernel { step, .. } => kernel(&steps[*step], shape, f),
                        Server::Stock { states: 1, .. } => f.write_str(" Plonky3's own"),
                        Server::Stock { states, .. } => write!(f, " Plonky3's own of {states}"),
                    });
                }
                Beside::Stock => return f.write_str(" Plonky3's own (never compared)"),
            }
        }
        row.steps.iter().try_for_each(|step| kernel(step, shape, f))
    }
}

/// A kernel as rows show it. It was compared with Plonky3 as built for the kernel's instruction set.
fn kernel(step: &Step, shape: Shape, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let name = step.kernel.rsplit('/').next().unwrap_or(step.kernel);
    // Of parameters that Plonky3 does not have there is nothing to compare with.
    let ratio = step.ratios[shape as usize];
    if ratio == 0.0 {
        return write!(f, " {name}");
    }
    write!(f, " {name} ({ratio:.2} times Plonky3's speed)")
}

/// One line; with `{:#}`, also the rows of the tuning table.
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
        write!(
            f,
            "\nkernels as {how} on {}, {why}; the peer is Plonky3 built for a kernel's own \
             instruction set:",
            tuning.cpu
        )?;
        for (shape, row) in self.rows() {
            let (field, width, name) = (row.field, row.width, shape.name());
            write!(f, "\n  {field} w{width:<2} {name:<11}")?;
            self.servers(row, shape, f)?;
        }
        Ok(())
    }
}

/// The requested instruction set has no kernels, or this CPU cannot run them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnsupportedIsa {
    /// The requested instruction set.
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

/// The instruction sets whose kernels can run here, from the narrowest to the widest.
pub fn supported() -> impl Iterator<Item = Isa> {
    Isa::ALL.into_iter().filter(|isa| is_supported(*isa))
}

/// Whether kernels for `isa` exist and all of them can run here.
#[must_use]
pub fn is_supported(isa: Isa) -> bool {
    let fields = || field::ALL.iter().filter_map(|field| (field.runs)(isa));
    fields().next().is_some() && fields().all(|runs| runs)
}

/// The instruction set that permutations built from now on use, and why. The first call asks the CPU and the
/// environment.
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
    #[cfg(target_has_atomic = "8")]
    let before =
        SELECTED.compare_exchange(0, pack(selection), Ordering::Relaxed, Ordering::Relaxed);
    // Where nothing can be exchanged at once, either of two choices stands.
    #[cfg(not(target_has_atomic = "8"))]
    let before = {
        SELECTED.store(pack(selection), Ordering::Relaxed);
        Ok::<_, u8>(0)
    };
    before.err().and_then(unpack).unwrap_or(selection)
}

/// Makes permutations built from now on, in the whole process, use `isa`; existing permutations do not change.
/// To choose for a single permutation, use its `with_isa`.
///
/// Only another call changes the selection again. There is no way back to what was detected: with a feature for
/// Plonky3, permutations built from now on never use Plonky3's own, even if `isa` is the one that was detected.
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
    Some(name.to_str().and_then(named))
}

/// The instruction set of that name, in capital or small letters.
#[cfg(feature = "std")]
fn named(name: &str) -> Option<Isa> {
    let same = |isa: &Isa| isa.name().eq_ignore_ascii_case(name);
    Isa::ALL.into_iter().find(same)
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
    #[cfg(feature = "std")]
    fn names_may_have_capital_letters() {
        assert_eq!(named("AVX2"), Some(Isa::Avx2));
        assert_eq!(named("x86_64"), Some(Isa::X86_64));
        assert_eq!(named("avx3"), None);
        assert_eq!(named(""), None);
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
