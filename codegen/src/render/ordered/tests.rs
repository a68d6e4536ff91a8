use crate::spec::Spec;
use crate::template::TemplateSet;
use std::path::Path;

const SQUARE: &str = "neon/registers/goldilocks/square.tera";

/// A square that ends in two groups of the same instructions with their operands in other places:
/// less p if there is a carry, and nothing if there is one, which adding zero never gives.
const TWO_GROUPS: &str = "umulh hi, x, x
mul lo, x, x
lsr h, hi, #32
subs t, lo, h
csetm debt:w, cc
sub u, t, debt
umull e, hi:w, EPSILON:w
adds v, u, e
csetm credit:w, cs
add w, v, credit
adds c, w, EPSILON
csel d, c, w, cs
adds z, d, ZERO
csel r, ZERO, z, cs
";

/// The templates, with another text in place of one.
fn templates(name: &str, text: &str) -> TemplateSet {
    let folder = tempfile::tempdir().unwrap();
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../templates");
    for name in TemplateSet::load(&from).unwrap().names() {
        let to = folder.path().join(name);
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        std::fs::copy(from.join(name), to).unwrap();
    }
    std::fs::write(folder.path().join(name), text).unwrap();
    TemplateSet::load(folder.path()).unwrap()
}

/// The kernel of width 8 whose instructions have an order.
fn kernel(templates: &TemplateSet) -> String {
    let spec = Path::new(env!("CARGO_MANIFEST_DIR")).join("specs/goldilocks-w8.toml");
    let spec = Spec::load(&spec).unwrap();
    let kernel = spec.kernels.iter().find(|k| k.order.is_some()).unwrap();
    let text = crate::pipeline::preview(&spec, kernel, kernel.batches[0], templates);
    text.unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn groups_that_use_their_operands_otherwise_have_macros_of_their_own() {
    let text = kernel(&templates(SQUARE, TWO_GROUPS));
    for wired in ["{t0}, {c}, cs", "{c}, {t0}, cs"] {
        let macros = text.lines().filter(|line| line.contains(wired));
        assert_eq!(macros.count(), 1, "{wired}");
    }
    assert!(text.contains("adds_csel_cs!("));
    assert!(text.contains("adds_csel_cs_2!("));
}
