use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

mod checked_in;
mod passed_over;

use super::*;
use crate::kernel::{KernelInfo, kernel_name};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The kernels that the specs ask for, those among them that do not ship, too; of what was generated for
/// them nothing is said.
fn candidates() -> Vec<KernelInfo> {
    let text = std::fs::read_to_string(root().join("generated/manifest.json")).unwrap();
    let some = crate::scaffold::read_manifest(&text).unwrap().remove(0);
    let mut all = Vec::new();
    for spec in crate::spec::load_all(root().join("codegen/specs")).unwrap() {
        for kernel in &spec.kernels {
            all.extend(kernel.batches.iter().map(|&batch| KernelInfo {
                name: kernel_name(&spec.instance, kernel, batch),
                parameter_set: spec.instance.parameter_set.clone(),
                field: spec.instance.field.name.to_owned(),
                width: spec.instance.width,
                isa: kernel.isa.name().to_owned(),
                target_arch: kernel.isa.target_arch().map(str::to_owned),
                code: String::new(),
                ..some.clone()
            }));
        }
    }
    all
}

/// Their names, without those that are packaged alone.
fn unpackaged() -> BTreeSet<String> {
    let specs = crate::spec::load_all(root().join("codegen/specs")).unwrap();
    let jobs = crate::cli::select::all(&specs).into_iter();
    jobs.filter(|job| !job.is_packaged())
        .map(|job| job.name())
        .collect()
}

/// The names of all.
fn asked() -> BTreeSet<String> {
    candidates().into_iter().map(|kernel| kernel.name).collect()
}

const SAMPLE: &str = include_str!("samples/zen9.toml");

fn table() -> TuningTable {
    read(Path::new("zen9.toml"), SAMPLE).unwrap()
}

#[test]
fn broken_tables_are_refused_with_the_way_out() {
    let text = SAMPLE;
    let path = Path::new("zen9.toml");
    let cases = [
        text.replace("cpu = ", "cpus = "),
        text.replace("isa = \"avx2\"", "isa = \"avx3\""),
        text.replace("states =  8", "states =  7"),
        text.replace("lacks = [\"avx512\"]", "lacks = [\"avx2\"]"),
        text.replace("family = 27, ", ""),
        text.replace("kin = [{ vendor = \"AuthenticAMD\", ", "kin = [{ "),
        text.replace("{ vendor = \"AuthenticAMD\" }]", "{}]"),
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
    let steps = |workload| {
        let of = |choice: &&Choice| choice.key.isa == Isa::Avx2 && choice.workload == workload;
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
        ("w8_avx2_halves_b2".to_owned(), 8),
        ("w8_avx2_halves_b1".to_owned(), 2),
        ("w8_scalar_b1".to_owned(), 1),
    ];
    for workload in Workload::ALL {
        let mut found = steps(Some(workload));
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
    let cpus = |tables: &[TuningTable]| {
        let all = resolve(tables, &kernels);
        all.into_iter().map(|one| one.cpu).collect::<Vec<_>>()
    };
    assert_eq!(cpus(&[table(), other.clone()]), ["none", "zen9"]);
    // One that has less takes the rest from the default, and is still the same.
    other.cells.truncate(1);
    assert_eq!(cpus(&[table(), other.clone()]), ["none", "zen9"]);
    let slow = &mut other.cells[0].figures[1];
    slow.iter_mut()
        .for_each(|figure| figure.time *= figure.states as f64);
    assert_eq!(cpus(&[table(), other]), ["zen8", "none", "zen9"]);
}

#[test]
fn a_permutation_that_the_default_lacks_is_anothers() {
    let (mut default, mut other) = (table(), table());
    (other.cpu, other.default) = ("zen8".to_owned(), false);
    let widths = |default: &TuningTable, other: &TuningTable| -> BTreeSet<usize> {
        let all = resolve(&[default.clone(), other.clone()], &asked());
        let zen9 = all.iter().find(|one| one.cpu == "zen9").unwrap();
        zen9.choices.iter().map(|choice| choice.key.width).collect()
    };
    let all = widths(&default, &other);
    let young = *all.last().unwrap();
    default.cells.retain(|cell| cell.key.width != young);
    assert_eq!(widths(&default, &other), all);
    // One cell of it is enough for the default to have its own say of it.
    default.cells.extend(
        other
            .cells
            .iter()
            .find(|cell| cell.key.width == young)
            .cloned(),
    );
    let isas = |tables: &[TuningTable]| {
        let all = resolve(tables, &asked());
        let zen9 = all.iter().find(|one| one.cpu == "zen9").unwrap().clone();
        let choices = zen9.choices.into_iter();
        let keys = choices
            .filter(|choice| choice.key.width == young)
            .map(|choice| choice.key);
        keys.collect::<BTreeSet<_>>()
    };
    assert_eq!(isas(&[default.clone(), other]), isas(&[default]));
}

#[test]
fn a_default_serves_the_cpus_of_a_table_that_says_the_same() {
    let mut other = table();
    (other.cpu, other.default) = ("zen8".to_owned(), false);
    let known = CpuPattern {
        vendor: Some("AuthenticAMD".to_owned()),
        family: Some(25),
        ..CpuPattern::default()
    };
    (other.known_by, other.kin) = (Some(known.clone()), Vec::new());
    let resolved = resolve(&[table(), other], &asked());
    let zen9 = resolved.iter().find(|one| one.cpu == "zen9").unwrap();
    assert_eq!(zen9.kin, [table().kin, vec![known]].concat());
}

#[test]
fn the_serving_kernel_is_that_of_the_first_step_that_fits() {
    let resolved = resolve(&[table()], &asked());
    let key = |isa| Key {
        isa,
        ..table().cells[0].key.clone()
    };
    let serving = |cpu: Option<&str>, isa, workload, states| {
        let of = |one: &&Resolved| cpu.map_or(one.default, |cpu| one.cpu == cpu);
        let choices = resolved.iter().filter(of).flat_map(|one| &one.choices);
        let mut choices = choices.filter(|one| one.key == key(isa) && one.workload == workload);
        let mut steps = choices.next()?.steps.iter();
        let step = steps.find(|step| step.least <= states)?;
        step.kernel.rsplit('/').next()
    };
    let chain = Some(Workload::Chain);
    for cpu in [Some("zen9"), None] {
        assert_eq!(serving(cpu, Isa::Avx2, chain, 9), Some("w8_avx2_halves_b2"));
        assert_eq!(serving(cpu, Isa::Avx2, chain, 7), Some("w8_avx2_halves_b1"));
        assert_eq!(serving(cpu, Isa::Avx2, None, 7), Some("w8_scalar_b1"));
        assert_eq!(serving(cpu, Isa::Scalar, chain, 4), Some("w8_scalar_b4"));
        assert_eq!(serving(cpu, Isa::Avx512, chain, 4), None);
    }
    assert_eq!(serving(Some("zen10"), Isa::Avx2, chain, 9), None);
}

#[test]
fn gaps_are_told_with_the_command_that_closes_them() {
    let table = table();
    // Of goldilocks w8: what the table has, as it was timed, and what it lacks.
    let kernels: Vec<KernelInfo> = candidates()
        .into_iter()
        .filter(|kernel| kernel.name.contains("goldilocks/w8_"))
        .filter_map(|mut kernel| {
            let key = Key::of(&kernel)?;
            let cell = table.cells.iter().find(|cell| cell.key == key)?;
            let leaf = kernel.name.rsplit('/').next()?;
            kernel.code = cell.code.get(leaf).cloned().unwrap_or_default();
            Some(kernel)
        })
        .collect();
    insta::assert_debug_snapshot!(gaps(&table, &kernels));
    assert!(warnings(std::slice::from_ref(&table), &kernels).is_empty());

    let mut changed = kernels.clone();
    let other = changed
        .iter_mut()
        .find(|k| k.name.ends_with("w8_scalar_b2"));
    other.unwrap().code = "0123456789abcdef".to_owned();
    insta::assert_snapshot!(warnings(std::slice::from_ref(&table), &changed).render());

    // What does not run there is not missing, nor is anything else if it is known.
    for isa in ["neon", "avx512"] {
        let kernels = candidates().into_iter();
        let kernels: Vec<_> = kernels.filter(|kernel| kernel.isa == isa).collect();
        assert!(!kernels.is_empty() && gaps(&table, &kernels).missing.is_none());
    }
    let known = |kernel: &KernelInfo| kernel.name.ends_with("w8_scalar_b1");
    let known: Vec<_> = kernels.into_iter().filter(known).collect();
    let none = Gaps {
        missing: None,
        stale: None,
        unrecorded: None,
    };
    assert_eq!(gaps(&table, &known), none);
    assert!(warnings(&[table], &known).is_empty());
}

#[test]
fn what_fills_a_whole_table_is_a_command() {
    let command = |table: &TuningTable| table.command(std::iter::empty());
    let mut table = table();
    assert_eq!(command(&table), "cargo run -p tune -- --all --cpu zen9");
    (table.arch, table.modelled) = ("aarch64".to_owned(), true);
    assert_eq!(command(&table), "cargo run -p tune -- --model zen9");
}

#[test]
fn two_tables_cannot_serve_the_same_cpus() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("zen9.toml"), SAMPLE).unwrap();
    assert_eq!(load_all(folder.path()).unwrap().len(), 1);
    let other = SAMPLE.replace("cpu = \"zen9\"", "cpu = \"zen8\"");
    std::fs::write(folder.path().join("zen8.toml"), other).unwrap();
    insta::assert_snapshot!(load_all(folder.path()).unwrap_err().render());
}

/// Kernels of the tables that there are not, by table.
fn unknown(tables: &[TuningTable], kernels: &BTreeSet<String>) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for table in tables {
        for cell in &table.cells {
            let names = cell.kernels().map(|kernel| cell.key.full(kernel));
            let gone = names.filter(|name| !kernels.contains(name));
            found.extend(gone.map(|name| (table.cpu.clone(), name)));
        }
    }
    found
}

/// What serves on `isa` in builds with so many lanes, in the middle of the three workloads.
fn beside(tables: &[TuningTable], isa: Isa, lanes: usize) -> Option<Vec<(String, usize)>> {
    let resolved = resolve(tables, &asked());
    let zen9 = resolved.iter().find(|one| one.cpu == "zen9")?;
    let of =
        |choice: &&Choice| choice.key.isa == isa && choice.workload == Some(Workload::Independent);
    let choice = zen9.choices.iter().find(of)?;
    let leaf = |step: &Step| step.kernel.rsplit('/').next().unwrap().to_owned();
    if choice.stands.contains(&lanes) {
        return Some(
            choice
                .steps
                .iter()
                .map(|step| (leaf(step), step.least))
                .collect(),
        );
    }
    let (_, servers) = choice.beside.iter().find(|(other, _)| *other == lanes)?;
    let server = |server: &Server| match server {
        Server::Kernel(step) => (leaf(step), step.least),
        Server::Stock { states, least } => (format!("stock of {states}"), *least),
    };
    Some(servers.iter().map(server).collect())
}

fn named(servers: &[(&str, usize)]) -> Option<Vec<(String, usize)>> {
    let named = servers
        .iter()
        .map(|(name, least)| ((*name).to_owned(), *least));
    Some(named.collect())
}

#[test]
fn where_plonky3_is_faster_it_serves() {
    // Its time is 1000 ns for a state whatever the build, so that ours are faster everywhere.
    let mut table = table();
    let ours = named(&[
        ("w8_avx2_halves_b2", 8),
        ("w8_avx2_halves_b1", 2),
        ("w8_scalar_b1", 1),
    ]);
    assert_eq!(beside(&[table.clone()], Isa::Avx2, 4), ours);
    assert_eq!(beside(&[table.clone()], Isa::Avx2, 1), ours);
    // Never compared with its type of 8 lanes; less than those are as before.
    let unknown = named(&[
        ("stock of 8", 8),
        ("w8_avx2_halves_b1", 2),
        ("w8_scalar_b1", 1),
    ]);
    assert_eq!(beside(&[table.clone()], Isa::Avx2, 8), unknown);
    // The row for plain Rust is of use in builds for CPUs without AVX2 alone.
    assert_eq!(beside(&[table.clone()], Isa::Scalar, 4), None);

    // With AVX2 it takes 280 ns: the larger of ours stays, what is left over goes to it.
    let mut figures = table.cells[1].figures.iter_mut().flatten();
    figures
        .by_ref()
        .for_each(|figure| figure.ratio = 280.0 / figure.time);
    let some = named(&[
        ("w8_avx2_halves_b2", 8),
        ("stock of 4", 2),
        ("w8_scalar_b1", 1),
    ]);
    assert_eq!(beside(&[table.clone()], Isa::Avx2, 4), some);
    // A build without AVX2 knows nothing of that.
    assert_eq!(beside(&[table.clone()], Isa::Avx2, 1), ours);

    // A single state in 750 ns, plain Rust takes 800: two of them take longer than a group.
    let figures = table.cells[0].figures.iter_mut().flatten();
    figures.for_each(|figure| figure.ratio = 750.0 / figure.time);
    let single = named(&[
        ("w8_avx2_halves_b2", 8),
        ("stock of 4", 2),
        ("stock of 1", 1),
    ]);
    assert_eq!(beside(&[table.clone()], Isa::Avx2, 4), single);
    let single = named(&[
        ("w8_avx2_halves_b2", 8),
        ("w8_avx2_halves_b1", 2),
        ("stock of 1", 1),
    ]);
    assert_eq!(beside(&[table], Isa::Avx2, 1), single);
}
