//! One run: from what is asked for to tables, specs and generated files.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use codegen::cli::crate_files::there;
use codegen::cli::places::{Workspace, shown};
use codegen::cli::produce::once;
use codegen::cli::select::{self, Job};
use codegen::cli::{Exit, Output, Selection, generate, tell};
use codegen::diag::{Diagnostic, Diagnostics};
use codegen::emit::replace;
use codegen::kernel::KernelInfo;
use codegen::names::Isa;
use codegen::render::target_arch;
use codegen::spec::{Spec, assign};
use codegen::tuning::{Key, Provenance, TuningCell, TuningTable};

use crate::copy;
use crate::decide::decide;
use crate::host::{compiler, cpu_name, locked};
use crate::measure::{Campaign, Measurer};
use crate::record::{Record, cells};
use crate::request::Request;
use crate::settle::{Better, settle};
use crate::status;
use crate::target::{of_core, own};
use crate::told::told;
use crate::write::save;

/// Does what is asked for; tells on `out`.
///
/// # Errors
/// What cannot be done.
pub(crate) fn run(
    workspace: &Workspace,
    request: &Request,
    measurer: &dyn Measurer,
    out: &mut dyn Write,
) -> Result<Exit, Diagnostics> {
    if request.status {
        let tables = workspace.tables()?;
        let (kernels, _) = copy::build(workspace, &select::all(&workspace.specs), &|_| true, true)?;
        tell(out, &status::all(&tables, &kernels))?;
        return Ok(Exit::Done);
    }
    let mut session = Session::new(workspace, request, measurer)?;
    if request.decide {
        session.decide(out)?;
        return session.finish(out);
    }
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
    tables: Vec<TuningTable>,
    /// Kernels of the selection.
    jobs: Vec<Job<'a>>,
    /// Kernels that figures may be of: those of the selection, and those that ship.
    kernels: Vec<KernelInfo>,
    /// Better settings than those of the specs.
    better: Vec<Better>,
}

impl<'a> Session<'a> {
    fn new(
        workspace: &'a Workspace,
        request: &'a Request,
        measurer: &'a dyn Measurer,
    ) -> Result<Self, Diagnostics> {
        let named = request.field.is_some() || request.width.is_some() || !request.isa.is_empty();
        if !(request.all
            || named
            || request.model.is_some()
            || request.figures.is_some()
            || request.decide)
        {
            let help = "`--all`, or some of --field, --width and --isa, or --model; `cargo run -p tune -- --help` explains";
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
            once(refused).into_result()?;
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
            self.request.figures.is_some(),
            &self.workspace.tuning(),
        )?;
        let here = |isa: &Isa| target_arch(*isa).is_none_or(|arch| arch == std::env::consts::ARCH);
        if let Some(path) = &self.request.figures {
            let records = read_figures(path)?;
            self.candidates()?;
            let cpu = records.iter().find_map(|record| record.origin.cpu.clone());
            return self.take(index, &records, &cpu.unwrap_or_else(cpu_name), out);
        }
        let mut campaign = self.campaign.clone();
        campaign.isas.retain(here);
        // Not where the original is built: cargo would take one for the other.
        campaign.target = Some(copy::target(self.workspace.root()).join("tune-build"));
        if campaign.isas.is_empty() {
            let help = "`--model neoverse-n1` models Arm cores";
            let message = format!("nothing of this runs on {}", std::env::consts::ARCH);
            return Err(Diagnostic::new(message).help(help).into());
        }
        if self.request.all || self.request.as_specified {
            let folder = self.candidates()?;
            let records = self.measurer.measure(&folder, &campaign)?;
            return self.take(index, &records, &cpu_name(), out);
        }
        let (kernels, folder) = copy::build(self.workspace, &self.jobs, &here, false)?;
        let records = self.measurer.measure(&folder, &campaign)?;
        let made = |key: &Key| self.made(key, &cpu_name(), &records);
        let (cells, missing) = cells(&records, &kernels, made)?;
        let mut settled = Vec::new();
        for cell in cells {
            let specs = &self.workspace.specs;
            settled.push(settle(
                specs,
                cell,
                self.request.write,
                &mut self.better,
                out,
            )?);
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
        self.candidates()?;
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
            self.take(index, &records, &machine, out)?;
        }
        Ok(())
    }

    /// Makes a workspace with all kernels of the selection, those that do not ship too, and gives its
    /// folder.
    fn candidates(&mut self) -> Result<PathBuf, Diagnostics> {
        let (mut kernels, folder) = copy::build(self.workspace, &self.jobs, &|_| true, true)?;
        let others = there(self.workspace)?;
        let other = |info: &KernelInfo| kernels.iter().all(|kernel| kernel.name != info.name);
        let others: Vec<KernelInfo> = others.into_iter().filter(other).collect();
        kernels.extend(others);
        self.kernels = kernels;
        Ok(folder)
    }

    fn take(
        &mut self,
        index: usize,
        records: &[Record],
        machine: &str,
        out: &mut dyn Write,
    ) -> Result<(), Diagnostics> {
        let made = |key: &Key| self.made(key, machine, records);
        let (cells, missing) = cells(records, &self.kernels, made)?;
        self.put(index, cells, &missing, out)
    }

    /// Puts cells into a table, tells and writes it.
    fn put(
        &mut self,
        index: usize,
        cells: Vec<TuningCell>,
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
        save(table, &self.kernels)?;
        tell(out, &format!("{}: written\n", shown(&table.path)))?;
        tell(out, &status::one(table, &self.kernels))?;
        Ok(())
    }

    /// Decides anew by the figures that are there.
    fn decide(&mut self, out: &mut dyn Write) -> Result<(), Diagnostics> {
        for table in &mut self.tables {
            for figures in table.cells.iter_mut().flat_map(|cell| &mut cell.figures) {
                decide(figures);
            }
            save(table, &self.kernels)?;
            tell(out, &format!("{}: written\n", shown(&table.path)))?;
            tell(out, &status::one(table, &self.kernels))?;
        }
        Ok(())
    }

    /// How figures of a cell come about in this run.
    fn made(&self, key: &Key, machine: &str, records: &[Record]) -> Provenance {
        let root = self.workspace.root();
        let peer = format!("p3-{}", key.field);
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
        Provenance {
            command: commands.join(" && "),
            machine: machine.to_owned(),
            compiler: origin.compiler.unwrap_or_else(|| compiler(root)),
            peer: format!("{peer} {}", locked(root, &peer)),
            seed: origin.seed.unwrap_or(self.request.seed),
        }
    }

    /// Brings specs and generated files up to what was found: which kernels ship may be others now.
    fn finish(mut self, out: &mut dyn Write) -> Result<Exit, Diagnostics> {
        if !self.better.is_empty() && !self.request.write {
            tell(out, "--write puts this into the specs\n")?;
            self.better.clear();
        }
        let mut by_spec: BTreeMap<usize, Vec<(usize, usize)>> = BTreeMap::new();
        for Better {
            spec,
            kernel,
            sboxes,
        } in self.better
        {
            by_spec.entry(spec).or_default().push((kernel, sboxes));
        }
        for (index, settings) in by_spec {
            let spec = &self.workspace.specs[index];
            let mut text = spec.source.text().to_owned();
            for (kernel, sboxes) in settings {
                text = assign(&text, &[kernel], "sboxes", sboxes as i64)?;
            }
            replace(&spec.path, &text)?;
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

fn read_figures(path: &Path) -> Result<Vec<Record>, Diagnostic> {
    let wrong = |error: String| {
        Diagnostic::new(format!("{}: {error}", path.display()))
            .help("`cargo run -p benches --release -- compare --json FILE` writes such files")
    };
    let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))
}
