//! The permutations of other projects, and of nobody: a crate of each spec in `codegen/instances`, as
//! `codegen package` writes it. Every kernel has to give the answers that are known from outside.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use codegen::kernel::KernelInfo;
use codegen::spec::Spec;

use super::arm::Arm;
use super::candidates::manifest;
use super::wasm::Wasm;
use super::workspace::Workspace;
use super::{Stop, limits};
use crate::{mutation, programs, suite};

const FOLDER: &str = "codegen/instances";

/// What is no spec there, by the end of its name.
const CONSTANTS: &str = ".constants.toml";

/// What one crate came to.
struct Line {
    name: String,
    kernels: usize,
    /// Kernels by what ran them.
    ran: BTreeMap<&'static str, usize>,
    /// From outside, each on every kernel that ran.
    answers: usize,
    /// Whether Plonky3's traits were compared with the reference.
    plonky3: bool,
    not_run: Vec<String>,
}

/// Packages and tests all whose names contain one of `only`, and prints what ran; or judges every mutant of
/// their programs.
pub(super) fn all(
    workspace: &Workspace,
    arm: Option<&Arm>,
    wasm: Option<&Wasm>,
    only: &[String],
    mutants: bool,
) -> Result<(), Stop> {
    let asked = |spec: &PathBuf, only: &[String]| {
        let name = spec.file_stem().map(OsStr::to_string_lossy);
        let name = name.unwrap_or_default();
        suite::is_asked_for(&name, only)
    };
    let mut specs: Vec<PathBuf> = checker::below(&workspace.root().join(FOLDER), "toml")?;
    specs.retain(|spec| !spec.to_string_lossy().ends_with(CONSTANTS) && asked(spec, only));
    let is_in_none = |part: &&[String]| !specs.iter().any(|spec| asked(spec, part));
    if let Some(part) = only.chunks(1).find(is_in_none) {
        let what = format!("no spec in {FOLDER} has a name with {}", part[0]);
        return Err(Stop::Blocked(what));
    }
    if specs.is_empty() {
        return Err(Stop::Blocked(format!("no spec in {FOLDER}")));
    }
    if mutants {
        return specs.iter().try_for_each(|path| judged(workspace, path));
    }
    let mut lines = Vec::new();
    for (n, spec) in specs.iter().enumerate() {
        let shown = workspace.relative(spec).display();
        eprintln!("  {} of {}: {shown}", n + 1, specs.len());
        lines.push(one(workspace, arm, wasm, spec)?);
    }
    println!("instances");
    for line in &lines {
        let ran = line.ran.iter().map(|(on, count)| format!("{count} {on}"));
        let ran: Vec<String> = ran.collect();
        println!(
            "  {:<36}{:>3} kernels: {}; {} known answers on each{}",
            line.name,
            line.kernels,
            ran.join(", "),
            line.answers,
            if line.plonky3 {
                "; Plonky3's traits"
            } else {
                ""
            }
        );
        for name in &line.not_run {
            println!("  {:<36}not run: {name}", "");
        }
    }
    Ok(())
}

/// Every mutant of a spec's programs must be refused or caught, as those of the repository's own.
fn judged(workspace: &Workspace, path: &Path) -> Result<(), Stop> {
    let shown = workspace.relative(path).display().to_string();
    eprintln!("  {shown}");
    let spec = Spec::load(path).map_err(|errors| Stop::Failed(errors.to_string()))?;
    let programs = programs::of_spec(&spec);
    if programs.is_empty() {
        println!("{shown}: not judged, no program keeps its elements in parts");
        return Ok(());
    }
    let table = mutation::score(&programs);
    println!("{shown}\n{table}");
    match &table.faults()[..] {
        [] => Ok(()),
        faults => Err(Stop::Failed(format!("{shown}\n  {}", faults.join("\n  ")))),
    }
}

fn one(
    workspace: &Workspace,
    arm: Option<&Arm>,
    wasm: Option<&Wasm>,
    spec: &Path,
) -> Result<Line, Stop> {
    // One folder for all: what they share is compiled once.
    let into = workspace.scratch()?.join("instances/my-hash");
    for more in [None, Some("--check")] {
        package(spec, &into, more)?;
    }
    let kernels = manifest(&into.join("generated"))?;
    let mut line = Line {
        name: kernels.first().map(permutation).unwrap_or_default(),
        kernels: kernels.len(),
        ran: BTreeMap::new(),
        answers: usize::MAX,
        plonky3: false,
        not_run: Vec::new(),
    };
    let mut names: Vec<String> = kernels.iter().map(|kernel| kernel.name.clone()).collect();
    let test = ["test", "--offline", "--locked"];
    // A test tells of each kernel on how many answers it ran.
    let told = ["--", "--nocapture"];
    let mut here = workspace.cargo(&test);
    here.env_remove("CARGO_TARGET_DIR").args(told);
    line.run("here", here, workspace, &into, &mut names)?;
    let are_for = |arch: &str| {
        let mut arches = kernels.iter().map(|kernel| kernel.target_arch.as_deref());
        arches.any(|own| own == Some(arch))
    };
    line.plonky3 = into.join("tests/plonky3.rs").exists();
    if line.plonky3 {
        let mut traits = workspace.cargo(&test);
        traits.env_remove("CARGO_TARGET_DIR");
        traits.args(["--features", "plonky3", "--test", "plonky3"]);
        traits.current_dir(&into);
        workspace.text(traits, &line.name, limits::TESTS)?;
    }
    let arm = arm.filter(|_| are_for("aarch64"));
    let arm = arm.map(|arm| ("emulated", "aarch64", arm.cargo(workspace, &test)));
    let wasm = wasm.filter(|_| are_for("wasm32"));
    let wasm = wasm.map(|wasm| ("by node", "wasm32", wasm.cargo(workspace, &test)));
    for (how, arch, mut elsewhere) in arm.into_iter().chain(wasm) {
        elsewhere.args(["--test", "package", "every_kernel_is_the_reference"]);
        elsewhere.args(told);
        line.run(how, elsewhere, workspace, &into, &mut names)?;
        // An emulated host has all that kernels for it need.
        let own = |kernel: &&KernelInfo| kernel.target_arch.as_deref() == Some(arch);
        let mut own = kernels.iter().filter(own);
        if let Some(left) = own.find(|kernel| names.contains(&kernel.name)) {
            return Err(Stop::Failed(format!("{}: not run {how}", left.name)));
        }
    }
    line.not_run = names;
    Ok(line)
}

/// Parameter set, field and width.
fn permutation(kernel: &KernelInfo) -> String {
    let (set, field, width) = kernel.instance();
    format!("{set}, {field}, width {width}")
}

fn package(spec: &Path, into: &Path, more: Option<&str>) -> Result<(), Stop> {
    let mut told = Vec::new();
    let arguments: [&OsStr; 6] = [
        "codegen".as_ref(),
        "package".as_ref(),
        "--spec".as_ref(),
        spec.as_ref(),
        "--into".as_ref(),
        into.as_ref(),
    ];
    let arguments = arguments.into_iter().chain(more.map(OsStr::new));
    let exit = codegen::cli::run(arguments.map(Into::into), &mut told);
    if exit == codegen::cli::Exit::Done {
        return Ok(());
    }
    let told = String::from_utf8_lossy(&told);
    Err(Stop::Failed(format!("{}: {told}", spec.display())))
}

impl Line {
    /// Runs tests; what they tell of kernels is counted, and taken off the names.
    fn run(
        &mut self,
        on: &'static str,
        mut test: Command,
        workspace: &Workspace,
        folder: &Path,
        names: &mut Vec<String>,
    ) -> Result<(), Stop> {
        test.current_dir(folder);
        let told = workspace.text(test, &self.name, limits::TESTS)?;
        let mut of_none = true;
        // Where there is one thread, the first line starts with the name of the test.
        let lines = told.lines().map(|line| match line.split_once(" ... ") {
            Some((_, rest)) => rest,
            None => line,
        });
        for line in lines.filter_map(|line| line.strip_prefix("kernel ")) {
            of_none = false;
            let (name, answers) = line.split_once(": ").unwrap_or_default();
            let answers = answers.split(' ').next().and_then(|n| n.parse().ok());
            self.answers = self.answers.min(answers.unwrap_or(0));
            if let Some(place) = names.iter().position(|known| known == name) {
                names.remove(place);
                *self.ran.entry(on).or_default() += 1;
            }
        }
        if of_none || self.answers == 0 {
            let what = format!("{}, {on}: no known answer ran", self.name);
            return Err(Stop::Failed(what));
        }
        Ok(())
    }
}
