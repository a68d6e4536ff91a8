use codegen::arith::Operation;
use codegen::ir::{BlockKind, FieldOp, Value};
use codegen::ops::MacroOp;

use super::*;
use crate::corpus::values::Fill;
use crate::oracle::Layer;
use crate::programs::all;

#[test]
fn the_machine_runs_programs_as_the_generator_does() {
    for entry in all() {
        let machine = Machine::new(&entry.program, &Table::standard(&entry.instance), false);
        let mut fill = Fill::new(1);
        for _ in 0..4 {
            let words = (0..entry.width()).map(|_| fill.word(&entry.instance.field));
            let state: Vec<u64> = words.collect();
            // Where elements have parts, either may take the other word of a residue.
            let residues = |mut words: Vec<u64>| {
                let parts = entry.program.parts > 1;
                let p = entry.instance.field.modulus;
                words.iter_mut().filter(|_| parts).for_each(|x| *x %= p);
                words
            };
            let out = residues(machine.run(&state));
            let expected = residues(entry.program.permute(&state));
            assert_eq!(out, expected, "{}", entry.name);
        }
    }
}

#[test]
fn every_site_has_its_vectors() {
    for entry in all() {
        // It panics if not.
        sections(&entry);
    }
}

#[test]
fn an_edge_without_vectors_needs_an_argument() {
    let edge = |argument: Option<&str>| Edge {
        site: "s".to_owned(),
        band: "b",
        argument: argument.map(str::to_owned),
        vectors: Vec::new(),
    };
    let program = &all()[0].program;
    assert_eq!(edge(Some("proved")).lack(program), None);
    assert!(edge(None).lack(program).is_some());
}

/// No layer of the repository's own permutations multiplies by large numbers.
#[test]
fn products_by_constants_have_their_vectors() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../codegen/instances");
    let spec = codegen::spec::Spec::load(folder.join("horizen-goldilocks-w8.toml")).unwrap();
    for entry in programs::of_spec(&spec) {
        sections(&entry);
    }
}

/// What `bands` takes for proved, on words that are no residues: at both ends, and spread over all of them.
#[test]
fn products_that_are_reduced_from_below_are_residues() {
    use super::band::{EPSILON, P};
    let field = codegen::params::Field::by_name("goldilocks").unwrap();
    let reduced = |a: u64, b: u64| {
        let (low, high) = word::apply(field, MacroOp::MulWide, &[a, b, 0, 0]);
        let (less, _) = word::apply(field, MacroOp::Share, &[low, 0, 0, 0]);
        let word = word::apply(field, MacroOp::Sub, &[high, less, 0, 0]).0;
        assert_eq!(
            word,
            word::apply(field, MacroOp::Redc, &[low, high, 0, 0]).0
        );
        word
    };
    let ends = (0..1 << 9).flat_map(|n| [n, EPSILON - 1 - n]);
    let spread = (0..EPSILON).step_by(1 << 22);
    let words: Vec<u64> = ends.chain(spread).map(|e| P + e).collect();
    for a in &words {
        for b in &words {
            assert!(reduced(*a, *b) < P, "{a:#x} {b:#x}");
        }
    }
}

#[test]
fn every_site_is_met_with_the_operands_chosen() {
    for entry in all().iter().filter(|entry| !entry.program.is_inner()) {
        let permutation = &entry.instance.permutation;
        let aim = Aim::new(&entry.program, &entry.instance);
        for (index, block) in entry.program.blocks.iter().enumerate() {
            let operations = block.operations.iter();
            let fixed = |v: &Value| block.definition(*v).is_some_and(|o| o.word().is_some());
            let chosen = |o: &&Operation| !o.operands.is_empty() && !o.operands.iter().any(fixed);
            for operation in operations.filter(chosen) {
                let Some(forms) = aim.forms(index, &operation.operands) else {
                    continue;
                };
                let value = |form: &[u64], state: &[u64]| {
                    let terms = form.iter().zip(state).map(|(m, x)| permutation.mul(*m, *x));
                    terms.fold(0, |sum, term| permutation.add(sum, term))
                };
                let mut state = vec![3; permutation.width()];
                solve::bend(permutation, &mut state, &forms, (5, 7), &mut Fill::new(1));
                let (a, b) = (forms[0], forms[forms.len() - 1]);
                assert_eq!(value(a, &state), 5, "{}", operation.name);
                let cross =
                    |i: usize, j: usize| permutation.mul(a[i], b[j]) == permutation.mul(a[j], b[i]);
                let parallel = || (0..a.len()).all(|i| (0..a.len()).all(|j| cross(i, j)));
                let is_met = value(b, &state) == 7 || parallel();
                assert!(is_met, "{}", operation.name);
            }
        }
    }
}

#[test]
fn the_generators_sites_are_met() {
    let all = all();
    for entry in all.iter().filter(|entry| entry.strategy.takes_proofs()) {
        let standard = Table::standard(&entry.instance);
        let place = Place::new(&entry.program, &entry.instance, standard);
        let edges = Aim::new(&entry.program, &entry.instance).operands(&place);
        let met: Vec<_> = edges.iter().map(|edge| edge.site.as_str()).collect();
        for operation in entry
            .source
            .blocks
            .iter()
            .flat_map(|block| &block.operations)
        {
            let product = matches!(operation.op, FieldOp::Mul(..) | FieldOp::Square(_));
            let name = operation.name.as_str();
            assert!(met.contains(&name) != product, "{name}");
        }
    }
}

#[test]
fn linear_forms_are_the_layer() {
    for entry in all() {
        let permutation = &entry.instance.permutation;
        let aim = Aim::new(&entry.program, &entry.instance);
        let mut state: Vec<u64> = (1..=permutation.width() as u64).collect();
        let before = state.clone();
        permutation.apply(Layer::ExternalLinear, &mut state);
        let linear = entry.program.block(BlockKind::ExternalLinear);
        let linear = linear.expect("every program has one");
        let outputs = &entry.program.blocks[linear].outputs;
        for (output, expected) in outputs.iter().step_by(entry.program.parts).zip(state) {
            let forms = aim.forms(linear, &[*output]).expect("outputs are linear");
            let terms = forms[0].iter().zip(&before);
            let sum = terms.fold(0, |sum, (m, x)| {
                permutation.add(sum, permutation.mul(*m, *x))
            });
            assert_eq!(sum, expected, "{} {output}", entry.name);
        }
    }
}
