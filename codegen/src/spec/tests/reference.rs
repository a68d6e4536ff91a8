//! `docs/specs.md` says what the reader reads.

use super::super::{answers, constants, kernels, layers, permutation, proofs};
use crate::ir;
use crate::lower::{Claims, Unsuited, lower};
use crate::names::{BATCHES, Isa, Layout, Operand, Strategy};
use crate::params::{Field, Kind, WIDTHS, instance};
use crate::spec::{KEYS, Spec};

const REFERENCE: &str = include_str!("../../../../docs/specs.md");

/// The first cells of the tables of keys.
fn documented() -> Vec<Vec<&'static str>> {
    let tables = REFERENCE
        .split("| key | type | default | meaning | errors |")
        .skip(1);
    let rows = |table: &'static str| {
        let lines = table
            .lines()
            .skip(2)
            .take_while(|line| line.starts_with('|'));
        lines.map(|line| line.split('`').nth(1).unwrap()).collect()
    };
    tables.map(rows).collect()
}

#[test]
fn every_key_and_no_other_is_documented() {
    let own = permutation::POSEIDON1_KEYS.iter().copied();
    let own = own.filter(|key| !permutation::KEYS.contains(key));
    let claims = [proofs::STATEMENTS, proofs::BOUNDS].concat();
    assert_eq!(
        documented(),
        [
            permutation::KEYS.to_vec(),
            layers::KEYS.to_vec(),
            constants::KEYS.to_vec(),
            own.collect(),
            constants::POSEIDON1_KEYS.to_vec(),
            answers::KEYS.to_vec(),
            kernels::KEYS.to_vec(),
            proofs::KEYS.to_vec(),
            claims,
        ]
    );
    for key in KEYS {
        assert!(
            REFERENCE.contains(&format!("## `[{key}"))
                || REFERENCE.contains(&format!("## `[[{key}"))
        );
    }
}

#[test]
fn every_strategy_is_documented_with_its_fields() {
    let mut table = REFERENCE.split("| strategy | fields |");
    let rows = table.nth(1).unwrap().lines().skip(2);
    let rows = rows.take_while(|line| line.starts_with('|'));
    let cells = rows.map(|line| {
        let mut cells = line
            .split(" | ")
            .map(|cell| cell.trim_matches(['|', ' ', '`']));
        (cells.next().unwrap(), cells.next().unwrap())
    });
    let programs = [("goldilocks", 8), ("koala-bear", 16)].map(|(field, width)| {
        let known = instance("plonky3", Field::by_name(field).unwrap(), width);
        ir::Program::build(&known.unwrap())
    });
    let of_code = Strategy::ALL.into_iter().map(|strategy| {
        let suits = programs.each_ref().map(|program| {
            let lowered = lower(program, strategy, &Claims::new(&[]));
            !matches!(lowered, Err(Unsuited::Field(..)))
        });
        let fields = match suits {
            [true, true] => "all",
            [true, false] => "Goldilocks",
            [false, true] => "31-bit",
            [false, false] => "none",
        };
        (strategy.name(), fields)
    });
    assert_eq!(cells.collect::<Vec<_>>(), of_code.collect::<Vec<_>>());
}

#[test]
fn every_name_and_number_is_documented() {
    let isas = Isa::all().iter().map(|name| name.name());
    let layouts = Layout::all().iter().map(|name| name.name());
    let operands = Operand::all().iter().map(|name| name.name());
    let fields = Field::all().iter().map(|field| field.name);
    for name in isas.chain(layouts).chain(operands).chain(fields) {
        assert!(REFERENCE.contains(&format!("`{name}`")), "{name}");
    }
    for word in proofs::WORDS {
        let word = word.name();
        assert!(REFERENCE.contains(&format!("`\"{word}\"`")), "{word}");
    }
    let list = |numbers: &[usize]| {
        let (last, others) = numbers.split_last().unwrap();
        let others: Vec<_> = others.iter().map(usize::to_string).collect();
        format!("{} or {last}", others.join(", "))
    };
    for numbers in [WIDTHS, BATCHES] {
        assert!(REFERENCE.contains(&list(numbers)), "{numbers:?}");
    }
    assert!(REFERENCE.contains(&format!("from 1 to {}", kernels::SBOXES)));
}

#[test]
fn the_spec_that_introduces_the_format_names_every_key_of_kernels() {
    let introduction = include_str!("../../../specs/goldilocks-w8.toml");
    for table in [
        "[permutation]",
        "[[known-answer]]",
        "[[kernel]]",
        "[[proof.NAME]]",
    ] {
        assert!(introduction.contains(&format!("#   {table}")), "{table}");
    }
    for key in kernels::KEYS {
        assert!(introduction.contains(&format!("\n# {key} ")), "{key}");
    }
}

#[test]
fn the_examples_are_specs() {
    let mut examples = REFERENCE.split("```toml\n").skip(1);
    let mut next = || examples.next().unwrap().split("```").next().unwrap();
    let (spec, layer, constants, poseidon1) = (next(), next(), next(), next());
    let read = |text: &str| Spec::parse("docs/specs.md", text).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(read(spec).kernels.len(), 2);
    let other = read(&spec.replace("diagonal = ", &format!("{layer}diagonal = ")));
    assert!(!other.instance.starts_linear());
    let own = spec
        .replace("constants = \"grain\"\n", constants)
        .replace("external-rounds = 8", "external-rounds = 2")
        .replace("internal-rounds = 22", "internal-rounds = 1");
    assert_eq!(read(&own).instance.constants.internal, [42]);
    assert_eq!(read(poseidon1).instance.kind(), Kind::Poseidon1);
}
