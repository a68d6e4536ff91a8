//! `codegen tune`.

mod copy;
mod host;
mod request;
mod table;
mod told;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use super::args::{Output, Selection};
use super::crate_files::{files, there};
use super::infer::replace;
use super::places::{ALL, Workspace, shown};
use super::select::{self, Job};
use super::{Exit, generate, tell};
use crate::diag::{Diagnostic, Diagnostics};
use crate::emit::{Scope, bless};
use crate::kernel::KernelInfo;
use crate::names::Isa;
use crate::render::plan::target_arch;
use crate::spec::{Spec, assign_sboxes};
use crate::tuning::knobs::{best_sboxes, with_sboxes};
use crate::tuning::{self, Campaign, Cell, Key, Made, Measurer, Record, Table, cells};
use host::{compiler, cpu_name, locked};
pub(super) use request::{HELP, Request};
use table::{of_core, own};
use told::told;

pub(super) fn run(
    workspace: &Workspace,
    request: &Request,
    measurer: &dyn Measurer,
    out: &mut dyn Write,
) -> Result<Exit, Diagnostics> {
    let mut session = Session::new(workspace, request, measurer)?;
    if request.all {
        session.measure(out)?;
        let modelled = session.tables.iter().filter(|table| table.modelled);
        let cores: Vec<String> = modelled.map(|table| table.cpu.clone()).collect();
        let modelled = session.model(&cores, out);
        // What was measured counts, whatever became of the models.
        let exit = session.finish(out)?;
        return modelled.map(|()| exit);
    } else if let Some(core) = &request.model {
        session.model(std::slice::from_ref(core), out)?;
    } else {
        session.measure(out)?;
    }
    session.finish(out)
}

/// One run.
struct Session<'a> {
    workspace: &'a Workspace,
    request: &'a Request,
    measurer: &'a dyn Measurer,
    campaign: Campaign,
    tables: Vec<Table>,
    /// Kernels of the selection.
    jobs: Vec<Job<'a>>,
    /// All kernels that are generated.
    kernels: Vec<KernelInfo>,
    /// Better settings: the spec's index, its kernel's, and the setting.
    better: Vec<(usize, usize, usize)>,
}

impl<'a> Session<'a> {
    fn new(
        workspace: &'a Workspace,
        request: &'a Request,
        measurer: &'a dyn Measurer,
    ) -> Result<Self, Diagnostics> {
        let named = request.field.is_some() || request.width.is_some() || !request.isa.is_empty();
        if !(request.all || named || request.model.is_some() || request.figures.is_some()) {
            let help = "`--all`, or some of --field, --width and --isa, or --model; `codegen tune --help` explains";
            return Err(Diagnostic::new("what is to be tuned?").help(help).into());
        }
        let mut jobs = Vec::new();
        let isas = if request.isa.is_empty() {
            vec![None]
        } else {
            request.isa.iter().cloned().map(Some).collect()
        };
        let fields: Vec<Option<String>> = match &request.field {
            Some(field) => vec![Some(field.clone())],
            None => fields(&workspace.specs).into_iter().map(Some).collect(),
        };
        let (mut refused, mut asked) = (Diagnostics::new(), 0);
        for isa in isas {
            for field in &fields {
                asked += 1;
                let selection = Selection {
                    field: field.clone(),
                    width: request.width.clone(),
                    isa: isa.clone(),
                    ..Selection::default()
                };
                match select::matching(workspace, &selection) {
                    Ok(found) => jobs.extend(found),
                    Err(errors) => refused.extend(errors),
                }
            }
        }
        // A field that lacks the width or the instruction set is passed over, unless it was named.
        if jobs.is_empty() || asked == 1 {
            super::produce::once(refused).into_result()?;
        }
        let mut isas: Vec<Isa> = jobs.iter().map(|job| job.kernel.isa).collect();
        isas.sort_unstable();
        isas.dedup();
        Ok(Self {
            workspace,
            request,
            measurer,
            campaign: Campaign {
                field: request.field.clone(),
                width: request
                    .width
                    .as_deref()
                    .and_then(|width| width.parse().ok()),
                isas,
                target: None,
                seconds: if request.quick { 60 } else { request.seconds },
                seed: request.seed,
            },
            tables: workspace.tables()?,
            jobs,
            kernels: there(workspace)?,
            better: Vec::new(),
        })
    }

    /// Times the selection on this machine.
    fn measure(&mut self, out: &mut dyn Write) -> Result<(), Diagnostics> {
        let index = own(
            &mut self.tables,
            self.request.cpu.as_deref(),
            &self.workspace.tuning(),
        )?;
        let here = |isa: &Isa| target_arch(*isa).is_none_or(|arch| arch == std::env::consts::ARCH);
        let mut campaign = self.campaign.clone();
        if let Some(path) = &self.request.figures {
            let records = read_figures(path)?;
            let cpu = records.iter().find_map(|record| record.origin.cpu.clone());
            let made = self.made(cpu.unwrap_or_else(cpu_name), &records);
            return self.take(index, &records, &self.kernels.clone(), &made, out);
        }
        campaign.isas.retain(here);
        if campaign.isas.is_empty() {
            let help = "`--model neoverse-n1` models Arm cores";
            let message = format!("nothing of this runs on {}", std::env::consts::ARCH);
            return Err(Diagnostic::new(message).help(help).into());
        }
        let root = self.workspace.root();
        if self.request.all || self.request.as_specified {
            let records = self.measurer.measure(root, &campaign)?;
            let made = self.made(cpu_name(), &records);
            return self.take(index, &records, &self.kernels.clone(), &made, out);
        }
        let (kernels, folder) = copy::build(self.workspace, &self.jobs, &here)?;
        // Not where the original is built: cargo would take one for the other.
        campaign.target = Some(copy::target(root).join("tune-build"));
        let records = self.measurer.measure(&folder, &campaign)?;
        let made = self.made(cpu_name(), &records);
        let (cells, missing) = cells(&records, &kernels, &made)?;
        let mut settled = Vec::new();
        for cell in cells {
            settled.push(self.settle(cell, out)?);
        }
        self.put(index, settled, &missing, out)
    }

    /// Models the selection on cores.
    fn model(&mut self, cores: &[String], out: &mut dyn Write) -> Result<(), Diagnostics> {
        let mut campaign = self.campaign.clone();
        campaign
            .isas
            .retain(|isa| target_arch(*isa).is_none_or(|arch| arch == "aarch64"));
        if cores.is_empty() {
            return Ok(());
        }
        if campaign.isas.is_empty() {
            let help = "--isa neon or --isa scalar; without --model it is timed here";
            return Err(Diagnostic::new("nothing of this runs on Arm")
                .help(help)
                .into());
        }
        let all = match &self.request.figures {
            Some(path) => read_figures(path)?,
            None => (self.measurer).model(self.workspace.root(), &campaign, cores)?,
        };
        for core in cores {
            let of_core_alone = all
                .iter()
                .filter(|record| record.core.as_ref() == Some(core));
            let records: Vec<Record> = of_core_alone.cloned().collect();
            let index = of_core(&mut self.tables, core, &self.workspace.tuning());
            let model = records.iter().find_map(|record| record.model.clone());
            let machine = format!("{core}, as {} models it", model.unwrap_or_default());
            let made = self.made(machine, &records);
            self.take(index, &records, &self.kernels.clone(), &made, out)?;
        }
        Ok(())
    }

    fn take(
        &mut self,
        index: usize,
        records: &[Record],
        kernels: &[KernelInfo],
        made: &Made,
        out: &mut dyn Write,
    ) -> Result<(), Diagnostics> {
        let (cells, missing) = cells(records, kernels, made)?;
        self.put(index, cells, &missing, out)
    }

    /// Puts cells into a table, tells and writes it.
    fn put(
        &mut self,
        index: usize,
        cells: Vec<Cell>,
        missing: &[String],
        out: &mut dyn Write,
    ) -> Result<(), Diagnostics> {
        let table = &mut self.tables[index];
        if cells.is_empty() {
            let message = "no kernel was timed";
            let help = "give it more --seconds";
            return Err(Diagnostic::new(message).help(help).into());
        }
        for cell in cells {
            tell(out, &told(&cell, table.modelled))?;
            table.put(cell);
        }
        for kernel in missing.iter().take(10) {
            let line = format!("not timed, so not used: {kernel}; more --seconds?\n");
            tell(out, &line)?;
        }
        if let Some(more) = missing.len().checked_sub(10).filter(|more| *more > 0) {
            tell(out, &format!("not timed: {more} more\n"))?;
        }
        tuning::save(table)?;
        tell(out, &format!("{}: written\n", shown(&table.path)))?;
        Ok(())
    }

    /// Of a cell with all variants what the spec will have, and what is told about it.
    fn settle(&mut self, mut cell: Cell, out: &mut dyn Write) -> Result<Cell, Diagnostics> {
        let specs = &self.workspace.specs;
        let mut notes = Vec::new();
        for (spec_index, spec) in specs.iter().enumerate() {
            for (index, kernel) in spec.kernels.iter().enumerate() {
                if key(spec, kernel.isa) != cell.key {
                    continue;
                }
                let name = |&batch: &usize| {
                    let name = crate::kernel::kernel_name(&spec.instance, kernel, batch);
                    (
                        batch,
                        name.rsplit('/').next().unwrap_or_default().to_owned(),
                    )
                };
                let names: Vec<_> = kernel.batches.iter().map(name).collect();
                let best = best_sboxes(&cell, &names, kernel);
                if best != kernel.sboxes {
                    let strategy = kernel.strategy;
                    notes.push(format!(
                        "{}: `sboxes = {best}` is faster than {} for {} {strategy}",
                        shown(&spec.path),
                        kernel.sboxes,
                        kernel.isa,
                    ));
                    self.better.push((spec_index, index, best));
                }
                if !self.request.write || best == kernel.sboxes {
                    if best != kernel.sboxes {
                        tell(out, &told(&cell, false))?;
                    }
                    cell = with_sboxes(&cell, &names, kernel, kernel.sboxes);
                } else {
                    cell = with_sboxes(&cell, &names, kernel, best);
                }
            }
        }
        for note in notes {
            tell(out, &format!("{note}\n"))?;
        }
        Ok(cell)
    }

    /// How figures come about in this run.
    fn made(&self, machine: String, records: &[Record]) -> Made {
        let root = self.workspace.root();
        let koala = records.iter().all(|record| record.kernel.contains("koala"));
        let peer = if koala {
            "p3-koala-bear"
        } else {
            "p3-goldilocks"
        };
        let mut commands = Vec::new();
        let mut origin = None;
        if self.request.figures.is_some() {
            let told = records.iter();
            commands.extend(told.filter_map(|record| record.origin.command.clone()));
            commands.dedup();
            origin = records.first().map(|record| record.origin.clone());
        }
        commands.push(self.request.command());
        let origin = origin.unwrap_or_default();
        Made {
            command: commands.join(" && "),
            machine,
            compiler: origin.compiler.unwrap_or_else(|| compiler(root)),
            peer: format!("{peer} {}", locked(root, peer)),
            seed: origin.seed.unwrap_or(self.request.seed),
        }
    }

    /// Brings specs and generated files up to what was found.
    fn finish(self, out: &mut dyn Write) -> Result<Exit, Diagnostics> {
        if self.better.is_empty() || !self.request.write {
            if !self.better.is_empty() {
                tell(out, "--write puts this into the specs\n")?;
            }
            let around = self.workspace.command(ALL);
            let set = files(self.workspace, &[], Scope::Part, &around)?;
            let outcome = bless(&set, &self.workspace.out, Scope::Part)?;
            for path in outcome.written {
                tell(
                    out,
                    &format!("{}: written\n", self.workspace.display(&path)),
                )?;
            }
            return Ok(Exit::Done);
        }
        let mut by_spec: BTreeMap<usize, Vec<(usize, usize)>> = BTreeMap::new();
        for (spec, kernel, sboxes) in self.better {
            by_spec.entry(spec).or_default().push((kernel, sboxes));
        }
        for (index, settings) in by_spec {
            let spec = &self.workspace.specs[index];
            let mut text = spec.source.to_string();
            for (kernel, sboxes) in settings {
                text = assign_sboxes(&text, kernel, sboxes)?;
            }
            replace(spec, &text)?;
            tell(out, &format!("{}: written\n", shown(&spec.path)))?;
        }
        let anew = self.workspace.again()?;
        generate::all(anew, false, &Output::default(), out)
    }
}

fn fields(specs: &[Spec]) -> Vec<String> {
    let mut fields: Vec<_> = specs
        .iter()
        .map(|s| s.instance.field.name.to_owned())
        .collect();
    fields.sort();
    fields.dedup();
    fields
}

fn key(spec: &Spec, isa: Isa) -> Key {
    Key {
        parameters: spec.instance.parameter_set.clone(),
        field: spec.instance.field.name.to_owned(),
        width: spec.instance.width,
        isa,
    }
}

fn read_figures(path: &Path) -> Result<Vec<Record>, Diagnostic> {
    let wrong = |error: String| {
        Diagnostic::new(format!("{}: {error}", path.display()))
            .help("`cargo run -p benches --release -- compare --json FILE` writes such files")
    };
    let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))
}

#[cfg(test)]
mod tests;
