//! The edits that make a crate use its generated kernels.

use super::edit::Edit;
use super::package::Package;
use super::platform::Platform;
use super::slots::Slots;

/// What marks an inserted line, for whoever reads the crate.
const MARK: &str = "// Generated kernels; `vendor --remove` takes this out again.";

const LIBRARY: &str = "src/lib.rs";
const POSEIDON2: &str = "src/poseidon2.rs";

pub(crate) fn edits(slots: &Slots<'_>) -> Vec<Edit> {
    let (package, platforms) = (slots.package, slots.platforms());
    let anywhere = under(package.any(&platforms));
    let module = format!("{MARK}\n{anywhere}mod poseidon2_generated;\n");
    let generated = package.generated();
    let export = format!("{anywhere}pub use poseidon2_generated::{generated};\n");
    let mut edits = vec![
        after(LIBRARY, "mod poseidon2;\n", &module),
        after(LIBRARY, "pub use poseidon2::*;\n", &export),
    ];
    for platform in &platforms {
        if let Some(module) = platform.module() {
            // The last of the modules that sort before ours.
            let last = match platform {
                Platform::Neon if !package.is_monty_31() => "mod poseidon2_asm;\n",
                _ => "mod poseidon2;\n",
            };
            let inserted = format!("{MARK}\nmod poseidon2_generated;\n");
            edits.push(after(&format!("src/{module}/mod.rs"), last, &inserted));
        }
    }
    if package.is_monty_31() {
        edits.extend(monty_31(package, &platforms));
    } else {
        edits.extend(goldilocks(package, &platforms));
    }
    edits
}

/// A condition as it stands above an item.
fn under(condition: Option<String>) -> String {
    condition.map_or_else(String::new, |condition| format!("#[cfg({condition})]\n"))
}

/// A condition that also holds in tests, as rustfmt writes it: Plonky3 does not compile where a crate is
/// declared and not used, which `alloc` is by tests and by ours.
fn tests_or(condition: Option<&str>) -> Option<String> {
    condition.map(|condition| match condition.strip_prefix("any(\n") {
        Some(conditions) => format!("any(\n    test,\n{conditions}"),
        None if condition.contains('\n') => {
            format!(
                "any(\n    test,\n    {},\n)",
                condition.replace('\n', "\n    ")
            )
        }
        None => format!("any(test, {condition})"),
    })
}

/// What stands where the crate's own type was.
fn alias(package: &Package) -> String {
    let (own, generated) = (package.own(), package.generated());
    format!("pub type {own}<const WIDTH: usize> = crate::{generated}<WIDTH>;\n")
}

/// A crate with one type for all platforms. Its documentation stays where it is, above ours.
fn monty_31(package: &Package, platforms: &[Platform]) -> Vec<Edit> {
    let (own, stock) = (package.own(), package.stock());
    let type_of = |name: &str| format!("pub type {name}<const WIDTH: usize> = Poseidon2<\n");
    let anywhere = package.any(platforms);
    let elsewhere = anywhere.as_ref().map_or_else(String::new, |anywhere| {
        format!("#[cfg(not({anywhere}))]\npub type {own}<const WIDTH: usize> = {stock}<WIDTH>;\n\n")
    });
    let aliases = format!(
        "{}{}\n{elsewhere}/// The crate's own implementation.\n",
        under(anywhere.clone()),
        alias(package)
    );
    let mut edits = vec![
        Edit {
            file: LIBRARY.to_owned(),
            stock: "#[cfg(test)]\nextern crate alloc;\n".to_owned(),
            vendored: under(tests_or(anywhere.as_deref())) + "extern crate alloc;\n",
        },
        Edit {
            file: POSEIDON2.to_owned(),
            stock: type_of(&own),
            vendored: aliases + &type_of(&stock),
        },
    ];
    let constructors = package.constructors.iter();
    edits.extend(constructors.map(|width| constructor(package, *width, None, "Poseidon2::new(\n")));
    edits
}

/// A crate with a type of one name for each platform.
fn goldilocks(package: &Package, platforms: &[Platform]) -> Vec<Edit> {
    let mut edits: Vec<Edit> = platforms
        .iter()
        .map(|&platform| stock_alias(platform))
        .collect();
    edits.push(after(
        POSEIDON2,
        "pub const GOLDILOCKS_POSEIDON2_PARTIAL_ROUNDS_16: usize = 22;\n",
        &format!(
            "\n{ALIAS_DOC}\n{}{}",
            under(package.any(platforms)),
            alias(package)
        ),
    ));
    let neon = Platform::Neon.facts().condition;
    for width in package.constructors {
        if platforms != [Platform::Neon] {
            let others = format!("not({neon})");
            edits.push(constructor(
                package,
                *width,
                Some(others),
                "Poseidon2::new(\n",
            ));
        }
        if platforms.contains(&Platform::Neon) {
            let stock = "crate::Poseidon2GoldilocksFused::new(\n";
            edits.push(constructor(package, *width, Some(neon.to_owned()), stock));
        }
    }
    edits
}

const ALIAS_DOC: &str = "\
/// An implementation of the Poseidon2 hash function for the Goldilocks field, by generated kernels.
///
/// It acts on arrays of the form `[Goldilocks; WIDTH]`, and on those of the platform's packed type.
/// [`Poseidon2GoldilocksStock`] is the crate's own implementation.";

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

/// A condition stands above to tell two of one name apart, edited or not.
fn constructor(package: &Package, width: usize, condition: Option<String>, stock: &str) -> Edit {
    let (own, name) = (package.own(), package.constructor);
    let head = format!(
        "{}pub fn default_{name}_poseidon2_{width}() -> {own}<{width}> {{\n",
        under(condition)
    );
    Edit {
        file: POSEIDON2.to_owned(),
        stock: format!("{head}    {stock}"),
        vendored: format!("{head}    {own}::new(\n"),
    }
}

fn after(file: &str, line: &str, inserted: &str) -> Edit {
    Edit {
        file: file.to_owned(),
        stock: line.to_owned(),
        vendored: format!("{line}{inserted}"),
    }
}
