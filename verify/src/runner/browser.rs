//! The page of `poseidon2-kernels/examples/browser`: opened in headless Chromium, it has to say of files
//! what the native program `merkle_root` says of them.

mod judge;

use std::path::{Path, PathBuf};
use std::process::Command;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use super::candidates::Candidates;
use super::merkle_root::MerkleRoot;
use super::wasm::{self, NODE};
use super::workspace::Workspace;
use super::{Stop, limits, setup, wrong};
use judge::Seen;

/// What a page is compiled for.
pub(super) const TRIPLE: &str = "wasm32-unknown-unknown";

/// What drives Chromium.
pub(super) const DRIVER: &str = "chromedriver";

/// The page's files, but for its program.
const FOLDER: &str = "poseidon2-kernels/examples/browser/page";

/// Its kernels, which do not ship.
const KERNELS: &str = "goldilocks/w8_wasm";

/// What opens it and looks at it.
const DRIVE: &str = include_str!("browser/drive.mjs");

/// A file, and how the page is to read it.
struct Case {
    path: PathBuf,
    columns: usize,
}

/// Writes the page into a folder. It needs nothing else, and is opened from there.
pub(super) fn build(workspace: &Workspace, into: &Path) -> Result<(), Stop> {
    setup::for_page()?;
    let candidates = Candidates::generate(workspace, &[KERNELS.to_owned()])?;
    // As users compile it, and Plonky3 in it.
    let arguments = ["build", "--release", "--package", "merkle-page"];
    let mut cargo = wasm::cargo(workspace, &arguments, TRIPLE, wasm::VECTORS);
    candidates.stand_in(&mut cargo);
    workspace.run(cargo, "building the page's program", limits::BUILD)?;
    let programs = workspace.target().join(TRIPLE).join("release");
    let program = std::fs::read(programs.join("merkle_page.wasm"))?;
    // Browsers load no program from a file, but scripts.
    let program = BASE64_STANDARD.encode(program);
    let program = format!("\"use strict\";\nconst PROGRAM = \"{program}\";\n");
    std::fs::create_dir_all(into)?;
    std::fs::write(into.join("program.js"), program)?;
    for file in std::fs::read_dir(workspace.root().join(FOLDER))? {
        let file = file?;
        std::fs::copy(file.path(), into.join(file.file_name()))?;
    }
    println!("{}: open index.html there", into.display());
    Ok(())
}

/// Builds the page, has it hash files, and compares.
pub(super) fn all(workspace: &Workspace) -> Result<(), Stop> {
    setup::for_browser()?;
    let scratch = workspace.scratch()?.join("browser");
    let page = scratch.join("page");
    build(workspace, &page)?;
    let program = MerkleRoot::build(workspace)?;

    let cases = cases(&scratch)?;
    let native = cases.iter().map(|case| {
        let columns = case.columns.to_string();
        program.of(workspace, &case.path, &["--binary", &columns])
    });
    let native: Vec<_> = native.collect::<Result<_, _>>()?;
    let picture = scratch.join("page.png");
    let seen = drive(workspace, &scratch, &page, &picture, &cases)?;
    let told = wrong(seen.faults(&native));
    println!("the page in Chromium {}", seen.version);
    for (case, outcome) in cases.iter().zip(&seen.outcomes) {
        let name = case.path.file_name().unwrap_or_default().display();
        println!("  {name}, rows of {}: {outcome}", case.columns);
    }
    println!("  picture: {}", workspace.relative(&picture).display());
    told
}

/// Files that are right and wrong. The first is one to see progress on; the last is right, and its columns
/// are those of the page's own leaves.
fn cases(folder: &Path) -> Result<Vec<Case>, Stop> {
    let word = |n: u64| n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 1;
    let words = |count| (0..count).flat_map(move |n| word(n).to_le_bytes());
    let p = 0xffff_ffff_0000_0001_u64.to_le_bytes();
    let files: [(&str, Vec<u8>, usize); 6] = [
        ("leaves", words(1 << 19).collect(), 4),
        ("long-rows", words(3 * 20_000).collect(), 20_000),
        ("empty", Vec::new(), 4),
        ("rest", words(2).chain([0; 4]).collect(), 2),
        ("not-below-p", words(40_000).chain(p).collect(), 1),
        ("odd", words(14).collect(), 2),
    ];
    let mut cases = Vec::new();
    for (name, bytes, columns) in files {
        let path = folder.join(name);
        std::fs::write(&path, bytes)?;
        cases.push(Case { path, columns });
    }
    Ok(cases)
}

/// Has the page read the files, and tells what it showed.
fn drive(
    workspace: &Workspace,
    scratch: &Path,
    page: &Path,
    picture: &Path,
    cases: &[Case],
) -> Result<Seen, Stop> {
    let script = scratch.join("drive.mjs");
    std::fs::write(&script, DRIVE)?;
    let cases = cases
        .iter()
        .map(|case| serde_json::json!({ "file": case.path, "columns": case.columns.to_string() }));
    let orders = serde_json::json!({
        "driver": DRIVER,
        "page": page.join("index.html"),
        "picture": picture,
        "cases": cases.collect::<Vec<_>>(),
    });
    let mut command = Command::new(NODE);
    command.arg(script).arg(orders.to_string());
    let seen = workspace.text(command, "the page in a browser", limits::CALL)?;
    let error = |error| Stop::Failed(format!("the page in a browser: {error}\n{seen}"));
    serde_json::from_str(&seen).map_err(error)
}
