//! The programs, as texts: for each version what it writes otherwise than the one for 0.8.

use std::path::Path;

use super::super::Stop;

/// What is replaced in a text, by what.
type Change = (&'static str, &'static str);

/// A version that the kernels serve.
pub(super) struct Version {
    /// As the command line has it.
    pub(super) name: &'static str,
    /// As manifests have it.
    requirement: &'static str,
    feature: &'static str,
    /// Where our types for it are.
    module: &'static str,
    pub(super) fields: &'static [Field],
    /// What a program for 0.8 writes otherwise for it, and what a manifest does.
    program: &'static [Change],
    manifest: &'static [Change],
    /// What has to be ours besides the permutation and the packed type.
    more: &'static [Change],
    /// What the program that proves for 0.8 writes otherwise for it; none: too much.
    pub(super) proof: Option<&'static [Change]>,
}

pub(super) const VERSIONS: [Version; 4] = [
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
        proof: None,
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
        proof: Some(&[
            ("        batch_proof_of_work_bits: 0,\n", ""),
            (".expect(\"a proof can be made\")", ""),
        ]),
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
        proof: Some(&[]),
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
        proof: Some(&[]),
    },
];

/// The versions, as the command line has them.
pub(in crate::runner) const NAMES: [&str; VERSIONS.len()] = [
    VERSIONS[0].name,
    VERSIONS[1].name,
    VERSIONS[2].name,
    VERSIONS[3].name,
];

/// A field whose elements are hashed, and what the program for Goldilocks writes otherwise for it.
pub(super) struct Field {
    pub(super) package: &'static str,
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

/// The program that proves, in names.
pub(super) const PROOF: &str = "proof";

/// Whose types a program has.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Types {
    Stock,
    Ours,
}

impl Types {
    pub(super) const ALL: [Self; 2] = [Self::Stock, Self::Ours];

    const fn name(self) -> &'static str {
        match self {
            Self::Stock => "stock",
            Self::Ours => "ours",
        }
    }
}

impl Version {
    pub(super) fn package(&self, types: Types) -> String {
        format!("{}-{}", types.name(), self.feature)
    }

    /// A program of the package: over a field, or the one that proves.
    pub(super) fn binary(&self, types: Types, what: &str) -> String {
        format!("{}-{what}", self.package(types))
    }

    /// The program that proves, made of the one for 0.8; none if it would be too different.
    pub(super) fn proof(&self, types: Types, ours: &str) -> Result<Option<String>, Stop> {
        let Some(changes) = self.proof else {
            return Ok(None);
        };
        let text = changed(ours, changes)?;
        if types == Types::Stock {
            return Ok(Some(text));
        }
        let names = "Poseidon2Goldilocks, default_goldilocks_poseidon2_8}";
        let theirs = format!("use p3_goldilocks::{{Goldilocks, {names};");
        let ours = format!(
            "use p3_goldilocks::Goldilocks;\nuse {}::{{{names};",
            self.module
        );
        let packing = ("<Goldilocks as Field>::Packing", "[Goldilocks; 32]");
        changed(&text, &[(&theirs, &ours), packing, ("{Field, ", "{")]).map(Some)
    }

    /// The program over a field, made of the one for 0.8 and Goldilocks.
    pub(super) fn program(
        &self,
        types: Types,
        field: &Field,
        readme: &str,
    ) -> Result<String, Stop> {
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

    /// Its manifest, made of the one for 0.8 and Goldilocks; and of that of the program that proves.
    pub(super) fn manifest(
        &self,
        types: Types,
        readme: &str,
        proves: &str,
        kernels: &Path,
    ) -> Result<String, Stop> {
        let name = format!("\"{}\"", self.package(types));
        let fields: String = self.fields.iter().fold(String::new(), |lines, field| {
            lines + field.package + " = \"0.8.0\"\n"
        });
        let mut text = changed(readme, self.manifest)?;
        if self.proof.is_some() {
            let named = proves.split("[dependencies]\n").nth(1).unwrap_or_default();
            let named = named.lines().take_while(|line| !line.is_empty());
            let more = named.filter(|line| !readme.contains(line));
            text.extend(more.flat_map(|line| [line, "\n"]));
        }
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
    fn programs_that_prove_are_the_one_that_there_is_and_differ_in_types() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("drop-in/src/main.rs");
        let text = std::fs::read_to_string(path).unwrap();
        for version in VERSIONS.iter().filter(|version| version.proof.is_some()) {
            let [stock, ours] =
                Types::ALL.map(|types| version.proof(types, &text).unwrap().unwrap());
            if version.name == "0.8" {
                assert_eq!(stock, text);
            }
            let of_ours = |line: &&str| !stock.lines().any(|other| other == *line);
            let more: Vec<_> = ours.lines().filter(of_ours).collect();
            let uses = format!("use {}::", version.module);
            assert_eq!(more.len(), 4, "{more:?}");
            assert!(more.iter().any(|line| line.starts_with(&uses)));
            assert!(more.contains(&"type Packing = [Goldilocks; 32];"));
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
