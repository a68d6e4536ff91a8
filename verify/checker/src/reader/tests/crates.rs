//! What reviews had the checker accept of files beside kernels, and what must be refused since.

use super::review::ACROSS;
use super::*;
use crate::reader::registry::Entry;
use std::collections::BTreeMap;

/// The names of the loop that prepares constants are its own.
#[test]
fn constants_prepared_elsewhere() {
    let read = shipped();
    let name = "koala_bear_radix52";
    let text = source(name);
    assert_eq!(read.check(name, &text), Ok(true));
    for shadow in [
        "let mut chunks = [[0u32; 1]; 4096];",
        "let n = 0;",
        "let constants = [constant];",
    ] {
        let altered = text.replacen("chunks[n] =", &format!("{shadow} chunks[n] ="), 1);
        assert!(read.check(name, &altered).is_err(), "{shadow}");
    }
}

/// Files are those that lists of modules name, and nothing else is in such a list.
#[test]
fn modules_from_elsewhere() {
    let read = shipped();
    let text = source("lib");
    assert_eq!(read.check("lib", &text), Ok(true));
    for (from, to) in [
        ("pub mod plonky3;", "#[path = \"x.rs\"] pub mod plonky3;"),
        ("pub mod plonky3;", "#[macro_use] pub mod plonky3;"),
        (
            "pub mod plonky3;",
            "#[cfg_attr(all(), path = \"x.rs\")] pub mod plonky3;",
        ),
        (
            "pub mod plonky3;",
            "pub mod plonky3 { pub mod goldilocks {} }",
        ),
        ("mod types;", "mod types; macro_rules! plus { () => {} }"),
        ("mod types;", "mod types; extern crate std as core;"),
        ("mod types;", "mod types; include!(\"x.rs\");"),
        ("pub use types::{Constants,", "pub use each::{Constants,"),
        ("pub use cpu::Cpu;", "pub use cpu::Cpu as Constants;"),
        ("pub use cpu::Cpu;", "pub use ::cpu::Cpu;"),
        ("#![no_std]", "#![no_std]\n#![feature(x)]"),
    ] {
        assert!(text.contains(from), "no `{from}`");
        let altered = text.replacen(from, to, 1);
        assert!(read.check("lib", &altered).is_err(), "{to}");
    }
    assert!(read.check("other", "pub const fn other() {}").is_err());
}

/// A kernel is compiled for the architectures that the registry has it for, and nothing else on a condition.
#[test]
fn modules_on_other_conditions() {
    let read = shipped();
    for (file, from, to) in [
        (
            "plonky3/koala_bear/mod",
            "#[cfg(not(target_arch = \"riscv32\"))]\n",
            "",
        ),
        (
            "plonky3/goldilocks/mod",
            "target_endian = \"little\"",
            "target_endian = \"big\"",
        ),
        (
            "plonky3/goldilocks/mod",
            "#[cfg(all(",
            "#[cfg(unix)]\n#[cfg(all(",
        ),
        ("lib", "mod types;", "#[cfg(unix)] mod types;"),
    ] {
        let text = source(file);
        assert_eq!(read.check(file, &text), Ok(true), "{file}");
        let altered = text.replacen(from, to, 1);
        assert_ne!(altered, text, "{file}: no `{from}`");
        let what = read.check(file, &altered).unwrap_err().what;
        assert!(what.contains("no module of the crate"), "{to}: {what}");
    }
}

/// Files that are missing, or not recognised, and permutations that nothing states.
#[test]
fn crates_with_parts_left_out() {
    let folder = std::env::temp_dir().join(format!("poseidon2-checker-{}", std::process::id()));
    let write = |path: &str, text: &str| {
        let path = folder.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    let shipped = |path: &str| std::fs::read_to_string(generated().join(path)).unwrap();
    let certificate = "proofs/plonky3/koala_bear/w24_radix52.cert";
    let kernel = "src/plonky3/koala_bear/w24_scalar_radix52_b1.rs";
    for path in [certificate, kernel] {
        write(path, &shipped(path));
    }
    let prepares = shipped("src/koala_bear_radix52.rs");
    write(
        "src/koala_bear_radix52.rs",
        &prepares.replacen("pub const fn", "pub  const fn", 1),
    );
    let other = shipped(certificate)
        .replace("parameter-set plonky3", "parameter-set x")
        .replace("program plonky3/", "program x/");
    write("proofs/x/koala_bear/w24_radix52.cert", &other);
    let read = Crate::read(&folder).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    let refused = read.refused(&folder).join("\n");
    for what in [
        "src/koala_bear_radix52.rs: no file that crates have",
        "src/registry.rs: is not there",
        "src/tuning.rs: is not there",
        "src/plonky3/koala_bear/constants_w24.rs: is not there",
        "nothing states parameter set x",
    ] {
        assert!(refused.contains(what), "{what}:\n{refused}");
    }
}

/// Of tables that choose kernels nothing is hidden, and a kernel's name says what it is compiled for.
#[test]
fn choices_that_are_not_seen() {
    let read = shipped();
    let text = source("tuning");
    assert!(text.contains("width: 8,"));
    let altered = text.replacen("width: 8,", "width: { 8 },", 1);
    let what = read.check("tuning", &altered).unwrap_err().what;
    assert!(what.contains("plain"), "{what}");

    let (text, shape) = kernel(ACROSS[0], ACROSS[1]);
    let facts = super::read(&text, &shape).unwrap();
    let name = "plonky3/koala_bear/w16_scalar_uniform_b1";
    let entry = Entry {
        program: &shape,
        facts: &facts,
    };
    let source = format!(
        "#[rustfmt::skip] pub static KOALA_BEAR: &[Kernel<u32>] = &[Kernel {{ name: {name:?} }}];"
    );
    let what = registry::read(&source, &BTreeMap::from([(name.to_owned(), entry)])).unwrap_err();
    assert!(what.contains("compiled with"), "{what}");
}

/// A permutation is stated once, where its proofs are.
#[test]
fn other_statements() {
    let folder = tempfile::tempdir().unwrap();
    let proofs = folder.path().join("proofs/mine/koala_bear");
    std::fs::create_dir_all(&proofs).unwrap();
    std::fs::create_dir(folder.path().join("src")).unwrap();
    let text = "poseidon2-instance 1\nparameter-set mine\nfield koala-bear\nwidth 16\n\
                external-rounds 8\ninternal-rounds 20\nalpha 3\n\
                diagonal -2 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15\nconstants grain\n";
    for name in ["w16", "w16_other"] {
        std::fs::write(proofs.join(format!("{name}.instance")), text).unwrap();
    }
    let read = Crate::read(folder.path()).unwrap();
    let outcomes = read.outcomes.iter().map(|(path, outcome)| {
        let what = outcome.as_ref().err().map(|refused| refused.what.as_str());
        (path.file_name().unwrap().to_str().unwrap(), what)
    });
    let mut outcomes: Vec<_> = outcomes.collect();
    outcomes.sort_unstable();
    let elsewhere = "that is to be stated in proofs/mine/koala_bear/w16.instance";
    let wanted = [
        ("w16.instance", None),
        ("w16_other.instance", Some(elsewhere)),
    ];
    assert_eq!(outcomes, wanted);
}

/// A set that the reference knows has no permutations but those that it knows.
#[test]
fn statements_of_a_known_set() {
    let folder = tempfile::tempdir().unwrap();
    let proofs = folder.path().join("proofs/plonky3/goldilocks");
    std::fs::create_dir_all(&proofs).unwrap();
    std::fs::create_dir(folder.path().join("src")).unwrap();
    let text = "poseidon2-instance 1\nparameter-set plonky3\nfield goldilocks\nwidth 20\n\
                external-rounds 2\ninternal-rounds 1\nalpha 7\n\
                diagonal -2 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19\nconstants grain\n";
    std::fs::write(proofs.join("w20.instance"), text).unwrap();
    let read = Crate::read(folder.path()).unwrap();
    let refused = read.refused(folder.path()).join("");
    assert!(refused.contains("knows parameter set plonky3"), "{refused}");
}

/// Cargo compiles what lies in these places, and executes some of it before the crate.
#[test]
fn programs_beside_the_sources() {
    for path in [
        "build.rs",
        "tests/all.rs",
        "examples/one.rs",
        "benches/one.rs",
        ".cargo/config.toml",
    ] {
        let folder = tempfile::tempdir().unwrap();
        let refused = || Crate::read(folder.path()).unwrap().refused(folder.path());
        for empty in ["proofs", "src"] {
            std::fs::create_dir(folder.path().join(empty)).unwrap();
        }
        assert_eq!(refused(), Vec::<String>::new());
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, "").unwrap();
        let refused = refused().join("");
        assert!(
            refused.contains("may be compiled"),
            "{}: {refused}",
            path.display()
        );
    }
}

/// Parts of files beside kernels that were not looked at.
#[test]
fn parts_of_crates() {
    let read = shipped();
    let attacks = [
        (
            "koala_bear_radix52",
            "chunks[n] = [v3, 0_u32];",
            "let [mut chunks] = [[[v3; 2]; 4096]]; chunks[n] = [v3, 0_u32];",
            "no statement on one constant",
        ),
        (
            "koala_bear_radix52",
            "chunks[n] = [v3, 0_u32];",
            "chunks[n] = [v3, 0_u32]; if 0 > 1 { break; } let _x = [v3, 0_u32];",
            "not the loop",
        ),
        (
            "koala_bear_radix52",
            "chunks[n] = [v3, 0_u32];",
            "chunks[n] = [v3, 1_u32];",
            "prepared otherwise",
        ),
        (
            "koala_bear_radix52",
            "        n += 1;\n    }\n}\n",
            "        n += 1;\n    }\n}\nmacro_rules! line { () => { 0 }; }\n",
            "does not end with `prepare`",
        ),
        (
            "lib",
            "pub use tuning::{Choice,",
            "pub use tuning::{Choice, Constants,",
            "no module of the crate",
        ),
        (
            "lib",
            "pub use registry::{\n",
            "pub use registry::{\nplonky3,",
            "no module of the crate",
        ),
        (
            "tuning",
            "redc_b2\", least: 2",
            "redc_b2\", least: 1",
            "takes 2 states, not 1",
        ),
        (
            "tuning",
            "Step { kernel: ",
            "Step { #[cfg(any())] kernel: \"\", kernel: ",
            "the tables are no plain",
        ),
        (
            "tuning",
            "beside: &[] }",
            "..BASE }",
            "the tables are no plain",
        ),
        (
            "tuning",
            "steps: &[",
            "steps: HIDDEN, steps: &[",
            "the tables are no plain",
        ),
        (
            "tuning",
            "steps: &[",
            "steps: &hidden(&[]), steps: &[",
            "the tables are no plain",
        ),
        (
            "tuning",
            "pub static TUNINGS",
            "const HIDDEN: Step = Step { kernel: \"\", least: 1, ratios: [1.0; 4] };\npub static TUNINGS",
            "no table and no type",
        ),
        (
            "tuning",
            "pub static TUNINGS",
            "type Other = Step;\npub static TUNINGS",
            "no table and no type",
        ),
        (
            "tuning",
            "pub static TUNINGS",
            "pub static mut TUNINGS",
            "no table and no type",
        ),
        (
            "tuning",
            "use crate::{",
            "#![cfg(any())]\nuse crate::{",
            "attributes of a whole file",
        ),
        (
            "registry",
            "use crate::{",
            "#![cfg(any())]\nuse crate::{",
            "attributes of a whole file",
        ),
        (
            "tuning",
            "steps: &[Step {",
            "steps: &[Other {",
            "the tables are no plain",
        ),
        (
            "tuning",
            "steps: &[Step {",
            "steps: &[Isa::HIDDEN, Step {",
            "another row",
        ),
        (
            "registry",
            "pub static KOALA_BEAR: ",
            "static HIDDEN: &[u8; { 0 }] = &[];\npub static KOALA_BEAR: ",
            "no list of kernels",
        ),
        (
            "registry",
            "pub static KOALA_BEAR: &[Kernel<u32>]",
            "pub static KOALA_BEAR: &[Kernel<u32>; { 9 }]",
            "no list of kernels",
        ),
        (
            "registry",
            "pub static KOALA_BEAR: &[Kernel<u32>] = &[",
            "pub static KOALA_BEAR: &[Kernel<u32>] = &[];
             #[rustfmt::skip]
             static koala_bear: &[Kernel<u32>] = &[",
            "no list of kernels",
        ),
    ];
    for (file, from, to, says) in attacks {
        let text = source(file);
        assert!(text.contains(from), "{file}: {from}");
        assert_eq!(read.check(file, &text).err(), None, "{file}");
        let refused = read.check(file, &text.replacen(from, to, 1));
        let what = refused.expect_err(to).what;
        assert!(what.contains(says), "{to}: {what}");
    }
}

/// Folders that contain themselves have no end.
#[cfg(unix)]
#[test]
fn links_are_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    for empty in ["proofs", "src"] {
        std::fs::create_dir(folder.path().join(empty)).unwrap();
    }
    std::os::unix::fs::symlink(".", folder.path().join("src/a")).unwrap();
    let what = Crate::read(folder.path()).err().unwrap().to_string();
    assert!(what.contains("src/a is a link"), "{what}");
}
