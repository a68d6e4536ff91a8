use std::collections::BTreeMap;
use std::path::Path;

use codegen::cli::select::{Job, all, named};
use codegen::emit::FileSet;
use codegen::format::rustfmt;
use codegen::kernel::Generated;
use codegen::names::Isa;
use codegen::pipeline::generate;
use codegen::spec::{Spec, load_all};
use codegen::template::TemplateSet;
use codegen::tuning::{Figure, Key, Provenance, TuningCell, TuningTable};

use super::choice::{Choice, choose, deciding, told};
use super::package::{PACKAGES, Package};
use super::platform::Platform;
use super::slots::{Candidate, PARAMETERS, Slots, by_name};
use super::{texts, wiring};

const GOLDILOCKS: &Package = &PACKAGES[0];

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

fn specs() -> Vec<Spec> {
    load_all(Path::new(ROOT).join("codegen/specs")).unwrap()
}

/// The table of a CPU: for each kernel the time and the ratio of one state, and of many.
fn table(cpu: &str, default: bool, kernels: &[(&str, [(f64, f64); 2])]) -> TuningTable {
    let specs = specs();
    let mut table = TuningTable {
        path: cpu.into(),
        cpu: cpu.to_owned(),
        arch: if cpu.starts_with("arm") {
            "aarch64".to_owned()
        } else {
            "x86_64".to_owned()
        },
        default,
        ..TuningTable::default()
    };
    for (kernel, [chain, independent]) in kernels {
        let job = named(
            &specs,
            &format!("{PARAMETERS}/{}/{kernel}", GOLDILOCKS.field),
        )
        .unwrap();
        let key = Key {
            parameters: PARAMETERS.to_owned(),
            field: GOLDILOCKS.field.to_owned(),
            width: job.spec.instance.width,
            isa: job.kernel.isa,
        };
        let figure = |(time, ratio)| Figure {
            kernel: (*kernel).to_owned(),
            states: 1,
            lanes: 1,
            time,
            ratio,
            spread: 0.0,
            used: false,
        };
        let mut cell = TuningCell {
            key: key.clone(),
            made: Provenance::default(),
            figures: Default::default(),
            code: BTreeMap::new(),
        };
        if let Some(old) = table.cells.iter().find(|old| old.key == key) {
            cell = old.clone();
        }
        cell.figures[0].push(figure(*chain));
        cell.figures[1].push(figure(*independent));
        table.put(cell);
    }
    table
}

fn same(time: f64, ratio: f64) -> [(f64, f64); 2] {
    [(time, ratio); 2]
}

/// What tables say about the kernels of these names.
fn choices(kernels: &[&str], tables: &[TuningTable], cpus: &[&str]) -> Vec<Choice> {
    let specs = specs();
    let jobs = kernels.iter().map(|name| named(&specs, name).unwrap());
    let candidates: Vec<Candidate> = jobs
        .flat_map(|job| Candidate::all(GOLDILOCKS, &job).unwrap())
        .collect();
    let cpus: Vec<String> = cpus.iter().map(|&cpu| cpu.to_owned()).collect();
    choose(GOLDILOCKS, &candidates, &deciding(tables, &cpus).unwrap())
}

/// The kernels that were chosen, with what they need.
fn ours(choices: &[Choice]) -> Vec<(&str, usize)> {
    let ours = choices.iter().filter_map(|choice| choice.ours.as_ref());
    ours.map(|candidate| (candidate.leaf(), candidate.needs.len()))
        .collect()
}

#[test]
fn the_table_decides_where_it_disagrees_with_the_instruction_count() {
    let names = ["w8_avx2_b1", "w8_avx2_halves_b1"];
    let specs = specs();
    let templates = TemplateSet::load(&Path::new(ROOT).join("templates")).unwrap();
    let [eager, columns] = names.map(|name| {
        let job = named(&specs, name).unwrap();
        let kernel = generate(job.spec, job.kernel, job.batch, &templates).unwrap();
        kernel.info.instructions()
    });
    assert!(columns < eager, "{columns} and {eager} instructions");
    let times = |eager, columns| {
        let figures = [(names[0], same(eager, 1.1)), (names[1], same(columns, 1.1))];
        [table("x86", true, &figures)]
    };
    assert_eq!(
        ours(&choices(&names, &times(100.0, 110.0), &[])),
        [(names[0], 0)]
    );
    assert_eq!(
        ours(&choices(&names, &times(110.0, 100.0), &[])),
        [(names[1], 0)]
    );
}

#[test]
fn one_state_counts_as_a_chain_and_packed_states_as_independent() {
    let names = [
        "w8_neon_b1",
        "w8_scalar_redc_b1",
        "w8_neon_b2",
        "w8_neon_lanes_b1",
    ];
    let tables = [table(
        "arm",
        true,
        &[
            (names[0], [(90.0, 1.1), (200.0, 1.1)]),
            (names[1], [(100.0, 1.1), (50.0, 1.1)]),
            (names[2], [(200.0, 1.5), (80.0, 1.5)]),
            (names[3], [(50.0, 1.2), (100.0, 1.2)]),
        ],
    )];
    let found = choices(&names, &tables, &[]);
    assert_eq!(ours(&found), [(names[0], 0), (names[2], 0)]);
    // Two states one by one are compared with the crate's packed implementation, not with its
    // scalar one, which their figure is about: 100 · 1.2 / 80.
    let unpacked = |choice: &&Choice| choice.ours.as_ref().is_some_and(|one| one.unpacked);
    assert_eq!(found.iter().find(unpacked).unwrap().why, "1.50 on arm");
}

#[test]
fn a_feature_is_asked_for_only_where_it_helps() {
    let names = ["w8_avx512_b1", "w8_avx512ifma_limbs_b1"];
    let with = |plain: (f64, f64), ifma: (f64, f64)| {
        let tables = [table(
            "x86",
            true,
            &[(names[0], [plain; 2]), (names[1], [ifma; 2])],
        )];
        choices(&names, &tables, &[])
    };
    let both = with((100.0, 1.1), (90.0, 1.2));
    assert_eq!(ours(&both), [(names[0], 0), (names[1], 1)]);
    assert_eq!(ours(&with((100.0, 1.1), (100.0, 1.1))), [(names[0], 0)]);
    // Without the feature the crate's own stays.
    assert_eq!(ours(&with((100.0, 0.999), (90.0, 1.0))), [(names[1], 1)]);
    assert_eq!(ours(&with((100.0, 0.9), (110.0, 0.8))), []);
}

#[test]
fn plain_rust_counts_where_it_is_compiled_as_it_was_timed() {
    let names = ["w8_scalar_redc_b1", "w8_x86_64_redc_b1"];
    let faster = table(
        "x86",
        true,
        &[(names[0], same(90.0, 1.2)), (names[1], same(100.0, 1.1))],
    );
    let arm = table("arm", true, &[(names[0], same(90.0, 1.2))]);
    let found = choices(&names, &[faster, arm], &[]);
    let where_and_what = found
        .iter()
        .map(|choice| (choice.place.platform, choice.ours.as_ref().unwrap().leaf()));
    assert_eq!(
        where_and_what.collect::<Vec<_>>(),
        [
            (Platform::Scalar, names[0]),
            (Platform::Neon, names[0]),
            (Platform::Avx2, names[1]),
            (Platform::Avx512, names[1]),
        ]
    );
    // Of other architectures without SIMD no table says anything.
    assert!(found[0].needs.contains("target_arch = \"x86_64\""));
    assert!(found[1..].iter().all(|choice| choice.needs.is_empty()));
}

#[test]
fn where_the_crates_own_stays_is_told_with_the_reason() {
    let specs = specs();
    let candidates: Vec<Candidate> = all(&specs)
        .iter()
        .filter_map(|job| Candidate::all(GOLDILOCKS, job).ok())
        .flatten()
        .collect();
    let x86 = [
        ("w8_x86_64_redc_b1", same(100.0, 1.25)),
        ("w8_avx2_b1", same(100.0, 0.8)),
        ("w8_avx2_halves_b1", same(90.0, 0.9)),
        ("w8_avx512_halves_b1", same(90.0, 0.9)),
        ("w8_avx512ifma_limbs_b1", same(80.0, 1.5)),
    ];
    let mut arm = table("arm", true, &[("w8_neon_b1", same(100.0, 1.0))]);
    arm.modelled = true;
    let tables = [table("x86", true, &x86), arm];
    let choices = choose(GOLDILOCKS, &candidates, &deciding(&tables, &[]).unwrap());
    insta::assert_snapshot!(told(&choices));
    let none = choose(GOLDILOCKS, &candidates, &deciding(&[], &[]).unwrap());
    assert_eq!(ours(&none), []);
}

#[test]
fn a_cpu_that_is_named_decides_for_its_architecture() {
    let names = [
        "w8_avx2_b1",
        "w8_avx2_halves_b1",
        "w12_avx2_b1",
        "w8_neon_b1",
        "w8_avx512_b1",
        "w8_avx512_halves_b1",
    ];
    let other = |first, second| [(names[0], same(first, 1.1)), (names[1], same(second, 1.1))];
    let mut default = other(90.0, 100.0).to_vec();
    default.push((names[2], same(90.0, 1.1)));
    let slower = [(names[0], same(10.0, 0.9)), (names[5], same(90.0, 1.1))];
    let tables = [
        table("x86-old", true, &default),
        table("x86-new", false, &other(100.0, 90.0)),
        table("x86-odd", false, &[]),
        table("x86-first", false, &[(names[4], same(10.0, 1.1))]),
        table("x86-last", false, &slower),
        table("arm", true, &[(names[3], same(90.0, 1.1))]),
    ];
    let with = |cpus: &[&str]| {
        let choices = choices(&names, &tables, cpus);
        let told = ours(&choices).into_iter().map(|(leaf, _)| leaf.to_owned());
        told.collect::<Vec<_>>()
    };
    // What no table decides that was named, and no default, the last of the others does.
    assert_eq!(with(&[]), [names[3], names[0], names[2], names[5]]);
    // What its table lacks is the default's business.
    let new = [names[3], names[1], names[2], names[5]];
    assert_eq!(with(&["x86-new"]), new);
    let odd = ["x86-odd", "arm"];
    assert_eq!(with(&odd), [names[3], names[0], names[2], names[5]]);
    let first = [names[3], names[0], names[2], names[4]];
    assert_eq!(with(&["x86-first"]), first);
    let cpus = ["x86-nwe", "x86-new", "x86-odd"].map(str::to_owned);
    let refused = deciding(&tables, &cpus).err().unwrap();
    insta::assert_snapshot!(refused.render());
}

#[test]
fn names_take_every_place_that_they_can_serve() {
    let specs = specs();
    let of = |names: &[&str]| {
        let jobs: Vec<Job<'_>> = names
            .iter()
            .map(|name| named(&specs, name).unwrap())
            .collect();
        let candidates = by_name(GOLDILOCKS, &jobs).unwrap();
        let told = candidates.iter().map(|candidate| {
            let (platform, needs) = (candidate.place.platform, candidate.needs.len());
            format!("{platform:?} {} {needs}", candidate.leaf())
        });
        told.collect::<Vec<_>>()
    };
    let [scalar, x86_64, neon] = ["w8_scalar_b1", "w8_x86_64_redc_b1", "w8_neon_b1"];
    assert_eq!(of(&[scalar]).len(), Platform::ALL.len());
    assert_eq!(
        of(&[scalar, x86_64, neon]),
        [
            "Scalar w8_scalar_b1 0",
            "Scalar w8_x86_64_redc_b1 1",
            "Avx2 w8_x86_64_redc_b1 0",
            "Avx512 w8_x86_64_redc_b1 0",
            "Neon w8_neon_b1 0",
        ]
    );
}

#[test]
fn vectors_of_other_lengths_than_the_packed_types_have_no_place() {
    let specs = specs();
    let baby_bear = &PACKAGES[1];
    let of = |kernel: &str| {
        let job = named(&specs, &format!("plonky3/baby_bear/{kernel}")).unwrap();
        let found = Candidate::all(baby_bear, &job)?;
        Ok(found.iter().map(|one| one.place.states).collect::<Vec<_>>())
    };
    assert_eq!(of("w16_avx512_signed_b1"), Ok(vec![16]));
    assert_eq!(of("w16_avx2_signed_b1"), Ok(vec![8]));
    let refused: Result<_, String> = Err("its vectors have 8 lanes".to_owned());
    for name in ["w24_avx512ifma_radix52_b1", "w24_avx512ifma_radix52_b2"] {
        assert_eq!(of(name), refused, "{name}");
    }
}

#[test]
fn where_a_feature_is_missing_the_next_best_is_compiled() {
    let specs = specs();
    let templates = TemplateSet::load(&Path::new(ROOT).join("templates")).unwrap();
    let files = |names: &[&str]| {
        let jobs: Vec<Job<'_>> = names
            .iter()
            .map(|name| named(&specs, name).unwrap())
            .collect();
        let kernels = jobs
            .iter()
            .map(|job| generate(job.spec, job.kernel, job.batch, &templates));
        let kernels: Vec<Generated> = kernels.collect::<Result<_, _>>().unwrap();
        let slots = Slots::of(GOLDILOCKS, &by_name(GOLDILOCKS, &jobs).unwrap(), &kernels);
        let mut files = FileSet::new();
        texts::insert(&slots, "command", &mut files).unwrap();
        let path = "src/x86_64_avx512/poseidon2_generated/mod.rs";
        let text = files.get(path).unwrap();
        let head = text.split("impl ").next().unwrap();
        let start = text
            .find("impl Permutation<[PackedGoldilocksAVX512; 8]>")
            .unwrap();
        let end = text
            .find("impl Permutation<[PackedGoldilocksAVX512; 12]>")
            .unwrap();
        let before = text[..start].rfind("#[cfg").unwrap_or(start);
        format!("{head}…\n{}", &text[before..end])
    };
    insta::assert_snapshot!("both", files(&["w8_avx512_b1", "w8_avx512ifma_limbs_b1"]));
    // Without the feature there is none but the crate's own.
    insta::assert_snapshot!("one", files(&["w8_avx512ifma_limbs_b1"]));
}

/// Plonky3 forbids what is declared and not used.
#[test]
fn alloc_is_declared_only_in_tests_and_where_kernels_are_compiled() {
    let specs = specs();
    let templates = TemplateSet::load(&Path::new(ROOT).join("templates")).unwrap();
    let koala_bear = &PACKAGES[3];
    let declared = |names: &[&str]| {
        let jobs = names
            .iter()
            .map(|name| named(&specs, &format!("{PARAMETERS}/koala_bear/{name}")).unwrap());
        let jobs: Vec<Job<'_>> = jobs.collect();
        let kernels = jobs
            .iter()
            .map(|job| generate(job.spec, job.kernel, job.batch, &templates));
        let kernels: Vec<Generated> = kernels.collect::<Result<_, _>>().unwrap();
        let slots = Slots::of(koala_bear, &by_name(koala_bear, &jobs).unwrap(), &kernels);
        let edits = wiring::edits(&slots);
        let mut edits = edits.iter();
        let edit = edits.find(|edit| edit.stock.contains("extern crate"));
        let text = edit.unwrap().vendored.clone();
        assert_eq!(rustfmt(&text).unwrap(), text);
        text
    };
    let neon = "w16_neon_lanes_long_b1";
    assert_eq!(
        declared(&[neon]),
        "#[cfg(any(test, all(target_arch = \"aarch64\", target_feature = \"neon\")))]\nextern crate alloc;\n"
    );
    insta::assert_snapshot!("alloc_for_avx2", declared(&["w16_avx2_signed_b1"]));
    insta::assert_snapshot!(
        "alloc_for_neon_and_avx2",
        declared(&[neon, "w16_avx2_signed_b1"])
    );
    // Plain Rust serves in every build.
    assert_eq!(declared(&["w16_scalar_b1"]), "extern crate alloc;\n");
}

#[test]
fn every_instruction_set_has_a_home() {
    for isa in Isa::all() {
        let has_build = !matches!(isa, Isa::Wasm | Isa::Armv8m);
        assert_eq!(Platform::home(*isa).runs(*isa), has_build);
    }
}
