//! The edits that make `p3-goldilocks` 0.8.0 use its generated kernels.

use super::edit::Edit;
use super::platform::{Platform, any};
use super::slots::Slots;

/// What marks an inserted line, for whoever reads the crate.
const MARK: &str = "// Generated kernels; `vendor --remove` takes this out again.";

const POSEIDON2: &str = "src/poseidon2.rs";

const ALIAS_DOC: &str = "\
/// An implementation of the Poseidon2 hash function for the Goldilocks field, by generated kernels.
///
/// It acts on arrays of the form `[Goldilocks; WIDTH]`, and on those of the platform's packed type.
/// [`Poseidon2GoldilocksStock`] is the crate's own implementation.";

const ALIAS: &str = "\
pub type Poseidon2Goldilocks<const WIDTH: usize> = crate::Poseidon2GoldilocksGenerated<WIDTH>;
";

pub(crate) fn edits(slots: &Slots<'_>) -> Vec<Edit> {
    let platforms = slots.platforms();
    let anywhere = any(&platforms);
    let library = "src/lib.rs";
    let module = format!("{MARK}\n#[cfg({anywhere})]\nmod poseidon2_generated;\n");
    let export =
        format!("#[cfg({anywhere})]\npub use poseidon2_generated::Poseidon2GoldilocksGenerated;\n");
    let mut edits = vec![
        after(library, "mod poseidon2;\n", &module),
        after(library, "pub use poseidon2::*;\n", &export),
    ];
    for platform in &platforms {
        if let Some(module) = platform.module() {
            // The last of the modules that sort before ours.
            let last = match platform {
                Platform::Neon => "mod poseidon2_asm;\n",
                _ => "mod poseidon2;\n",
            };
            let inserted = format!("{MARK}\nmod poseidon2_generated;\n");
            edits.push(after(&format!("src/{module}/mod.rs"), last, &inserted));
        }
    }
    edits.extend(platforms.iter().map(|&platform| stock_alias(platform)));
    edits.push(after(
        POSEIDON2,
        "pub const GOLDILOCKS_POSEIDON2_PARTIAL_ROUNDS_16: usize = 22;\n",
        &format!("\n{ALIAS_DOC}\n#[cfg({anywhere})]\n{ALIAS}"),
    ));
    let neon = Platform::Neon.facts().condition;
    for width in [8, 12, 16] {
        if platforms != [Platform::Neon] {
            let others = format!("not({neon})");
            edits.push(constructor(width, &others, "Poseidon2::new(\n"));
        }
        if platforms.contains(&Platform::Neon) {
            let stock = "crate::Poseidon2GoldilocksFused::new(\n";
            edits.push(constructor(width, neon, stock));
        }
    }
    edits
}

/// The crate's own implementation gets a name beside ours.
fn stock_alias(platform: Platform) -> Edit {
    let layers = |external| format!("Poseidon2<\n    Goldilocks,\n    {external}<WIDTH>,\n");
    let rest = match platform {
        Platform::Neon => "crate::Poseidon2GoldilocksFused<WIDTH>;\n".to_owned(),
        Platform::Avx2 => layers("crate::x86_64_avx2::Poseidon2ExternalLayerGoldilocksAVX2"),
        Platform::Avx512 => layers("crate::x86_64_avx512::Poseidon2ExternalLayerGoldilocksAVX512"),
        Platform::Scalar => layers("Poseidon2ExternalLayerGoldilocks"),
    };
    let named = |name| format!("pub type {name}<const WIDTH: usize> = {rest}");
    Edit {
        file: POSEIDON2.to_owned(),
        stock: named("Poseidon2Goldilocks"),
        vendored: named("Poseidon2GoldilocksStock"),
    }
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
