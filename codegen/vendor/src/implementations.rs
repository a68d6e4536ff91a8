//! Which implementation of `Permutation` is compiled where on a platform, and what it needs there.

use std::collections::BTreeSet;

use super::platform::Platform;
use super::slots::{Place, Slots, constants, joined};

/// A `Permutation` implementation on one platform.
pub(crate) struct Implementation {
    pub(crate) width: usize,
    pub(crate) element: String,
    /// Where it is compiled, if not everywhere on the platform.
    pub(crate) condition: Option<String>,
    /// None: it is the crate's own.
    pub(crate) kernel: Option<Call>,
}

/// The kernel that an implementation calls.
pub(crate) struct Call {
    pub(crate) module: String,
    /// The table that it reads.
    pub(crate) table: String,
    /// Whether it takes the packed type's states one after another, and not where they are.
    pub(crate) unpacked: bool,
}

/// All implementations on a platform.
pub(crate) fn implementations(slots: &Slots<'_>, platform: Platform) -> Vec<Implementation> {
    let package = slots.package;
    let single = (package.element.to_owned(), 1);
    let mut all = Vec::new();
    for (element, states) in [single].into_iter().chain(package.packing(platform)) {
        for &width in package.widths {
            let place = Place {
                platform,
                width,
                states,
            };
            // What serves before, where it may.
            let mut before = Vec::new();
            let mut add = |condition: Option<String>, before: &[String], kernel| {
                let not = before.iter().map(|other| format!("not({other})"));
                all.push(Implementation {
                    width,
                    element: element.clone(),
                    condition: joined("all", condition.into_iter().chain(not)),
                    kernel,
                });
            };
            let mut always = false;
            for (candidate, kernel) in slots.served().filter(|(one, _)| one.place == place) {
                let condition = joined("all", &candidate.needs);
                let call = Call {
                    module: candidate.leaf().to_owned(),
                    table: constants(kernel).to_owned(),
                    unpacked: candidate.unpacked,
                };
                add(condition.clone(), &before, Some(call));
                always = condition.is_none();
                before.extend(condition);
            }
            if !always {
                add(None, &before, None);
            }
        }
    }
    all
}

/// A module, or what is used of one.
pub(crate) struct Module {
    pub(crate) name: String,
    /// Where it is compiled, if not everywhere around it.
    pub(crate) condition: Option<String>,
}

/// What implementations on a platform use under a name, if some do.
pub(crate) fn used(
    name: &str,
    all: &[Implementation],
    uses: impl Fn(&Call) -> bool,
) -> Option<Module> {
    let uses = |one: &Implementation| one.kernel.as_ref().is_some_and(&uses);
    let mut places = all.chunk_by(|a, b| a.width == b.width && a.element == b.element);
    let everywhere = places.any(|alternatives| alternatives.iter().all(uses));
    let mut conditions = BTreeSet::new();
    if !everywhere {
        let used = all.iter().filter(|one| uses(one));
        conditions.extend(used.filter_map(|one| one.condition.as_ref()));
    }
    (everywhere || !conditions.is_empty()).then(|| Module {
        name: name.to_owned(),
        condition: joined("any", conditions),
    })
}
