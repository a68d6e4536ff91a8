use super::*;
use poseidon2_generated::Step as Row;
use std::vec::Vec;

unsafe fn nothing(_states: *mut u64, _constants: *const u64) {}

/// Words of the constants of the instance below.
const COUNT: usize = 8 * 8 + 22;

static INSTANCE: Instance<u64> = Instance {
    parameter_set: "plonky3",
    field: "goldilocks",
    width: 8,
    external_rounds: 8,
    internal_rounds: 22,
    table: &[],
};

const fn request(isa: Isa) -> Request<u64> {
    Request {
        registry: REGISTRY,
        prepared: &[("columns", 2), ("limbs", 2)],
        instance: &INSTANCE,
        isa,
    }
}

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
    kernel("scalar_b2", Isa::Scalar, 2, 1),
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
        ratios: [1.0; 4],
    }
}

const fn choice(isa: Isa, shapes: &'static [Shape], steps: &'static [Row]) -> Choice {
    Choice {
        parameter_set: "plonky3",
        field: "goldilocks",
        width: 8,
        isa,
        shapes,
        steps,
        stands: &[4],
        beside: &[],
    }
}

static TUNING: Tuning = Tuning {
    cpu: "some",
    default: true,
    known_by: None,
    kin: &[],
    modelled: false,
    choices: &[
        choice(
            Isa::Avx2,
            &[Shape::One, Shape::Merkle],
            &[row("scalar_b1", 1)],
        ),
        choice(
            Isa::Avx2,
            &[Shape::Chain],
            &[row("avx2_columns_b1", 3), row("scalar_b1", 1)],
        ),
        choice(
            Isa::Avx2,
            &[Shape::Independent],
            &[
                row("avx2_columns_b2", 8),
                row("avx2_b1", 3),
                row("scalar_b1", 1),
            ],
        ),
        choice(
            Isa::Avx512ifma,
            &[Shape::One],
            &[row("scalar_columns_b1", 1)],
        ),
        choice(
            Isa::Avx512ifma,
            &[Shape::Chain],
            &[row("avx512ifma_limbs_b1", 2), row("scalar_columns_b1", 1)],
        ),
        choice(
            Isa::Avx512ifma,
            &[Shape::Independent],
            &[row("avx512ifma_limbs_b1", 2), row("scalar_b1", 1)],
        ),
        choice(Isa::Avx512ifma, &[Shape::Merkle], &[row("scalar_b1", 1)]),
        // Not for all shapes, so for none.
        choice(Isa::Avx512, &[Shape::One], &[row("scalar_b1", 1)]),
    ],
};

/// Per step: the kernel, fewest states.
fn steps(plan: &Plan<u64>, shape: Shape) -> Vec<(&str, usize)> {
    let name = |step: &Step<u64>| step.kernel().map_or("stock", |kernel| kernel.name);
    let row = |step| (name(step), step.least);
    plan.steps(shape).map(row).collect()
}

/// Where the constants of each step begin.
fn first_constants(plan: &Plan<u64>, shape: Shape) -> Vec<usize> {
    let first = |step: &Step<u64>| match step.server {
        Server::Kernel(_, first) => first,
        #[cfg(feature = "_plonky3")]
        Server::Stock => panic!("of our kernels alone"),
    };
    plan.steps(shape).map(first).collect()
}

#[test]
fn plans_are_what_the_table_says() {
    let plan = const { Plan::new(request(Isa::Avx2), &TUNING, None) }.unwrap();
    let expected = [("avx2_columns_b2", 8), ("avx2_b1", 3), ("scalar_b1", 1)];
    assert_eq!(steps(&plan, Shape::Independent), expected);
    assert_eq!(steps(&plan, Shape::Merkle), [("scalar_b1", 1)]);
    assert_eq!(steps(&plan, Shape::One), [("scalar_b1", 1)]);
    assert!(core::ptr::eq(
        plan.for_one(),
        plan.steps(Shape::One).next().unwrap()
    ));
    assert_eq!(plan.needs().collect::<Vec<_>>(), [Isa::Scalar, Isa::Avx2]);
}

#[test]
fn each_kernel_reads_what_its_strategy_prepares() {
    let plan = Plan::new(request(Isa::Avx512ifma), &TUNING, None).unwrap();
    assert_eq!(first_constants(&plan, Shape::One), [COUNT]);
    assert_eq!(first_constants(&plan, Shape::Chain), [3 * COUNT, COUNT]);
    assert_eq!(first_constants(&plan, Shape::Independent), [3 * COUNT, 0]);
}

#[test]
#[should_panic(expected = "in a form that tables do not have")]
fn what_is_not_prepared_is_not_read() {
    let request = Request {
        prepared: &[("columns", 2)],
        ..request(Isa::Avx512ifma)
    };
    let _ = Plan::new(request, &TUNING, None);
}

#[test]
fn what_has_no_row_is_not_used() {
    assert!(Plan::new(request(Isa::Avx512), &TUNING, None).is_none());
    assert!(Plan::new(request(Isa::Neon), &TUNING, None).is_none());
    static WIDE: Instance<u64> = Instance {
        width: 12,
        ..INSTANCE
    };
    let wide = Request {
        instance: &WIDE,
        ..request(Isa::Avx2)
    };
    assert!(Plan::new(wide, &TUNING, None).is_none());
}

#[test]
fn plain_rust_needs_no_row() {
    let plan = Plan::new(request(Isa::Scalar), &TUNING, None).unwrap();
    for shape in Shape::ALL {
        assert_eq!(steps(&plan, shape), [("scalar_b1", 1)]);
    }
}

#[test]
#[should_panic(expected = "not in the registry")]
fn a_table_cannot_name_what_is_not_there() {
    let request = Request {
        registry: &REGISTRY[..2],
        ..request(Isa::Avx2)
    };
    let _ = Plan::new(request, &TUNING, None);
}

#[test]
#[should_panic(expected = "not the one that is asked for")]
fn a_kernel_of_other_rounds_is_refused() {
    static OTHER: Instance<u64> = Instance {
        internal_rounds: 21,
        ..INSTANCE
    };
    let request = Request {
        instance: &OTHER,
        ..request(Isa::Avx2)
    };
    let _ = Plan::new(request, &TUNING, None);
}

#[test]
#[should_panic(expected = "has to be given all of its states")]
fn a_kernel_without_lanes_is_given_all_of_its_states() {
    static GREEDY: Tuning = Tuning {
        choices: &[choice(
            Isa::Avx2,
            &Shape::ALL,
            &[row("scalar_b2", 1), row("scalar_b1", 1)],
        )],
        ..TUNING
    };
    let _ = Plan::new(request(Isa::Avx2), &GREEDY, None);
}

/// With Plonky3's own implementation there, too.
#[cfg(feature = "_plonky3")]
mod beside {
    use super::*;
    use poseidon2_generated::Server as Row;

    static ROWS: [Row; 3] = [
        Row::Stock {
            states: 8,
            least: 8,
        },
        Row::Kernel { step: 0, least: 3 },
        Row::Stock {
            states: 1,
            least: 1,
        },
    ];

    static BESIDE: Tuning = Tuning {
        choices: &[Choice {
            beside: &[(&[2, 8], &ROWS)],
            ..choice(
                Isa::Avx2,
                &Shape::ALL,
                &[row("avx2_b1", 2), row("scalar_b1", 1)],
            )
        }],
        ..TUNING
    };

    fn plan(lanes: usize) -> Plan<u64> {
        Plan::new(request(Isa::Avx2), &BESIDE, Some(lanes)).unwrap()
    }

    #[test]
    fn kernels_stay_where_they_stand_their_ground() {
        assert!(!plan(4).hands_over());
        let expected = [("avx2_b1", 2), ("scalar_b1", 1)];
        assert_eq!(steps(&plan(4), Shape::Merkle), expected);
    }

    #[test]
    fn the_faster_one_serves() {
        assert!(plan(8).hands_over());
        let expected = [("stock", 8), ("avx2_b1", 3), ("stock", 1)];
        assert_eq!(steps(&plan(8), Shape::Merkle), expected);
        assert_eq!(plan(8).needs().collect::<Vec<_>>(), [Isa::Avx2]);
    }

    #[test]
    #[should_panic(expected = "takes a single state or a vector of them")]
    fn it_is_given_vectors_of_its_own_lanes_alone() {
        let _ = plan(2);
    }

    #[test]
    fn what_was_never_compared_is_handed_over() {
        assert_eq!(
            steps(&plan(16), Shape::Chain),
            [("stock", 16), ("stock", 1)]
        );
        assert_eq!(steps(&plan(1), Shape::Chain), [("stock", 1)]);
        let scalar = Plan::new(request(Isa::Scalar), &BESIDE, Some(4)).unwrap();
        assert_eq!(steps(&scalar, Shape::One), [("stock", 4), ("stock", 1)]);
        assert_eq!(scalar.for_one().states, 1);
    }
}
