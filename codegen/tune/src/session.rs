//! One run: from what is asked for to tables, specs and generated files.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;

use codegen::cli::crate_files::there;
use codegen::cli::places::{Workspace, shown};
use codegen::cli::produce::once;
use codegen::cli::select::{self, Job};
use codegen::cli::{Exit, Output, Selection, generate, tell};
use codegen::diag::{Diagnostic, Diagnostics};
use codegen::emit::replace;
use codegen::kernel::{Generated, KernelInfo};
use codegen::names::Isa;
use codegen::spec::{Spec, assign};
use codegen::tuning::{Key, Provenance, TuningCell, TuningTable, Workload};

use crate::copy;
use crate::decide::decide;
use crate::host::cpu_name;
use crate::measure::{Campaign, Measurer};
use crate::record::{self, Record, cells};
use crate::request::Request;
use crate::settle::{Better, key, settle};
use crate::status;
use crate::target::{belong, of_core, own, unnamed};
use crate::told::told;
use crate::write::save;

/// Does what is asked for; tells on `out`.
///
/// # Errors
/// What cannot be done.
pub(crate) fn run(
    workspace: &Workspace,
    request: &Request,
    measurer: &Measurer<'_>,
    out: &mut dyn Write,
) -> Result<Exit, Diagnostics> {
    if request.status {
        let tables = workspace.tables()?;
        let kernels = copy::generate(workspace, &select::all(&workspace.specs), true)?;
        tell(out, &status::all(&tables, &infos(&kernels)))?;
        return Ok(Exit::Done);
    }
    let mut session = Session::new(workspace, request, measurer)?;
    if let Some(table) = other_model(&session.tables, request) {
        let message = format!("`{}` is no core that LLVM has a model of", table.cpu);
        let help = format!(
            "its figures are made so: {}",
            table.command(std::iter::empty())
        );
        return Err(Diagnostic::new(message).help(help).into());
    }
    let mut modelled = Ok(());
    if request.decide {
        session.decide(out)?;
    } else if request.all {
        session.measure(out)?;
        let of_cores = session.tables.iter().filter(|table| table.is_of_a_core());
        let cores: Vec<String> = of_cores.map(|table| table.cpu.clone()).collect();
        // What was measured counts, whatever became of the models.
        modelled = session.model(&cores, out);
    } else if let Some(core) = &request.model {
        session.model(std::slice::from_ref(core), out)?;
    } else {
        session.measure(out)?;
    }
    let exit = session.finish(out)?;
    modelled.map(|()| exit)
}

/// The table that is asked for by `--model` and has other figures.
fn other_model<'t>(tables: &'t [TuningTable], request: &Request) -> Option<&'t TuningTable> {
    let core = request.model.as_ref()?;
    let mut tables = tables.iter();
    tables.find(|table| table.cpu == *core && !table.is_of_a_core())
}

fn infos(kernels: &[Generated]) -> Vec<KernelInfo> {
    kernels.iter().map(|kernel| kernel.info.clone()).collect()
}

/// One run.
struct Session<'a> {
    workspace: &'a Workspace,
    request: &'a Request,
    measurer: &'a Measurer<'a>,
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
        measurer: &'a Measurer<'a>,
    ) -> Result<Self, Diagnostics> {
        let jobs = jobs(workspace, request)?;
        let isas: BTreeSet<Isa> = jobs.iter().map(|job| job.kernel.isa).collect();
        let width = request.width.as_deref();
        Ok(Self {
            workspace,
            request,
            measurer,
            campaign: Campaign {
                field: request.field.clone(),
                width: width.and_then(|width| width.parse().ok()),
                isas: isas.into_iter().collect(),
                seconds: if request.quick { 60 } else { request.seconds },
                seed: request.seed,
                ..Campaign::default()
            },
            tables: workspace.tables()?,
            jobs,
            kernels: there(workspace)?,
            better: Vec::new(),
        })
    }

    /// Times the selection on this machine, or takes the figures of a file.
    fn measure(&mut self, out: &mut dyn Write) -> Result<(), Diagnostics> {
        let file = self.request.figures.as_deref();
        let figures = file.map(|file| read_figures(file).map(|records| (file, records)));
        let figures = figures.transpose()?;
        let name = self.request.cpu.as_deref();
        if let (Some((file, records)), None) = (&figures, name) {
            return Err(unnamed(records, &self.tables, file).into());
        }
        let index = own(
            &mut self.tables,
            name,
            figures.is_some(),
            &self.workspace.tuning(),
        )?;
        if let Some((file, records)) = figures {
            belong(&records, &self.tables[index], file)?;
            self.candidates()?;
            let cpu = records.iter().find_map(|record| record.origin.cpu.clone());
            return self.take(index, &records, &cpu.unwrap_or_else(cpu_name), out);
        }
        let mut campaign = self.campaign.clone();
        campaign
            .isas
            .retain(|isa| runs_on(*isa, std::env::consts::ARCH));
        // Not where the original is built: cargo would take one for the other.
        campaign.target = Some(self.workspace.target.join("tune-build"));
        if campaign.isas.is_empty() {
            let help = "`--model neoverse-n1` models Arm cores";
            let message = format!("nothing of this runs on {}", std::env::consts::ARCH);
            return Err(Diagnostic::new(message).help(help).into());
        }
        if self.request.all || self.request.as_specified {
            let folder = copy::write(self.workspace, &self.candidates()?)?;
            let records = (self.measurer)(&folder, &campaign)?;
            return self.take(index, &records, &cpu_name(), out);
        }
        let mut jobs = self.jobs.clone();
        jobs.retain(|job| campaign.isas.contains(&job.kernel.isa));
        let kernels = copy::generate(self.workspace, &jobs, false)?;
        let folder = copy::write(self.workspace, &kernels)?;
        let records = (self.measurer)(&folder, &campaign)?;
        let made = |key: &Key| self.made(key, &cpu_name(), &records);
        let (cells, missing) = cells(&records, &infos(&kernels), made)?;
        let (specs, write) = (&self.workspace.specs, self.request.write);
        let settled = cells
            .into_iter()
            .map(|cell| settle(specs, cell, write, &mut self.better, out));
        let settled = settled.collect::<Result<Vec<_>, _>>()?;
        self.put(index, settled, &missing, out)
    }

    /// Models the selection on cores.
    fn model(&mut self, cores: &[String], out: &mut dyn Write) -> Result<(), Diagnostics> {
        let mut campaign = self.campaign.clone();
        campaign.isas.retain(|isa| runs_on(*isa, "aarch64"));
        campaign.cores = cores.to_vec();
        if cores.is_empty() {
            return Ok(());
        }
        if campaign.isas.is_empty() {
            let help = "--isa neon or --isa scalar; without --model it is timed here";
            let message = "nothing of this runs on Arm";
            return Err(Diagnostic::new(message).help(help).into());
        }
        let file = self.request.figures.as_deref();
        let figures = file.map(read_figures).transpose()?;
        self.candidates()?;
        let all = match figures {
            Some(records) => records,
            // Benches generate for themselves what they model.
            None => (self.measurer)(self.workspace.root(), &campaign)?,
        };
        for core in cores {
            let of_core_alone = all
                .iter()
                .filter(|record| record.core.as_ref() == Some(core));
            let records: Vec<Record> = of_core_alone.cloned().collect();
            if let Some(file) = self
                .request
                .figures
                .as_deref()
                .filter(|_| records.is_empty())
            {
                return Err(nothing(file, &all, &self.workspace.specs).into());
            }
            let index = of_core(&mut self.tables, core, &self.workspace.tuning());
            let model = records.iter().find_map(|record| record.model.clone());
            let machine = format!("{core}, as {} models it", model.unwrap_or_default());
            self.take(index, &records, &machine, out)?;
        }
        Ok(())
    }

    /// All kernels of the selection, those that do not ship, too: figures may be of them from now on.
    fn candidates(&mut self) -> Result<Vec<Generated>, Diagnostics> {
        let made = copy::generate(self.workspace, &self.jobs, true)?;
        let other = |info: &KernelInfo| made.iter().all(|kernel| kernel.info.name != info.name);
        let others = there(self.workspace)?.into_iter().filter(other);
        self.kernels = infos(&made).into_iter().chain(others).collect();
        Ok(made)
    }

    fn take(
        &mut self,
        index: usize,
        records: &[Record],
        machine: &str,
        out: &mut dyn Write,
    ) -> Result<(), Diagnostics> {
        let made = |key: &Key| self.made(key, machine, records);
        // A file may hold figures of more than was selected.
        let selected: BTreeSet<Key> = self.jobs.iter().map(key_of).collect();
        let asked = |info: &&KernelInfo| Key::of(info).is_some_and(|key| selected.contains(&key));
        let kernels: Vec<_> = self.kernels.iter().filter(asked).cloned().collect();
        let (cells, missing) = cells(records, &kernels, made)?;
        if let Some(file) = self.request.figures.as_deref().filter(|_| cells.is_empty()) {
            return Err(nothing(file, records, &self.workspace.specs).into());
        }
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
        let asked = select::all(&self.workspace.specs);
        let asked: BTreeSet<String> = asked.iter().map(Job::name).collect();
        for cell in cells {
            if let Some(kept) = kept(table, &cell, &asked) {
                // On standard error, where nothing of it is lost in the figures.
                eprint!("{}", Diagnostics::from(kept).render());
                continue;
            }
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
        written(table, &self.kernels, out)
    }

    /// Decides anew by the figures that are there.
    fn decide(&mut self, out: &mut dyn Write) -> Result<(), Diagnostics> {
        for table in &mut self.tables {
            for figures in table.cells.iter_mut().flat_map(|cell| &mut cell.figures) {
                decide(figures);
            }
            written(table, &self.kernels, out)?;
        }
        Ok(())
    }

    /// How figures of a cell come about in this run.
    fn made(&self, key: &Key, machine: &str, records: &[Record]) -> Provenance {
        let origin = records.first().map(|record| record.origin.clone());
        let origin = origin.unwrap_or_default();
        let mut commands = Vec::new();
        if self.request.figures.is_some() {
            let told = records.iter();
            commands.extend(told.filter_map(|record| record.origin.command.clone()));
            commands.dedup();
        }
        let unknown = || "of unknown version".to_owned();
        commands.push(self.request.command());
        Provenance {
            command: commands.join(" && "),
            machine: machine.to_owned(),
            compiler: origin.compiler.unwrap_or_else(unknown),
            peer: format!(
                "p3-{} {}",
                key.field,
                origin.plonky3.unwrap_or_else(unknown)
            ),
            seed: origin.seed.unwrap_or(self.request.seed),
        }
    }

    /// Brings specs and generated files up to what was found: which kernels ship may be others now.
    fn finish(mut self, out: &mut dyn Write) -> Result<Exit, Diagnostics> {
        if !self.better.is_empty() && !self.request.write {
            tell(out, "--write puts this into the specs\n")?;
            self.better.clear();
        }
        for (index, spec) in self.workspace.specs.iter().enumerate() {
            let mut text = spec.source.text().to_owned();
            for better in self.better.iter().filter(|better| better.spec == index) {
                text = assign(&text, &[better.kernel], "sboxes", better.sboxes as i64)?;
            }
            if text != spec.source.text() {
                replace(&spec.path, &text)?;
                tell(out, &format!("{}: written\n", shown(&spec.path)))?;
            }
        }
        let anew = self.workspace.again()?;
        generate::all(anew, None, &Output::default(), out)
    }
}

/// The kernels that a request selects.
fn jobs<'w>(workspace: &'w Workspace, request: &Request) -> Result<Vec<Job<'w>>, Diagnostics> {
    let named = request.field.is_some() || request.width.is_some() || !request.isa.is_empty();
    let else_named = request.model.is_some() || request.figures.is_some();
    if !(request.all || named || else_named || request.decide) {
        let help = "`--all`, or some of --field, --width and --isa, or --model; `cargo run -p tune -- --help` explains";
        return Err(Diagnostic::new("what is to be tuned?").help(help).into());
    }
    let specs = workspace.specs.iter();
    let fields: BTreeSet<&str> = match &request.field {
        Some(field) => BTreeSet::from([field.as_str()]),
        None => specs.map(|spec| spec.instance.field.name).collect(),
    };
    let mut unknown = Diagnostics::new();
    for isa in &request.isa {
        unknown.keep(isa.parse::<Isa>());
    }
    unknown.into_result()?;
    let mut isas: Vec<_> = request.isa.iter().cloned().map(Some).collect();
    if isas.is_empty() {
        isas.push(None);
    }
    // A field that lacks the width or the instruction set is passed over, unless it was named.
    let alone = isas.len() * fields.len() == 1;
    let (mut jobs, mut refused) = (Vec::new(), Diagnostics::new());
    for isa in isas {
        for field in &fields {
            let selection = Selection {
                field: Some((*field).to_owned()),
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
    if jobs.is_empty() || alone {
        once(refused).into_result()?;
    }
    Ok(jobs)
}

fn key_of(job: &Job<'_>) -> Key {
    key(job.spec, job.kernel.isa)
}

fn runs_on(isa: Isa, arch: &str) -> bool {
    isa.target_arch().is_none_or(|of| of == arch)
}

/// Why the cell of a table is kept in place of a new one: with that one, figures of kernels that specs ask
/// for would be lost.
fn kept(table: &TuningTable, new: &TuningCell, asked: &BTreeSet<String>) -> Option<Diagnostic> {
    let old = table.cells.iter().find(|old| old.key == new.key)?;
    let workloads = Workload::ALL.iter().zip(&old.figures).zip(&new.figures);
    let lost = workloads.flat_map(|((workload, old), new)| {
        let has = |kernel: &str| new.iter().any(|figure| figure.kernel == kernel);
        let lost = old.iter().map(|figure| figure.kernel.as_str());
        let lost = lost.filter(move |kernel| !has(kernel));
        lost.map(|kernel| format!("{kernel} in {}", workload.name()))
    });
    let known = |lost: &String| {
        let kernel = lost.split(' ').next().unwrap_or_default();
        asked.contains(&new.key.full(kernel))
    };
    let lost: Vec<String> = lost.filter(known).collect();
    let (first, more) = (lost.first()?, lost.len() - 1);
    let (cpu, key) = (&table.cpu, &new.key);
    let and = match more {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let message = format!("{cpu} keeps its old figures of {key}: the new ones lack {first}{and}");
    Some(
        Diagnostic::warning(message)
            .help("time all kernels of the cell together, or give more --seconds"),
    )
}

/// Writes a table, and tells what it does not know.
fn written(
    table: &TuningTable,
    kernels: &[KernelInfo],
    out: &mut dyn Write,
) -> Result<(), Diagnostics> {
    save(table, kernels)?;
    tell(out, &format!("{}: written\n", shown(&table.path)))?;
    Ok(tell(out, &status::one(table, kernels))?)
}

/// A file has none of the figures that were asked for.
fn nothing(file: &Path, records: &[Record], specs: &[Spec]) -> Diagnostic {
    let asked: BTreeSet<String> = select::all(specs).iter().map(Job::name).collect();
    let list = |names: BTreeSet<&str>| {
        let some: Vec<_> = names.iter().take(3).copied().collect();
        let more = if names.len() > some.len() {
            ", …"
        } else {
            ""
        };
        some.join(", ") + more
    };
    let cores: BTreeSet<_> = records
        .iter()
        .filter_map(|record| record.core.as_deref())
        .collect();
    let (known, unknown): (BTreeSet<_>, BTreeSet<_>) = records
        .iter()
        .map(|record| record.kernel.as_str())
        .partition(|name| asked.contains(*name));
    let mut told = Vec::new();
    if !cores.is_empty() {
        told.push(format!(
            "its cores: {}; `--model CORE` takes one of them",
            list(cores)
        ));
    }
    if !known.is_empty() {
        told.push(format!(
            "it has {}: is that what --field, --width and --isa ask for?",
            list(known)
        ));
    }
    if !unknown.is_empty() {
        told.push(format!("kernels that no spec asks for: {}", list(unknown)));
    }
    if told.is_empty() {
        told.push("it has no records; `cargo run -p benches --release -- compare --json FILE` writes some".to_owned());
    }
    let message = format!(
        "{}: none of its figures are what was asked for",
        file.display()
    );
    Diagnostic::new(message).help(told.join("\n"))
}

fn read_figures(path: &Path) -> Result<Vec<Record>, Diagnostic> {
    record::read(path).map_err(|error| {
        Diagnostic::new(format!("{}: {error}", path.display()))
            .help("`cargo run -p benches --release -- compare --json FILE` writes such files")
    })
}
