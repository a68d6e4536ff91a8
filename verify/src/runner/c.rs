//! The C interface, as programs in C and C++ see it: each builds without a warning, linked to either
//! library, and finds what the reference finds.

mod answers;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Stop;
use super::candidates::manifest;
use super::limits;
use super::setup;
use super::workspace::{PROFILE, Workspace};
use crate::oracle::{Instance, find, known_answers};

const PACKAGE: &str = "poseidon2-kernels-c";
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

/// A program, and what it has to print after the instruction set in use.
struct Program {
    source: PathBuf,
    expected: Expected,
}

enum Expected {
    Lines(Vec<String>),
    /// A number of checks.
    Checks,
}

#[derive(Clone, Copy)]
enum Link {
    Static,
    Dynamic,
}

/// Builds and runs everything, and tells what did not run.
pub(super) fn all(workspace: &Workspace) -> Result<(), Stop> {
    setup::for_c();
    let bench = Bench::new(workspace)?;
    let mut lines = vec![("functions".to_owned(), bench.functions()?)];
    for compilers in COMPILERS {
        let name = compilers.join(" and ");
        lines.push((name, bench.with(compilers)?));
    }
    lines.push(("gcc's sanitizers".to_owned(), bench.sanitized()?));
    lines.push(("valgrind".to_owned(), bench.watched()?));
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
        let build = ["build", "--profile", PROFILE, "--package", PACKAGE];
        workspace.run(
            workspace.cargo(&build),
            "building the C library",
            limits::BUILD,
        )?;
        let scratch = workspace.scratch()?.join("c");
        std::fs::create_dir_all(&scratch)?;
        let instances = shipped(workspace)?;
        let every = scratch.join("every.c");
        std::fs::write(&every, answers::program(&instances))?;
        let examples = workspace.root().join(FOLDER).join("examples");
        let program = |source: &str, expected| Program {
            source: examples.join(source),
            expected: Expected::Lines(expected),
        };
        let programs = vec![
            program("merkle_root.c", merkle_root()),
            program("hash_rows.cpp", hash_rows()),
            Program {
                source: every,
                expected: Expected::Checks,
            },
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
        Ok(format!(
            "{} declared, exported, and tested below",
            declared.len()
        ))
    }

    /// All programs with both libraries; one more time on plain Rust; and one that must not end well.
    fn with(&self, [c, cpp]: [&str; 2]) -> Result<String, Stop> {
        if let Some(missing) = [c, cpp].iter().find(|compiler| !setup::runs(compiler)) {
            return Ok(format!("not run: there is no {missing}"));
        }
        let mut told = Vec::new();
        for program in &self.programs {
            for link in [Link::Static, Link::Dynamic] {
                let built = self.build(program, [c, cpp], link, &[])?;
                told.push(self.run(program, Command::new(&built))?);
                let mut scalar = Command::new(&built);
                scalar.env("POSEIDON2_KERNEL", "scalar");
                let text = self.run(program, scalar)?;
                if !text.starts_with("scalar: set by POSEIDON2_KERNEL\n") {
                    return Err(Stop::Failed(format!("{}: {text}", built.display())));
                }
                if matches!(program.expected, Expected::Checks) {
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

    /// The program that tests everything must not survive a write beside its words.
    fn notices(&self, built: &Path) -> Result<(), Stop> {
        let mut command = Command::new(built);
        command.arg("overrun");
        let output = self
            .workspace
            .output(command, "a write beside words", limits::CALL)?;
        if output.status.success() {
            let message = "a write beside the words that a function was given went unnoticed";
            return Err(Stop::Failed(message.into()));
        }
        Ok(())
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
            let built = self.build(program, compilers, Link::Static, &SANITIZERS)?;
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
            let built = self.build(program, COMPILERS[0], Link::Static, &["-g"])?;
            let mut command = Command::new(VALGRIND[0]);
            command.args(&VALGRIND[1..]).arg(built);
            self.run(program, command)?;
        }
        Ok(format!("{} programs", self.programs.len()))
    }

    fn build(
        &self,
        program: &Program,
        [c, cpp]: [&str; 2],
        link: Link,
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
            Link::Static => {
                command.arg(self.libraries.join(format!("lib{LIBRARY}.a")));
                command.args(["-lpthread", "-ldl", "-lm"]);
            }
            Link::Dynamic => {
                let libraries = self.libraries.display();
                command
                    .arg(format!("-L{libraries}"))
                    .arg(format!("-l{LIBRARY}"));
                command.arg(format!("-Wl,-rpath,{libraries}"));
            }
        }
        self.workspace.text(command, compiler, limits::CALL)?;
        Ok(built)
    }

    /// Runs a program and compares what it prints, which is returned.
    fn run(&self, program: &Program, command: Command) -> Result<String, Stop> {
        let what = program.source.display().to_string();
        let text = self.workspace.text(command, &what, limits::CALL)?;
        let mut lines = text.lines().skip(1);
        let right = match &program.expected {
            Expected::Lines(expected) => lines.eq(expected),
            Expected::Checks => {
                let last = lines
                    .next()
                    .and_then(|line| line.strip_suffix(" checks passed"));
                last.is_some_and(|n| n.parse().is_ok_and(|n: u32| n > 0)) && lines.next().is_none()
            }
        };
        if right {
            return Ok(text);
        }
        let expected = match &program.expected {
            Expected::Lines(expected) => expected.join("\n"),
            Expected::Checks => "a number of checks".into(),
        };
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

/// A line of words as the examples print them.
fn line(what: &str, digits: usize, words: &[u64]) -> String {
    let words: Vec<String> = words
        .iter()
        .map(|word| format!(" {word:0digits$x}"))
        .collect();
    format!("{what}{}", words.concat())
}

fn instance(field: &str, width: usize) -> Instance {
    find("plonky3", field, width).expect("the reference knows every instance")
}

/// A known answer: what becomes of 0, 1, 2, …
fn image(instance: &Instance) -> Vec<u64> {
    let counting = |input: &[u64]| input.iter().copied().eq(0..input.len() as u64);
    let mut known = known_answers(instance).into_iter();
    let known = known.find(|answer| counting(&answer.input));
    known.expect("the vectors have it").output
}

/// What `examples/merkle_root.c` has to print.
fn merkle_root() -> Vec<String> {
    let instance = instance("goldilocks", 8);
    let hash = |rate, row: &[u64]| answers::sponge(&instance.permutation, rate, 4, row);
    let matrix: Vec<u64> = (0..1024 * 10).collect();
    let mut layer: Vec<u64> = matrix.chunks(10).flat_map(|row| hash(4, row)).collect();
    while layer.len() > 4 {
        layer = layer.chunks(8).flat_map(|pair| hash(8, pair)).collect();
    }
    vec![
        line("image", 16, &image(&instance)),
        line("root", 16, &layer),
    ]
}

/// What `examples/hash_rows.cpp` has to print.
fn hash_rows() -> Vec<String> {
    let row: Vec<u64> = (99 * 30..100 * 30).collect();
    let digest = answers::sponge(&instance("koala-bear", 24).permutation, 16, 8, &row);
    vec![
        line("image", 8, &image(&instance("koala-bear", 16))),
        line("digest", 8, &digest),
        "poseidon2: status 1".to_owned(),
    ]
}
