//! Why each site of a kernel is as it is, whether the kernel is proved or refused.

use crate::diag::Diagnostics;
use crate::kernel::SiteReport;
use crate::lower::Claims;
use crate::pipeline::{claim_list, lowered, site_names};
use crate::prove::derive;
use crate::spec::{KernelSpec, Spec};
use crate::{refusal, report};

/// What is known of a kernel's program.
pub struct Explained {
    /// Every site, with what is refused there.
    pub sites: Vec<(SiteReport, Diagnostics)>,
    /// All that is refused.
    pub refused: Diagnostics,
}

/// Every site of a kernel's program, and what is refused.
///
/// # Errors
/// What cannot be lowered.
pub fn explain(spec: &Spec, kernel: &KernelSpec) -> Result<Explained, Diagnostics> {
    let claims = Claims::new(claim_list(spec, kernel));
    let lowered = lowered(spec, kernel, &claims)?;
    let names = site_names(&lowered);
    let derived = derive(lowered, &claims);
    let refused = |site: &SiteReport| {
        let there = derived.refusals().iter();
        let there = there.filter(|refusal| refusal.site() == Some(&site.name));
        let there: Vec<_> = there.cloned().collect();
        refusal::refusals(spec, &claims, &names, &there, None)
    };
    let sites = report::sites(&derived, &derived.warnings(&claims)).into_iter();
    let sites = sites.map(|site| {
        let refused = refused(&site);
        (site, refused)
    });
    Ok(Explained {
        sites: sites.collect(),
        refused: refusal::refusals(spec, &claims, &names, derived.refusals(), Some(kernel)),
    })
}
