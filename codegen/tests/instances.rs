//! The permutations of other projects in `codegen/instances`: what these projects' own code gave, the
//! reference gives, and so do programs of every strategy that serves them, each accepted by the checker.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use codegen::ir;
use codegen::lower::{Claims, lower};
use codegen::names::{Strategy, pascal_case};
use codegen::params::{Cut, Field, HORIZEN_M4, Instance, Linear, M4, ParameterSet, Rational};
use codegen::prove::prove;
use codegen::spec::Spec;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("instances")
}

fn specs() -> Vec<Spec> {
    let files = std::fs::read_dir(folder()).unwrap();
    let mut paths: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
    paths.sort();
    paths.retain(|path| !path.to_string_lossy().ends_with(".constants.toml"));
    let read = |path| Spec::load(path).unwrap_or_else(|errors| panic!("{errors}"));
    paths.into_iter().map(read).collect()
}

/// The README's table of instances, but for who gave the answers.
#[test]
fn the_readme_tells_what_is_known() {
    let mut all: Vec<Instance> = specs().into_iter().map(|spec| spec.instance).collect();
    for set in ParameterSet::all() {
        for field in Field::all() {
            let widths = set.widths(field).into_iter();
            all.extend(widths.filter_map(|width| set.instance(field, width)));
        }
    }
    let mut rows = BTreeMap::<_, Vec<_>>::new();
    for instance in &all {
        let field = pascal_case(instance.field.name);
        let linear = match &instance.linear {
            Linear::Poseidon2 { external, internal } => {
                let external = match external.m4 {
                    M4 => "Plonky3's M4",
                    HORIZEN_M4 => "Horizen Labs' M4",
                    other => panic!("{other:?}"),
                };
                match internal.scale {
                    Rational::ONE => format!("{external} | J + diag"),
                    scale => format!("{external} | {scale}·(J + diag)"),
                }
            }
            Linear::Poseidon1(mds) if mds.is_circulant() => "circulant".to_owned(),
            Linear::Poseidon1(_) => "circulant, and one entry more".to_owned(),
        };
        let constants = match instance.constants.grain {
            Some(Cut::Paper) => "Grain",
            Some(Cut::ExternalFirst) => "Grain, external first",
            None => "its own",
        };
        let layers = format!("{linear} | {constants}");
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

/// A spec whose answers the reference does not give is refused, so to be read is enough.
#[test]
fn every_instance_has_an_answer_from_outside() {
    for Spec {
        instance, answers, ..
    } in specs()
    {
        let permutation = reference::Instance::read(&instance.statement())
            .unwrap()
            .permutation;
        assert_eq!(permutation.external, instance.constants.external);
        assert_eq!(permutation.internal, instance.constants.internal);
        assert!(!answers.is_empty(), "{:?}", instance.key());
        assert!(answers.iter().all(|answer| !answer.from.is_empty()));
    }
}

/// The parameters and the known answer that docs/instances.md shows are one spec, which is accepted.
#[test]
fn the_page_shows_a_spec_and_its_known_answer() {
    let page = include_str!("../../docs/instances.md");
    let blocks = page.split("```toml\n").skip(1);
    let blocks: Vec<&str> = blocks
        .map(|block| block.split("```").next().unwrap())
        .collect();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.toml");
    std::fs::write(&path, blocks[..2].join("\n")).unwrap();
    let spec = Spec::load(path).unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!(spec.answers.len(), 1);
}

#[test]
fn programs_of_all_strategies_have_the_known_answers() {
    for Spec {
        instance, answers, ..
    } in specs()
    {
        let (field, source) = (instance.field, ir::Program::build(&instance));
        let mut served = Vec::new();
        for strategy in Strategy::ALL {
            let claims = Claims::new(&[]);
            let Ok(program) = lower(&source, strategy, &claims) else {
                continue;
            };
            let proved =
                prove(program, &claims).unwrap_or_else(|all| panic!("{strategy}: {all:?}"));
            let name = instance.program(strategy.name());
            checker::check(&proved.certificate(strategy.name())).unwrap();
            for answer in &answers {
                let words = answer.state.iter().map(|x| field.to_montgomery(*x));
                let permuted = proved.program().permute(&words.collect::<Vec<_>>());
                for (word, known) in permuted.iter().zip(&answer.image) {
                    let element = field.from_montgomery(*word);
                    assert!(known.is_none_or(|known| known == element), "{name}");
                }
            }
            served.push(strategy);
        }
        assert!(served.contains(&Strategy::Eager), "{:?}", instance.key());
        assert!(served.len() > 1, "{:?}: {served:?}", instance.key());
    }
}
