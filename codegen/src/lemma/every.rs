//! All lemmas of a set of templates.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::{Ledger, Solver, settle};
use crate::diag::Diagnostics;
use crate::isa::Target;
use crate::ops::{Contract, MacroOp};
use crate::params::Field;
use crate::template::TemplateSet;

/// Every macro-op that has a template: the lemmas that a complete ledger holds.
#[must_use]
pub fn all(templates: &TemplateSet) -> Vec<(Target, &'static Field, MacroOp)> {
    let ops = MacroOp::all();
    let mut all = Vec::new();
    for &target in Target::all() {
        for &field in Field::all() {
            let written = |op: &&MacroOp| {
                let name = TemplateSet::name(target, field, **op);
                Contract::of(field, **op).is_some() && templates.names().any(|n| n == name)
            };
            all.extend(ops.iter().filter(written).map(|&op| (target, field, op)));
        }
    }
    all
}

/// Proves every lemma: those that the ledger lacks, or all if `force`. Afterwards the ledger holds
/// these lemmas and no others. `progress` is told the name of each lemma that is done.
///
/// # Errors
/// Every lemma that could not be proved.
pub fn prove_all(
    templates: &TemplateSet,
    ledger: &mut Ledger,
    solver: Option<&Solver>,
    force: bool,
    progress: impl Fn(&str) + Sync,
) -> Result<(), Diagnostics> {
    let old = if force {
        ledger.emptied()
    } else {
        ledger.clone()
    };
    let lemmas = all(templates);
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        while let Some(&(target, field, op)) = lemmas.get(next.fetch_add(1, Ordering::Relaxed)) {
            done.push(
                templates
                    .render_body(target, field, op)
                    .and_then(|rendered| {
                        let settled = settle(&rendered, &old, || solver)?;
                        progress(&settled.1.name);
                        Ok(settled)
                    }),
            );
        }
        done
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let done: Vec<_> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let join = |worker: std::thread::ScopedJoinHandle<'_, _>| match worker.join() {
            Ok(done) => done,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        workers.into_iter().flat_map(join).collect()
    });
    let mut errors = Diagnostics::new();
    let mut proved = ledger.emptied();
    for result in done {
        match result {
            Ok((key, entry)) => proved.record(key, entry),
            Err(more) => errors.extend(more),
        }
    }
    errors.into_result()?;
    ledger.replace(proved);
    Ok(())
}
