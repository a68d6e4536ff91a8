//! The permutations of other projects in `codegen/instances`: what these projects' own code gave, the
//! reference gives, and so do programs of every strategy that serves them, each accepted by the checker.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use codegen::ir;
use codegen::lower::{Claims, lower};
use codegen::names::Strategy;
use codegen::params::{Cut, Field, HORIZEN_M4, Instance, M4, ParameterSet, Rational};
use codegen::prove::prove;
use codegen::scaffold::pascal_case;
use codegen::spec::Spec;
use serde::Deserialize;

#[derive(Deserialize)]
struct Known {
    source: String,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    #[serde(rename = "in")]
    state: Vec<String>,
    /// The image, or its last elements.
    out: Vec<String>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("instances")
}

fn instances() -> Vec<Instance> {
    let files = std::fs::read_dir(folder()).unwrap();
    let mut paths: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
    paths.sort();
    paths.retain(|path| !path.to_string_lossy().ends_with(".constants.toml"));
    let read = |path| {
        Spec::load(path)
            .unwrap_or_else(|errors| panic!("{errors}"))
            .instance
    };
    paths.into_iter().map(read).collect()
}

/// By set, field and width.
fn known_answers() -> BTreeMap<String, Known> {
    serde_json::from_str(include_str!("../../verify/vectors/instances.json")).unwrap()
}

fn words(text: &[String]) -> Vec<u64> {
    text.iter()
        .map(|word| u64::from_str_radix(word, 16).unwrap())
        .collect()
}

/// States, and images or their ends.
fn cases(instance: &Instance) -> Vec<(Vec<u64>, Vec<u64>)> {
    let (set, field, width) = instance.key();
    let known = known_answers().remove(&format!("{set} {field} {width}"));
    let known = known.unwrap_or_else(|| panic!("no known answer of {set} {field} {width}"));
    assert!(!known.source.is_empty());
    let cases = known.cases.iter();
    cases
        .map(|case| (words(&case.state), words(&case.out)))
        .collect()
}

#[test]
fn every_answer_is_of_an_instance() {
    let names: Vec<String> = instances()
        .iter()
        .map(|instance| {
            let (set, field, width) = instance.key();
            format!("{set} {field} {width}")
        })
        .collect();
    let mut sorted = names.clone();
    sorted.sort();
    assert_eq!(known_answers().into_keys().collect::<Vec<_>>(), sorted);
}

/// The README's table of instances, but for who gave the answers.
#[test]
fn the_readme_tells_what_is_known() {
    let mut all = instances();
    for set in ParameterSet::all() {
        for field in Field::all() {
            let widths = set.widths(field).into_iter();
            all.extend(widths.filter_map(|width| set.instance(field, width)));
        }
    }
    let mut rows = BTreeMap::<_, Vec<_>>::new();
    for instance in &all {
        let field = pascal_case(instance.field.name);
        let external = match instance.external.m4 {
            M4 => "Plonky3's M4",
            HORIZEN_M4 => "Horizen Labs' M4",
            other => panic!("{other:?}"),
        };
        let internal = match instance.scale {
            Rational::ONE => "J + diag".to_owned(),
            scale => format!("{scale}·(J + diag)"),
        };
        let constants = match instance.constants.grain {
            Some(Cut::Paper) => "Grain",
            Some(Cut::ExternalFirst) => "Grain, external first",
            None => "its own",
        };
        let layers = format!("{external} | {internal} | {constants}");
        let (external, internal) = (instance.external_rounds, instance.internal_rounds);
        let of = rows.entry((&instance.parameter_set, field, layers));
        let rounds = format!("{external} + {internal}");
        of.or_default().push((instance.width, rounds));
    }
    let readme = include_str!("../../README.md");
    let table = readme
        .split("## ")
        .find(|part| part.starts_with("Whose permutation"));
    let told = table
        .unwrap()
        .lines()
        .filter(|line| line.starts_with("| `"));
    let mut told: Vec<&str> = told.collect();
    for ((set, field, layers), mut of) in rows {
        of.sort();
        of.dedup();
        let listed: Vec<String> = of.iter().map(|(width, _)| width.to_string()).collect();
        let mut rounds: Vec<&str> = of.iter().map(|(_, rounds)| rounds.as_str()).collect();
        rounds.dedup();
        let (listed, rounds) = (listed.join(", "), rounds.join(", "));
        let row = format!("| `{set}` | {field} {listed} | {rounds} | {layers} | ");
        let found = told.iter().position(|line| line.starts_with(&row));
        told.remove(found.unwrap_or_else(|| panic!("README has no `{row}`")));
    }
    assert_eq!(told, [""; 0], "not known");
}

#[test]
fn the_reference_has_the_known_answers() {
    for instance in instances() {
        let p2 = reference::Instance::read(&instance.statement())
            .unwrap()
            .permutation;
        assert_eq!(p2.external, instance.constants.external);
        assert_eq!(p2.internal, instance.constants.internal);
        for (state, image) in cases(&instance) {
            let mut permuted = state.clone();
            p2.permute(&mut permuted);
            assert!(
                permuted.ends_with(&image),
                "{:?}: {state:?}",
                instance.key()
            );
        }
    }
}

#[test]
fn programs_of_all_strategies_have_the_known_answers() {
    for instance in instances() {
        let (field, source) = (instance.field, ir::Program::build(&instance));
        let mut served = Vec::new();
        for strategy in Strategy::ALL {
            let claims = Claims::new(&[]);
            let Ok(program) = lower(&source, strategy, &claims) else {
                continue;
            };
            let proved =
                prove(program, &claims).unwrap_or_else(|all| panic!("{strategy}: {all:?}"));
            let (set, _, width) = instance.key();
            let name = format!("{set}/{}/w{width}_{strategy}", field.module());
            checker::check(&proved.certificate(&name)).unwrap();
            for (state, image) in cases(&instance) {
                let words: Vec<u64> = state.iter().map(|x| field.to_montgomery(*x)).collect();
                let permuted = proved.program().permute(&words);
                let permuted: Vec<u64> =
                    permuted.iter().map(|x| field.from_montgomery(*x)).collect();
                assert!(permuted.ends_with(&image), "{name}: {state:?}");
            }
            served.push(strategy);
        }
        assert!(served.contains(&Strategy::Eager), "{:?}", instance.key());
        assert!(served.len() > 1, "{:?}: {served:?}", instance.key());
    }
}
