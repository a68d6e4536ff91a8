use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::*;
use crate::kernel::{KernelInfo, kernel_name};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Names of the kernels that the specs ask for.
fn asked() -> BTreeSet<String> {
    let specs = crate::spec::load_all(root().join("codegen/specs")).unwrap();
    let named = |spec: &crate::spec::Spec| {
        let kernels = spec.kernels.iter();
        let names = kernels.flat_map(|kernel| {
            let batches = kernel.batches.iter();
            batches.map(|&batch| kernel_name(&spec.instance, kernel, batch))
        });
        names.collect::<Vec<_>>()
    };
    specs.iter().flat_map(named).collect()
}

fn manifest() -> Vec<KernelInfo> {
    let text = std::fs::read_to_string(root().join("generated/manifest.json")).unwrap();
    crate::scaffold::read_manifest(&text).unwrap()
}

fn figure(kernel: &str, states: usize, lanes: usize, time: f64) -> Figure {
    Figure {
        kernel: kernel.to_owned(),
        states,
        lanes,
        time,
        ratio: (1e6 / time).round() / 1e3,
        spread: 0.02,
        used: false,
    }
}

fn decided(mut figures: Vec<Figure>) -> Vec<Figure> {
    decide(&mut figures);
    figures
}

fn used(figures: &[Figure]) -> Vec<&str> {
    let used = figures.iter().filter(|figure| figure.used);
    used.map(|figure| figure.kernel.as_str()).collect()
}

/// A cell of the real kernels' names, the same in all shapes.
fn cell(isa: Isa, figures: Vec<Figure>) -> Cell {
    let figures = decided(figures);
    Cell {
        key: Key {
            parameters: "plonky3".to_owned(),
            field: "goldilocks".to_owned(),
            width: 8,
            isa,
        },
        made: Made {
            command: "cargo run -p codegen -- tune --all --seed 1".to_owned(),
            machine: "Some \"CPU\"".to_owned(),
            compiler: "rustc 1.95.0".to_owned(),
            peer: "p3-goldilocks 0.8.0".to_owned(),
            seed: 1,
        },
        figures: [figures.clone(), figures.clone(), figures],
    }
}

fn table() -> Table {
    Table {
        path: PathBuf::from("zen9.toml"),
        cpu: "zen9".to_owned(),
        arch: "x86_64".to_owned(),
        default: true,
        modelled: false,
        known_by: KnownBy::Cpuid {
            vendor: "AuthenticAMD".to_owned(),
            family: 27,
            models: vec![2, 3],
        },
        cells: vec![
            cell(
                Isa::Scalar,
                vec![
                    figure("w8_scalar_b1", 1, 1, 800.0),
                    figure("w8_scalar_b2", 2, 1, 795.0),
                    figure("w8_scalar_b4", 4, 1, 700.0),
                ],
            ),
            cell(
                Isa::Avx2,
                vec![
                    figure("w8_avx2_b2", 8, 4, 500.0),
                    figure("w8_avx2_columns_b1", 4, 4, 300.0),
                    figure("w8_avx2_columns_b2", 8, 4, 250.0),
                    figure("w8_avx2_columns_b4", 16, 4, 260.0),
                ],
            ),
        ],
    }
}

#[test]
fn a_larger_kernel_must_be_faster_than_all_smaller_ones() {
    let cells = table().cells;
    assert_eq!(used(&cells[0].figures[0]), ["w8_scalar_b4", "w8_scalar_b1"]);
    let columns = ["w8_avx2_columns_b2", "w8_avx2_columns_b1"];
    assert_eq!(used(&cells[1].figures[0]), columns);
}

#[test]
fn tables_are_read_back_as_they_were_written() {
    let table = table();
    let text = write(&table);
    insta::assert_snapshot!(text);
    assert_eq!(read(&table.path, &text).unwrap(), table);
    let modelled = Table {
        modelled: true,
        default: false,
        known_by: KnownBy::Features(vec!["sve2".to_owned()]),
        ..table
    };
    assert_eq!(read(&modelled.path, &write(&modelled)).unwrap(), modelled);
}

#[test]
fn broken_tables_are_refused_with_the_way_out() {
    let text = write(&table());
    let path = Path::new("zen9.toml");
    let cases = [
        text.replace("cpu = ", "cpus = "),
        text.replace("isa = \"avx2\"", "isa = \"avx3\""),
        text.replace("states =  8", "states =  7"),
        text.replace("family = 27, ", ""),
        "cpu = ".to_owned(),
    ];
    let told: Vec<String> = cases
        .iter()
        .map(|text| crate::diag::Diagnostics::from(read(path, text).unwrap_err()).render())
        .collect();
    insta::assert_snapshot!(told.join("\n"));
}

#[test]
fn what_is_left_over_goes_to_kernels_that_need_no_group() {
    let resolved = resolve(&[table()], &asked());
    let zen9 = resolved.iter().find(|one| one.cpu == "zen9").unwrap();
    let steps = |shape| {
        let of = |choice: &&Choice| choice.key.isa == Isa::Avx2 && choice.shape == shape;
        let choice = zen9.choices.iter().find(of).unwrap();
        let step = |step: &Step| {
            (
                step.kernel.rsplit('/').next().unwrap().to_owned(),
                step.least,
            )
        };
        choice.steps.iter().map(step).collect::<Vec<_>>()
    };
    // Four lanes of 300 ns take as long as one and a half states of 800 ns.
    let expected = [
        ("w8_avx2_columns_b2".to_owned(), 8),
        ("w8_avx2_columns_b1".to_owned(), 2),
        ("w8_scalar_b1".to_owned(), 1),
    ];
    for shape in Shape::ALL {
        let mut found = steps(Some(shape));
        // Never reached: two states are a group already.
        found.retain(|(name, _)| name != "w8_scalar_b4");
        assert_eq!(found, expected);
    }
    assert_eq!(steps(None), expected[2..]);
}

#[test]
fn tables_that_differ_in_figures_alone_are_one() {
    let kernels = asked();
    let mut other = table();
    (other.cpu, other.default) = ("zen8".to_owned(), false);
    for figure in other
        .cells
        .iter_mut()
        .flat_map(|cell| &mut cell.figures)
        .flatten()
    {
        figure.ratio *= 1.5;
    }
    let cpus = |tables: &[Table]| {
        let all = resolve(tables, &kernels);
        all.into_iter().map(|one| one.cpu).collect::<Vec<_>>()
    };
    assert_eq!(cpus(&[table(), other.clone()]), ["none", "zen9"]);
    // One that has less takes the rest from the default, and is still the same.
    other.cells.truncate(1);
    assert_eq!(cpus(&[table(), other.clone()]), ["none", "zen9"]);
    let slow = &mut other.cells[0].figures[1];
    *slow = decided(vec![
        figure("w8_scalar_b1", 1, 1, 700.0),
        figure("w8_scalar_b4", 4, 1, 900.0),
    ]);
    assert_eq!(cpus(&[table(), other]), ["zen8", "none", "zen9"]);
}

#[test]
fn what_is_not_there_is_passed_over() {
    let kernels: BTreeSet<String> = asked()
        .into_iter()
        .filter(|name| name.ends_with("_scalar_b1"))
        .collect();
    let resolved = resolve(&[table()], &kernels);
    let choices = resolved.iter().flat_map(|one| &one.choices);
    let steps: Vec<_> = choices.flat_map(|choice| &choice.steps).collect();
    assert!(!steps.is_empty());
    assert!(
        steps
            .iter()
            .all(|step| step.kernel.ends_with("w8_scalar_b1"))
    );
    assert!(
        resolve(&[table()], &BTreeSet::new())
            .iter()
            .all(|one| one.choices.is_empty())
    );
    assert_eq!(unknown(&[table()], &kernels).len(), 6);
}

fn record(kernel: &str, shape: &str, ours: f64, peer: f64) -> Record {
    Record {
        kernel: format!("plonky3/goldilocks/{kernel}"),
        shape: Some(shape.to_owned()),
        ours_ns: Some(ours),
        peer_ns: Some(peer),
        peer_states: 4,
        ratio: Some(peer / ours),
        spread: Some(0.01),
        verified: true,
        core: None,
        model: None,
        origin: Origin::default(),
    }
}

#[test]
fn times_are_told_by_the_peer() {
    // The machine was at half its speed while the second kernel had its turns.
    let shapes = ["chain", "independent", "merkle-14"];
    let records: Vec<_> = shapes
        .iter()
        .flat_map(|shape| {
            [
                record("w8_avx2_columns_b1", shape, 300.0, 400.0),
                record("w8_avx2_columns_b2", shape, 500.0, 800.0),
                record("w8_avx2_columns_b4", shape, 300.0, 400.0),
            ]
        })
        .collect();
    let (cells, missing) = cells(&records, &manifest(), &Made::default()).unwrap();
    let [cell] = &cells[..] else {
        panic!("one key")
    };
    assert_eq!(missing, [""; 0]);
    for figures in &cell.figures {
        let times: Vec<_> = figures.iter().map(|figure| figure.time).collect();
        assert_eq!(times, [300.0, 250.0, 300.0]);
        assert_eq!(used(figures), ["w8_avx2_columns_b2", "w8_avx2_columns_b1"]);
    }
}

#[test]
fn a_model_knows_no_shape_and_a_lost_figure_is_told() {
    let mut model = record("w8_neon_b1", "", 5000.0, 6000.0);
    model.shape = None;
    let lost = record("w8_scalar_b1", "chain", 5.0, 6.0);
    let (cells, missing) = cells(&[model, lost], &manifest(), &Made::default()).unwrap();
    assert_eq!(cells.len(), 2);
    assert!(cells.iter().all(|cell| cell.figures[0].len() == 1));
    let neon = cells.iter().find(|cell| cell.key.isa == Isa::Neon).unwrap();
    assert!(neon.figures.iter().all(|figures| figures[0].time == 5000.0));
    assert_eq!(missing.len(), 2);
}

#[test]
fn a_wrong_result_is_refused() {
    let wrong = Record {
        verified: false,
        ours_ns: None,
        ratio: None,
        ..record("w8_scalar_b1", "chain", 5.0, 6.0)
    };
    let refused = cells(&[wrong], &manifest(), &Made::default()).unwrap_err();
    assert!(
        refused
            .message()
            .contains("w8_scalar_b1 came to another result")
    );
}

/// The tables that are checked in.
mod checked_in {
    use super::*;

    fn tables() -> Vec<Table> {
        load_all(&root().join("codegen/tuning"))
            .unwrap_or_else(|wrong| panic!("{}", wrong.render()))
    }

    #[test]
    fn name_only_kernels_that_exist() {
        assert_eq!(unknown(&tables(), &asked()), []);
    }

    #[test]
    fn use_what_is_the_fastest_by_their_own_figures() {
        for table in tables() {
            for cell in &table.cells {
                for figures in &cell.figures {
                    assert_eq!(&decided(figures.clone()), figures, "{}", table.cpu);
                    let chosen: Vec<_> = figures.iter().filter(|f| f.used).collect();
                    for pair in chosen.windows(2) {
                        assert!(pair[0].states > pair[1].states && pair[0].time < pair[1].time);
                    }
                }
            }
        }
    }

    #[test]
    fn are_files_as_they_would_be_written() {
        for table in tables() {
            let text = std::fs::read_to_string(&table.path).unwrap();
            assert_eq!(write(&table), text, "{}", table.path.display());
        }
    }

    #[test]
    fn serve_every_architecture_and_every_permutation() {
        let kernels = manifest();
        let resolved = resolve(&tables(), &asked());
        for arch in ["x86_64", "aarch64"] {
            let default = resolved.iter().find(|one| one.default && one.arch == arch);
            let default = default.unwrap_or_else(|| panic!("no default of {arch}"));
            for kernel in &kernels {
                let here = kernel.target_arch.as_deref().is_none_or(|of| of == arch);
                let key = Key::of(kernel).unwrap();
                let chosen = default.choices.iter().any(|choice| choice.key == key);
                assert!(chosen || !here, "{arch}: nothing for {}", kernel.name);
            }
        }
    }
}
