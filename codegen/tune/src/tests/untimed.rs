//! What is done without timing anything.

use super::*;

#[cfg(target_arch = "x86_64")]
#[test]
fn status_tells_what_no_table_knows_and_writes_nothing() {
    /// All files and folders, with what is in them.
    fn all_in(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
        let mut found = Vec::new();
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let inside = if path.is_dir() {
                all_in(&path)
            } else {
                Vec::new()
            };
            found.push((path.clone(), std::fs::read(path).unwrap_or_default()));
            found.extend(inside);
        }
        found
    }
    let (folder, workspace) = repository();
    let fake = Fake::new(larger_is_faster);
    let request = of_plain_rust();
    tuned(&workspace, &request, &fake);
    let path = folder.path().join("codegen/tuning/mine.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    // As if one had been timed before its code changed, and another before codes were recorded.
    let code = |name: &str| {
        let line = text
            .lines()
            .find(|line| line.starts_with(&format!("{name} = \"")));
        line.unwrap().to_owned() + "\n"
    };
    let other = "w8_scalar_b1 = \"0123456789abcdef\"\n";
    let old = text
        .replace(&code("w8_scalar_b1"), other)
        .replace(&code("w8_scalar_b2"), "");
    std::fs::write(&path, &old).unwrap();
    std::fs::remove_dir_all(folder.path().join("target")).unwrap();
    let before = all_in(folder.path());
    let status = Request {
        status: true,
        ..Request::default()
    };
    let asked = fake.asked.lock().unwrap().len();
    insta::assert_snapshot!(tuned(&workspace, &status, &fake));
    assert_eq!(fake.asked.lock().unwrap().len(), asked);
    assert!(all_in(folder.path()) == before, "something was written");
}

#[test]
fn tables_are_decided_anew_by_their_own_figures() {
    let (folder, workspace) = repository();
    let fake = Fake::new(larger_is_faster);
    let request = of_plain_rust();
    tuned(&workspace, &request, &fake);
    let path = folder.path().join("codegen/tuning/mine.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    let crate_text = || std::fs::read_to_string(folder.path().join("generated/src/tuning.rs"));
    let before = crate_text().unwrap();
    // The spread hides now what was faster.
    std::fs::write(&path, text.replace("spread = 0.010", "spread = 0.500")).unwrap();
    let decide = Request {
        decide: true,
        ..Request::default()
    };
    let told = tuned(&workspace, &decide, &fake);
    assert!(
        told.contains("mine.toml: written") && told.contains("files written"),
        "{told}"
    );
    let text = std::fs::read_to_string(&path).unwrap();
    let used: Vec<_> = text
        .lines()
        .filter(|line| line.contains("used = true"))
        .collect();
    assert_eq!(used.len(), text.matches(" = [\n").count());
    assert!(
        used.iter().all(|line| line.contains("states =  1,")),
        "{used:?}"
    );
    assert!(text.contains("by its spread not surely faster than"));
    assert_ne!(crate_text().unwrap(), before);
}

#[test]
fn what_says_what_to_time_does_not_go_with_what_times_nothing() {
    for arguments in [
        &["--status", "--all"][..],
        &["--decide", "--cpu", "mine"],
        &["--decide", "--status"],
        &["--all", "--field", "goldilocks"],
    ] {
        let all = ["tune"].iter().chain(arguments).map(Into::into);
        assert_eq!(crate::cli::run(all, &mut Vec::new()), Exit::Refused);
    }
}
