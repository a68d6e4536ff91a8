//! The edits that make `p3-goldilocks` 0.8.0 use its generated kernels.

use super::edit::Edit;
use super::platform::Platform;
use super::slots::Slots;

/// What marks an inserted line, for whoever reads the crate.
const MARK: &str = "// Generated kernels; `vendor --remove` takes this out again.";

pub(crate) fn edits(slots: &Slots<'_>) -> Vec<Edit> {
    let platforms = slots.platforms();
    if platforms.is_empty() {
        return Vec::new();
    }
    let anywhere = any(&platforms);
    let mut edits = vec![
        after(
            "src/lib.rs",
            "mod poseidon2;\n",
            &format!("{MARK}\n#[cfg({anywhere})]\nmod poseidon2_generated;\n"),
        ),
        after(
            "src/lib.rs",
            "pub use poseidon2::*;\n",
            &format!(
                "#[cfg({anywhere})]\npub use poseidon2_generated::Poseidon2GoldilocksGenerated;\n"
            ),
        ),
    ];
    for platform in &platforms {
        if let Some(module) = platform.module() {
            // The last of the modules that sort before ours.
            let last = match platform {
                Platform::Neon => "mod poseidon2_asm;\n",
                _ => "mod poseidon2;\n",
            };
            let file = format!("src/{module}/mod.rs");
            edits.push(after(
                &file,
                last,
                &format!("{MARK}\nmod poseidon2_generated;\n"),
            ));
        }
    }
    edits.extend(platforms.iter().map(|&platform| stock_alias(platform)));
    edits.push(after(
        POSEIDON2,
        "pub const GOLDILOCKS_POSEIDON2_PARTIAL_ROUNDS_16: usize = 22;\n",
        &format!("\n{ALIAS_DOC}\n#[cfg({anywhere})]\n{ALIAS}"),
    ));
    for width in [8, 12, 16] {
        if platforms != [Platform::Neon] {
            let condition = format!("not({})", Platform::Neon.condition());
            edits.push(constructor(width, &condition, "Poseidon2::new(\n"));
        }
        if platforms.contains(&Platform::Neon) {
            let condition = Platform::Neon.condition();
            let stock = "crate::Poseidon2GoldilocksFused::new(\n";
            edits.push(constructor(width, condition, stock));
        }
    }
    edits
}

const POSEIDON2: &str = "src/poseidon2.rs";

const ALIAS_DOC: &str = "\
/// An implementation of the Poseidon2 hash function for the Goldilocks field, by generated kernels.
///
/// It acts on arrays of the form `[Goldilocks; WIDTH]`, and on those of the platform's packed type.
/// [`Poseidon2GoldilocksStock`] is the crate's own implementation.";

const ALIAS: &str = "\
pub type Poseidon2Goldilocks<const WIDTH: usize> = crate::Poseidon2GoldilocksGenerated<WIDTH>;
";

/// The crate's own implementation gets a name beside ours.
fn stock_alias(platform: Platform) -> Edit {
    let head = |name: &str| format!("pub type {name}<const WIDTH: usize> = ");
    let rest = match platform {
        Platform::Neon => "crate::Poseidon2GoldilocksFused<WIDTH>;\n".to_owned(),
        Platform::Avx2 => layers("crate::x86_64_avx2::Poseidon2ExternalLayerGoldilocksAVX2"),
        Platform::Avx512 => layers("crate::x86_64_avx512::Poseidon2ExternalLayerGoldilocksAVX512"),
        Platform::Scalar => layers("Poseidon2ExternalLayerGoldilocks"),
    };
    Edit {
        file: POSEIDON2.to_owned(),
        stock: head("Poseidon2Goldilocks") + &rest,
        vendored: head("Poseidon2GoldilocksStock") + &rest,
    }
}

fn layers(external: &str) -> String {
    format!("Poseidon2<\n    Goldilocks,\n    {external}<WIDTH>,\n")
}

/// The condition stands above to tell the two of one name apart, edited or not.
fn constructor(width: usize, condition: &str, stock: &str) -> Edit {
    let head = format!(
        "#[cfg({condition})]\n\
         pub fn default_goldilocks_poseidon2_{width}() -> Poseidon2Goldilocks<{width}> {{\n"
    );
    Edit {
        file: POSEIDON2.to_owned(),
        stock: format!("{head}    {stock}"),
        vendored: format!("{head}    Poseidon2Goldilocks::new(\n"),
    }
}

fn after(file: &str, line: &str, inserted: &str) -> Edit {
    Edit {
        file: file.to_owned(),
        stock: line.to_owned(),
        vendored: format!("{line}{inserted}"),
    }
}

/// The condition that holds on any of these platforms.
pub(crate) fn any(platforms: &[Platform]) -> String {
    match platforms {
        [one] => one.condition().to_owned(),
        // AVX-512F implies AVX2.
        [Platform::Avx2, Platform::Avx512] => {
            "all(target_arch = \"x86_64\", target_feature = \"avx2\")".to_owned()
        }
        all if all == Platform::ALL => {
            "not(all(target_arch = \"wasm32\", target_feature = \"simd128\"))".to_owned()
        }
        several => {
            let conditions: Vec<_> = several
                .iter()
                .map(|platform| format!("{},\n", platform.condition().replace('\n', "\n    ")))
                .map(|line| format!("    {line}"))
                .collect();
            format!("any(\n{})", conditions.concat())
        }
    }
}
