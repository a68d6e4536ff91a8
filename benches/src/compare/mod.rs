//! `compare`: every kernel that this CPU can run, against the peer.

pub mod flavour;
mod plots;
pub mod record;
mod report;
pub mod table;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::cell::Filter;
use crate::cli;
use crate::flags::TargetCpu;
use crate::host;
use crate::json;
use crate::manifest::{self, Listed};
use crate::protocol::{Event, Finding, Request};
use crate::stop::Stop;
use flavour::Flavour;
use record::Record;
use report::Report;
use table::{Best, Cells, Phases};

/// What `--quick` measures for; setting up and reporting take the rest of its minute.
const QUICK: Duration = Duration::from_secs(50);

/// Does what the command line says.
///
/// # Errors
/// Where something cannot be built, run or written, or a kernel's results differ from the peer's.
pub fn run(options: &cli::Compare) -> Result<(), Stop> {
    flavour::check(&options.target_cpu).map_err(Stop::Blocked)?;
    let filter = options.selection.filter(&options.shape);
    let package = options.spec.as_deref().map(folder);
    let kernels = match (&options.spec, &package) {
        (Some(spec), Some(folder)) => package_of(spec, folder),
        _ => manifest::read(),
    };
    let kernels = kernels.map_err(Stop::Blocked)?;
    manifest::check(&filter, &kernels).map_err(Stop::Blocked)?;
    can_be_written([Some(&options.report), options.json.as_ref()])?;
    let unused = |cpu: &&TargetCpu| kernels.iter().all(|kernel| kernel.isa != cpu.isa);
    if let Some(TargetCpu { isa, cpu }) = options.target_cpu.iter().find(unused) {
        let why = format!("--target-cpu {isa}={cpu}: no kernels are for an ISA `{isa}`");
        return Err(Stop::Blocked(why));
    }
    let kernels: Vec<Listed> = kernels
        .into_iter()
        .filter(|kernel| kernel.admitted_by(&filter))
        .collect();
    let (mut jobs, mut not_run) = jobs(&kernels, options, &filter);
    if jobs.is_empty() {
        return Err(Stop::Blocked(format!(
            "nothing can run: {}",
            not_run.join("; ")
        )));
    }
    for job in &mut jobs {
        job.flavour.package.clone_from(&package);
    }
    build(&jobs)?;

    let budget = match (options.quick, options.seconds) {
        (true, _) => Some(QUICK),
        (false, 0) => None,
        (false, seconds) => Some(Duration::from_secs(seconds)),
    };
    let mut facts = host::facts();
    let records = measure(
        &mut jobs,
        &filter,
        (budget, options.seed),
        &mut not_run,
        &mut facts,
    )?;

    let report = Report {
        facts: &facts,
        records: &records,
        not_run: &not_run,
    };
    // Files first, since whoever reads the tables may stop early; and the tables even if they fail.
    let json = options.json.as_ref().map_or(Ok(()), |path| {
        let seed = Some(options.seed);
        json::write(path, &records, |record| &record.cell.kernel, &kernels, seed)
    });
    let html = write_html(&report, &options.report);
    let mut text = text(&report);
    if html.is_ok() {
        text += &format!("report: {}\n", options.report.display());
    }
    host::print(&text)?;
    json.and(html)?;
    let wrong: Vec<_> = records.iter().filter(|record| !record.verified).collect();
    if let Some(first) = wrong.first() {
        let (count, kernel) = (wrong.len(), &first.cell.kernel);
        return Err(Stop::Failed(format!(
            "{count} results differ from the peer's, the first of them {kernel}'s"
        )));
    }
    Ok(())
}

/// Refuses places of reports that cannot be written, before anything is measured.
fn can_be_written<'p>(files: impl IntoIterator<Item = Option<&'p PathBuf>>) -> Result<(), Stop> {
    for file in files.into_iter().flatten() {
        let folder = file.parent().filter(|folder| *folder != Path::new(""));
        if file.is_dir() || folder.is_some_and(|folder| !folder.is_dir()) {
            let why = format!("{}: no file can be written there", file.display());
            return Err(Stop::Blocked(why));
        }
    }
    Ok(())
}

/// The kernels of a spec's package, if the peer has that permutation, too.
fn package_of(spec: &Path, folder: &Path) -> Result<Vec<Listed>, String> {
    let kernels = manifest::package(spec, folder)?;
    let of_the_peer = |kernel: &Listed| kernel.name.starts_with("plonky3_poseidon1/");
    match kernels.iter().all(of_the_peer) {
        true => Ok(kernels),
        false => Err(format!(
            "{}: Plonky3 has no such permutation; it has those of \
             codegen/instances/plonky3_poseidon1-*.toml",
            spec.display()
        )),
    }
}

/// Where the package of a spec is made: by the name of the crates that its own stand in for.
fn folder(spec: &Path) -> PathBuf {
    let name = spec.file_stem().unwrap_or_default();
    host::target().join("benches").join(name).join("poseidon2")
}

/// Kernels of one instruction set, and the build that measures them.
struct Job {
    isa: String,
    kernels: usize,
    flavour: Flavour,
}

/// What can be measured here, and a line for what cannot.
fn jobs(kernels: &[Listed], options: &cli::Compare, filter: &Filter) -> (Vec<Job>, Vec<String>) {
    let mut isas: BTreeMap<&str, Vec<&Listed>> = BTreeMap::new();
    for kernel in kernels {
        isas.entry(&kernel.isa).or_default().push(kernel);
    }
    let (mut jobs, mut not_run) = (Vec::new(), Vec::new());
    for (isa, kernels) in isas {
        let count = kernels.len();
        let phases = filter.admits_phases();
        let flavour = Flavour::of(isa, &options.target_cpu, options.lto, phases);
        match obstacle(kernels[0], &flavour) {
            Some(obstacle) => not_run.push(format!("{isa}, {count} of its kernels: {obstacle}")),
            None => jobs.push(Job {
                isa: isa.to_owned(),
                kernels: count,
                flavour,
            }),
        }
    }
    (jobs, not_run)
}

/// Why kernels like this one cannot run here.
fn obstacle(kernel: &Listed, flavour: &Flavour) -> Option<String> {
    if let Some(arch) = &kernel.target_arch
        && arch != std::env::consts::ARCH
    {
        let here = std::env::consts::ARCH;
        return Some(match arch.as_str() {
            "aarch64" => format!("this is {here}; `model` says what is known of it"),
            _ => format!("this is {here}"),
        });
    }
    let named = kernel.features.iter().map(String::as_str);
    let needs = named.chain(flavour.needs().iter().copied());
    let missing: Vec<&str> = needs.filter(|feature| !host::has(feature)).collect();
    (!missing.is_empty()).then(|| format!("the CPU lacks {}", missing.join(", ")))
}

/// Builds what the jobs need.
fn build(jobs: &[Job]) -> Result<(), Stop> {
    let mut flavours: Vec<&Flavour> = Vec::new();
    for job in jobs {
        if !flavours.contains(&&job.flavour) {
            flavours.push(&job.flavour);
        }
    }
    let bar = host::bar(flavours.len());
    bar.enable_steady_tick(Duration::from_millis(200));
    for flavour in flavours {
        host::phase(&bar, format!("building for {}", flavour.name()));
        flavour.build().map_err(Stop::Failed)?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(())
}

fn measure(
    jobs: &mut [Job],
    filter: &Filter,
    (budget, seed): (Option<Duration>, u64),
    not_run: &mut Vec<String>,
    facts: &mut Vec<(&'static str, String)>,
) -> Result<Vec<Record>, Stop> {
    let start = Instant::now();
    let mut records = Vec::new();
    let bar = host::bar(0);
    let mut kernels: usize = jobs.iter().map(|job| job.kernels).sum();
    for job in jobs {
        let left = budget.map(|budget| budget.saturating_sub(start.elapsed()));
        let share = |left: Duration| left.mul_f64(job.kernels as f64 / kernels as f64);
        let request = Request {
            isa: job.isa.clone(),
            filter: filter.clone(),
            seed,
            budget: left.map(share),
        };
        kernels -= job.kernels;
        let mut late = BTreeMap::new();
        let heard = job.flavour.run(&request, |event| match event {
            Event::Planned { packed, cells } => {
                bar.inc_length(cells as u64);
                host::phase(&bar, format!("timing {}: {cells} figures", job.isa));
                let packed = packed
                    .iter()
                    .map(|(field, states)| format!("{field} × {states}"));
                facts.push((
                    "build",
                    format!(
                        "{}: target-cpu {}, LTO {}, the peer packs {}",
                        job.isa,
                        job.flavour.name(),
                        job.flavour.lto.name(),
                        packed.collect::<Vec<_>>().join(", ")
                    ),
                ));
            }
            Event::Done(outcome) => {
                if outcome.finding == Finding::OverBudget {
                    *late.entry(outcome.cell.shape).or_insert(0) += 1;
                } else {
                    let what = format!("{} {}", outcome.cell.kernel, outcome.cell.shape);
                    host::step(&bar, what);
                }
                records.extend(Record::new(&outcome, job.flavour.name()));
            }
        });
        heard.map_err(Stop::Failed)?;
        for (shape, count) in late {
            not_run.push(format!(
                "{}: {count} kernels, {shape}: no time left",
                job.isa
            ));
        }
    }
    bar.finish_and_clear();
    Ok(records)
}

fn write_html(report: &Report<'_>, path: &Path) -> Result<(), Stop> {
    let undrawn = |error| Stop::Blocked(format!("the plot cannot be drawn: {error}"));
    let html = report.html().map_err(undrawn)?;
    std::fs::write(path, html)
        .map_err(|error| Stop::Blocked(format!("{}: {error}", path.display())))
}

fn text(report: &Report<'_>) -> String {
    let facts = report.facts.iter();
    let mut text: String = facts
        .map(|(name, value)| format!("{name:<9} {value}\n"))
        .collect();
    let records = report.records;
    let (cells, phases, best) = (Cells(records), Phases(records), Best(records));
    text += &format!("\n{cells}\n{phases}\n{best}\n");
    for line in report.not_run {
        text += &format!("not run: {line}\n");
    }
    text
}
