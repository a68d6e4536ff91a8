//! The crate's `Permutation` implementations, and which kernels can serve them.

use std::collections::BTreeSet;

use codegen::cli::select::Job;
use codegen::diag::{Diagnostic, Diagnostics};
use codegen::isa::{Target, table};
use codegen::kernel::Generated;
use codegen::names::{Isa, Layout};

use super::platform::Platform;

/// Widths of the crate's permutations.
pub(crate) const WIDTHS: [usize; 4] = [8, 12, 16, 20];
/// The field that the crate is about.
pub(crate) const FIELD: &str = "goldilocks";
/// The parameters that its permutations have.
pub(crate) const PARAMETERS: &str = "plonky3";

/// One of the crate's `Permutation` implementations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    /// The build that compiles it.
    pub(crate) platform: Platform,
    /// Elements in a state.
    pub(crate) width: usize,
    /// Whether it permutes an array of the packed type; else it is `[Goldilocks; WIDTH]`.
    pub(crate) packed: bool,
}

/// A kernel that can serve a place: a candidate for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Candidate {
    /// The kernel's full name.
    pub(crate) kernel: String,
    /// Its instruction set.
    pub(crate) isa: Isa,
    /// Where it serves.
    pub(crate) place: Place,
    /// Whether it takes the packed type's states one after another.
    pub(crate) unpacked: bool,
    /// What has to hold beyond the place's platform, as `cfg` has it.
    pub(crate) needs: BTreeSet<String>,
}

impl Candidate {
    /// All places that a kernel can serve, or why there is none.
    pub(crate) fn all(job: &Job<'_>) -> Result<Vec<Self>, String> {
        let instance = &job.spec.instance;
        if instance.field.name != FIELD {
            return Err(format!("it is over {}", instance.field.name));
        }
        if instance.parameter_set != PARAMETERS {
            let set = &instance.parameter_set;
            return Err(format!("it has the parameters of `{set}`"));
        }
        if !WIDTHS.contains(&instance.width) {
            return Err(format!("its width is {}", instance.width));
        }
        let (isa, layout) = (job.kernel.isa, job.kernel.layout);
        let lanes = Platform::home(isa).packing().map(|packing| packing.lanes);
        let (packed, unpacked) = match (layout, job.batch) {
            (Layout::Registers, 1) => (false, false),
            (Layout::Registers, batch) if lanes == Some(batch) => (true, true),
            (Layout::Lanes, 1) => (true, false),
            (Layout::Registers, states) => {
                return Err(format!("it permutes {states} states a call"));
            }
            (Layout::Lanes, groups) => {
                let states = groups * lanes.unwrap_or(1);
                return Err(format!("it permutes {states} states a call"));
            }
        };
        let features = Target::of(isa, layout).map_or(&[][..], |target| table(target).features);
        let platforms = Platform::ALL.into_iter().filter(|one| one.runs(isa));
        let candidates = platforms.map(|platform| Self {
            kernel: job.name(),
            isa,
            place: Place {
                platform,
                width: instance.width,
                packed,
            },
            unpacked,
            needs: platform.needs(isa, features),
        });
        Ok(candidates.collect())
    }

    /// The kernel's module.
    pub(crate) fn leaf(&self) -> &str {
        leaf(&self.kernel)
    }

    /// The condition under which it serves, where its platform alone is not enough.
    pub(crate) fn condition(&self) -> Option<String> {
        joined("all", self.needs.iter())
    }
}

/// The last part of a kernel's name.
pub(crate) fn leaf(kernel: &str) -> &str {
    kernel.rsplit('/').next().unwrap_or(kernel)
}

/// Conditions in one; none if there are none.
pub(crate) fn joined<'a>(
    how: &str,
    conditions: impl Iterator<Item = &'a String>,
) -> Option<String> {
    let all: Vec<&str> = conditions.map(String::as_str).collect();
    match all.as_slice() {
        [] => None,
        [one] => Some((*one).to_owned()),
        several => Some(format!("{how}({})", several.join(", "))),
    }
}

/// The places of kernels that were asked for by name: all that they can serve.
///
/// # Errors
/// A kernel can serve none, or two the same.
pub(crate) fn by_name(jobs: &[Job<'_>]) -> Result<Vec<Candidate>, Diagnostics> {
    let (mut candidates, mut errors) = (Vec::<Candidate>::new(), Diagnostics::new());
    for job in jobs {
        match Candidate::all(job) {
            Ok(found) => candidates.extend(found),
            Err(reason) => {
                let message = format!("{} cannot be vendored: {reason}", job.name());
                errors.push(Diagnostic::new(message).help(HELP));
            }
        }
    }
    let rivals = |a: &Candidate, b: &Candidate| a.place == b.place && a.needs == b.needs;
    // What was made for the machine before what runs on any.
    let kept = candidates.iter().filter(|candidate| {
        let mut others = candidates.iter().filter(|other| rivals(other, candidate));
        candidate.isa != Isa::Scalar || others.all(|other| other.isa == Isa::Scalar)
    });
    let kept: Vec<Candidate> = kept.cloned().collect();
    let mut told = BTreeSet::new();
    for (at, candidate) in kept.iter().enumerate() {
        if let Some(other) = kept[..at].iter().find(|other| rivals(other, candidate))
            && told.insert((&other.kernel, &candidate.kernel))
        {
            let (a, b) = (other.leaf(), candidate.leaf());
            let message = format!("{a} and {b} have the same place in p3-goldilocks");
            errors.push(Diagnostic::new(message).help("leave one of them out of --kernels"));
        }
    }
    errors.into_result().map(|()| kept)
}

const HELP: &str = "p3-goldilocks permutes one state, or as many as its packed type has lanes: 2 \
    on NEON, 4 on AVX2, 8 on AVX-512; without --kernels the tuning tables choose";

/// The kernels of one vendoring, each where it serves.
#[derive(Clone, Debug)]
pub(crate) struct Slots<'k> {
    served: Vec<(Candidate, &'k Generated)>,
    /// External and internal rounds.
    pub(crate) rounds: (usize, usize),
}

impl<'k> Slots<'k> {
    /// Kernels, each where it was chosen to serve.
    ///
    /// # Errors
    /// They do not have the same numbers of rounds.
    pub(crate) fn of(
        candidates: &[Candidate],
        kernels: &'k [Generated],
    ) -> Result<Self, Diagnostic> {
        let find =
            |candidate: &Candidate| kernels.iter().find(|one| one.info.name == candidate.kernel);
        let mut served: Vec<_> = candidates
            .iter()
            .filter_map(|candidate| Some((candidate.clone(), find(candidate)?)))
            .collect();
        // Where it may be used, the kernel that needs most comes first.
        served.sort_by_key(|(candidate, _)| {
            let needs = std::cmp::Reverse(candidate.needs.len());
            (candidate.place, needs, candidate.kernel.clone())
        });
        let rounds =
            |kernel: &Generated| (kernel.info.external_rounds, kernel.info.internal_rounds);
        let first = served.first().map_or((0, 0), |(_, kernel)| rounds(kernel));
        if served.iter().any(|(_, kernel)| rounds(kernel) != first) {
            let message = "kernels of different numbers of rounds cannot share a table";
            return Err(Diagnostic::new(message));
        }
        let rounds = first;
        Ok(Self { served, rounds })
    }

    /// The kernels, each once, by name.
    pub(crate) fn kernels(&self) -> Vec<&'k Generated> {
        let mut kernels: Vec<_> = self.served.iter().map(|(_, kernel)| *kernel).collect();
        kernels.sort_by_key(|kernel| &kernel.info.name);
        kernels.dedup_by_key(|kernel| &kernel.info.name);
        kernels
    }

    /// The modules of those that lie in a platform's folder.
    pub(crate) fn modules(&self, home: Platform) -> Vec<&str> {
        let at_home = self
            .served
            .iter()
            .filter(|(candidate, _)| Platform::home(candidate.isa) == home);
        let leaves: BTreeSet<_> = at_home.map(|(candidate, _)| candidate.leaf()).collect();
        leaves.into_iter().collect()
    }

    /// The folder of a kernel.
    pub(crate) fn home(&self, kernel: &Generated) -> Platform {
        let found = self
            .served
            .iter()
            .find(|(candidate, _)| candidate.kernel == kernel.info.name);
        found.map_or(Platform::Scalar, |(candidate, _)| {
            Platform::home(candidate.isa)
        })
    }

    /// Those that may serve in a place, the first the best.
    pub(crate) fn serving(&self, place: Place) -> Vec<(&Candidate, &'k Generated)> {
        let mut found: Vec<_> = self
            .served
            .iter()
            .filter(|(candidate, _)| candidate.place == place)
            .collect();
        let always = found
            .iter()
            .position(|(candidate, _)| candidate.needs.is_empty());
        found.truncate(always.map_or(found.len(), |at| at + 1));
        found
            .into_iter()
            .map(|(candidate, kernel)| (candidate, *kernel))
            .collect()
    }

    /// Platforms on which a kernel serves.
    pub(crate) fn platforms(&self) -> Vec<Platform> {
        let serves = |platform: &Platform| {
            let mut served = self.served.iter();
            served.any(|(candidate, _)| candidate.place.platform == *platform)
        };
        Platform::ALL.into_iter().filter(serves).collect()
    }
}

/// The table of constants that a kernel reads: its name, and the words of each constant.
pub(crate) fn constants(kernel: &Generated) -> (&str, usize) {
    let info = &kernel.info;
    match &kernel.program.preparation {
        Some(_) => (&info.strategy, info.parts),
        None => ("residues", info.parts),
    }
}
