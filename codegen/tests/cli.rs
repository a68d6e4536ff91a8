//! The program as its users meet it: what it says, what it writes, how it ends.

mod program;

use std::fs;
use std::path::Path;
use std::process::Command;

use program::{ONE, codegen, files, folder, root};

/// A run that needs no folder.
fn run(arguments: &[&str]) -> String {
    codegen(arguments, Path::new("/nowhere"))
}

/// One kernel in a new folder.
fn one() -> (tempfile::TempDir, String) {
    let folder = folder();
    let out = folder.path().to_str().unwrap().to_owned();
    let mut arguments = ONE.to_vec();
    arguments.extend(["--out", &out]);
    assert!(codegen(&arguments, folder.path()).starts_with("exit 0"));
    (folder, out)
}

#[test]
fn help_teaches() {
    for verb in [
        "", "generate", "package", "identify", "check", "diff", "sites", "explain", "prove", "list",
    ] {
        let arguments: Vec<_> = [verb, "--help"]
            .into_iter()
            .filter(|a| !a.is_empty())
            .collect();
        insta::assert_snapshot!(format!("help_{verb}"), run(&arguments));
    }
    assert!(run(&[]).starts_with("exit 2"));
}

#[test]
fn bad_input_is_refused_with_the_way_out() {
    let cases: [&[&str]; 16] = [
        &["--isa", "neno", "--width", "10", "--batch", "3"],
        &["--field", "goldilock", "--isa", "neon"],
        &["--field", "bn254"],
        &["--isa", "neon", "--width", "20"],
        &["--isa", "avx2", "--layout", "registers"],
        &["--isa", "scalar", "--strategy", "lazy"],
        &[
            "--field",
            "koala-bear",
            "--isa",
            "neon",
            "--layout",
            "registers",
        ],
        &["--field", "koala-bear", "--width", "8"],
        &["sites", "w8_noen_b2"],
        &["generate", "--all", "--candidates", "--only", "w8_noen"],
        &["generate", "--candidates", "--isa", "neon"],
        &["sites", "plonky3/goldilock/w8_neon_b2"],
        &["sites", "w16_scalar_b1"],
        &["explain", "w8_neon_b2", "internal.diga[3].0"],
        &["explain", "w8_neon_b2", "external[0].rc"],
        &["--isa", "neon", "check"],
    ];
    let told: Vec<_> = cases
        .iter()
        .map(|case| format!("$ codegen {}\n{}", case.join(" "), run(case)))
        .collect();
    assert!(told.iter().all(|told| told.contains("\nexit 2\n")));
    insta::assert_snapshot!(told.join("\n"));
}

#[test]
fn nobody_needs_to_read_a_complaint() {
    let told = program::shell("\"$CODEGEN\" sites w8_noen 2>/dev/full; echo $?", &root());
    assert_eq!(told, "exit 0\n2\n");
}

#[test]
fn missing_and_broken_files_are_named() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    fs::write(path("broken.toml"), "[permutation\nfield = 3\n").unwrap();
    fs::write(path("file"), "").unwrap();
    let (broken, none, inside) = (path("broken.toml"), path("none"), path("file/inside"));
    let file = path("file");
    let package = [
        "package",
        "--spec",
        "specs/goldilocks-w8.toml",
        "--into",
        &file,
    ];
    let own = format!("{}/specs/goldilocks-w8.toml", env!("CARGO_MANIFEST_DIR"));
    let cases: [&[&str]; 9] = [
        &["--isa", "neon", "--spec", &broken],
        &["--spec", &own, "--width", "9"],
        &["--spec", &own, "--field", "koala-bear"],
        &["--spec", &own, "--isa", "wasm", "--batch", "4"],
        &["--isa", "neon", "--spec", &none],
        &["--isa", "neon", "--width", "8", "--templates", &none],
        &["--isa", "scalar", "--width", "8", "--out", &inside],
        &["check", "--out", &file],
        &package,
    ];
    let told: Vec<_> = cases
        .iter()
        .map(|case| codegen(case, folder.path()))
        .collect();
    assert!(told.iter().all(|told| told.starts_with("exit 2\n")));
    insta::assert_snapshot!(told.join("\n"));
    assert_eq!(files(folder.path()), ["broken.toml", "file"]);
}

#[test]
fn one_kernel_makes_a_whole_crate_and_tells_what_it_did() {
    let (folder, out) = one();
    insta::assert_debug_snapshot!(files(folder.path()));
    let mut again = ONE.to_vec();
    again.extend(["--out", &out]);
    let told = codegen(&again, folder.path());
    assert!(
        told.contains("(unchanged)") && !told.contains("around them"),
        "{told}"
    );
    // Another one joins the first.
    let other = [
        "--isa", "scalar", "--width", "8", "--batch", "1", "--out", &out,
    ];
    let told = codegen(&other, folder.path());
    for part in [
        "add-sites",
        "elided",
        "kept",
        "operations",
        "certificate",
        "around them",
    ] {
        assert!(told.contains(part), "{told}");
    }
    let registry = fs::read_to_string(folder.path().join("src/registry.rs")).unwrap();
    for kernel in ["w8_neon_b2::permute_raw", "w8_scalar_b1::permute_raw"] {
        assert!(registry.contains(kernel));
    }
}

#[test]
fn the_generated_crate_compiles_on_its_own() {
    let folder = folder();
    let out = folder.path().to_str().unwrap();
    let scalar = [
        "--isa", "scalar", "--width", "8", "--batch", "1", "--out", out,
    ];
    assert!(codegen(&scalar, folder.path()).starts_with("exit 0"));
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let compiled = Command::new(rustc)
        .args([
            "--edition",
            "2024",
            "--crate-type",
            "rlib",
            "-D",
            "warnings",
            "--emit",
        ])
        .arg(format!(
            "metadata={}",
            folder.path().join("out.rmeta").display()
        ))
        .arg(folder.path().join("src/lib.rs"))
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&compiled.stderr);
    assert!(compiled.status.success(), "{errors}");
}

#[test]
fn candidates_are_not_written_among_what_is_used() {
    let folder = folder();
    let target = folder.path().display();
    let (kernel, file) = (
        "--isa scalar --width 12 --batch 4",
        "candidates/src/plonky3/goldilocks/w12_scalar_b4.rs",
    );
    let line = format!("CARGO_TARGET_DIR={target} $CODEGEN {kernel} --strategy eager");
    let told = program::shell(&line, &root());
    assert!(told.starts_with("exit 0\nnothing uses these"), "{told}");
    assert!(told.contains(&format!("{target}/{file}")), "{told}");
    assert!(folder.path().join(file).is_file());
    assert!(!told.contains("ROOT/generated"), "{told}");
}

#[test]
fn stdout_writes_nothing() {
    let folder = folder();
    let out = folder.path().join("new");
    let mut arguments = ONE.to_vec();
    arguments.extend(["--stdout", "--infer", "--out", out.to_str().unwrap()]);
    let told = codegen(&arguments, folder.path());
    assert!(told.contains("pub unsafe fn permute_raw"));
    assert!(!out.exists());
}

#[test]
fn check_tells_kinds_apart_and_writes_nothing() {
    let (folder, out) = one();
    let kernel = folder.path().join("src/plonky3/goldilocks/w8_neon_b2.rs");
    let text = fs::read_to_string(&kernel).unwrap();
    fs::write(&kernel, text.replacen("subs ", "adds ", 1)).unwrap();
    let orphan = folder.path().join("src/orphan.rs");
    fs::write(&orphan, "// @generated by codegen; do not edit.\n").unwrap();
    let before = files(folder.path());
    let told = codegen(&["check", "--out", &out], folder.path());
    assert_eq!(files(folder.path()), before);
    let kinds = ["stale", "missing", "orphaned", "edited by hand"];
    let first = |kind: &&str| {
        let mut lines = told.lines().skip_while(|line| !line.starts_with(kind));
        format!(
            "{}\n{}",
            lines.next().unwrap_or("?"),
            lines.next().unwrap_or("?")
        )
    };
    let shown: Vec<_> = kinds.iter().map(first).collect();
    assert!(told.starts_with("exit 1\n"));
    insta::assert_snapshot!(shown.join("\n"));
}

#[test]
fn a_changed_template_is_shown_by_instruction_and_refused() {
    let (folder, out) = one();
    let templates = folder.path().join("templates");
    program::copy(&root().join("templates"), &templates);
    let template = templates.join("neon/registers/goldilocks/canonicalise.tera");
    let text = fs::read_to_string(&template).unwrap();
    fs::write(&template, text.replace("csel r, t, x, cs", "add r, t, x")).unwrap();
    let templates = templates.to_str().unwrap();
    let places = ["--templates", templates, "--out", &out];
    let diff: Vec<_> = ["diff", "w8_neon_b2"].into_iter().chain(places).collect();
    let told = codegen(&diff, folder.path());
    assert!(told.starts_with("exit 2\n"));
    let counts: Vec<_> = told
        .lines()
        .skip_while(|line| !line.contains("in the text"))
        .collect();
    insta::assert_snapshot!(counts.join("\n"));
    let generate: Vec<_> = ONE.into_iter().chain(places).collect();
    assert!(codegen(&generate, folder.path()).starts_with("exit 2\n"));
}

#[test]
fn a_kernel_that_changed_since_it_was_timed_is_told() {
    let folder = folder();
    let out = folder.path().join("out").display().to_string();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(root.join("specs/goldilocks-w8.toml")).unwrap();
    let spec = folder.path().join("spec.toml");
    let path = spec.display().to_string();
    let arguments = "--isa avx512ifma --strategy limbs --batch 1 --spec".split(' ');
    let arguments: Vec<_> = arguments.chain([path.as_str(), "--out", &out]).collect();
    fs::write(&spec, &text).unwrap();
    let told = codegen(&arguments, folder.path());
    assert!(
        told.starts_with("exit 0") && !told.contains("stale"),
        "{told}"
    );
    // Another number of S-boxes at a time is other code under the same name.
    let table = text.split("[[kernel]]").find(|table| {
        table.contains("isa = \"avx512ifma\"") && table.contains("strategy = \"limbs\"")
    });
    let table = table.unwrap();
    let other = if table.contains("sboxes = 2") { 4 } else { 2 };
    let lines = table.lines().filter(|line| !line.starts_with("sboxes"));
    let mut changed: Vec<_> = lines.map(str::to_owned).collect();
    changed.insert(1, format!("sboxes = {other}"));
    fs::write(&spec, text.replace(table, &(changed.join("\n") + "\n\n"))).unwrap();
    let told = codegen(&arguments, folder.path());
    let warnings: Vec<_> = told
        .lines()
        .skip_while(|line| !line.contains('⚠'))
        .collect();
    insta::assert_snapshot!(warnings.join("\n"));
    // Once: from now on `tune --status` lists it.
    let told = codegen(&arguments, folder.path());
    assert!(!told.contains('⚠'), "{told}");
}

#[test]
fn sites_explain_and_list_answer() {
    let told = run(&["sites", "w8_neon_b2"]);
    assert!(told.starts_with("exit 0") && !told.contains("assumed"));
    let head: Vec<_> = told.lines().take(4).collect();
    insta::assert_snapshot!("sites", head.join("\n"));
    insta::assert_snapshot!("explain", run(&["explain", "w8_neon_b2", "internal.rc"]));
    let json = run(&["list", "--json"]).replacen("exit 0\n", "", 1);
    let kernels: Vec<serde_json::Value> = serde_json::from_str(&json).unwrap();
    assert!(
        kernels
            .iter()
            .any(|k| k["name"] == "plonky3/goldilocks/w8_neon_b2")
    );
    let table = run(&["list"]);
    assert_eq!(table.lines().count(), kernels.len() + 2);
    // What a kernel runs on is known before it is generated.
    for (kernel, runs_on) in [
        ("plonky3/baby_bear/w16_scalar_radix64_b1", "any but riscv32"),
        ("plonky3/koala_bear/w16_avx512_signed_b2", "x86_64, avx512f"),
    ] {
        let mut lines = table.lines();
        let line = lines.find(|line| line.starts_with(&format!("{kernel} ")));
        let rest = line.and_then(|line| line.strip_prefix(kernel)).unwrap();
        assert!(
            rest.trim_start().starts_with(&format!("{runs_on}  ")),
            "{line:?}"
        );
    }
}
