//! `vendor` on copies of the published crate: what it writes, says, and takes out again.

mod copy;

use std::fs;
use std::path::Path;

use ::vendor::PACKAGES;
use copy::{Copy, run, vendor};

fn is_kernel(word: &&str) -> bool {
    word.starts_with('w') && word[1..].starts_with(|c: char| c.is_ascii_digit())
}

/// What people read is what the command says: the number of kernels, and each line of the table that
/// is shown.
fn the_guide_shows(decided: &str, checked: &str) {
    let guide = include_str!("../../../../docs/vendoring.md");
    let number = format!("vendored/p3-goldilocks: {checked}");
    assert!(
        guide.contains(&number),
        "docs/vendoring.md has not: {number}"
    );
    let table = guide.split("```text\n").nth(1).unwrap();
    let shown = table.lines().take_while(|line| *line != "…");
    let shown: Vec<_> = shown.collect();
    assert!(shown.len() > 2);
    for line in shown {
        let said = decided.lines().any(|said| said == line);
        assert!(
            said,
            "docs/vendoring.md has\n{line}\nbut not the command:\n{decided}"
        );
    }
}

#[test]
fn help_teaches() {
    insta::assert_snapshot!("help", run(&["--help"]));
    assert!(run(&[]).starts_with("exit 2"));
}

/// Few kernels are enough where it does not matter which.
const TWO: [&str; 2] = ["--kernels", "w8_avx2_b1,w8_neon_b2"];

#[test]
fn all_that_is_written_is_taken_out_again_byte_for_byte() {
    let copy = Copy::new();
    let before = copy.files();
    let told = copy.vendor(&[]);
    assert!(told.starts_with("exit 0\n"), "{told}");
    let new: Vec<_> = copy
        .files()
        .into_keys()
        .filter(|name| !before.contains_key(name))
        .collect();
    // What the tables prefer changes, and with it the kernels, their certificates and the constants
    // that they read; what is around them does not.
    let around = new.iter().map(String::as_str).filter(|path| {
        let kernel = path.contains("_b1.") || path.contains("_b2.") || path.ends_with(".cert");
        let constants = ["columns", "limbs", "redc"].map(|name| format!("/{name}.rs"));
        !kernel && !constants.iter().any(|name| path.ends_with(name))
    });
    insta::assert_snapshot!("files", around.collect::<Vec<_>>().join("\n"));
    // The kernels are those that the command tells of; each names a certificate beside it.
    let (_, decided) = told.split_once("deleted\n").unwrap();
    let rows = decided
        .lines()
        .filter(|row| !row.contains("the crate's own"));
    let words = rows.flat_map(str::split_whitespace);
    let mut chosen: Vec<_> = words.filter(is_kernel).collect();
    chosen.sort_unstable();
    chosen.dedup();
    let kernels = new.iter().filter_map(|path| {
        let (folder, file) = path.rsplit_once('/')?;
        let leaf = file.strip_suffix(".rs").filter(is_kernel)?;
        Some((folder, leaf, fs::read_to_string(copy.path(path)).unwrap()))
    });
    let kernels: Vec<_> = kernels.collect();
    for (folder, leaf, text) in &kernels {
        let named = text.split_once("//! - certificate `").unwrap().1;
        let proof = format!("{folder}/{}", named.split_once('`').unwrap().0);
        assert!(new.contains(&proof), "{leaf}: {proof}");
    }
    let mut leaves: Vec<_> = kernels.iter().map(|(_, leaf, _)| *leaf).collect();
    leaves.sort_unstable();
    assert_eq!(leaves, chosen);
    for name in new.iter().filter(|name| name.ends_with("/mod.rs")) {
        let text = fs::read_to_string(copy.path(name)).unwrap();
        let modules = text.lines().filter_map(|line| {
            let line = line.strip_prefix("pub(crate) ").unwrap_or(line);
            line.strip_prefix("mod ")?.strip_suffix(';')
        });
        for module in modules {
            let file = name.replace("mod.rs", &format!("{module}.rs"));
            assert!(new.contains(&file), "{file}");
        }
    }
    let diff: Vec<_> = told
        .lines()
        .skip_while(|line| !line.starts_with("--- a/"))
        .take_while(|line| !line.starts_with("COPY: "))
        .collect();
    insta::assert_snapshot!("diff", diff.join("\n"));
    for name in new.iter().filter(|name| name.ends_with(".rs")) {
        let text = fs::read_to_string(copy.path(name)).unwrap();
        assert!(
            text.contains("SPDX-License-Identifier: MIT OR Apache-2.0"),
            "{name}"
        );
        assert!(
            text.contains("cargo run -p vendor -- --into P3_GOLDILOCKS"),
            "{name}"
        );
        assert!(!text.contains("permute_raw"), "{name}");
    }
    let vendored = copy.files();
    let told = copy.vendor(&["--check"]);
    let checked = told.strip_prefix("exit 0\nCOPY: ").unwrap();
    assert_eq!(
        checked,
        format!("{} kernels, all as generated\n", chosen.len())
    );
    the_guide_shows(decided, checked);
    assert!(copy.vendor(&[]).contains(": 0 files written, "));
    assert_eq!(copy.files(), vendored);
    assert!(copy.vendor(&["--remove"]).starts_with("exit 0\n"));
    assert_eq!(copy.files(), before);
    assert!(
        copy.vendor(&["--remove"])
            .contains("nothing is vendored there")
    );
}

/// 31-bit kernels are preferred by the table of a CPU that was asked for.
#[test]
fn every_crate_is_as_it_was_when_all_is_taken_out() {
    for package in &PACKAGES[1..] {
        let copy = Copy::of(package);
        let before = copy.files();
        let told = copy.vendor(&["--cpu", "zen4"]);
        assert!(told.starts_with("exit 0\n"), "{told}");
        let vendored = copy.files();
        for platform in ["x86_64_avx2", "x86_64_avx512", "aarch64_neon"] {
            let path = format!("src/{platform}/poseidon2_generated/mod.rs");
            let text = vendored.get(&path);
            let text = text.unwrap_or_else(|| panic!("{}: {path}", package.name));
            assert!(text.contains("::permute(recast(state), "), "{path}: {text}");
        }
        let checked = copy.vendor(&["--check"]);
        assert!(
            checked.ends_with(" kernels, all as generated\n"),
            "{checked}"
        );
        assert!(copy.vendor(&["--remove"]).starts_with("exit 0\n"));
        assert_eq!(copy.files(), before);
    }
}

#[test]
fn a_check_of_what_is_not_there_shows_the_diff_and_writes_nothing() {
    let copy = Copy::new();
    let before = copy.files();
    let told = copy.vendor(&[&TWO[..], &["--check"]].concat());
    assert!(told.starts_with("exit 1\n") && told.contains("+mod poseidon2_generated;"));
    assert_eq!(copy.files(), before);
}

#[test]
fn windows_line_ends_and_changes_nearby_stay() {
    let copy = Copy::new();
    for (name, text) in copy.files() {
        copy.write(&name, &text.replace('\n', "\r\n"));
    }
    copy.edit(
        "src/lib.rs",
        "pub mod poseidon1;",
        "pub mod poseidon1;\r\nmod ours;",
    );
    let before = copy.files();
    assert!(copy.vendor(&TWO).starts_with("exit 0\n"));
    let library = fs::read_to_string(copy.path("src/lib.rs")).unwrap();
    assert!(library.contains("\r\nmod poseidon2_generated;\r\n"));
    copy.edit("src/lib.rs", "mod ours;", "mod ours_now;");
    assert!(copy.vendor(&["--check"]).starts_with("exit 0\n"));
    assert!(copy.vendor(&["--remove"]).starts_with("exit 0\n"));
    copy.edit("src/lib.rs", "mod ours_now;", "mod ours;");
    assert_eq!(copy.files(), before);
}

#[test]
fn kernels_by_name_are_remembered_and_replaced() {
    let copy = Copy::new();
    let before = copy.files();
    assert!(copy.vendor(&TWO).starts_with("exit 0\n"));
    let kernel = |name: &str| copy.path(name).is_file();
    let avx2 = "src/x86_64_avx2/poseidon2_generated/w8_avx2_b1.rs";
    let neon = "src/aarch64_neon/poseidon2_generated/w8_neon_b2.rs";
    assert!(
        kernel(avx2) && kernel(neon) && !kernel("src/x86_64_avx512/poseidon2_generated/mod.rs")
    );
    assert!(
        copy.vendor(&["--check"])
            .starts_with("exit 0\nCOPY: 2 kernels, all as generated")
    );
    // What was wired for the one before is not wired any more. Kernels of other fields have the name, too.
    assert!(
        copy.vendor(&["--kernels", "w16_avx512_b1"])
            .starts_with("exit 0\n")
    );
    assert!(!kernel(avx2) && !kernel(neon));
    let of_avx2 = fs::read_to_string(copy.path("src/x86_64_avx2/mod.rs")).unwrap();
    assert_eq!(of_avx2, before["src/x86_64_avx2/mod.rs"]);
    assert!(copy.vendor(&["--remove"]).starts_with("exit 0\n"));
    assert_eq!(copy.files(), before);
}

#[test]
fn the_cpu_whose_table_decides_is_remembered() {
    let copy = Copy::new();
    // One width is enough.
    let spec = ["--spec", "../specs/goldilocks-w8.toml"];
    let vendor = |more: &[&str]| copy.vendor(&[&spec, more].concat());
    let told = vendor(&["--cpu", "neoverse-v2"]);
    assert!(told.starts_with("exit 0\n"), "{told}");
    assert!(
        told.contains(" on neoverse-v2") && !told.contains(" on neoverse-n1"),
        "{told}"
    );
    let module = copy.path("src/poseidon2_generated/mod.rs");
    let header = fs::read_to_string(module).unwrap();
    let command =
        "--into P3_GOLDILOCKS --cpu neoverse-v2 --spec codegen/specs/goldilocks-w8.toml\n";
    assert!(header.contains(command));
    assert!(vendor(&["--check"]).starts_with("exit 0\n"));
    let other = vendor(&["--check", "--cpu", "neoverse-n1"]);
    assert!(other.starts_with("exit 1\n"), "{other}");
    let refused = vendor(&["--cpu", "neoverse-v1"]);
    assert!(refused.starts_with("exit 2\n"), "{refused}");
    assert!(refused.contains("unknown CPU `neoverse-v1`"), "{refused}");
    // It has a table, but the crate has no builds for it.
    let refused = vendor(&["--cpu", "v8"]);
    assert!(refused.contains("unknown CPU `v8`"), "{refused}");
    let both = vendor(&["--cpu", "neoverse-v2", "--kernels", "w8_neon_b1"]);
    assert!(
        both.starts_with("exit 2\n") && both.contains("cannot be used with"),
        "{both}"
    );
}

#[test]
fn edits_by_hand_are_found_and_kept() {
    let copy = Copy::new();
    copy.vendor(&TWO);
    let kernel = "src/x86_64_avx2/poseidon2_generated/w8_avx2_b1.rs";
    copy.edit(kernel, "let a = $a;", "let a = $b;");
    let edited = copy.files();
    let told = [
        copy.vendor(&["--check"]),
        copy.vendor(&TWO),
        copy.vendor(&["--remove"]),
    ];
    assert_eq!(copy.files(), edited);
    fs::remove_file(copy.path(kernel)).unwrap();
    copy.edit(
        "src/aarch64_neon/poseidon2_generated/w8_eager.cert",
        "width 8",
        "width 9",
    );
    let missing = copy.vendor(&["--check"]);
    copy.edit(
        "src/aarch64_neon/poseidon2_generated/w8_eager.cert",
        "width 9",
        "width 8",
    );
    let again = copy.vendor(&TWO);
    assert!(copy.vendor(&["--check"]).starts_with("exit 0\n"));
    let all = [&told[..], &[missing, again]].concat();
    insta::assert_snapshot!(all.join("\n"));
}

#[test]
fn an_edit_that_was_changed_is_not_taken_out() {
    let copy = Copy::new();
    copy.vendor(&TWO);
    copy.edit(
        "src/x86_64_avx2/mod.rs",
        "mod poseidon2_generated;",
        "pub mod poseidon2_generated;",
    );
    let record = copy.vendor(&["--remove"]);
    copy.edit(
        "src/x86_64_avx2/mod.rs",
        "pub mod poseidon2_generated;",
        "mod poseidon2_generated;",
    );
    copy.edit(
        "src/poseidon2_generated/vendored.toml",
        "version",
        "versions",
    );
    let told = [record, copy.vendor(&["--remove"])];
    insta::assert_snapshot!(told.join("\n"));
}

#[test]
fn what_is_not_recognised_is_told_with_what_was_expected() {
    let copy = Copy::new();
    let case = |name: &str, from: &str, to: &str| {
        copy.edit(name, from, to);
        let before = copy.files();
        let told = copy.vendor(&TWO);
        assert_eq!(copy.files(), before);
        copy.edit(name, to, from);
        told
    };
    let mut told = vec![
        case(
            "Cargo.toml",
            "name = \"p3-goldilocks\"",
            "name = \"p3-silver\"",
        ),
        case(
            "Cargo.toml",
            "version = \"0.8.0\"\nbuild",
            "version = \"0.9.0\"\nbuild",
        ),
        case("Cargo.toml", "[package]", "[package"),
        case(
            "src/x86_64_avx2/mod.rs",
            "mod poseidon2;",
            "pub mod poseidon2;",
        ),
        case(
            "src/poseidon2.rs",
            "pub fn default_goldilocks_poseidon2_8() -> Poseidon2Goldilocks<8> {\n    Poseidon2::",
            "pub fn default_goldilocks_poseidon2_8() -> Poseidon2Goldilocks<8> {\n    Self::",
        ),
    ];
    fs::write(
        copy.path("src/x86_64_avx2/poseidon2_generated"),
        "in the way",
    )
    .unwrap();
    let before = copy.files();
    told.push(copy.vendor(&TWO));
    assert_eq!(copy.files(), before);
    let clone = Copy::empty();
    clone.write(
        "Cargo.toml",
        "[workspace]\npackage = { version = \"0.8.0\" }\n",
    );
    told.push(clone.vendor(&[]));
    clone.write(
        "goldilocks/Cargo.toml",
        "[package]\nname = \"p3-goldilocks\"\nversion.workspace = true\n",
    );
    told.push(clone.vendor(&[]));
    let inside = clone.path("goldilocks");
    told.push(clone.named(&vendor(&inside, &TWO)));
    told.push(clone.named(&vendor(&inside.join("Cargo.toml"), &[])));
    clone.write(
        "koala-bear/Cargo.toml",
        "[package]\nname = \"p3-koala-bear\"\nversion.workspace = true\n",
    );
    told.push(clone.vendor(&[]));
    // At a version without kernels, no folder is proposed.
    clone.edit("Cargo.toml", "0.8.0", "0.6.0");
    told.push(clone.vendor(&[]));
    clone.write("Cargo.toml", "[workspace]\n");
    told.push(clone.named(&vendor(&inside, &TWO)));
    told.push(vendor(Path::new("nowhere"), &[]));
    clone.write("registry/src/x/Cargo.toml", "");
    let cache = clone.path("registry/src/x");
    told.push(clone.named(&vendor(&cache, &[])));
    assert!(told.iter().all(|told| told.starts_with("exit 2\n")));
    insta::assert_snapshot!(told.join("\n"));
}

#[test]
fn kernels_without_a_place_are_refused() {
    let copy = Copy::new();
    let before = copy.files();
    let told = [
        "w8_avx2_b2,w8_scalar_b4,w8_armv8m_b1,plonky3/koala_bear/w16_scalar_b1",
        "w8_avx3_b1,w9_scalar_b1",
        "w8_neon_lanes_b1,w8_neon_b2",
    ]
    .map(|names| copy.vendor(&["--kernels", names]));
    assert_eq!(copy.files(), before);
    assert!(told.iter().all(|told| told.starts_with("exit 2\n")));
    insta::assert_snapshot!(told.join("\n"));
}
