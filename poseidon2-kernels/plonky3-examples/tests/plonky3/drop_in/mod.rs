//! The README's diff is the difference of two programs that give the same root.
#![allow(dead_code, unreachable_pub, reason = "these are programs")]
#![allow(clippy::clone_on_copy, reason = "the peer's type must be cloned")]

mod after;
mod before;

use similar::TextDiff;

fn diff(file: &str, before: &str, after: &str) -> String {
    TextDiff::from_lines(before, after)
        .unified_diff()
        .context_radius(1)
        .header(&format!("a/{file}"), &format!("b/{file}"))
        .to_string()
}

#[test]
fn the_readme_shows_the_difference() {
    let manifest = diff(
        "Cargo.toml",
        include_str!("before.toml"),
        include_str!("after.toml"),
    );
    let program = diff(
        "src/main.rs",
        include_str!("before.rs"),
        include_str!("after.rs"),
    );
    let readme = include_str!("../../../../../README.md");
    let shown = readme
        .split("```diff\n")
        .nth(1)
        .and_then(|rest| rest.split("```").next());
    assert_eq!(shown, Some(format!("{manifest}{program}").as_str()));
    for (text, sign, lines) in [
        (&manifest, '-', 0),
        (&manifest, '+', 1),
        (&program, '-', 2),
        (&program, '+', 2),
    ] {
        let edited = text
            .lines()
            .skip(2)
            .filter(|line| line.starts_with(sign))
            .count();
        assert_eq!(edited, lines, "{text}");
    }
}

#[test]
fn the_dependency_is_this_package() {
    // By its repository until it is published.
    let line = format!(
        "poseidon2-kernels = {{ git = \"{}\", features = [\"plonky3\"] }}",
        env!("CARGO_PKG_REPOSITORY")
    );
    assert!(
        include_str!("after.toml")
            .lines()
            .any(|other| other == line)
    );
}

#[test]
fn both_programs_find_the_same_root() {
    for (rows, columns) in [(1, 1), (31, 3), (32, 40), (1000, 7)] {
        assert_eq!(before::root(rows, columns), after::root(rows, columns));
    }
}
