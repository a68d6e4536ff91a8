//! The README's program against each version of Plonky3: with the version's own types, and with two of
//! them ours. Both have to print the same roots.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use super::Stop;
use super::limits;
use super::workspace::{PROFILE, Workspace};

/// What is replaced in a text, by what.
type Change = (&'static str, &'static str);

/// A version that the kernels serve.
struct Version {
    /// As the command line has it.
    name: &'static str,
    /// As manifests have it.
    requirement: &'static str,
    feature: &'static str,
    /// Where our types for it are.
    module: &'static str,
    fields: &'static [Field],
    /// What a program for 0.8 writes otherwise for it, and what a manifest does.
    program: &'static [Change],
    manifest: &'static [Change],
    /// What has to be ours besides the permutation and the packed type.
    more: &'static [Change],
}

const VERSIONS: [Version; 4] = [
    Version {
        name: "0.4.3",
        requirement: "0.4.3",
        feature: "plonky3-0-4",
        module: "poseidon2_kernels::plonky3_0_4",
        fields: &[KOALA_BEAR, BABY_BEAR],
        // Trees are binary and have one root; and it is of the days of rand 0.9.
        program: &[
            ("Compress, 2, ", "Compress, "),
            ("Compress::new(perm), 0)", "Compress::new(perm))"),
            ("commitment.roots()[0]", "commitment.into()"),
            ("RngExt", "Rng"),
        ],
        manifest: &[(
            "rand = \"0.10.1\"",
            "rand = { version = \"0.9.0\", features = [\"small_rng\"] }",
        )],
        // Its own sponge takes elements of rings alone, which arrays are not.
        more: &[
            (
                "{PaddingFreeSponge, TruncatedPermutation}",
                "TruncatedPermutation",
            ),
            ("PaddingFreeSponge<Perm", "poseidon2_kernels::Sponge<Perm"),
        ],
    },
    Version {
        name: "0.6",
        requirement: "0.6.3",
        feature: "plonky3-0-6",
        module: "poseidon2_kernels::plonky3_0_6",
        fields: &[GOLDILOCKS, KOALA_BEAR, BABY_BEAR],
        program: &[],
        manifest: &[],
        more: &[],
    },
    Version {
        name: "0.8",
        requirement: "0.8.0",
        feature: "plonky3",
        module: "poseidon2_kernels",
        fields: &[GOLDILOCKS, KOALA_BEAR, BABY_BEAR],
        program: &[],
        manifest: &[],
        more: &[],
    },
    Version {
        name: "0.9",
        requirement: "=0.9.0-rc.2",
        feature: "plonky3-0-9-rc",
        module: "poseidon2_kernels::plonky3_0_9",
        fields: &[GOLDILOCKS, KOALA_BEAR, BABY_BEAR],
        program: &[],
        manifest: &[],
        more: &[],
    },
];

/// The versions, as the command line has them.
pub(super) const NAMES: [&str; VERSIONS.len()] = [
    VERSIONS[0].name,
    VERSIONS[1].name,
    VERSIONS[2].name,
    VERSIONS[3].name,
];

/// A field whose elements are hashed, and what the program for Goldilocks writes otherwise for it.
struct Field {
    package: &'static str,
    program: &'static [Change],
}

const GOLDILOCKS: Field = Field {
    package: "p3-goldilocks",
    program: &[],
};

const KOALA_BEAR: Field = Field {
    package: "p3-koala-bear",
    program: &[
        ("p3_goldilocks", "p3_koala_bear"),
        ("Goldilocks", "KoalaBear"),
        WIDTH_16[0],
        WIDTH_16[1],
        WIDTH_16[2],
        WIDTH_16[3],
        WIDTH_16[4],
    ],
};

const BABY_BEAR: Field = Field {
    package: "p3-baby-bear",
    program: &[
        ("p3_goldilocks", "p3_baby_bear"),
        ("Goldilocks", "BabyBear"),
        WIDTH_16[0],
        WIDTH_16[1],
        WIDTH_16[2],
        WIDTH_16[3],
        WIDTH_16[4],
    ],
};

/// Elements of 31 bits: twice as many in a state and in a digest.
const WIDTH_16: [Change; 5] = [
    ("Bear<8>", "Bear<16>"),
    ("<Perm, 8, 4, 4>", "<Perm, 16, 8, 8>"),
    ("<Perm, 2, 4, 8>", "<Perm, 2, 8, 16>"),
    ("Compress, 2, 4>", "Compress, 2, 8>"),
    ("[Val; 4]", "[Val; 8]"),
];

/// Whose types a program has.
#[derive(Clone, Copy, PartialEq)]
enum Types {
    Stock,
    Ours,
}

impl Types {
    const ALL: [Self; 2] = [Self::Stock, Self::Ours];

    const fn name(self) -> &'static str {
        match self {
            Self::Stock => "stock",
            Self::Ours => "ours",
        }
    }
}

impl Version {
    fn package(&self, types: Types) -> String {
        format!("{}-{}", types.name(), self.feature)
    }

    fn binary(&self, types: Types, field: &Field) -> String {
        format!("{}-{}", self.package(types), field.package)
    }

    /// The program over a field, made of the one for 0.8 and Goldilocks.
    fn program(&self, types: Types, field: &Field, readme: &str) -> Result<String, Stop> {
        let text = changed(readme, field.program)?;
        let text = changed(&text, self.program)?;
        if types == Types::Stock {
            return Ok(text);
        }
        let theirs = format!("type Perm = {}::", field.package.replace('-', "_"));
        let ours = format!("type Perm = {}::", self.module);
        let packing = ("<Val as p3_field::Field>::Packing", "[Val; 32]");
        changed(&changed(&text, &[(&theirs, &ours), packing])?, self.more)
    }

    /// Its manifest, made of the one for 0.8 and Goldilocks.
    fn manifest(&self, types: Types, readme: &str, kernels: &Path) -> Result<String, Stop> {
        let name = format!("\"{}\"", self.package(types));
        let fields: String = self.fields.iter().fold(String::new(), |lines, field| {
            lines + field.package + " = \"0.8.0\"\n"
        });
        let text = changed(readme, self.manifest)?;
        let text = changed(
            &text,
            &[
                ("\"my-prover\"", &name),
                ("p3-goldilocks = \"0.8.0\"\n", &fields),
                ("\"0.8.0\"", &format!("\"{}\"", self.requirement)),
            ],
        )?;
        if types == Types::Stock {
            return Ok(text);
        }
        let (feature, path) = (self.feature, toml::Value::from(&*kernels.to_string_lossy()));
        Ok(
            text + &format!(
                "poseidon2-kernels = {{ path = {path}, features = [\"{feature}\"] }}\n"
            ),
        )
    }
}

/// The text with everything replaced; each must be there.
fn changed(text: &str, changes: &[(&str, &str)]) -> Result<String, Stop> {
    changes
        .iter()
        .try_fold(text.to_owned(), |text, (from, to)| {
            if text.contains(from) {
                return Ok(text.replace(from, to));
            }
            let message =
                format!("the README's program has no `{from}`, for which `{to}` is written");
            Err(Stop::Blocked(message))
        })
}

/// Builds the programs for these versions, runs them, and tells how many roots were the same.
pub(super) fn all(workspace: &Workspace, names: &[String]) -> Result<(), Stop> {
    let folder = workspace.scratch()?.join("versions");
    write(workspace, &folder)?;
    let selected = VERSIONS.iter();
    let selected = selected.filter(|version| names.iter().any(|name| name == version.name));
    let selected: Vec<&Version> = selected.collect();
    let mut build = workspace.cargo(&["build", "--locked", "--profile", PROFILE, "--target-dir"]);
    build.arg(workspace.target()).current_dir(&folder);
    for version in &selected {
        for types in Types::ALL {
            build.args(["-p", &version.package(types)]);
        }
    }
    workspace.run(build, "the programs for versions of Plonky3", limits::BUILD)?;
    println!("the README's program with stock types and with ours");
    let mut wrong = Vec::new();
    for version in selected {
        for field in version.fields {
            let [stock, ours] = Types::ALL.map(|types| roots(workspace, version, types, field));
            let (stock, ours) = (stock?, ours?);
            let what = format!("Plonky3 {}, {}", version.name, field.package);
            let came = if stock == ours {
                format!("{} roots, the same", stock.lines().count())
            } else {
                wrong.push(format!("{what}:\nstock\n{stock}ours\n{ours}"));
                "other roots".to_owned()
            };
            println!("  {what:<44}{came}");
        }
    }
    super::wrong(wrong)
}

/// Writes a workspace with the programs for all versions, as the lock file has them.
fn write(workspace: &Workspace, folder: &Path) -> Result<(), Stop> {
    let root = workspace.root();
    let kernels = root.join("poseidon2-kernels");
    let readme = kernels.join("plonky3-examples/tests/plonky3/drop_in");
    let read = |name| std::fs::read_to_string(readme.join(name));
    let (program, manifest) = (read("before.rs")?, read("before.toml")?);
    if folder.exists() {
        std::fs::remove_dir_all(folder)?;
    }
    let mut members = String::new();
    for version in &VERSIONS {
        for types in Types::ALL {
            let package = version.package(types);
            _ = write!(members, "\"{package}\", ");
            let binaries = folder.join(&package).join("src/bin");
            std::fs::create_dir_all(&binaries)?;
            for field in version.fields {
                let text = version.program(types, field, &program)?;
                let name = version.binary(types, field) + ".rs";
                std::fs::write(binaries.join(name), text)?;
            }
            let text = version.manifest(types, &manifest, &kernels)?;
            std::fs::write(folder.join(package).join("Cargo.toml"), text)?;
        }
    }
    let text = format!(
        "[workspace]\nresolver = \"3\"\nmembers = [{members}]\n\n\
         [profile.{PROFILE}]\ninherits = \"dev\"\ndebug = false\nincremental = false\n"
    );
    std::fs::write(folder.join("Cargo.toml"), text)?;
    let lock = std::fs::read(root.join("verify/drop-in/versions.lock"))?;
    Ok(std::fs::write(folder.join("Cargo.lock"), lock)?)
}

/// What a program prints: a root a line.
fn roots(
    workspace: &Workspace,
    version: &Version,
    types: Types,
    field: &Field,
) -> Result<String, Stop> {
    let name = version.binary(types, field);
    let program = Command::new(workspace.target().join(PROFILE).join(&name));
    let output = workspace.output(program, &name, limits::CALL)?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() && text.starts_with('[') {
        return Ok(text);
    }
    let (status, errors) = (output.status, String::from_utf8_lossy(&output.stderr));
    Err(Stop::Failed(format!("{name}: {status}\n{text}{errors}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drop_in(name: &str) -> String {
        let folder = "../poseidon2-kernels/plonky3-examples/tests/plonky3/drop_in";
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        std::fs::read_to_string(folder.join(name)).unwrap()
    }

    #[test]
    fn programs_are_the_readmes_and_differ_in_types() {
        let (before, after) = (drop_in("before.rs"), drop_in("after.rs"));
        for version in &VERSIONS {
            for field in version.fields {
                let [stock, ours] =
                    Types::ALL.map(|types| version.program(types, field, &before).unwrap());
                let pairs = stock.lines().zip(ours.lines());
                let differences = pairs.filter(|(a, b)| a != b);
                let expected = 2 + version.more.len();
                assert_eq!(differences.count(), expected, "{}", version.name);
                if version.name == "0.8" && field.package == GOLDILOCKS.package {
                    assert_eq!((stock, ours), (before.clone(), after.clone()));
                }
            }
        }
    }

    #[test]
    fn what_is_not_there_is_not_replaced() {
        let Err(Stop::Blocked(message)) = changed("abc", &[("b", "d"), ("b", "e")]) else {
            panic!("it is refused");
        };
        assert_eq!(
            message,
            "the README's program has no `b`, for which `e` is written"
        );
    }
}
