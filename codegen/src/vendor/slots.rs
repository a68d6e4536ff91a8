//! Which kernel serves which of the crate's `Permutation` implementations.

use std::collections::BTreeSet;

use super::platform::Platform;
use crate::diag::{Diagnostic, Diagnostics};
use crate::kernel::{Generated, KernelInfo};

/// Widths of the crate's permutations.
pub(super) const WIDTHS: [usize; 4] = [8, 12, 16, 20];

/// The states that an implementation is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// `[Goldilocks; WIDTH]`.
    One,
    /// An array of the packed type, which has the form of the kernel's states.
    Packed,
    /// An array of the packed type, whose states the kernel takes one after another.
    Unpacked,
}

/// One kernel in its place.
#[derive(Clone, Debug)]
pub(super) struct Slot<'k> {
    pub(super) kernel: &'k Generated,
    /// The folder it lies in.
    pub(super) home: Platform,
    pub(super) role: Role,
    /// CPU features that the platform does not promise.
    pub(super) extra: BTreeSet<String>,
}

/// The kernels of one vendoring, each in its place.
#[derive(Clone, Debug)]
pub struct Slots<'k> {
    slots: Vec<Slot<'k>>,
    /// External and internal rounds.
    pub(super) rounds: (usize, usize),
}

impl<'k> Slots<'k> {
    /// Puts kernels into their places.
    ///
    /// # Errors
    /// A kernel has no place, or two have the same.
    pub fn of(kernels: &'k [Generated]) -> Result<Self, Diagnostics> {
        let (mut slots, mut errors) = (Vec::<Slot<'k>>::new(), Diagnostics::new());
        for kernel in kernels {
            match place(&kernel.info) {
                Ok((home, role)) => slots.push(Slot::new(kernel, home, role)),
                Err(reason) => {
                    let message = format!("{} cannot be vendored: {reason}", kernel.info.name);
                    errors.push(Diagnostic::new(message).help(HELP));
                }
            }
        }
        for (at, slot) in slots.iter().enumerate() {
            if let Some(other) = slots[..at].iter().find(|other| other.rivals(slot)) {
                let (a, b) = (other.leaf(), slot.leaf());
                let message = format!("{a} and {b} have the same place in p3-goldilocks");
                errors.push(Diagnostic::new(message).help("leave one of them out of --kernels"));
            }
        }
        let rounds = slots.first().map_or((0, 0), Slot::rounds);
        if slots.iter().any(|slot| slot.rounds() != rounds) {
            let message = "kernels of different numbers of rounds cannot share a table";
            errors.push(Diagnostic::new(message));
        }
        errors.into_result()?;
        // Where it may be used, the kernel that needs most comes first.
        slots.sort_by_key(|slot| {
            let needs = std::cmp::Reverse(slot.extra.len());
            (slot.home, slot.kernel.info.width, needs, slot.leaf())
        });
        Ok(Self { slots, rounds })
    }

    /// All of them.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Slot<'k>> {
        self.slots.iter()
    }

    /// Those that lie in a platform's folder.
    pub(super) fn at(&self, home: Platform) -> impl Iterator<Item = &Slot<'k>> {
        self.slots.iter().filter(move |slot| slot.home == home)
    }

    /// Those that may serve on a platform, the first the best.
    pub(super) fn serving(&self, platform: Platform, width: usize, packed: bool) -> Vec<&Slot<'k>> {
        let mut found: Vec<_> = self
            .slots
            .iter()
            .filter(|slot| slot.serves(platform))
            .filter(|slot| slot.kernel.info.width == width && slot.is_packed() == packed)
            .collect();
        // What was made for the platform before what runs anywhere.
        found.sort_by_key(|slot| slot.home != platform);
        let always = found.iter().position(|slot| slot.extra.is_empty());
        found.truncate(always.map_or(found.len(), |at| at + 1));
        found
    }

    /// Platforms on which a kernel serves.
    pub(super) fn platforms(&self) -> Vec<Platform> {
        let all = Platform::ALL.into_iter();
        all.filter(|&platform| self.slots.iter().any(|slot| slot.serves(platform)))
            .collect()
    }

    /// The best kernel for each place: the fewest instructions for a permutation, and where one
    /// needs features that the platform does not promise, another for where they are missing.
    #[must_use]
    pub fn best(kernels: &'k [Generated]) -> Vec<&'k Generated> {
        let placed = kernels.iter().filter_map(|kernel| {
            let (home, role) = place(&kernel.info).ok()?;
            Some(Slot::new(kernel, home, role))
        });
        let mut best: Vec<Slot<'k>> = Vec::new();
        for slot in placed {
            match best.iter_mut().find(|other| other.rivals(&slot)) {
                Some(other) if slot.cheaper(other) => *other = slot,
                Some(_) => {}
                None => best.push(slot),
            }
        }
        let useful = |slot: &&Slot<'k>| {
            let mut plainer = best.iter().filter(|other| {
                other.place() == slot.place() && other.extra.len() < slot.extra.len()
            });
            plainer.all(|other| slot.cheaper(other))
        };
        let kept = best.iter().filter(useful);
        kept.map(|slot| slot.kernel).collect()
    }
}

const HELP: &str = "p3-goldilocks permutes one state, or as many as its packed type has lanes: 2 \
    on NEON, 4 on AVX2, 8 on AVX-512; without --kernels the best for each place is taken";

impl<'k> Slot<'k> {
    fn new(kernel: &'k Generated, home: Platform, role: Role) -> Self {
        let promised = home.features();
        let features = kernel.info.features.iter().cloned();
        let extra = features.filter(|f| !promised.contains(&f.as_str()));
        Self {
            kernel,
            home,
            role,
            extra: extra.collect(),
        }
    }

    /// The kernel's module.
    pub(super) fn leaf(&self) -> &'k str {
        let name = &self.kernel.info.name;
        name.rsplit('/').next().unwrap_or(name)
    }

    pub(super) const fn is_packed(&self) -> bool {
        !matches!(self.role, Role::One)
    }

    /// The table of constants that the kernel reads: its name, and the words of each constant.
    pub(super) fn table(&self) -> (&'k str, usize) {
        let info = &self.kernel.info;
        match &self.kernel.program.preparation {
            Some(_) => (&info.strategy, info.parts),
            None => ("residues", info.parts),
        }
    }

    fn rounds(&self) -> (usize, usize) {
        let info = &self.kernel.info;
        (info.external_rounds, info.internal_rounds)
    }

    /// Plain Rust compiles on x86-64 too; NEON has kernels of its own.
    pub(super) fn serves(&self, platform: Platform) -> bool {
        let anywhere = self.home == Platform::Scalar && platform != Platform::Neon;
        self.home == platform || anywhere
    }

    fn place(&self) -> (Platform, usize, bool) {
        (self.home, self.kernel.info.width, self.is_packed())
    }

    fn rivals(&self, other: &Self) -> bool {
        self.place() == other.place() && self.extra == other.extra
    }

    /// Whether a permutation takes fewer instructions.
    fn cheaper(&self, other: &Self) -> bool {
        let (ours, theirs) = (&self.kernel.info, &other.kernel.info);
        ours.instructions() * theirs.states() < theirs.instructions() * ours.states()
    }
}

fn place(kernel: &KernelInfo) -> Result<(Platform, Role), String> {
    if kernel.field != "goldilocks" {
        return Err(format!("it is over {}", kernel.field));
    }
    if kernel.parameter_set != "plonky3" {
        let set = &kernel.parameter_set;
        return Err(format!("it has the parameters of `{set}`"));
    }
    if !WIDTHS.contains(&kernel.width) {
        return Err(format!("its width is {}", kernel.width));
    }
    let states = kernel.batch * kernel.lanes;
    let unfit = || Err(format!("it permutes {states} states a call"));
    let Some(home) = Platform::of(kernel) else {
        return Err(format!("the crate has no folder for {}", kernel.isa));
    };
    let packed = home.packing().map_or(1, |packing| packing.lanes);
    match (states, kernel.batch, kernel.lanes) {
        (1, _, _) => Ok((home, Role::One)),
        (_, 1, lanes) if lanes == packed => Ok((home, Role::Packed)),
        (_, batch, 1) if batch == packed => Ok((home, Role::Unpacked)),
        _ => unfit(),
    }
}
