use std::fs;
use std::path::Path;

use super::*;

const ALL: &str = "cargo run -p codegen -- generate --all";

fn set(bodies: &[(&str, &str)]) -> FileSet {
    let mut set = FileSet::new();
    for (path, body) in bodies {
        set.insert(*path, format!("cargo run -p codegen -- {path}"), body);
    }
    set
}

fn three() -> FileSet {
    set(&[
        ("manifest.json", "[]\n"),
        ("src/a.rs", "//! A.\n"),
        ("src/deep/b.cert", "kernel b\n"),
    ])
}

fn kinds(set: &FileSet, root: &Path) -> Vec<(Kind, String)> {
    let found = check(set, root, Scope::Whole, ALL).unwrap();
    found.into_iter().map(|m| (m.kind, m.path)).collect()
}

#[test]
fn blessed_is_accepted_and_blessing_again_touches_nothing() {
    let root = tempfile::tempdir().unwrap();
    let first = bless(&three(), root.path(), Scope::Whole).unwrap();
    assert_eq!(first.written.len(), 3);
    assert_eq!(kinds(&three(), root.path()), []);
    let again = bless(&three(), root.path(), Scope::Whole).unwrap();
    assert_eq!((again.written.len(), again.unchanged.len()), (0, 3));
}

#[test]
fn every_kind_of_mismatch_has_its_name_and_its_fix() {
    let root = tempfile::tempdir().unwrap();
    let old = set(&[
        ("gone.rs", "fn gone() {}\n"),
        ("src/edited.rs", "fn edited() {}\n"),
        ("src/ends.rs", "fn ends() {}\n"),
        ("src/stale.rs", "fn old() {}\n"),
    ]);
    bless(&old, root.path(), Scope::Whole).unwrap();
    let edit = |path: &str, change: &dyn Fn(String) -> String| {
        let path = root.path().join(path);
        fs::write(&path, change(fs::read_to_string(&path).unwrap())).unwrap();
    };
    edit("src/edited.rs", &|text| text + "// a quick fix\n");
    edit("src/ends.rs", &|text| text.replace('\n', "\r\n"));
    fs::write(root.path().join("src/foreign.rs"), "fn mine() {}\n").unwrap();
    fs::write(root.path().join("notes.txt"), "nobody's business\n").unwrap();
    let new = set(&[
        ("src/edited.rs", "fn edited() {}\n"),
        ("src/ends.rs", "fn ends() {}\n"),
        ("src/foreign.rs", "fn foreign() {}\n"),
        ("src/missing.rs", "fn missing() {}\n"),
        ("src/stale.rs", "fn new() {}\n"),
    ]);
    let found = check(&new, root.path(), Scope::Whole, ALL).unwrap();
    insta::assert_snapshot!(listed(&found));
    let found = check(&new, root.path(), Scope::Part, ALL).unwrap();
    assert!(found.iter().all(|m| m.kind != Kind::Orphaned));
}

#[test]
fn orphans_are_deleted_with_their_folders_and_strangers_stay() {
    let root = tempfile::tempdir().unwrap();
    bless(&three(), root.path(), Scope::Whole).unwrap();
    fs::write(root.path().join("src/stranger.rs"), "fn mine() {}\n").unwrap();
    let less = set(&[("manifest.json", "[]\n")]);
    let outcome = bless(&less, root.path(), Scope::Whole).unwrap();
    assert_eq!(outcome.deleted, ["src/a.rs", "src/deep/b.cert"]);
    assert!(!root.path().join("src/deep").exists());
    assert!(root.path().join("src/stranger.rs").exists());
}

#[test]
fn a_file_that_is_not_ours_is_never_overwritten() {
    let root = tempfile::tempdir().unwrap();
    fs::create_dir(root.path().join("src")).unwrap();
    fs::write(root.path().join("src/a.rs"), "fn mine() {}\n").unwrap();
    let error = bless(&three(), root.path(), Scope::Whole).unwrap_err();
    assert!(error.to_string().contains("not written by codegen"));
    assert!(!root.path().join("manifest.json").exists());
}

#[test]
fn a_file_without_a_header_is_recognised_by_its_hash() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("README.md");
    let with = |text: &str| {
        let mut set = three();
        set.insert_whole("README.md", ALL, text);
        set.insert_hashes(ALL);
        set
    };
    let kind = |set: &FileSet| {
        let mut found = kinds(set, root.path()).into_iter();
        found.find_map(|(kind, path)| (path == "README.md").then_some(kind))
    };
    fs::write(&path, "mine\n").unwrap();
    assert_eq!(kind(&with("old\n")), Some(Kind::Foreign));
    assert!(bless(&with("old\n"), root.path(), Scope::Whole).is_err());
    assert_eq!(fs::read_to_string(&path).unwrap(), "mine\n");
    fs::remove_file(&path).unwrap();
    bless(&with("old\n"), root.path(), Scope::Whole).unwrap();
    assert_eq!(kinds(&with("old\n"), root.path()), []);
    assert_eq!(kind(&with("new\n")), Some(Kind::Stale));
    fs::write(&path, "old\r\n").unwrap();
    assert_eq!(kind(&with("old\n")), Some(Kind::LineEnds));
    fs::write(&path, "old\nand mine\n").unwrap();
    assert_eq!(kind(&with("new\n")), Some(Kind::EditedByHand));
    let outcome = bless(&with("new\n"), root.path(), Scope::Whole).unwrap();
    assert_eq!(outcome.edited, ["README.md"]);
}

#[test]
fn a_failure_leaves_nothing_behind() {
    let root = tempfile::tempdir().unwrap();
    // A file where a folder is needed, met after other files were staged.
    fs::write(root.path().join("zzz"), "").unwrap();
    let set = set(&[("new/a.rs", ""), ("zzz/b.rs", "")]);
    assert!(bless(&set, root.path(), Scope::Whole).is_err());
    let left: Vec<_> = fs::read_dir(root.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(left, ["zzz"]);
}

#[test]
fn a_region_is_replaced_and_the_rest_kept() {
    let root = tempfile::tempdir().unwrap();
    let readme = root.path().join("README.md");
    let mut set = three();
    let mut insert = || set.insert_region(&readme, "kernels", ALL, "| a | b |\n");
    assert!(insert().is_err());
    let text = "# Title\n\n<!-- kernels:begin -->\nold\n<!-- kernels:end -->\n\nThe end.\n";
    fs::write(&readme, text).unwrap();
    insert().unwrap();
    assert!(kinds(&set, root.path()).contains(&(Kind::Stale, readme.display().to_string())));
    bless(&set, root.path(), Scope::Whole).unwrap();
    assert_eq!(kinds(&set, root.path()), []);
    insta::assert_snapshot!(fs::read_to_string(&readme).unwrap());
}
