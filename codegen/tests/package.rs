//! A crate of one's own: what is written, compared and refused. That it builds and passes its tests is
//! shown by `own_crate`, which compiles it.

mod program;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use program::{codegen, files, folder, root};

/// What no project has: its own M4, M4 ⊗ P, a scaled internal layer, large entries and small ones.
const OWN: &str = r#"[permutation]
parameter-set = "mine"
field = "baby-bear"
width = 12
external-rounds = 6
internal-rounds = 5
sbox = 7
external-layer = { m4 = [[2, 3, 1, 1], [1, "-2", 3, 1], ["0x1234567", 1, 2, 3], [3, 1, 0, 2]], order = "strides", initial = false }
scale = "3/2^7"
diagonal = ["-2", 1, 2, "1/2", "-1/2", "0x70000001", 0, 77, "1/2^40", "-1/2^9", "1/2^9", 5]
constants = { grain = "initial-final-internal" }
"#;

/// What a run of `package` tells, with these arguments after the spec and the crate's folder.
fn package(text: &str, place: &Path, name: &str, more: &[&str]) -> String {
    let (spec, into) = (place.join("own.toml"), place.join(name));
    fs::write(&spec, text).unwrap();
    let mut arguments = vec!["package", "--spec", spec.to_str().unwrap()];
    arguments.extend(["--into", into.to_str().unwrap()]);
    arguments.extend(more);
    codegen(&arguments, place)
}

#[test]
fn a_crate_is_written_compared_and_mended() {
    let place = folder();
    let told = package(OWN, place.path(), "my-hash", &[]);
    assert!(told.starts_with("exit 0\n"), "{told}");
    let into = place.path().join("my-hash");
    for name in [
        ".gitattributes",
        "Cargo.lock",
        "Cargo.toml",
        "README.md",
        "checker/instructions.smt2",
        "generated/proofs/mine/baby_bear/w12.instance",
        "generated/proofs/mine/baby_bear/w12_eager.cert",
        "generated/src/mine/baby_bear/w12_scalar_b1.rs",
        "kernels/src/lib.rs",
        "kernels/src/plonky3/v0_8.rs",
        "known_answers.txt",
        "reference/src/permutation.rs",
        "src/lib.rs",
        "tests/package.rs",
        "tests/plonky3.rs",
    ] {
        assert!(
            into.join(name).is_file(),
            "{name} is not in {:?}",
            files(&into)
        );
    }
    let told = package(OWN, place.path(), "my-hash", &["--check"]);
    assert!(told.contains("all as packaged"), "{told}");

    let library = into.join("src/lib.rs");
    let text = fs::read_to_string(&library).unwrap();
    fs::write(
        &library,
        text.replace("Elements in a state", "Words in a state"),
    )
    .unwrap();
    fs::remove_file(into.join("known_answers.txt")).unwrap();
    fs::write(into.join("LICENSE-MIT"), "ours\n").unwrap();
    let told = package(OWN, place.path(), "my-hash", &["--check"]);
    assert!(told.starts_with("exit 1\n"), "{told}");
    assert!(told.contains("edited by hand  src/lib.rs"), "{told}");
    assert!(told.contains("known_answers.txt"), "{told}");
    let told = package(OWN, place.path(), "my-hash", &[]);
    assert!(told.contains("3 files written"), "{told}");
    assert!(told.contains("LICENSE-MIT was edited by hand"), "{told}");
    assert!(told.contains("src/lib.rs was edited by hand"), "{told}");
    assert_eq!(fs::read_to_string(&library).unwrap(), text);

    // What stands in the folder of somebody else is kept, with a header or without.
    let taken = place.path().join("taken");
    fs::create_dir(&taken).unwrap();
    let theirs = [
        "Cargo.lock",
        "LICENSE-MIT",
        "README.md",
        "Cargo.toml",
        "known_answers.txt",
    ];
    for name in theirs {
        fs::write(taken.join(name), "mine\n").unwrap();
    }
    let told = package(OWN, place.path(), "taken", &[]);
    assert!(told.starts_with("exit 2\n"), "{told}");
    for name in theirs {
        assert!(
            told.contains(&format!("refusing to overwrite OUT/taken/{name}")),
            "{told}"
        );
    }
    assert_eq!(files(&taken).len(), theirs.len());

    // A crate and its spec may be moved: only what writes them is called otherwise.
    let elsewhere = place.path().join("some/where");
    fs::create_dir_all(&elsewhere).unwrap();
    fs::rename(&into, elsewhere.join("my-hash")).unwrap();
    let told = package(OWN, &elsewhere, "my-hash", &["--check"]);
    assert!(told.contains("all as packaged"), "{told}");
    let library = elsewhere.join("my-hash/src/lib.rs");
    fs::remove_file(&library).unwrap();
    let told = package(OWN, &elsewhere, "my-hash", &["--check"]);
    assert!(
        told.contains("fix: cargo run -p codegen -- package --into OUT/my-hash "),
        "{told}"
    );
    fs::write(&library, text).unwrap();
    fs::rename(elsewhere.join("my-hash"), &into).unwrap();

    // A crate around another one leaves that alone, and tells what it deletes of its own.
    let around = place.path().join("around");
    fs::create_dir(&around).unwrap();
    fs::rename(&into, around.join("my-hash")).unwrap();
    let before = files(&around);
    let told = package(OWN, place.path(), "around", &[]);
    assert!(told.contains(" 0 deleted"), "{told}");
    let after = files(&around);
    assert!(before.iter().all(|file| after.contains(file)));
    let kept = around.join("src/lib.rs");
    fs::copy(&kept, around.join("src/more.rs")).unwrap();
    let told = package(OWN, place.path(), "around", &[]);
    assert!(told.contains(" 1 deleted"), "{told}");
}

/// Loops over external rounds are laid out in several ways; each without the layer before them, too. Numbers that are
/// no small ones, too, have no place in an order of our own. The checker reads every kernel that is packaged.
#[test]
fn every_strategy_serves_without_the_initial_layer() {
    let place = folder();
    let large = |width| (0..width).map(|i| (5 + 3 * i * i).to_string()).collect();
    let small = |width: i32| (1..=width).map(|i| format!("\"1/2^{i}\"")).collect();
    for (n, (field, alpha, diagonal, kernel)) in [
        ("koala-bear", 3, large(16), "w16_avx512ifma_radix52_b1"),
        ("koala-bear", 3, large(16), "w16_neon_lanes_long_b1"),
        ("koala-bear", 3, small(16), "w16_neon_lanes_long_b1"),
        ("baby-bear", 7, large(24), "w24_avx512ifma_radix52_b1"),
        ("goldilocks", 7, large(8), "w8_avx2_halves_b1"),
        ("goldilocks", 7, small(8), "w8_avx2_halves_b1"),
    ]
    .into_iter()
    .enumerate()
    {
        let diagonal: Vec<String> = diagonal;
        let spec = format!(
            "[permutation]\nparameter-set = \"mine\"\nfield = \"{field}\"\nwidth = {}\n\
             external-rounds = 6\ninternal-rounds = 9\nsbox = {alpha}\n\
             external-layer = {{ m4 = \"horizen\", order = \"strides\", initial = false }}\n\
             diagonal = [{}]\nconstants = \"grain\"\n",
            diagonal.len(),
            diagonal.join(", ")
        );
        let told = package(&spec, place.path(), &format!("their place/own-{n}"), &[]);
        assert!(told.starts_with("exit 0\n"), "{told}");
        assert!(told.contains(kernel), "{told}");
        // One word to a shell, wherever the crate is.
        assert!(told.contains("--manifest-path '"), "{told}");
        // The kernels of that layout are for width 16.
        let staggered =
            "layout `staggered` is for permutations with an external layer before the first round";
        assert_eq!(told.contains(staggered), diagonal.len() == 16, "{told}");
        // Divisions by more than two have no template there, which is no reason to make no crate.
        let divided = field == "goldilocks" && diagonal[0].starts_with('"');
        assert_eq!(told.contains("no armv8m eager: "), divided, "{told}");
        let notes: Vec<&str> = told
            .lines()
            .filter(|line| line.starts_with("no "))
            .collect();
        let different: BTreeSet<&str> = notes.iter().copied().collect();
        assert_eq!(notes.len(), different.len(), "{told}");
    }
}

/// Whatever is stated otherwise than it was proved, the checker refuses.
#[test]
fn what_is_stated_is_compared() {
    let place = folder();
    let told = package(OWN, place.path(), "my-hash", &[]);
    assert!(told.starts_with("exit 0\n"), "{told}");
    let generated = place.path().join("my-hash/generated");
    let refused = || {
        checker::Crate::read(&generated)
            .unwrap()
            .refused(&generated)
    };
    assert_eq!(refused(), Vec::<String>::new());
    let stated = generated.join("proofs/mine/baby_bear/w12.instance");
    let text = fs::read_to_string(&stated).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let (mut tried, mut accepted) = (0, Vec::new());
    for (n, line) in lines
        .iter()
        .enumerate()
        .filter(|(_, line)| !line.starts_with('#'))
    {
        for (at, word) in line.split(' ').enumerate().skip(1) {
            let number = word.parse::<u64>().map(|number| (number + 1).to_string());
            let other = match word {
                "no" => "yes",
                "strides" => "blocks",
                "external-first" => "",
                "baby-bear" => "koala-bear",
                _ => number.as_deref().unwrap_or("17/2^3"),
            };
            let mut words: Vec<&str> = line.split(' ').collect();
            words[at] = other;
            let mut lines: Vec<String> = lines.iter().map(|&line| line.to_owned()).collect();
            lines[n] = words.join(" ");
            fs::write(&stated, lines.join("\n")).unwrap();
            tried += 1;
            if refused().is_empty() {
                accepted.push(format!("{other} for {word} in `{line}`"));
            }
        }
    }
    assert_eq!((tried > 35, accepted), (true, Vec::<String>::new()));
}

/// A kernel is accepted as it is, and refused with each of these changes, or with another number first in its table.
fn all_are_refused(generated: &Path, kernel: &str, changes: &[(&str, &str)]) {
    let refused = || {
        let read = checker::Crate::read(generated).unwrap();
        read.refused(generated)
    };
    assert_eq!(refused(), Vec::<String>::new());
    let file = generated.join(kernel);
    let text = fs::read_to_string(&file).unwrap();
    let table = text.split_once("= [\n    [").expect("there is a table").1;
    let first = format!("[{},", table.split_once(',').unwrap().0);
    for (from, to) in changes.iter().chain(&[(&*first, "[1,")]) {
        let other = text.replacen(from, to, 1);
        assert_ne!(other, text, "{to}");
        fs::write(&file, other).unwrap();
        assert!(refused()[0].starts_with(kernel), "{to}");
    }
}

/// Factors of rounds are the certificate's, and nothing writes them.
#[test]
fn scaled_layers_are_rescaled_on_ifma() {
    let place = folder();
    let spec = "[permutation]\nparameter-set = \"mine\"\nfield = \"baby-bear\"\nwidth = 12\n\
                external-rounds = 4\ninternal-rounds = 3\nsbox = 7\nscale = \"1/2^32\"\n\
                diagonal = [\"-2\", 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]\nconstants = \"grain\"\n";
    let told = package(spec, place.path(), "own", &[]);
    assert!(told.starts_with("exit 0\n"), "{told}");
    all_are_refused(
        &place.path().join("own/generated"),
        "src/mine/baby_bear/w12_avx512ifma_rescaled52_b1.rs",
        &[
            ("static FACTORS", "static mut FACTORS"),
            ("FACTORS[round][0]", "FACTORS[round][1]"),
            ("FACTORS[round][1]", "FACTORS[0][1]"),
        ],
    );
}

/// This matrix multiplies element 0 by eight for element 0 of the next round and for others: on general registers for
/// the one and, if it were done again, on vectors for the others, which the checker refuses.
#[test]
fn what_is_made_on_general_registers_is_not_made_on_vectors_again() {
    let place = folder();
    let page = include_str!("../../docs/specs.md");
    let mut examples = page.split("```toml\n").skip(1);
    let example = examples.find(|block| block.starts_with("[permutation]\nkind = \"poseidon1\""));
    let example = example.unwrap().split("```").next().unwrap();
    let mut spec = example.to_owned();
    for (isa, layout) in [
        ("scalar", "registers"),
        ("x86_64", "across"),
        ("avx512", "across"),
    ] {
        spec += &format!("\n[[kernel]]\nisa = \"{isa}\"\nlayout = \"{layout}\"\nbatch = [1]\n");
    }
    let told = package(&spec, place.path(), "own", &[]);
    assert!(told.starts_with("exit 0\n"), "{told}");
    assert!(told.contains("w8_x86_64_across_beside_b1"), "{told}");
    assert!(told.contains("w8_avx512_across_beside_b1"), "{told}");
}

/// Tables have figures of Poseidon2, by which kernels that reduce at every operation would serve some CPUs.
#[test]
fn kernels_of_poseidon1_sum_products_before_they_reduce() {
    let place = folder();
    let spec = "[permutation]\nkind = \"poseidon1\"\nparameter-set = \"mine\"\nfield = \"koala-bear\"\nwidth = 16\n\
                full-rounds = 4\npartial-rounds = 3\nsbox = 3\n\
                mds = [1, 1, 51, 1, 11, 17, 2, 1, 101, 63, 15, 2, 67, 22, 13, 3]\nconstants = \"grain\"\n";
    let staggered =
        format!("{spec}\n[[kernel]]\nisa = \"avx512ifma\"\nlayout = \"staggered\"\nbatch = [2]\n");
    let told = package(&staggered, place.path(), "refused", &[]);
    assert!(
        told.contains(
            "layout `staggered` is for permutations with an external layer before the first round"
        ),
        "{told}"
    );
    let told = package(spec, place.path(), "own", &[]);
    assert!(told.starts_with("exit 0\n"), "{told}");
    let tuning = place.path().join("own/generated/src/tuning.rs");
    let tuning = fs::read_to_string(tuning).unwrap();
    let serves = |kernel: &str| tuning.contains(&format!("/w16_{kernel}\""));
    for kernel in ["scalar_b1", "scalar_b2", "avx2_b1", "avx2_b2"] {
        assert!(!serves(kernel), "{kernel}");
    }
    for kernel in [
        "scalar_radix52_b1",
        "neon_lanes_signed_b1",
        "neon_lanes_long_b1",
        "wasm_b1",
        "avx2_signed_b1",
        "avx2_across_uniform_b1",
        "avx512_signed_b1",
        "avx512ifma_radix52_b1",
    ] {
        assert!(serves(kernel), "{kernel}");
    }
    // On NEON products take numbers from a table.
    all_are_refused(
        &place.path().join("own/generated"),
        "src/mine/koala_bear/w16_neon_lanes_signed_b1.rs",
        &[
            ("static MATRIX", "static mut MATRIX"),
            ("[[u32; 4];", "[[u32; 2];"),
            ("(&MATRIX)", "(&[MATRIX[0]])"),
            ("&[Vector; ", "&[Vector; 1"),
            ("$matrix[$vector]", "$matrix[0]"),
            ("::<$lane>", "::<0>"),
            ("entry!(matrix, 0, 0)", "entry!(matrix, 0, 1)"),
            ("entry!(matrix, 0, 0)", "entry!(matrix, 1, 0)"),
        ],
    );
}

#[test]
fn what_cannot_be_packaged_is_refused() {
    let place = folder();
    let refused = |text: &str, name: &str, what: &str| {
        let told = package(text, place.path(), name, &[]);
        assert!(told.starts_with("exit 2\n"), "{told}");
        assert!(told.contains(what), "{told}");
        assert!(!place.path().join(name).exists(), "{name} was written");
    };
    refused(OWN, "My-Hash", "`My-Hash` is not a usable name of a crate");
    refused(OWN, "match", "`match` is not a usable name of a crate");
    refused(OWN, "test", "another crate has it");
    // A crate that its tests name, one that its interface needs, and one that these need.
    for name in ["p3-field", "p3_field", "p3-poseidon2", "syn", "serde"] {
        refused(OWN, name, "another crate has it");
    }
    for set in ["bin", "instance", "lib"] {
        let unusable = format!("parameter set `{set}` is not a usable name");
        refused(&OWN.replace("mine", set), "own", &unusable);
    }
    let told = package(OWN, place.path(), "own", &["--out", "elsewhere"]);
    assert!(told.contains("takes no --out"), "{told}");
    let spec = place.path().join("own.toml");
    let out = place.path().join("generated");
    for verb in [&[][..], &["generate", "--all"]] {
        let places = [
            "--spec",
            spec.to_str().unwrap(),
            "--out",
            out.to_str().unwrap(),
        ];
        let told = codegen(&[verb, &places].concat(), place.path());
        assert!(told.starts_with("exit 2\n"), "{told}");
        assert!(told.contains("own.toml asks for no kernels"), "{told}");
    }
    assert!(!out.exists());
    let sp1 = OWN
        .replace("mine", "risc0")
        .replace("width = 12", "width = 24");
    let entries: Vec<String> = (1..=24).map(|entry| entry.to_string()).collect();
    let start = sp1.find("diagonal").unwrap();
    let sp1 = format!(
        "{}diagonal = [{}]\nconstants = \"grain\"\n",
        &sp1[..start],
        entries.join(", ")
    );
    refused(
        &sp1,
        "other",
        "`risc0` (baby-bear w24) is another permutation",
    );
    let large = format!("{OWN}\n[[kernel]]\nisa = \"avx2\"\nbatch = [1]\nstrategy = \"radix52\"\n");
    refused(&large, "wide", "valid there: `eager`, `signed`");
    let other = large.replace("\"avx2\"", "\"scalar\"");
    refused(&other, "wide", "strategy `radix52` is not for");
    let none = format!("{OWN}\n[[kernel]]\nisa = \"x86_64\"\nbatch = [1]\n");
    refused(
        &none,
        "none",
        "`x86_64` has no kernels of this permutation, over baby-bear",
    );
    refused(
        &OWN.replace("width = 12", "width = 10"),
        "narrow",
        "is not a multiple of 4",
    );
    let two = OWN
        .replace("sbox = 7", "sbox = 5")
        .replace("\"3/2^7\"", "\"0\"");
    refused(&two, "two", "no permutation of baby-bear");
    refused(&two, "two", "is zero");
}

#[test]
fn a_known_answer_tells_whose_permutation_it_is() {
    let place = folder();
    let state = "0, 1, 2, 3, 4, 5, 6, 7";
    let identify = |image| codegen(&["identify", "--known-answer", state, image], place.path());
    let told = identify("0x20cf04a1b214d14,0x84e14aaaeacaed25");
    assert!(
        told.starts_with("exit 0\nplonky3, goldilocks, width 8"),
        "{told}"
    );
    let told = identify("[1]");
    assert!(told.starts_with("exit 1\nnone of these: "), "{told}");
    assert!(told.contains("horizen, goldilocks, width 8"), "{told}");
    assert!(identify("one").starts_with("exit 2\n"));
    // The example of docs/instances.md.
    let page = fs::read_to_string(root().join("docs/instances.md")).unwrap();
    let (_, example) = page
        .split_once("$ cargo run -p codegen -- identify --known-answer \"")
        .unwrap();
    let (example, _) = example.split_once("\n```").unwrap();
    let (arguments, shown) = example.split_once("\"\n").unwrap();
    let (state, image) = arguments.split_once("\" \"").unwrap();
    let told = codegen(&["identify", "--known-answer", state, image], place.path());
    assert_eq!(told, format!("exit 0\n{shown}\n"));
    assert!(identify("1,2,3,4,5,6,7,8,9").starts_with("exit 2\n"));
}

/// Compiles a crate, which takes half a minute: `cargo test -p codegen --test package -- --ignored`.
/// `cargo verify instances` does so for what projects use.
#[test]
#[ignore = "it compiles a crate"]
fn own_crate() {
    let place = folder();
    let told = package(OWN, place.path(), "my-hash", &[]);
    assert!(told.starts_with("exit 0\n"), "{told}");
    for features in [&[][..], &["--features", "plonky3"]] {
        let tested = Command::new(env!("CARGO"))
            .args(["test", "--offline", "--locked"])
            .args(features)
            .current_dir(place.path().join("my-hash"))
            .env_remove("CARGO_TARGET_DIR")
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&tested.stderr);
        assert!(
            tested.status.success(),
            "{errors}{}",
            String::from_utf8_lossy(&tested.stdout)
        );
        assert!(!errors.contains("warning"), "{errors}");
    }
    let told = package(OWN, place.path(), "my-hash", &["--check"]);
    // Cargo's build folder aside, nothing has changed.
    assert!(told.contains("all as packaged"), "{told}");
}
