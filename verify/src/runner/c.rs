//! The C interface, as programs in C and C++ see it: each builds without a warning, linked to either
//! library, and finds what the reference finds.

mod answers;
mod examples;

use std::collections::BTreeSet;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Stop;
use super::arm::{self, Arm};
use super::candidates::manifest;
use super::limits;
use super::setup;
use super::workspace::{PROFILE, Workspace};
use crate::oracle::{Instance, find};

const PACKAGE: &str = "poseidon2-kernels-c";
const BUILD: [&str; 5] = ["build", "--profile", PROFILE, "--package", PACKAGE];
const LIBRARY: &str = "poseidon2_kernels_c";
const FOLDER: &str = "poseidon2-kernels/c";
const HEADER: &str = "include/poseidon2_kernels.h";

/// Compilers of C, and of C++ beside them.
const COMPILERS: [[&str; 2]; 2] = [["gcc", "g++"], ["clang", "clang++"]];

const WARNINGS: [&str; 4] = ["-Wall", "-Wextra", "-pedantic", "-Werror"];

const SANITIZERS: [&str; 2] = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"];

const VALGRIND: [&str; 4] = [
    "valgrind",
    "--quiet",
    "--error-exitcode=1",
    "--leak-check=full",
];

/// A program, and the lines that it has to print after the instruction set in use; none: a number of
/// checks.
struct Program {
    source: PathBuf,
    expected: Option<Vec<String>>,
}

/// A library in a folder.
#[derive(Clone, Copy)]
enum Link<'a> {
    Static(&'a Path),
    Dynamic(&'a Path),
}

/// Builds and runs everything, and tells what did not run.
pub(super) fn all(workspace: &Workspace, arm: Option<&Arm>) -> Result<(), Stop> {
    setup::for_c();
    let bench = Bench::new(workspace)?;
    let mut lines = vec![
        ("functions".to_owned(), bench.functions()?),
        ("SONAME".to_owned(), bench.named()?),
    ];
    for compilers in COMPILERS {
        let name = compilers.join(" and ");
        lines.push((name, bench.with(compilers)?));
    }
    lines.push(("gcc's sanitizers".to_owned(), bench.sanitized()?));
    lines.push(("valgrind".to_owned(), bench.watched()?));
    lines.push(("aarch64, emulated".to_owned(), bench.emulated(arm)?));
    println!("programs with the C interface");
    for (what, came) in lines {
        println!("  {what:<44}{came}");
    }
    Ok(())
}

struct Bench<'a> {
    workspace: &'a Workspace,
    /// The libraries' folder.
    libraries: PathBuf,
    scratch: PathBuf,
    instances: Vec<Instance>,
    programs: Vec<Program>,
}

impl<'a> Bench<'a> {
    /// With libraries as they are now, and all programs.
    fn new(workspace: &'a Workspace) -> Result<Self, Stop> {
        workspace.run(
            workspace.cargo(&BUILD),
            "building C libraries",
            limits::BUILD,
        )?;
        let scratch = workspace.scratch()?.join("c");
        std::fs::create_dir_all(&scratch)?;
        let instances = shipped(workspace)?;
        let every = scratch.join("every.c");
        std::fs::write(&every, answers::program(&instances))?;
        let examples = workspace.root().join(FOLDER).join("examples");
        let program = |source: PathBuf, expected| Program { source, expected };
        let programs = vec![
            program(
                examples.join("merkle_root.c"),
                Some(examples::merkle_root()),
            ),
            program(examples.join("hash_rows.cpp"), Some(examples::hash_rows())),
            program(every, None),
        ];
        Ok(Self {
            workspace,
            libraries: workspace.target().join(PROFILE),
            scratch,
            instances,
            programs,
        })
    }

    /// What is declared must be what is exported, and what is tested.
    fn functions(&self) -> Result<String, Stop> {
        let header = std::fs::read_to_string(self.workspace.root().join(FOLDER).join(HEADER))?;
        let declared = header.lines().filter_map(|line| {
            let (name, _) = line.strip_prefix("int ")?.split_once('(')?;
            Some(name.to_owned())
        });
        let declared: BTreeSet<String> = declared.collect();
        let tested = self.instances.iter().flat_map(answers::functions).collect();
        let mut nm = Command::new("nm");
        nm.args(["--dynamic", "--defined-only", "--format=just-symbols"]);
        nm.arg(self.libraries.join(format!("lib{LIBRARY}.so")));
        let exported = self.workspace.text(nm, "nm", limits::CALL)?;
        let mut exported: BTreeSet<String> = exported.lines().map(str::to_owned).collect();
        exported.remove("poseidon2_selected");
        for (what, others) in [("tested", &tested), ("exported", &exported)] {
            if let Some(name) = declared.symmetric_difference(others).next() {
                let message = format!("{name} is either declared or {what}, not both");
                return Err(Stop::Failed(message));
            }
        }
        let mut pairs = COMPILERS.iter();
        let tested = match pairs.any(|pair| pair.iter().all(|compiler| setup::runs(compiler))) {
            true => "and tested below",
            false => "not run: no compilers of C and C++",
        };
        Ok(format!("{} declared, exported, {tested}", declared.len()))
    }

    /// Programs must look for the dynamic library by its name, wherever they were linked to it.
    fn named(&self) -> Result<String, Stop> {
        let name = format!("lib{LIBRARY}.so");
        let mut readelf = Command::new("readelf");
        readelf.arg("--dynamic").arg(self.libraries.join(&name));
        let text = self.workspace.text(readelf, "readelf", limits::CALL)?;
        let own = text.lines().find(|line| line.contains("(SONAME)"));
        if own.is_some_and(|line| line.ends_with(&format!("[{name}]"))) {
            return Ok(name);
        }
        Err(Stop::Failed(format!(
            "the SONAME of {name} is not {name}:\n{text}"
        )))
    }

    /// All programs with both libraries, on the kernels for this CPU and on those in plain Rust.
    fn with(&self, [c, cpp]: [&str; 2]) -> Result<String, Stop> {
        if let Some(missing) = [c, cpp].iter().find(|compiler| !setup::runs(compiler)) {
            return Ok(format!("not run: there is no {missing}"));
        }
        let mut told = Vec::new();
        for program in &self.programs {
            for link in [
                Link::Static(&self.libraries),
                Link::Dynamic(&self.libraries),
            ] {
                let built = self.build(program, [c, cpp], link, &[])?;
                told.push(self.run(program, Command::new(&built))?);
                let mut scalar = Command::new(&built);
                scalar.env("POSEIDON2_KERNEL", "scalar");
                let text = self.run(program, scalar)?;
                if !text.starts_with("scalar: set by POSEIDON2_KERNEL\n") {
                    return Err(Stop::Failed(format!("{}: {text}", built.display())));
                }
                if program.expected.is_none() {
                    self.notices(&built)?;
                }
            }
        }
        let checks = told.last().and_then(|text| text.lines().last());
        Ok(format!(
            "{} programs, static and dynamic; {}",
            self.programs.len(),
            checks.unwrap_or_default()
        ))
    }

    /// Has a function write beside its words, which the program that tests all must not survive.
    fn notices(&self, built: &Path) -> Result<(), Stop> {
        let mut command = Command::new(built);
        command.arg("overrun");
        let output = self
            .workspace
            .output(command, "a write beside words", limits::CALL)?;
        if output.status.signal() == Some(libc::SIGSEGV) {
            return Ok(());
        }
        let status = output.status;
        let message = format!("a write beside the words of a call was to end in SIGSEGV: {status}");
        Err(Stop::Failed(message))
    }

    fn sanitized(&self) -> Result<String, Stop> {
        let compilers = COMPILERS[0];
        let probe = self.scratch.join("probe.c");
        std::fs::write(&probe, "int main(void) { return 0; }\n")?;
        let mut command = Command::new(compilers[0]);
        command
            .args(SANITIZERS)
            .arg(&probe)
            .arg("-o")
            .arg(self.scratch.join("probe"));
        let probed = self.workspace.output(command, "gcc", limits::CALL);
        if !probed.is_ok_and(|output| output.status.success()) {
            return Ok("not run: gcc has none here".into());
        }
        for program in &self.programs {
            let built = self.build(
                program,
                compilers,
                Link::Static(&self.libraries),
                &SANITIZERS,
            )?;
            self.run(program, Command::new(built))?;
        }
        Ok(format!("{} programs", self.programs.len()))
    }

    fn watched(&self) -> Result<String, Stop> {
        for program in [VALGRIND[0], COMPILERS[0][0], COMPILERS[0][1]] {
            if !setup::runs(program) {
                return Ok(format!("not run: there is no {program}"));
            }
        }
        for program in &self.programs {
            let built = self.build(
                program,
                COMPILERS[0],
                Link::Static(&self.libraries),
                &["-g"],
            )?;
            let mut command = Command::new(VALGRIND[0]);
            command.args(&VALGRIND[1..]).arg(built);
            self.run(program, command)?;
        }
        Ok(format!("{} programs", self.programs.len()))
    }

    /// The programs in C on emulated Arm, of which set-up provides no compiler of C++.
    fn emulated(&self, arm: Option<&Arm>) -> Result<String, Stop> {
        let Some((arm, emulator)) = arm.and_then(|arm| Some((arm, arm.runner()?))) else {
            return Ok("not run: there is no emulated host".into());
        };
        let mut build = arm.cargo(self.workspace, &["rustc"]);
        build.args(&BUILD[1..]).args(["--crate-type", "staticlib"]);
        self.workspace
            .run(build, "building C libraries for aarch64", limits::BUILD)?;
        let folder = arm.programs(self.workspace);
        let is_c = |program: &&Program| program.source.extension().is_some_and(|name| name == "c");
        let programs = self.programs.iter().filter(is_c);
        for program in programs.clone() {
            let compilers = [arm::LINKER, arm::LINKER];
            let built = self.build(program, compilers, Link::Static(&folder), &["-static"])?;
            let mut command = Command::new(emulator);
            command.arg(built);
            self.run(program, command)?;
        }
        Ok(format!("{} programs", programs.count()))
    }

    fn build(
        &self,
        program: &Program,
        [c, cpp]: [&str; 2],
        link: Link<'_>,
        flags: &[&str],
    ) -> Result<PathBuf, Stop> {
        let (compiler, standard) = match program.source.extension() {
            Some(extension) if extension == "c" => (c, "-std=c11"),
            _ => (cpp, "-std=c++17"),
        };
        let built = self
            .scratch
            .join(program.source.file_stem().unwrap_or_default());
        let folder = self.workspace.root().join(FOLDER);
        let mut command = Command::new(compiler);
        command.args([standard, "-O1"]).args(WARNINGS).args(flags);
        for included in ["include", "tests"] {
            command.arg("-I").arg(folder.join(included));
        }
        command.arg(&program.source).arg("-o").arg(&built);
        match link {
            Link::Static(folder) => {
                command.arg(folder.join(format!("lib{LIBRARY}.a")));
                command.args(["-lpthread", "-ldl", "-lm"]);
            }
            Link::Dynamic(folder) => {
                let folder = folder.display();
                command.arg(format!("-L{folder}"));
                command.arg(format!("-l{LIBRARY}"));
                command.arg(format!("-Wl,-rpath,{folder}"));
            }
        }
        self.workspace.text(command, compiler, limits::CALL)?;
        Ok(built)
    }

    /// Runs a program and compares what it prints, which is returned.
    fn run(&self, program: &Program, command: Command) -> Result<String, Stop> {
        let what = self.workspace.relative(&program.source);
        let what = what.display().to_string();
        let text = self.workspace.text(command, &what, limits::CALL)?;
        let mut lines = text.lines().skip(1);
        let right = match &program.expected {
            Some(expected) => lines.eq(expected),
            None => {
                let checks = |line: &str| line.strip_suffix(" checks passed")?.parse::<u32>().ok();
                lines.next().and_then(checks).is_some_and(|n| n > 0)
            }
        };
        if right {
            return Ok(text);
        }
        let checks = || "a number of checks".to_owned();
        let expected = program
            .expected
            .as_ref()
            .map_or_else(checks, |lines| lines.join("\n"));
        Err(Stop::Failed(format!(
            "{what} printed\n{text}and should have, after a line,\n{expected}"
        )))
    }
}

/// The permutations that there are kernels of, as the reference has them.
fn shipped(workspace: &Workspace) -> Result<Vec<Instance>, Stop> {
    let kernels = manifest(&workspace.root().join("generated"))?.into_iter();
    let names = kernels.map(|kernel| (kernel.parameter_set, kernel.field, kernel.width));
    let names: BTreeSet<_> = names.collect();
    let instance = |(set, field, width): (String, String, usize)| {
        let unknown = || Stop::Failed(format!("the reference knows no {set} {field} {width}"));
        find(&set, &field, width).ok_or_else(unknown)
    };
    names.into_iter().map(instance).collect()
}
