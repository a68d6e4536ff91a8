//! Which implementation of `Permutation` is compiled where, and what it needs there.

use super::platform::Platform;
use super::slots::{Role, Slot, Slots, WIDTHS};
use super::wiring::any;

/// A `Permutation` implementation on one platform.
pub(super) struct Implementation {
    pub(super) width: usize,
    pub(super) element: &'static str,
    /// Where it is compiled, if not everywhere on the platform.
    pub(super) condition: Option<String>,
    /// The kernel's module; none: the crate's own implementation.
    pub(super) kernel: Option<String>,
    /// The table that it reads.
    pub(super) table: String,
    pub(super) unpacked: bool,
}

impl Implementation {
    /// Whether the kernel works on the state where it is.
    pub(super) const fn in_place(&self) -> bool {
        self.kernel.is_some() && !self.unpacked
    }

    /// Whether this is its kernel.
    pub(super) fn is_by(&self, kernel: &str) -> bool {
        self.kernel.as_deref() == Some(kernel)
    }
}

/// All implementations on a platform.
pub(super) fn implementations(slots: &Slots<'_>, platform: Platform) -> Vec<Implementation> {
    let packing = platform.packing().map(|packing| packing.name);
    let elements = [Some("Goldilocks"), packing].into_iter().flatten();
    let all = elements.flat_map(|element| {
        WIDTHS.into_iter().flat_map(move |width| {
            let serving = slots.serving(platform, width, Some(element) == packing);
            of(&serving, width, element)
        })
    });
    all.collect()
}

fn of(serving: &[&Slot<'_>], width: usize, element: &'static str) -> Vec<Implementation> {
    let (mut found, mut before) = (Vec::new(), Vec::new());
    for slot in serving {
        found.push(Implementation {
            width,
            element,
            condition: first_of(features(slot), &before),
            kernel: Some(slot.leaf().to_owned()),
            table: slot.table().0.to_owned(),
            unpacked: slot.role == Role::Unpacked,
        });
        before.extend(features(slot));
    }
    if serving.last().is_none_or(|slot| !slot.extra.is_empty()) {
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
pub(super) enum Somewhere {
    Nowhere,
    Under(String),
    Everywhere,
}

impl Somewhere {
    /// The condition, if there has to be one.
    pub(super) fn condition(self) -> Option<String> {
        match self {
            Self::Under(condition) => Some(condition),
            Self::Nowhere | Self::Everywhere => None,
        }
    }
}

/// Where such an implementation is compiled on a platform.
pub(super) fn on(
    slots: &Slots<'_>,
    platform: Platform,
    such: &dyn Fn(&Implementation) -> bool,
) -> Somewhere {
    let found = implementations(slots, platform);
    let mut conditions: Vec<_> = found
        .iter()
        .filter(|one| such(one))
        .map(|one| one.condition.clone())
        .collect();
    conditions.sort();
    conditions.dedup();
    match conditions.as_slice() {
        [] => Somewhere::Nowhere,
        [None, ..] => Somewhere::Everywhere,
        several => Somewhere::Under(joined("any", several.iter().flatten())),
    }
}

/// Where such an implementation is compiled, among the platforms that have kernels.
pub(super) fn anywhere(slots: &Slots<'_>, such: &dyn Fn(&Implementation) -> bool) -> Somewhere {
    let platforms = slots.platforms();
    let (mut always, mut under) = (Vec::new(), Vec::new());
    for &platform in &platforms {
        match on(slots, platform, such) {
            Somewhere::Nowhere => {}
            Somewhere::Everywhere => always.push(platform),
            Somewhere::Under(condition) => {
                let platform = platform.condition();
                let inner = platform.strip_prefix("all(");
                let inner = inner.and_then(|inner| inner.strip_suffix(')'));
                let inner = inner.unwrap_or(platform).trim();
                under.push(format!("all({inner}, {condition})"));
            }
        }
    }
    let all_but_neon = platforms.iter().filter(|&&p| p != Platform::Neon);
    match (always.as_slice(), under.is_empty()) {
        ([], true) => Somewhere::Nowhere,
        (all, true) if all == platforms => Somewhere::Everywhere,
        (all, true) if all.iter().eq(all_but_neon) => {
            Somewhere::Under(format!("not({})", Platform::Neon.condition()))
        }
        (all, true) => Somewhere::Under(any(all)),
        (all, false) => {
            let all = all.iter().map(|platform| platform.condition().to_owned());
            let every: Vec<_> = all.chain(under).collect();
            Somewhere::Under(joined("any", every.iter()))
        }
    }
}

/// The condition under which the CPU has what the platform does not promise.
fn features(slot: &Slot<'_>) -> Option<String> {
    let each = slot.extra.iter();
    let each: Vec<_> = each
        .map(|feature| format!("target_feature = \"{feature}\""))
        .collect();
    (!each.is_empty()).then(|| joined("all", each.iter()))
}

/// `has`, and nothing of what serves before.
fn first_of(has: Option<String>, before: &[String]) -> Option<String> {
    let not = before.iter().map(|other| format!("not({other})"));
    let all: Vec<_> = has.into_iter().chain(not).collect();
    (!all.is_empty()).then(|| joined("all", all.iter()))
}

fn joined<'a>(how: &str, conditions: impl Iterator<Item = &'a String>) -> String {
    let all: Vec<&str> = conditions.map(String::as_str).collect();
    match all.as_slice() {
        [one] => (*one).to_owned(),
        several => format!("{how}({})", several.join(", ")),
    }
}
