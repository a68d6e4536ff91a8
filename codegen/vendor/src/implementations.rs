//! Which implementation of `Permutation` is compiled where, and what it needs there.

use std::collections::BTreeSet;

use codegen::kernel::Generated;

use super::platform::Platform;
use super::slots::{Candidate, Place, Slots, WIDTHS, constants, joined};
use super::wiring::any;

/// A `Permutation` implementation on one platform.
pub(crate) struct Implementation {
    pub(crate) width: usize,
    pub(crate) element: &'static str,
    /// Where it is compiled, if not everywhere on the platform.
    pub(crate) condition: Option<String>,
    /// The kernel's module; none: the crate's own implementation.
    pub(crate) kernel: Option<String>,
    /// The table that it reads.
    pub(crate) table: String,
    pub(crate) unpacked: bool,
}

impl Implementation {
    /// Whether the kernel works on the state where it is.
    pub(crate) const fn in_place(&self) -> bool {
        self.kernel.is_some() && !self.unpacked
    }

    /// Whether this is its kernel.
    pub(crate) fn is_by(&self, kernel: &str) -> bool {
        self.kernel.as_deref() == Some(kernel)
    }
}

/// All implementations on a platform.
pub(crate) fn implementations(slots: &Slots<'_>, platform: Platform) -> Vec<Implementation> {
    let packing = platform.packing().map(|packing| packing.name);
    let elements = [Some("Goldilocks"), packing].into_iter().flatten();
    let all = elements.flat_map(|element| {
        WIDTHS.into_iter().flat_map(move |width| {
            let place = Place {
                platform,
                width,
                packed: Some(element) == packing,
            };
            of(&slots.serving(place), width, element)
        })
    });
    all.collect()
}

fn of(
    serving: &[(&Candidate, &Generated)],
    width: usize,
    element: &'static str,
) -> Vec<Implementation> {
    let (mut found, mut before) = (Vec::new(), Vec::new());
    for (candidate, kernel) in serving {
        found.push(Implementation {
            width,
            element,
            condition: first_of(candidate.condition(), &before),
            kernel: Some(candidate.leaf().to_owned()),
            table: constants(kernel).0.to_owned(),
            unpacked: candidate.unpacked,
        });
        before.extend(candidate.condition());
    }
    if serving
        .last()
        .is_none_or(|(candidate, _)| !candidate.needs.is_empty())
    {
        found.push(Implementation {
            width,
            element,
            condition: first_of(None, &before),
            kernel: None,
            table: String::new(),
            unpacked: false,
        });
    }
    found
}

/// Where such an implementation is compiled.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Somewhere {
    Nowhere,
    Under(String),
    Everywhere,
}

impl Somewhere {
    /// The condition, if there has to be one.
    pub(crate) fn condition(self) -> Option<String> {
        match self {
            Self::Under(condition) => Some(condition),
            Self::Nowhere | Self::Everywhere => None,
        }
    }
}

/// Where such an implementation is compiled on a platform.
pub(crate) fn on(
    slots: &Slots<'_>,
    platform: Platform,
    such: &dyn Fn(&Implementation) -> bool,
) -> Somewhere {
    let found = implementations(slots, platform);
    let same =
        |a: &Implementation, b: &Implementation| (a.width, a.element) == (b.width, b.element);
    if found.chunk_by(same).any(|all| all.iter().all(such)) {
        return Somewhere::Everywhere;
    }
    let conditions = found.iter().filter(|one| such(one));
    let conditions: BTreeSet<_> = conditions.filter_map(|one| one.condition.clone()).collect();
    joined("any", conditions.iter()).map_or(Somewhere::Nowhere, Somewhere::Under)
}

/// Where such an implementation is compiled, among the platforms that have kernels.
pub(crate) fn anywhere(slots: &Slots<'_>, such: &dyn Fn(&Implementation) -> bool) -> Somewhere {
    let platforms = slots.platforms();
    let found = platforms
        .iter()
        .map(|&platform| (platform, on(slots, platform, such)));
    let mut found: Vec<_> = found
        .filter(|(_, spot)| *spot != Somewhere::Nowhere)
        .collect();
    if found.is_empty() {
        return Somewhere::Nowhere;
    }
    let everywhere = |(_, spot): &(Platform, Somewhere)| *spot == Somewhere::Everywhere;
    if found.len() == platforms.len() && found.iter().all(everywhere) {
        return Somewhere::Everywhere;
    }
    // Every build of an architecture is the architecture.
    let x86_64 = [Platform::Scalar, Platform::Avx2, Platform::Avx512];
    let alone = Somewhere::Under(Platform::Scalar.only_here());
    let whole = x86_64.iter().all(|wanted| {
        let mut here = found.iter().filter(|(platform, _)| platform == wanted);
        here.any(|one| everywhere(one) && one.0 != Platform::Scalar || one.1 == alone)
    });
    let mut conditions = Vec::new();
    if whole {
        found.retain(|(platform, _)| !x86_64.contains(platform));
        conditions.push(Platform::Scalar.only_here());
    }
    let (always, under): (Vec<_>, Vec<_>) = found.into_iter().partition(everywhere);
    if conditions.is_empty() && under.is_empty() {
        let always: Vec<_> = always.into_iter().map(|(platform, _)| platform).collect();
        return Somewhere::Under(any(&always));
    }
    conditions.extend(
        always
            .iter()
            .map(|(platform, _)| platform.condition().to_owned()),
    );
    for (platform, spot) in under {
        let inner = platform.condition();
        let inner = inner
            .strip_prefix("all(")
            .and_then(|inner| inner.strip_suffix(')'));
        let inner = inner.unwrap_or(platform.condition()).trim();
        let condition = spot.condition().unwrap_or_default();
        conditions.push(format!("all({inner}, {condition})"));
    }
    joined("any", conditions.iter()).map_or(Somewhere::Nowhere, Somewhere::Under)
}

/// `has`, and nothing of what serves before.
fn first_of(has: Option<String>, before: &[String]) -> Option<String> {
    let not = before.iter().map(|other| format!("not({other})"));
    let all: Vec<_> = has.into_iter().chain(not).collect();
    joined("all", all.iter())
}
