//! Specs of one's own, in folders of one's own: what is read, inferred, written and refused.

mod program;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use program::{ONE, codegen, files, folder, root};

/// A permutation that nobody else has, of one round and two.
fn own(constants: &str, proof: &str) -> String {
    format!(
        "[permutation]\n\
         parameter-set = \"mine\"\n\
         field = \"goldilocks\"\n\
         width = 8\n\
         external-rounds = 2\n\
         internal-rounds = 1\n\
         sbox = 7\n\
         diagonal = [\"-2\", \"1\", \"2\", \"1/2\", \"3\", \"-1/2\", \"-3\", \"-4\"]\n\
         constants = {constants}\n\
         \n\
         [[kernel]]\n\
         isa = \"scalar\"\n\
         batch = [1]\n\
         {proof}"
    )
}

/// Constants beyond 63 bits, which the TOML library's integers do not hold, in several spellings.
const WIDE: &str = "{ external = [\n\
    [18446744069414584320, 0xffff_ffff_0000_0000, 0xFFFFFFFE00000001, 4, 5, 6, 7, 8],\n\
    [9223372036854775808, 2, 3, 4, 5, 6, 7, 8],\n\
], internal = [9_223_372_036_854_775_809] }";

struct Own {
    folder: tempfile::TempDir,
    spec: PathBuf,
}

impl Own {
    fn new(text: &str) -> Self {
        let folder = folder();
        let spec = folder.path().join("own.toml");
        fs::write(&spec, text).unwrap();
        Self { folder, spec }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn out(&self) -> PathBuf {
        self.path().join("out")
    }

    /// A run with this spec and this folder.
    fn run(&self, arguments: &[&str]) -> String {
        let out = self.out();
        let mut all = arguments.to_vec();
        all.extend(["--spec", self.spec.to_str().unwrap()]);
        all.extend(["--out", out.to_str().unwrap()]);
        codegen(&all, self.path())
    }

    fn text(&self) -> String {
        fs::read_to_string(&self.spec).unwrap()
    }
}

#[test]
fn inference_takes_constants_of_64_bits() {
    let own = Own::new(&own(WIDE, ""));
    let told = own.run(&["--isa", "scalar", "--infer"]);
    assert!(told.starts_with("exit 0\n"), "{told}");
    let text = own.text();
    assert!(text.contains(WIDE), "{text}");
    assert!(text.contains("[[proof.eager]]"), "{text}");
}

#[test]
fn inference_writes_a_set_that_is_asked_for_and_not_there_yet() {
    let own = Own::new(&own(WIDE, "proof = \"mine\"\n"));
    let told = own.run(&["--isa", "scalar", "--infer"]);
    assert!(told.starts_with("exit 0\n"), "{told}");
    assert!(own.text().contains("[[proof.mine]]"), "{}", own.text());
    // With other sets there it is a slip of the pen.
    let slip = own.text().replace("proof = \"mine\"", "proof = \"mien\"");
    fs::write(&own.spec, slip).unwrap();
    let told = own.run(&["--isa", "scalar", "--infer"]);
    assert!(told.contains("unknown proof set `mien`"), "{told}");
}

#[test]
fn a_set_of_ones_own_may_have_derived_constants() {
    let own = Own::new(&own("\"grain\"", ""));
    let told = own.run(&["--isa", "scalar"]);
    assert!(
        told.starts_with("exit 0\nmine/goldilocks/w8_scalar_b1"),
        "{told}"
    );
    let constants = own.out().join("src/mine/goldilocks/constants_w8.rs");
    assert!(constants.is_file(), "{:?}", files(&own.out()));
}

/// As docs/specs.md shows it: without a selection all kernels of the spec are written, as `check` wants them.
#[test]
fn what_was_written_without_a_selection_is_as_check_wants_it() {
    let own = Own::new(&own(WIDE, ""));
    let told = own.run(&["--infer"]);
    assert!(told.starts_with("exit 0\n"), "{told}");
    let checked = own.run(&["check"]);
    assert!(checked.starts_with("exit 0\n"), "{checked}");
}

#[test]
fn a_kernel_that_the_spec_no_longer_asks_for_is_an_orphan() {
    let own = Own::new(&own(WIDE, ""));
    let text = own.text();
    fs::write(&own.spec, text.replace("[1]", "[1, 2]")).unwrap();
    let told = own.run(&["generate", "--all"]);
    assert!(told.starts_with("exit 0\n"), "{told}");
    fs::write(&own.spec, text).unwrap();
    let all = files(&own.out()).len();
    let told = own.run(&["check"]);
    assert!(told.starts_with("exit 1\n"), "{told}");
    assert!(told.contains(&format!(" of {all} files not")), "{told}");
    let kernel = "src/mine/goldilocks/w8_scalar_b2.rs";
    assert!(
        told.contains(&format!("orphaned        {kernel}")),
        "{told}"
    );
    assert!(told.contains("src/registry.rs"), "{told}");
    let told = own.run(&["generate", "--all"]);
    assert!(told.contains(" 1 deleted"), "{told}");
    assert!(!own.out().join(kernel).exists());
    let told = own.run(&["check"]);
    assert!(told.starts_with("exit 0\n"), "{told}");
}

#[test]
fn a_folder_of_another_spec_is_refused() {
    let own = Own::new(&own(WIDE, ""));
    let told = own.run(&["generate", "--all"]);
    assert!(told.starts_with("exit 0\n"), "{told}");
    let before = files(&own.out());
    fs::write(&own.spec, own.text().replace("\"mine\"", "\"other\"")).unwrap();
    for arguments in [&["generate", "--all"][..], &["--isa", "scalar"], &["check"]] {
        let told = own.run(arguments);
        assert!(told.starts_with("exit 2\n"), "{told}");
        assert!(
            told.contains("lists mine/goldilocks/w8_scalar_b1"),
            "{told}"
        );
        assert!(told.contains("choose another --out"), "{told}");
    }
    assert_eq!(files(&own.out()), before);
}

#[test]
fn a_broken_manifest_is_written_anew_as_its_refusal_says() {
    let own = Own::new(&own(WIDE, ""));
    let told = own.run(&["generate", "--all"]);
    assert!(told.starts_with("exit 0\n"), "{told}");
    let manifest = own.out().join("manifest.json");
    fs::write(&manifest, "mine\n").unwrap();
    for arguments in [&["generate", "--all"][..], &["check"], &["list"]] {
        let told = own.run(arguments);
        assert!(told.starts_with("exit 2\n"), "{told}");
        assert!(
            told.contains("help: delete it; then `cargo run -p codegen -- generate --all "),
            "{told}"
        );
    }
    fs::remove_file(&manifest).unwrap();
    let told = own.run(&["generate", "--all"]);
    assert!(told.contains("1 file written"), "{told}");
}

/// The usual folder has the kernels of all specs of the repository.
#[test]
fn kernels_of_other_specs_are_no_orphans_in_the_usual_folder() {
    let spec = root().join("codegen/specs/goldilocks-w8.toml");
    let told = codegen(
        &["check", "--spec", spec.to_str().unwrap()],
        Path::new("/nowhere"),
    );
    assert!(told.starts_with("exit 0\n"), "{told}");
}

/// The files that each command in a header writes.
fn commands(out: &Path) -> BTreeMap<String, Vec<String>> {
    let mut commands = BTreeMap::<_, Vec<_>>::new();
    for file in files(out) {
        let text = fs::read_to_string(out.join(&file)).unwrap();
        let line = text.lines().nth(1).unwrap_or_default();
        if let Some((_, command)) = line.split_once("cargo run -p codegen -- ") {
            commands.entry(command.to_owned()).or_default().push(file);
        }
    }
    commands
}

#[test]
fn the_command_in_a_header_writes_the_file_again() {
    let own = Own::new(&own(WIDE, ""));
    let templates = own.path().join("my templates");
    program::copy(&root().join("templates"), &templates);
    let templates = templates.to_str().unwrap();
    for arguments in [
        &["--isa", "scalar", "--templates", templates][..],
        &["generate", "--all", "--templates", templates],
    ] {
        assert!(own.run(arguments).starts_with("exit 0\n"));
        let written = own.path().join("written");
        fs::rename(own.out(), &written).unwrap();
        let commands = commands(&written);
        assert_eq!(commands.len(), 2, "{commands:?}");
        for (command, files) in commands {
            // Not a step outside: other folders are the repository's own.
            assert!(command.contains(" --out "), "{command}: {files:?}");
            assert!(!command.contains(root().to_str().unwrap()), "{command}");
            // From the repository's folder, as whoever reads the header would.
            let told = program::shell(&format!("$CODEGEN {command}"), &root());
            assert!(told.starts_with("exit 0\n"), "{command}\n{told}");
            for file in files {
                let [first, again] = [&written, &own.out()]
                    .map(|folder| fs::read_to_string(folder.join(&file)).unwrap());
                assert_eq!(first, again, "{file}: {command}");
            }
            fs::remove_dir_all(own.out()).unwrap();
        }
        fs::remove_dir_all(&written).unwrap();
    }
}

/// A spec of the repository with something added to it.
fn changed(file: &str, added: &str) -> Own {
    let text = fs::read_to_string(root().join("codegen/specs").join(file)).unwrap();
    Own::new(&(text + added))
}

const TOO_MUCH: &str = "\n[[proof.eager]]\n\
    site = \"external[*].mds.sum[0].0\"\n\
    claim = { output-of = \"canonicalise\" }\n";

#[test]
fn a_refusal_leads_to_an_explanation_and_not_back_to_itself() {
    let own = changed("goldilocks-w8.toml", TOO_MUCH);
    let refused = own.run(&["--isa", "scalar", "--strategy", "eager", "--batch", "2"]);
    assert!(refused.starts_with("exit 2\n"), "{refused}");
    let (_, advice) = refused.split_once("`codegen explain ").unwrap();
    let (advice, _) = advice.split_once('`').unwrap();
    // The frame around the message breaks lines.
    let advice = advice.replace(['\n', '│'], " ").replace('\'', "");
    let words: Vec<&str> = advice.split_whitespace().collect();
    let (site, places) = words.split_at(2);
    assert_eq!(places.join(" "), PLACES.trim());
    let words = [&["explain"], site].concat();
    let told = own.run(&words);
    assert!(told.starts_with("exit 0\n"), "{words:?}\n{told}");
    insta::assert_snapshot!("explained_refusal", told);
}

#[test]
fn sites_are_listed_beside_what_is_refused() {
    let own = changed("goldilocks-w8.toml", TOO_MUCH);
    let told = own.run(&["sites", "w8_neon_b2"]);
    assert!(told.starts_with("exit 2\n"), "{told}");
    assert_eq!(told.matches(" refused ").count(), 2, "{told}");
    assert!(told.contains("kept at 25, refused at 1\n"), "{told}");
    assert!(told.contains("a + b < 2^64 + p is not proved"), "{told}");
    let told = own.run(&["diff", "w8_neon_b2"]);
    assert!(
        told.starts_with("exit 2\n0 of 0 kernels would change by instruction; 1 more"),
        "{told}"
    );
}

#[test]
fn what_nothing_needs_is_explained_as_it_is_listed() {
    let own = changed("goldilocks-w8.toml", "");
    let claim =
        "site = \"internal.rc\"\nclaim = \"canonicalised-at-construction\"\n\n[[proof.eager]]\n";
    assert!(own.text().contains(claim));
    fs::write(&own.spec, own.text().replace(claim, "")).unwrap();
    for verb in [
        &["explain", "w8_neon_b2", "internal.rc"][..],
        &["sites", "w8_neon_b2"],
    ] {
        let told = own.run(verb);
        let why = "no claim removes it, though the bound holds without it";
        assert!(told.contains(why), "{told}");
    }
}

#[test]
fn no_claims_are_written_without_kernels() {
    let own = Own::new(&own(WIDE, ""));
    let before = own.text();
    fs::write(own.out(), "not a folder").unwrap();
    let told = own.run(&["--infer"]);
    assert!(told.starts_with("exit 2\n"), "{told}");
    assert_eq!(own.text(), before);
}

/// With which advice is given here.
const PLACES: &str = " --spec OUT/own.toml --out OUT/out";

/// What the README shows under a command is printed by it, but for what is left out at each `…`.
#[test]
fn the_tour_prints_what_the_readme_shows() {
    // Frames, and where lines are broken, depend on the terminal.
    let plain = |text: &str| {
        let words = text.replace('│', " ");
        words.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let (_, tour) = readme.split_once("\n## A five-minute tour\n").unwrap();
    let (tour, _) = tour.split_once("\n## ").unwrap();
    let shown: Vec<&str> = tour
        .split("```console\n$ cargo run -p codegen -- ")
        .collect();
    let explain = ["explain", "w8_neon_b2", "internal.rc"];
    let (as_it_is, too_much) = ("goldilocks-w8.toml", TOO_MUCH);
    for (number, arguments, added) in [
        (1, &ONE[..], ""),
        (2, &explain[..], ""),
        (3, &ONE[..], too_much),
    ] {
        let own = changed(as_it_is, added);
        let told = own.run(arguments).replace(PLACES, "");
        let told = told.replace("OUT/out/", "generated/");
        let told = plain(&told.replace("OUT/own.toml", "ROOT/codegen/specs/goldilocks-w8.toml"));
        let (block, _) = shown[number].split_once("\n```").unwrap();
        let (command, block) = block.split_once('\n').unwrap();
        assert_eq!(command, arguments.join(" "));
        // In the tour the files are there already.
        let block = block.replace("  (unchanged)", "");
        let mut rest = told.as_str();
        for part in plain(&block).split('…').map(str::trim) {
            let found = rest.split_once(part);
            (_, rest) = found.unwrap_or_else(|| panic!("`{part}` is not in:\n{told}"));
        }
    }
}

#[test]
fn what_explain_says_of_other_sites_does_not_depend_on_the_refused_one() {
    let own = changed("goldilocks-w8.toml", TOO_MUCH);
    let arguments = ["explain", "w8_neon_b2", "internal.rc"];
    let told = own.run(&arguments);
    let right = codegen(&arguments, own.path());
    assert_eq!(told, right);
}

#[test]
fn a_kernel_without_templates_is_told_once_with_what_has_some() {
    let kernel = "\n[[kernel]]\nisa = \"neon\"\nlayout = \"registers\"\nstrategy = \"eager\"\nbatch = [1, 2]\n";
    let own = changed("koala-bear-w16.toml", kernel);
    let told = own.run(&["--isa", "neon", "--layout", "registers"]);
    assert_eq!(told.matches("div2exp").count(), 1, "{told}");
    assert!(!told.contains("rename"), "{told}");
    insta::assert_snapshot!("without_templates", told);
}

/// What is named in place of a kernel is there: whoever follows it gets a kernel.
#[test]
fn what_is_named_in_place_of_a_kernel_can_be_made() {
    let own_layer = "external-layer = { m4 = \"horizen\", order = \"strides\", initial = false }\n";
    let goldilocks = |sbox: usize, kernel: &str| {
        let text = own("\"grain\"", "").replace("isa = \"scalar\"", kernel);
        let text = text.replace("internal-rounds = 1", "internal-rounds = 22");
        text.replace("sbox = 7", &format!("sbox = {sbox}"))
    };
    let koala_bear = |kernel: &str| {
        let text = goldilocks(3, kernel).replace("\"goldilocks\"", "\"koala-bear\"");
        text.replace("constants =", &format!("{own_layer}constants ="))
    };
    let across = "isa = \"avx2\"\nlayout = \"across\"";
    let columns = "isa = \"armv8m\"\nstrategy = \"columns\"";
    let staggered = "isa = \"avx512ifma\"\nlayout = \"staggered\"\nstrategy = \"radix52\"";
    let (eager, lanes) = ("strategy = \"eager\"", "layout = \"lanes\"");
    for (text, refused, help, old, new) in [
        (
            koala_bear(across),
            "strategy `uniform` is not for this external layer",
            "use layout `lanes`",
            "layout = \"across\"",
            lanes,
        ),
        (
            koala_bear("isa = \"x86_64\""),
            "`x86_64` has no kernels of this permutation, over koala-bear",
            "use isa = \"scalar\", or write ROOT/templates/x86_64/registers/montgomery31/add.tera;",
            "\"x86_64\"",
            "\"scalar\"",
        ),
        (
            goldilocks(7, columns),
            "no kernel of this permutation by strategy `columns` in layout `registers` of `armv8m`",
            "valid there: `eager`, or write",
            "strategy = \"columns\"",
            eager,
        ),
        (
            goldilocks(11, "isa = \"avx512ifma\""),
            "strategy `limbs` is not for x^11",
            "use isa = \"avx512\"",
            "\"avx512ifma\"",
            "\"avx512\"",
        ),
        (
            goldilocks(53, "isa = \"avx512ifma\"").replace("\"goldilocks\"", "\"mersenne-31\""),
            "strategy `radix52` is not for this permutation: its words do not hold",
            "use isa = \"avx512\"",
            "\"avx512ifma\"",
            "\"avx512\"",
        ),
        (
            koala_bear(staggered).replace("batch = [1]", "batch = [2]"),
            "layout `staggered` is for permutations",
            "use layout `lanes`",
            "layout = \"staggered\"",
            lanes,
        ),
    ] {
        let own = Own::new(&text);
        let told = own.run(&[]);
        assert!(told.starts_with("exit 2\n"), "{told}");
        assert_eq!(told.matches("× ").count(), 1, "{told}");
        for part in [refused, help, "OUT/own.toml:", "[[kernel]]"] {
            assert!(told.contains(part), "{part}: {told}");
        }
        fs::write(&own.spec, text.replace(old, new)).unwrap();
        let told = own.run(&[]);
        assert!(told.starts_with("exit 0\n"), "{told}");
    }
}

#[test]
fn a_warning_of_kept_canonicalisations_names_the_kernel() {
    let told = Own::new(&own(WIDE, "")).run(&[]);
    assert!(told.contains("OUT/own.toml:14:1"), "{told}");
    assert!(told.contains("without a proof set"), "{told}");
}
