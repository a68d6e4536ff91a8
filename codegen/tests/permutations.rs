//! Permutations that nobody has, of few rounds and with parameters of all kinds: the checker must accept the text of
//! every kernel that can be made of them. Kernels are made in this process, and none is executed.

use std::collections::BTreeMap;
use std::path::Path;

use codegen::diag::Diagnostics;
use codegen::names::{Core, Isa, Layout, Strategy};
use codegen::pipeline::{generate, refuse_unsuited};
use codegen::spec::{KernelSpec, Spec};
use codegen::template::TemplateSet;

/// Fields, their greatest residues, and S-boxes.
const FIELDS: [(&str, u64, [u64; 2]); 4] = [
    ("goldilocks", 0xffff_ffff_0000_0000, [7, 11]),
    ("koala-bear", 0x7f00_0000, [3, 5]),
    ("baby-bear", 0x7800_0000, [7, 11]),
    ("mersenne-31", 0x7fff_fffe, [5, 53]),
];

struct Words(u64);

impl Words {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        ((u128::from(self.0) * u128::from(bound)) >> 64) as u64
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u64) as usize]
    }

    /// An entry of a matrix, as specs have it.
    fn entry(&mut self, most: u64) -> String {
        let sign = self.of(&["", "", "-"]);
        match self.below(6) {
            0 => format!("\"{}\"", self.of(&[0, 1, most])),
            1 => format!("\"{}\"", self.below(most)),
            2 => format!("\"{sign}1/2^{}\"", 1 + self.below(32)),
            3 => format!("\"{sign}{}/2^{}\"", 3 + self.below(9), 1 + self.below(9)),
            _ => format!("\"{sign}{}\"", 1 + self.below(40)),
        }
    }

    fn entries(&mut self, count: usize, most: u64) -> String {
        let entries: Vec<String> = (0..count).map(|_| self.entry(most)).collect();
        format!("[{}]", entries.join(", "))
    }

    fn permutation(&mut self, (field, most, sboxes): (&str, u64, [u64; 2])) -> String {
        let width = self.of(&[8, 12, 16]);
        let (sbox, outer, inner) = (self.of(&sboxes), self.of(&[2, 4]), 1 + self.below(4));
        let head = format!(
            "[permutation]\nparameter-set = \"mine\"\nfield = \"{field}\"\nwidth = {width}\nsbox = {sbox}\n\
             constants = \"grain\"\n"
        );
        if self.below(4) == 0 {
            let row: Vec<String> = (0..width).map(|_| self.below(60).to_string()).collect();
            return format!(
                "{head}kind = \"poseidon1\"\nfull-rounds = {outer}\npartial-rounds = {inner}\nmds = [{}]\n",
                row.join(", ")
            );
        }
        let written_out: Vec<String> = (0..4).map(|_| self.entries(4, most)).collect();
        let m4 = match self.below(5) {
            0 => "\"horizen\"".to_owned(),
            1 => format!("[{}]", written_out.join(", ")),
            _ => "\"plonky3\"".to_owned(),
        };
        let order = self.of(&["blocks", "blocks", "strides"]);
        format!(
            "{head}external-rounds = {outer}\ninternal-rounds = {inner}\nscale = \"{}\"\ndiagonal = {}\n\
             external-layer = {{ m4 = {m4}, order = \"{order}\", initial = {} }}\n",
            self.of(&["1", "1", "1/2^32", "5"]),
            self.entries(width, most),
            self.of(&[true, true, false]),
        )
    }

    /// A kernel with some of what it may have.
    fn kernel(
        &mut self,
        isa: Isa,
        layout: Layout,
        strategy: Strategy,
        overlaps: bool,
    ) -> KernelSpec {
        let batch = match layout {
            Layout::Across => 1,
            Layout::Staggered => 2,
            _ => self.of(&[1, 1, 2]),
        };
        let in_lanes = (isa, layout) == (Isa::Neon, Layout::Lanes);
        let is_ordered = in_lanes
            && (strategy == Strategy::Long || strategy == Strategy::Columns && self.below(2) == 0);
        let sboxes = if strategy.takes_sboxes() {
            2 + self.below(7)
        } else {
            1
        };
        let overlaps = overlaps
            && strategy.takes_sboxes()
            && !is_ordered
            && !matches!(layout, Layout::Across | Layout::Staggered)
            && self.below(2) == 0;
        KernelSpec {
            isa,
            layout,
            batches: vec![batch],
            ship: Vec::new(),
            packaged: Vec::new(),
            strategy,
            sboxes: sboxes as usize,
            overlap: if overlaps { vec![batch] } else { Vec::new() },
            general: 0,
            order: Core::by_name("neoverse-n1").filter(|_| is_ordered),
            proof: None,
            span: 0..0,
        }
    }
}

fn templates() -> TemplateSet {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../templates");
    TemplateSet::load(&folder).unwrap_or_else(|errors| panic!("{errors}"))
}

/// Makes all that a spec asks for.
fn make(templates: &TemplateSet, text: &str) -> Result<(), Diagnostics> {
    let spec = Spec::parse("mine.toml", text)?;
    let kernels = spec.kernels.iter();
    kernels
        .flat_map(|kernel| kernel.batches.iter().map(move |batch| (kernel, *batch)))
        .try_for_each(|(kernel, batch)| generate(&spec, kernel, batch, templates).map(drop))
}

const OVERLAP: &str = "batch = [1]\noverlap = [1]";
const ORDER: &str = "batch = [1]\norder = \"neoverse-n1\"";
const ONE: &str = "batch = [1]";

/// Kernels on columns and limbs, and on words of 31-bit fields.
const COLUMNS: [[&str; 4]; 7] = [
    ["scalar", "registers", "columns", OVERLAP],
    ["scalar", "registers", "radix48", OVERLAP],
    ["x86_64", "registers", "redc", OVERLAP],
    ["x86_64", "across", "beside", ONE],
    ["avx2", "lanes", "halves", OVERLAP],
    ["avx512ifma", "lanes", "limbs", OVERLAP],
    ["neon", "lanes", "columns", ORDER],
];
const WORDS: [[&str; 4]; 7] = [
    ["scalar", "registers", "radix32", OVERLAP],
    ["scalar", "registers", "radix64", OVERLAP],
    ["avx512ifma", "lanes", "radix52", OVERLAP],
    ["avx512ifma", "staggered", "radix52", "batch = [2]"],
    ["avx2", "across", "uniform", ONE],
    ["neon", "lanes", "signed", OVERLAP],
    ["neon", "lanes", "long", ORDER],
];

fn tables(kernels: &[[&str; 4]]) -> String {
    let table = |[isa, layout, strategy, more]: &[&str; 4]| {
        format!(
            "\n[[kernel]]\nisa = \"{isa}\"\nlayout = \"{layout}\"\nstrategy = \"{strategy}\"\n{more}\n"
        )
    };
    kernels.iter().map(table).collect()
}

/// One of width 8 with two external rounds, and these entries beside those of Plonky3's diagonal.
fn poseidon2(field: &str, sbox: u64, inner: u64, [first, later]: [&str; 2]) -> String {
    format!(
        "[permutation]\nparameter-set = \"mine\"\nfield = \"{field}\"\nwidth = 8\nsbox = {sbox}\n\
         external-rounds = 2\ninternal-rounds = {inner}\nconstants = \"grain\"\n\
         diagonal = [\"{first}\", \"1\", \"2\", \"1/2\", \"3\", \"-1/2\", \"{later}\", \"-4\"]\n"
    )
}

const POSEIDON1: &str = "[permutation]\nkind = \"poseidon1\"\nparameter-set = \"mine\"\nfield = \"mersenne-31\"\n\
    width = 8\nfull-rounds = 2\npartial-rounds = 3\nsbox = 5\nconstants = \"grain\"\n\
    mds = [[3, 2, 1192, 0, 822, 1476, 6, 2358], [2858, 116, 1480, 2, 9, 18, 0, 2779],\n\
    [815, 2, 1097, 6, 15, 0, 859, 2138], [0, 0, 1363, 2749, 2533, 11, 16, 9],\n\
    [2, 1, 1, 1629, 1, 0, 2745, 14], [2, 1746, 9, 1675, 0, 2786, 14, 5],\n\
    [0, 505, 18, 6, 16, 10, 1043, 13], [1988, 19, 15, 4, 1546, 9, 1913, 11]]\n";

/// A round may have no other before it or after it.
#[test]
fn kernels_of_few_rounds_are_made() {
    let (templates, usual) = (templates(), ["-2", "-3"]);
    for (permutation, kernels) in [
        (poseidon2("goldilocks", 7, 1, usual), &COLUMNS[..]),
        (poseidon2("goldilocks", 7, 2, usual), &COLUMNS),
        (poseidon2("koala-bear", 3, 1, usual), &WORDS),
        (poseidon2("koala-bear", 3, 2, usual), &WORDS),
    ] {
        let text = permutation + &tables(kernels);
        make(&templates, &text).unwrap_or_else(|errors| panic!("{text}\n{errors}"));
    }
}

/// An entry of zero; one that is multiplied by, so that rounds are in the compiler's order; and sums of products that
/// are in one part.
#[test]
fn kernels_of_unusual_layers_are_made() {
    for (permutation, kernels) in [
        (poseidon2("baby-bear", 7, 3, ["0", "-3"]), &WORDS[..]),
        (poseidon2("goldilocks", 11, 2, ["-2", "-83"]), &COLUMNS[6..]),
        (POSEIDON1.to_owned(), &[["avx2", "lanes", "signed", ONE]]),
    ] {
        let text = permutation + &tables(kernels);
        make(&templates(), &text).unwrap_or_else(|errors| panic!("{text}\n{errors}"));
    }
}

#[test]
fn rounds_that_move_elements_do_not_overlap() {
    let text = POSEIDON1.to_owned() + &tables(&[["avx2", "lanes", "signed", OVERLAP]]);
    let errors = make(&templates(), &text).unwrap_err();
    let said = errors[0].to_string();
    assert!(
        said.contains("rounds of this permutation do not overlap"),
        "{said}"
    );
    assert!(errors[0].location().is_some(), "{said}");
}

#[test]
fn the_checker_accepts_whatever_can_be_made() {
    let templates = templates();
    let (mut words, mut made) = (Words(1), BTreeMap::<_, usize>::new());
    for n in 0..12 {
        let text = words.permutation(FIELDS[n % FIELDS.len()]);
        // By chance a layer is not invertible, or has an invariant subspace.
        let Ok(spec) = Spec::parse("random.toml", &text) else {
            continue;
        };
        // Some of the rounds of Poseidon1 do not.
        let overlaps = !text.contains("poseidon1");
        for (isa, layout) in Isa::ALL
            .into_iter()
            .flat_map(|isa| isa.layouts().iter().map(move |it| (isa, *it)))
        {
            for strategy in Strategy::ALL.into_iter().filter(|it| it.suits(isa, layout)) {
                let kernel = words.kernel(isa, layout, strategy, overlaps);
                if strategy == Strategy::Long && kernel.order.is_none()
                    || refuse_unsuited(&spec, &kernel, &templates).is_err()
                {
                    continue;
                }
                let kernel_made = generate(&spec, &kernel, kernel.batches[0], &templates);
                kernel_made.unwrap_or_else(|errors| panic!("{text}{kernel:?}\n{errors}"));
                *made
                    .entry(format!("{isa} {layout} {strategy}"))
                    .or_default() += 1;
            }
        }
    }
    insta::assert_debug_snapshot!(made);
}
