use std::path::{Path, PathBuf};
use std::sync::Mutex;

use codegen::cli::places::Workspace;
use codegen::cli::select::all;
use codegen::cli::{Exit, Places};
use codegen::kernel::KernelInfo;
use codegen::names::Isa;

use crate::measure::Campaign;
use crate::record::{Origin, Record};
use crate::request::Request;
use crate::session::run;

mod untimed;

/// Tells what a formula says, and keeps what it was asked.
struct Fake {
    asked: Mutex<Vec<(PathBuf, Campaign)>>,
    /// Nanoseconds for a permutation, by the kernel's name.
    time: fn(&KernelInfo) -> f64,
}

impl Fake {
    fn new(time: fn(&KernelInfo) -> f64) -> Self {
        Self {
            asked: Mutex::default(),
            time,
        }
    }

    fn figures(&self, folder: &Path, campaign: &Campaign) -> Vec<Record> {
        let asked = (folder.to_owned(), campaign.clone());
        self.asked.lock().unwrap().push(asked);
        if campaign.cores.is_empty() {
            let text = std::fs::read_to_string(folder.join("generated/manifest.json")).unwrap();
            let kernels = codegen::scaffold::read_manifest(&text).unwrap();
            return self.tell(&kernels, campaign, None);
        }
        // Benches generate for themselves what they model; here is the same.
        let workspace = workspace(folder);
        let made = crate::copy::generate(&workspace, &all(&workspace.specs), true).unwrap();
        let kernels: Vec<_> = made.into_iter().map(|kernel| kernel.info).collect();
        let cores = campaign.cores.iter();
        cores
            .flat_map(|core| self.tell(&kernels, campaign, Some(core)))
            .collect()
    }

    fn tell(&self, kernels: &[KernelInfo], campaign: &Campaign, core: Option<&str>) -> Vec<Record> {
        let wanted = kernels.iter().filter(|kernel| {
            campaign.isas.iter().any(|isa| isa.name() == kernel.isa)
                && campaign.width.is_none_or(|width| width == kernel.width)
                && campaign
                    .field
                    .as_ref()
                    .is_none_or(|field| *field == kernel.field)
        });
        let record = |(kernel, shape): (&KernelInfo, Option<&str>)| Record {
            kernel: kernel.name.clone(),
            shape: shape.map(str::to_owned),
            ours_ns: Some((self.time)(kernel)),
            peer_ns: Some(1000.0),
            peer_states: 1,
            ratio: Some(1000.0 / (self.time)(kernel)),
            spread: Some(0.01),
            verified: true,
            core: core.map(str::to_owned),
            model: core.map(|_| "LLVM 0".to_owned()),
            origin: Origin {
                code: Some(kernel.code.clone()),
                compiler: Some("rustc 0".to_owned()),
                plonky3: Some("0.0.1".to_owned()),
                ..Origin::default()
            },
        };
        let shapes: &[_] = match core {
            Some(_) => &[None],
            None => &[Some("chain"), Some("independent"), Some("merkle-14")],
        };
        wanted
            .flat_map(|kernel| shapes.iter().map(move |shape| (kernel, *shape)))
            .map(record)
            .collect()
    }
}

/// Kernels over Goldilocks of these names; of what was generated for them nothing is said.
pub(crate) fn kernels(names: &[&str]) -> Vec<KernelInfo> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = std::fs::read_to_string(root.join("generated/manifest.json")).unwrap();
    let some = codegen::scaffold::read_manifest(&text).unwrap().remove(0);
    let kernel = |name: &&str| KernelInfo {
        name: format!("plonky3/goldilocks/{name}"),
        isa: name.split('_').nth(1).unwrap().to_owned(),
        batch: name.rsplit("_b").next().unwrap().parse().unwrap(),
        code: String::new(),
        ..some.clone()
    };
    names.iter().map(kernel).collect()
}

/// A repository with one spec, and without tables.
fn repository() -> (tempfile::TempDir, Workspace) {
    let folder = tempfile::tempdir().unwrap();
    let real = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let root = folder.path();
    std::fs::create_dir_all(root.join("codegen/specs")).unwrap();
    let spec = "codegen/specs/goldilocks-w8.toml";
    std::fs::copy(real.join(spec), root.join(spec)).unwrap();
    for package in ["benches", "poseidon2-kernels", "templates", "verify"] {
        std::fs::create_dir_all(root.join(package)).unwrap();
    }
    for file in ["Cargo.toml", "Cargo.lock", "README.md"] {
        std::fs::copy(real.join(file), root.join(file)).unwrap();
    }
    let workspace = workspace(root);
    (folder, workspace)
}

/// A repository, with the templates of this one.
fn workspace(root: &Path) -> Workspace {
    let real = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let places = Places {
        templates: Some(real.join("templates")),
        ..Places::default()
    };
    Workspace::at(root.to_owned(), &places).unwrap()
}

fn tuned(workspace: &Workspace, request: &Request, fake: &Fake) -> String {
    let mut out = Vec::new();
    let measurer = |folder: &Path, campaign: &Campaign| Ok(fake.figures(folder, campaign));
    let exit = run(workspace, request, &measurer, &mut out);
    let told = String::from_utf8(out).unwrap();
    let exit = exit.unwrap_or_else(|errors| panic!("{}\n{told}", errors.render()));
    assert_eq!(exit, Exit::Done);
    told
}

fn larger_is_faster(kernel: &KernelInfo) -> f64 {
    let strategy = if kernel.strategy == "eager" { 1.5 } else { 1.0 };
    strategy * (400.0 - 20.0 * kernel.batch as f64) / kernel.lanes as f64
}

/// For a table of this CPU, with kernels as their specs have them.
fn of_plain_rust() -> Request {
    Request {
        isa: vec!["scalar".to_owned()],
        cpu: Some("mine".to_owned()),
        as_specified: true,
        ..Request::default()
    }
}

#[test]
fn what_was_measured_is_in_the_table_and_in_the_crate() {
    let (folder, workspace) = repository();
    let fake = Fake::new(larger_is_faster);
    let request = Request {
        seed: 7,
        ..of_plain_rust()
    };
    let told = tuned(&workspace, &request, &fake);
    assert!(told.contains("codegen/tuning/mine.toml: written"), "{told}");
    assert!(told.contains("files written"), "{told}");
    let asked = fake.asked.lock().unwrap();
    // Where those are, too, that do not ship.
    assert_eq!(asked[0].0, folder.path().join("target/tune"));
    assert_eq!((asked[0].1.seed, asked[0].1.isas.len()), (7, 1));
    let tables = workspace.tables().unwrap();
    assert_eq!((tables.len(), tables[0].cpu.as_str()), (1, "mine"));
    let made = &tables[0].cells[0].made;
    assert_eq!(
        made.command,
        "cargo run -p tune -- --isa scalar --cpu mine --seed 7 --as-specified"
    );
    assert_eq!(made.compiler, "rustc 0");
    assert_eq!(made.peer, "p3-goldilocks 0.0.1");
    let text = std::fs::read_to_string(folder.path().join("generated/src/tuning.rs")).unwrap();
    assert!(text.contains("cpu: \"mine\"") && text.contains("w8_scalar_redc_b2"));
}

#[test]
fn a_part_of_a_cell_does_not_stand_in_for_it() {
    let (folder, workspace) = repository();
    let fake = Fake::new(larger_is_faster);
    let request = of_plain_rust();
    tuned(&workspace, &request, &fake);
    let path = folder.path().join("codegen/tuning/mine.toml");
    let text = |of: &Path| std::fs::read_to_string(of).unwrap();
    let before = text(&path);
    let again = |lacks: fn(&Record) -> bool| {
        let measurer = |folder: &Path, campaign: &Campaign| {
            let mut records =
                Fake::new(|kernel| 2.0 * larger_is_faster(kernel)).figures(folder, campaign);
            records.retain(|record| !lacks(record));
            Ok(records)
        };
        run(&workspace, &request, &measurer, &mut Vec::new()).unwrap();
    };
    // Ran out of time before the last shape.
    again(|record| record.kernel.ends_with("_b2") && record.shape.as_deref() == Some("merkle-14"));
    assert_eq!(text(&path), before);
    // What no spec asks for can go.
    std::fs::write(&path, before.replace("w8_scalar_b2", "w8_scalar_b3")).unwrap();
    again(|_| false);
    let after = text(&path);
    assert!(after != before && !after.contains("w8_scalar_b3"));
}

#[test]
fn cores_are_modelled_into_their_own_table() {
    let (_folder, workspace) = repository();
    let fake = Fake::new(larger_is_faster);
    let request = Request {
        model: Some("neoverse-n1".to_owned()),
        width: Some("8".to_owned()),
        ..Request::default()
    };
    tuned(&workspace, &request, &fake);
    let tables = workspace.tables().unwrap();
    let table = &tables[0];
    assert!(table.modelled && table.arch == "aarch64" && table.cpu == "neoverse-n1");
    assert!(table.cells.iter().any(|cell| cell.key.isa == Isa::Neon));
    assert_eq!(
        table.cells[0].made.machine,
        "neoverse-n1, as LLVM 0 models it"
    );
}

#[test]
fn figures_of_a_file_say_how_they_came_about() {
    let (folder, workspace) = repository();
    let path = folder.path().join("model.json");
    let text = r#"[{"kernel": "plonky3/goldilocks/w8_neon_b1", "core": "neoverse-n1",
        "ours_cycles": 4.0, "peer_cycles": 8.0, "ratio": 2.0, "verified": true, "model": "LLVM 1",
        "command": "benches model --json model.json", "cpu": "Other", "compiler": "rustc 1",
        "plonky3": "0.1.0", "code": "0123456789abcdef",
        "seed": 9},
        {"kernel": "plonky3/goldilocks/w8_scalar_b1", "core": "neoverse-n1",
        "ours_cycles": 4.0, "peer_cycles": 8.0, "ratio": 2.0, "verified": true}]"#;
    std::fs::write(&path, text).unwrap();
    let request = Request {
        model: Some("neoverse-n1".to_owned()),
        isa: vec!["neon".to_owned()],
        figures: Some(path),
        seed: 1,
        ..Request::default()
    };
    let fake = Fake::new(larger_is_faster);
    tuned(&workspace, &request, &fake);
    assert!(fake.asked.lock().unwrap().is_empty());
    let cells = workspace.tables().unwrap()[0].cells.clone();
    // Not those of others than were asked for.
    let [cell] = <[_; 1]>::try_from(cells).unwrap();
    // Of the code that was timed, not of what is generated here.
    assert_eq!(cell.code["w8_neon_b1"], "0123456789abcdef");
    let made = cell.made;
    assert_eq!(
        made.command,
        "benches model --json model.json && \
         cargo run -p tune -- --isa neon --model neoverse-n1 --figures model.json"
    );
    assert_eq!(made.machine, "neoverse-n1, as LLVM 1 models it");
    assert_eq!((made.compiler.as_str(), made.seed), ("rustc 1", 9));
    assert_eq!(made.peer, "p3-goldilocks 0.1.0");
}

#[test]
fn all_is_what_runs_here_and_what_was_modelled() {
    let (folder, workspace) = repository();
    let fake = Fake::new(larger_is_faster);
    let core = Request {
        model: Some("neoverse-v2".to_owned()),
        ..Request::default()
    };
    tuned(&workspace, &core, &fake);
    let all = Request {
        all: true,
        cpu: Some("mine".to_owned()),
        ..Request::default()
    };
    tuned(&workspace, &all, &fake);
    let asked = fake.asked.lock().unwrap();
    assert_eq!(asked.len(), 3);
    assert_eq!(asked[1].0, folder.path().join("target/tune"));
    assert!(asked[1].1.cores.is_empty());
    assert!(asked[1].1.isas.contains(&Isa::Scalar));
    assert_eq!(asked[2].1.cores, ["neoverse-v2"]);
    let tables = workspace.tables().unwrap();
    let cpus: Vec<_> = tables.iter().map(|table| table.cpu.as_str()).collect();
    assert_eq!(cpus, ["mine", "neoverse-v2"]);

    // A table that counts instructions is modelled, too, and not by LLVM.
    let counted = folder.path().join("codegen/tuning/mine.toml");
    let text = std::fs::read_to_string(&counted).unwrap();
    let text = text.replace("arch = \"x86_64\"", "arch = \"riscv32\"");
    std::fs::write(
        &counted,
        text.replace("modelled = false", "modelled = true"),
    )
    .unwrap();
    let of_mine = Request {
        model: Some("mine".to_owned()),
        ..Request::default()
    };
    let measurer = |_: &Path, _: &Campaign| unreachable!("nothing models it");
    let refused = run(&workspace, &of_mine, &measurer, &mut Vec::new()).unwrap_err();
    let refused = refused.to_string();
    assert!(
        refused.contains("`mine` is no core that LLVM has a model of"),
        "{refused}"
    );
}

#[cfg(target_arch = "x86_64")]
#[test]
fn other_settings_are_tried_in_a_copy() {
    let (folder, workspace) = repository();
    // One S-box of each group at a time is the best.
    let fake = Fake::new(|kernel| {
        let other = kernel.name.contains("_s") && !kernel.name.ends_with("_s1");
        larger_is_faster(kernel) * if other { 1.2 } else { 1.0 }
    });
    let request = Request {
        isa: vec!["avx2".to_owned()],
        cpu: Some("mine".to_owned()),
        ..Request::default()
    };
    let told = tuned(&workspace, &request, &fake);
    assert!(
        told.contains("`sboxes = 1` is faster than 8 for avx2 halves"),
        "{told}"
    );
    assert!(told.contains("--write puts this into the specs"), "{told}");
    let asked = fake.asked.lock().unwrap();
    assert_ne!(asked[0].0, folder.path());
    let target = asked[0].1.target.as_ref().unwrap();
    assert!(target.ends_with("tune-build") && !target.starts_with(&asked[0].0));
    let cell = &workspace.tables().unwrap()[0].cells[0];
    let names: Vec<_> = cell.figures[0].iter().map(|f| f.kernel.as_str()).collect();
    // Under their own names, with what the spec has now.
    assert!(names.iter().all(|name| !name.contains("_s")), "{names:?}");
    let four = cell.figures[0]
        .iter()
        .find(|f| f.kernel == "w8_avx2_halves_b4")
        .unwrap();
    assert_eq!(four.time, 1.2 * (400.0 - 80.0) / 4.0);
}

#[cfg(target_arch = "x86_64")]
#[test]
fn a_setting_that_was_not_timed_has_not_lost() {
    let (_folder, workspace) = repository();
    let request = Request {
        isa: vec!["avx2".to_owned()],
        cpu: Some("mine".to_owned()),
        ..Request::default()
    };
    let measurer = |folder: &Path, campaign: &Campaign| {
        let mut records = Fake::new(larger_is_faster).figures(folder, campaign);
        // All variants but the one with one S-box at a time.
        records.retain(|record| !record.kernel.contains("_s") || record.kernel.ends_with("_s1"));
        Ok(records)
    };
    let mut out = Vec::new();
    run(&workspace, &request, &measurer, &mut out).unwrap();
    let told = String::from_utf8(out).unwrap();
    assert!(!told.contains("is faster than"), "{told}");
}

#[test]
fn requests_are_refused_with_the_way_out() {
    let (folder, workspace) = repository();
    let named = |isa: &str, cpu: &str| Request {
        isa: vec![isa.to_owned()],
        cpu: Some(cpu.to_owned()),
        as_specified: true,
        ..Request::default()
    };
    let cases = [
        Request::default(),
        named("avx3", "mine"),
        Request {
            isa: vec!["scalar".to_owned(), "avx3".to_owned()],
            ..Request::default()
        },
        named("scalar", "../mine"),
        Request {
            isa: vec!["avx2".to_owned()],
            model: Some("neoverse-n1".to_owned()),
            ..Request::default()
        },
        Request {
            figures: Some(folder.path().join("none.json")),
            cpu: Some("mine".to_owned()),
            ..Request::default()
        },
    ];
    // Files that have none of what is asked for.
    let with_file = |name: &str, text: &str, request: Request| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        Request {
            model: Some("neoverse-n1".to_owned()),
            figures: Some(path),
            ..request
        }
    };
    let record = |kernel: &str, core: &str| {
        format!(
            r#"{{"kernel": "{kernel}", "core": "{core}", "ours_cycles": 1.0, "ratio": 1.0, "verified": true}}"#
        )
    };
    let known = record("plonky3/goldilocks/w8_neon_b1", "neoverse-n1");
    let [unknown, other] = ["n1", "v2"].map(|core| record("gone", &format!("neoverse-{core}")));
    let scalar = Request {
        isa: vec!["scalar".to_owned()],
        ..Request::default()
    };
    let measured =
        r#"{"kernel": "plonky3/goldilocks/w8_scalar_b1", "verified": true, "cpu": "Other"}"#;
    // What they were measured on names no table, and this CPU's is not theirs.
    let unnamed = [
        ("core.json", known.as_str()),
        ("cpu.json", measured),
        ("nothing.json", &measured.replace("cpu", "of")),
    ];
    let unnamed = unnamed.map(|(name, record)| Request {
        model: None,
        ..with_file(name, &format!("[{record}]"), Request::default())
    });
    let files = [
        with_file("empty.json", "[]", Request::default()),
        with_file("other.json", &format!("[{other}]"), Request::default()),
        with_file("known.json", &format!("[{known}, {unknown}]"), scalar),
        Request {
            model: None,
            cpu: Some("new".to_owned()),
            ..with_file("new.json", &format!("[{known}]"), Request::default())
        },
    ];
    let mut told = String::new();
    for request in cases.iter().chain(&files).chain(&unnamed) {
        let fake = Fake::new(larger_is_faster);
        let measurer = |folder: &Path, campaign: &Campaign| Ok(fake.figures(folder, campaign));
        let refused = run(&workspace, request, &measurer, &mut Vec::new()).unwrap_err();
        assert!(fake.asked.lock().unwrap().is_empty());
        told += &refused
            .render()
            .replace(&folder.path().display().to_string(), "ROOT");
    }
    assert!(!folder.path().join("codegen/tuning").exists());
    insta::assert_snapshot!(told);
}
