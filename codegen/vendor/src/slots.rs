//! The crate's `Permutation` implementations, and which kernels can serve them.

use std::collections::{BTreeMap, BTreeSet};

use codegen::cli::select::{Job, words_of};
use codegen::diag::{Diagnostic, Diagnostics};
use codegen::isa::{Target, features};
use codegen::kernel::Generated;
use codegen::names::{Isa, Layout};

use super::package::Package;
use super::platform::Platform;

/// The parameters that the crates' permutations have, constants aside.
pub(crate) const PARAMETERS: &str = "plonky3";

/// One of the crate's `Permutation` implementations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    /// The build that compiles it.
    pub(crate) platform: Platform,
    /// Elements in a state.
    pub(crate) width: usize,
    /// States that it permutes: one, or as many as the packed type has lanes.
    pub(crate) states: usize,
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
    pub(crate) fn all(package: &Package, job: &Job<'_>) -> Result<Vec<Self>, String> {
        let instance = &job.spec.instance;
        let (width, set) = (instance.width, &instance.parameter_set);
        if instance.field.name != package.field {
            return Err(format!("it is over {}", instance.field.name));
        }
        if set != PARAMETERS {
            return Err(format!("it has the parameters of `{set}`"));
        }
        let (isa, layout) = (job.kernel.isa, job.kernel.layout);
        let packing = package.packing(Platform::home(isa));
        let lanes = packing.map_or(1, |(_, lanes)| lanes);
        let by_lanes = layout == Layout::Lanes;
        let bits = words_of(job.kernel, instance.field).word_bits();
        let in_vector = Target::states(isa, layout, bits);
        if by_lanes && in_vector != lanes {
            return Err(format!("its vectors have {in_vector} lanes"));
        }
        let states = job.batch * if by_lanes { lanes } else { 1 };
        if states != 1 && states != lanes {
            return Err(format!("it permutes {states} states a call"));
        }
        let features = features(isa, layout);
        let platforms = Platform::ALL.into_iter().filter(|one| one.runs(isa));
        let candidates: Vec<Self> = platforms
            .map(|platform| Self {
                kernel: job.name(),
                isa,
                place: Place {
                    platform,
                    width,
                    states,
                },
                unpacked: states > 1 && !by_lanes,
                needs: platform.needs(isa, features),
            })
            .collect();
        match candidates[..] {
            [] => Err(format!("{} has no builds for {isa}", package.name)),
            _ => Ok(candidates),
        }
    }

    /// The kernel's module.
    pub(crate) fn leaf(&self) -> &str {
        leaf(&self.kernel)
    }

    /// The platform whose folder it lies in.
    pub(crate) const fn home(&self) -> Platform {
        Platform::home(self.isa)
    }
}

/// The last part of a kernel's name.
pub(crate) fn leaf(kernel: &str) -> &str {
    kernel.rsplit('/').next().unwrap_or(kernel)
}

/// Conditions in one; none if there are none.
pub(crate) fn joined(
    how: &str,
    conditions: impl IntoIterator<Item = impl AsRef<str>>,
) -> Option<String> {
    let all: Vec<_> = conditions.into_iter().collect();
    let all: Vec<&str> = all.iter().map(AsRef::as_ref).collect();
    match all[..] {
        [] => None,
        [one] => Some(one.to_owned()),
        _ => Some(format!("{how}({})", all.join(", "))),
    }
}

/// The places of kernels that were asked for by name: all that they can serve.
///
/// # Errors
/// A kernel can serve none, or two the same.
pub(crate) fn by_name(package: &Package, jobs: &[Job<'_>]) -> Result<Vec<Candidate>, Diagnostics> {
    let (mut candidates, mut errors) = (Vec::<Candidate>::new(), Diagnostics::new());
    for job in jobs {
        match Candidate::all(package, job) {
            Ok(found) => candidates.extend(found),
            Err(reason) => {
                let message = format!("{} cannot be vendored: {reason}", job.name());
                errors.push(Diagnostic::new(message).help(help(package)));
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
            let message = format!("{a} and {b} have the same place in {}", package.name);
            errors.push(Diagnostic::new(message).help("leave one of them out of --kernels"));
        }
    }
    errors.into_result().map(|()| kept)
}

fn help(package: &Package) -> String {
    let lanes = |platform| package.packing(platform).map_or(1, |(_, lanes)| lanes);
    let [neon, avx2, avx512] = [Platform::Neon, Platform::Avx2, Platform::Avx512].map(lanes);
    format!(
        "{} permutes one state, or as many as its packed type has lanes: {neon} on NEON, {avx2} on \
         AVX2, {avx512} on AVX-512; without --kernels the tuning tables choose",
        package.name
    )
}

/// The kernels of one vendoring, each where it serves.
#[derive(Clone, Debug)]
pub(crate) struct Slots<'k> {
    pub(crate) package: &'static Package,
    served: Vec<(Candidate, &'k Generated)>,
}

impl<'k> Slots<'k> {
    /// Kernels, each where it was chosen to serve.
    pub(crate) fn of(
        package: &'static Package,
        candidates: &[Candidate],
        kernels: &'k [Generated],
    ) -> Self {
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
        Self { package, served }
    }

    /// Widths, with the external and internal rounds that their kernels are made for.
    pub(crate) fn rounds(&self) -> BTreeMap<usize, (usize, usize)> {
        let infos = self.served.iter().map(|(_, kernel)| &kernel.info);
        infos
            .map(|info| (info.width, (info.external_rounds, info.internal_rounds)))
            .collect()
    }

    /// The kernels, each where it serves, in the order of places.
    pub(crate) fn served(&self) -> impl Iterator<Item = (&Candidate, &'k Generated)> {
        self.served
            .iter()
            .map(|(candidate, kernel)| (candidate, *kernel))
    }

    /// The kernels, each once, by name.
    pub(crate) fn kernels(&self) -> Vec<(&Candidate, &'k Generated)> {
        let mut kernels: Vec<_> = self.served().collect();
        kernels.sort_by_key(|(candidate, _)| &candidate.kernel);
        kernels.dedup_by_key(|(candidate, _)| &candidate.kernel);
        kernels
    }

    /// Platforms on which such a kernel serves.
    pub(crate) fn platforms_of(&self, such: impl Fn(&Generated) -> bool) -> Vec<Platform> {
        let serves = |platform: &Platform| {
            let mut served = self.served();
            served.any(|(candidate, kernel)| candidate.place.platform == *platform && such(kernel))
        };
        Platform::ALL.into_iter().filter(serves).collect()
    }

    /// Platforms on which a kernel serves.
    pub(crate) fn platforms(&self) -> Vec<Platform> {
        self.platforms_of(|_| true)
    }
}

/// The table of constants that a kernel reads.
pub(crate) fn constants(kernel: &Generated) -> &str {
    match &kernel.program.preparation {
        Some(_) => &kernel.info.strategy,
        None => "residues",
    }
}
