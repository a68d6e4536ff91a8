use super::*;
use poseidon2_generated::Step as Row;
use std::vec::Vec;

unsafe fn nothing(_states: *mut u64, _constants: *const u64) {}

const REQUEST: Request = Request {
    parameter_set: "plonky3",
    field: "goldilocks",
    width: 8,
    external_rounds: 8,
    internal_rounds: 22,
};

const fn kernel(name: &'static str, isa: Isa, batch: usize, lanes: usize) -> Kernel<u64> {
    Kernel {
        name,
        parameter_set: "plonky3",
        field: "goldilocks",
        width: 8,
        external_rounds: 8,
        internal_rounds: 22,
        isa,
        layout: "lanes",
        strategy: "eager",
        batch,
        lanes,
        features: &[],
        parts: 1,
        prepare: None,
        permute: nothing,
    }
}

const fn in_parts(strategy: &'static str, kernel: Kernel<u64>) -> Kernel<u64> {
    Kernel {
        strategy,
        parts: 2,
        prepare: Some(|_, _| {}),
        ..kernel
    }
}

static REGISTRY: &[Kernel<u64>] = &[
    Kernel {
        width: 12,
        ..kernel("w12_scalar_b1", Isa::Scalar, 1, 1)
    },
    kernel("scalar_b1", Isa::Scalar, 1, 1),
    in_parts("columns", kernel("scalar_columns_b1", Isa::Scalar, 1, 1)),
    kernel("avx2_b1", Isa::Avx2, 1, 4),
    in_parts("columns", kernel("avx2_columns_b1", Isa::Avx2, 1, 4)),
    in_parts("columns", kernel("avx2_columns_b2", Isa::Avx2, 2, 4)),
    in_parts(
        "limbs",
        kernel("avx512ifma_limbs_b1", Isa::Avx512ifma, 1, 8),
    ),
];

const fn row(kernel: &'static str, least: usize) -> Row {
    Row {
        kernel,
        least,
        ratio: 1.0,
        spread: 0.0,
    }
}

const fn choice(isa: Isa, shape: Shape, steps: &'static [Row]) -> Choice {
    Choice {
        parameter_set: "plonky3",
        field: "goldilocks",
        width: 8,
        isa,
        shape,
        steps,
    }
}

static TUNING: Tuning = Tuning {
    cpu: "some",
    default: true,
    known_by: None,
    kin: &[],
    modelled: false,
    choices: &[
        choice(Isa::Avx2, Shape::One, &[row("scalar_b1", 1)]),
        choice(
            Isa::Avx2,
            Shape::Chain,
            &[row("avx2_columns_b1", 3), row("scalar_b1", 1)],
        ),
        choice(
            Isa::Avx2,
            Shape::Independent,
            &[
                row("avx2_columns_b2", 8),
                row("avx2_b1", 3),
                row("scalar_b1", 1),
            ],
        ),
        choice(Isa::Avx2, Shape::Merkle, &[row("scalar_b1", 1)]),
        choice(Isa::Avx512ifma, Shape::One, &[row("scalar_columns_b1", 1)]),
        choice(
            Isa::Avx512ifma,
            Shape::Chain,
            &[row("avx512ifma_limbs_b1", 2), row("scalar_columns_b1", 1)],
        ),
        choice(
            Isa::Avx512ifma,
            Shape::Independent,
            &[row("avx512ifma_limbs_b1", 2), row("scalar_b1", 1)],
        ),
        choice(Isa::Avx512ifma, Shape::Merkle, &[row("scalar_b1", 1)]),
        // Not for all shapes, so for none.
        choice(Isa::Avx512, Shape::One, &[row("scalar_b1", 1)]),
    ],
};

/// Per step: the kernel, fewest states.
fn steps(plan: &Plan<u64>, shape: Shape) -> Vec<(&str, usize)> {
    let row = |step: &Step<u64>| (step.kernel.name, step.least);
    plan.steps(shape).map(row).collect()
}

#[test]
fn plans_are_what_the_table_says() {
    let plan = const { Plan::new(REGISTRY, &TUNING, REQUEST, Isa::Avx2) }.unwrap();
    let expected = [("avx2_columns_b2", 8), ("avx2_b1", 3), ("scalar_b1", 1)];
    assert_eq!(steps(&plan, Shape::Independent), expected);
    assert_eq!(steps(&plan, Shape::Merkle), [("scalar_b1", 1)]);
    assert_eq!(plan.for_one().kernel.name, "scalar_b1");
    assert_eq!(plan.needs().collect::<Vec<_>>(), [Isa::Scalar, Isa::Avx2]);
}

#[test]
fn constants_are_prepared_for_each_strategy_that_wants_it() {
    let plan = Plan::new(REGISTRY, &TUNING, REQUEST, Isa::Avx512ifma).unwrap();
    assert!(plan.prepare().iter().all(Option::is_some));
    assert_eq!(plan.for_one().prepared, Some(0));
    let prepared: Vec<_> = plan.steps(Shape::Chain).map(|step| step.prepared).collect();
    assert_eq!(prepared, [Some(1), Some(0)]);
    let prepared = plan.steps(Shape::Independent).map(|step| step.prepared);
    assert_eq!(prepared.collect::<Vec<_>>(), [Some(1), None]);
}

#[test]
fn what_has_no_row_is_not_used() {
    assert!(Plan::new(REGISTRY, &TUNING, REQUEST, Isa::Avx512).is_none());
    assert!(Plan::new(REGISTRY, &TUNING, REQUEST, Isa::Neon).is_none());
    let wide = Request {
        width: 12,
        ..REQUEST
    };
    assert!(Plan::new(REGISTRY, &TUNING, wide, Isa::Avx2).is_none());
}

#[test]
fn plain_rust_needs_no_row() {
    let plan = Plan::new(REGISTRY, &TUNING, REQUEST, Isa::Scalar).unwrap();
    for shape in Shape::ALL {
        assert_eq!(steps(&plan, shape), [("scalar_b1", 1)]);
    }
}

#[test]
#[should_panic(expected = "not in the registry")]
fn a_table_cannot_name_what_is_not_there() {
    let _ = Plan::new(&REGISTRY[..2], &TUNING, REQUEST, Isa::Avx2);
}
