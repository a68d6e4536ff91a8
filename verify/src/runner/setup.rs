//! What must be there before anything can run: looked for, installed where that is allowed, and
//! asked for where it is not.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::Stop;
use super::arm::{self, Arm, LINKER, SYSROOT, TRIPLE};
use super::browser;
use super::limits;
use super::pico2;
use super::rows::rustc;
use super::small::{RV32, Small};
use super::wasm::{self, Wasm};
use super::workspace::Workspace;
use crate::executed::QEMU;
use crate::process;

/// Debian's compiler, which has standard libraries of foreign architectures in packages.
const DEBIAN_RUSTC: &str = "/usr/bin/rustc";

/// A Debian package, and whether what it brings is there.
type Need = (&'static str, fn() -> bool);

const Z3: Need = ("z3", || runs("z3"));

const NODEJS: Need = ("nodejs", || runs(wasm::NODE));

/// What opens a page: the package of the driver brings Chromium.
const BROWSER: [Need; 2] = [NODEJS, ("chromium-driver", || runs(browser::DRIVER))];

/// What emulates a microcontroller.
const MICROCONTROLLER: [Need; 1] = [("qemu-system-arm", || runs(pico2::QEMU))];
const EMULATOR: Need = ("qemu-user", || runs(RV32.qemu));

const CROSS: [Need; 3] = [
    ("qemu-user", || runs(QEMU)),
    ("gcc-aarch64-linux-gnu", || runs(LINKER)),
    ("libc6-dev-arm64-cross", || {
        Path::new(SYSROOT).join("lib/libc.a").exists()
    }),
];

/// What C is compiled by, and what watches memory.
const C: [Need; 4] = [
    ("gcc", || runs("gcc")),
    ("g++", || runs("g++")),
    ("clang", || runs("clang++")),
    ("valgrind", || runs("valgrind")),
];

/// Versions whose models of the Neoverse cores are good, the best first.
const LLVM: [Need; 2] = [
    ("llvm-22", || runs("llvm-mca-22")),
    ("llvm-19", || runs("llvm-mca-19")),
];

/// What modelling Arm cores needs.
pub(super) fn for_model() -> Result<(), Stop> {
    if LLVM.iter().any(|(_, found)| found()) {
        return Ok(());
    }
    let [best, other] = LLVM;
    provide(&[best]).or_else(|_| provide(&[other]))
}

/// What the generator's own proofs need.
pub(super) fn for_this_host() -> Result<(), Stop> {
    provide(&[Z3])
}

/// What programs in C are tested with, as far as it can be had.
pub(super) fn for_c() {
    // What is still missing is told as "not run".
    let _ = provide(&C);
}

/// What building for Arm and emulating it needs.
pub(super) fn for_arm() -> Result<Arm, Stop> {
    provide(&CROSS)?;
    if target_added(TRIPLE) {
        return Ok(Arm::emulated(None));
    }
    let debian = PathBuf::from(DEBIAN_RUSTC);
    let has = || arm::has_std(&DEBIAN_RUSTC.into(), TRIPLE);
    if !has() {
        install_debian_std()?;
    }
    if has() {
        return Ok(Arm::emulated(Some(debian)));
    }
    Err(blocked("no standard library for aarch64", &std_commands()))
}

/// What building for WebAssembly and running it needs, as far as it can be had: without it, its kernels and
/// instructions are "not run".
pub(super) fn for_wasm(workspace: &Workspace) -> Option<Wasm> {
    let _ = provide(&[NODEJS]);
    let lacking = if !runs(wasm::NODE) {
        "node is missing: install the package nodejs"
    } else if !target_added(wasm::TRIPLE) {
        "no standard library: `rustup target add wasm32-wasip1`"
    } else {
        return Wasm::new(workspace).ok();
    };
    eprintln!("not run: WebAssembly: {lacking}");
    None
}

/// What building for a small machine and emulating it needs, as far as it can be had: without it, kernels are
/// "not run" there.
pub(super) fn for_small(small: Small) -> Option<Small> {
    let _ = provide(&[EMULATOR]);
    let Small {
        about,
        triple,
        qemu,
        ..
    } = small;
    let lacking = if !runs(qemu) {
        format!("{qemu} is missing: install the package qemu-user")
    } else if !target_added(triple) {
        format!("no core library: `rustup target add {triple}`")
    } else {
        return Some(small);
    };
    eprintln!("not run: {about}: {lacking}");
    None
}

/// What compiling Plonky3's packages for a small machine needs.
pub(super) fn for_plonky3_on(small: Small) -> Result<(), Stop> {
    add_target(small.of_plonky3, &format!("Plonky3 on {}", small.about))
}

/// What compiling a page needs.
pub(super) fn for_page() -> Result<(), Stop> {
    add_target(browser::TRIPLE, "pages")
}

/// What opening a page needs.
pub(super) fn for_browser() -> Result<(), Stop> {
    provide(&BROWSER).map_err(|stop| not_run("the page in a browser", stop))
}

/// What building for a microcontroller and emulating it needs.
pub(super) fn for_pico2() -> Result<(), Stop> {
    let provided = provide(&MICROCONTROLLER);
    let provided = provided.and_then(|()| add_target(pico2::TRIPLE, "microcontrollers"));
    provided.map_err(|stop| not_run("the programs for a Cortex-M33", stop))
}

fn not_run(what: &str, stop: Stop) -> Stop {
    match stop {
        Stop::Blocked(why) => Stop::Blocked(format!("not run: {what}: {why}")),
        failed => failed,
    }
}

fn add_target(triple: &str, what: &str) -> Result<(), Stop> {
    if target_added(triple) {
        return Ok(());
    }
    let command = format!("rustup target add {triple}");
    Err(blocked(
        &format!("no standard library for {what}"),
        &[command],
    ))
}

/// Whether the compiler has a target's standard library, or gets it now.
fn target_added(triple: &str) -> bool {
    let has = || arm::has_std(&rustc(), triple);
    if has() || !runs("rustup") {
        return has();
    }
    let mut rustup = Command::new("rustup");
    say(rustup.args(["target", "add", triple]));
    let added = process::status(&mut rustup, limits::INSTALL);
    added.is_ok_and(|status| status.success()) && has()
}

fn provide(needs: &[Need]) -> Result<(), Stop> {
    let missing = || -> Vec<&str> {
        let missing = needs.iter().filter(|(_, found)| !found());
        missing.map(|(package, _)| *package).collect()
    };
    let packages = missing();
    if packages.is_empty() {
        return Ok(());
    }
    if may_install() {
        install(&packages);
    }
    let still = missing();
    if still.is_empty() {
        return Ok(());
    }
    let commands = [
        "apt-get update".to_owned(),
        format!("apt-get install -y {}", packages.join(" ")),
    ];
    Err(blocked(
        &format!("missing: {}", still.join(", ")),
        &commands,
    ))
}

fn install_debian_std() -> Result<(), Stop> {
    if !may_install() {
        return Err(blocked("no standard library for aarch64", &std_commands()));
    }
    let mut dpkg = Command::new("dpkg");
    say(dpkg.args(["--add-architecture", "arm64"]));
    // Its failure shows in the installation's.
    let _ = process::status(&mut dpkg, limits::INSTALL);
    install(&["rustc-web", "libstd-rust-web-dev:arm64"]);
    Ok(())
}

fn install(packages: &[&str]) {
    apt(&["update"]);
    apt(&[&["install", "-y", "--no-install-recommends"], packages].concat());
}

fn std_commands() -> [String; 2] {
    [
        format!("rustup target add {TRIPLE}"),
        "or: dpkg --add-architecture arm64 && apt-get update && apt-get install -y rustc-web \
         libstd-rust-web-dev:arm64"
            .to_owned(),
    ]
}

fn may_install() -> bool {
    // SAFETY: `geteuid` has no preconditions.
    let root = unsafe { libc::geteuid() } == 0;
    root && runs("apt-get")
}

/// Runs apt-get; whether it helped shows when the need is looked for again.
fn apt(arguments: &[&str]) {
    let mut command = Command::new("apt-get");
    command.env("DEBIAN_FRONTEND", "noninteractive");
    say(command.args(arguments));
    command.stdin(Stdio::null()).stdout(std::io::stderr());
    if let Err(error) = process::status(&mut command, limits::INSTALL) {
        eprintln!("apt-get: {error}");
    }
}

fn say(command: &mut Command) {
    eprintln!("running {command:?}");
}

pub(super) fn runs(program: &str) -> bool {
    let mut command = Command::new(program);
    command
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.status().is_ok()
}

fn blocked(what: &str, commands: &[String]) -> Stop {
    let commands = commands.join("\n  ");
    Stop::Blocked(format!("{what}. Please run, as root:\n  {commands}"))
}
