use super::*;
use crate::ir;
use crate::lower::infer::infer;
use crate::lower::{Unsuited, lower};
use crate::names::{Operand, Strategy};
use crate::ops::MacroOp;
use crate::params::{Field, Instance, Linear, instance};
use crate::spec::{Claim, ClaimKind, ClaimText, SitePattern};

fn set(field: &str, width: usize) -> Instance {
    instance("plonky3", Field::by_name(field).unwrap(), width).unwrap()
}

fn all() -> Vec<Instance> {
    vec![
        set("goldilocks", 8),
        set("goldilocks", 12),
        set("goldilocks", 16),
        set("koala-bear", 16),
    ]
}

fn claims(inferred: &[ClaimText]) -> Vec<Claim> {
    inferred
        .iter()
        .map(|i| Claim {
            pattern: i.site.parse().unwrap(),
            operand: i.operand,
            kind: i.kind.clone(),
            said: 0..0,
            span: 0..0,
        })
        .collect()
}

fn claim(site: &str, operand: Operand, kind: ClaimKind) -> Claim {
    let pattern: SitePattern = site.parse().unwrap();
    Claim {
        pattern,
        operand,
        kind,
        said: 0..0,
        span: 0..0,
    }
}

fn proved(instance: &Instance, claims: &[Claim]) -> Result<Proved, Vec<Refusal>> {
    let claims = Claims::new(claims);
    prove(
        lower(&ir::Program::build(instance), Strategy::Eager, &claims).unwrap(),
        &claims,
    )
}

#[test]
fn everything_kept_is_provable() {
    for instance in all() {
        let proved = proved(&instance, &[]).unwrap();
        assert!(proved.kept() > 0);
    }
}

#[test]
fn inferred_claims_are_provable_and_leave_nothing_needless() {
    for instance in all() {
        let claims = claims(&infer(&ir::Program::build(&instance)));
        let proved = proved(&instance, &claims).unwrap();
        assert_eq!(
            proved.warnings(),
            [],
            "{} {}",
            instance.field.name,
            instance.width
        );
    }
}

/// A hand analysis of Goldilocks width 8 needs 385.
#[test]
fn inference_beats_the_hand_analysis() {
    let instance = set("goldilocks", 8);
    let claims = claims(&infer(&ir::Program::build(&instance)));
    let proved = proved(&instance, &claims).unwrap();
    assert!(
        proved.executed_canonicalisations() <= 385,
        "{}",
        proved.executed_canonicalisations()
    );
}

#[test]
fn an_addition_without_either_canonicalisation_is_refused() {
    let instance = set("goldilocks", 8);
    let site = "external[*].mds.block[*].t01";
    let range = ClaimKind::Range {
        a: u128::from(u64::MAX),
        b: u128::from(u64::MAX),
    };
    let refusals = proved(&instance, &[claim(site, Operand::B, range)]).unwrap_err();
    let Refusal::Bound {
        contract,
        unmet,
        claim,
        ..
    } = &refusals[0]
    else {
        panic!("{refusals:?}");
    };
    assert_eq!(*claim, Some(0));
    assert_eq!(contract.op, MacroOp::Add);
    // The witness really breaks it: the contract's integer does not fit the word.
    let sum: i128 = unmet.witness.iter().sum();
    assert!(sum - i128::from(instance.field.modulus) >= 1 << 64);
}

#[test]
fn false_claims_are_refused_even_where_the_bound_holds() {
    let instance = set("goldilocks", 8);
    for kind in [
        ClaimKind::Zero,
        ClaimKind::OutputOf("canonicalise".to_owned()),
        ClaimKind::Range {
            a: u128::from(u64::MAX),
            b: 1,
        },
    ] {
        let claims = [claim("external[*].rc", Operand::B, kind.clone())];
        let refusals = proved(&instance, &claims).unwrap_err();
        assert!(
            matches!(refusals[..], [Refusal::Claim { claim: 0, .. }]),
            "{kind:?} {refusals:?}"
        );
    }
    let good = [claim(
        "external[*].rc",
        Operand::B,
        ClaimKind::CanonicalisedAtConstruction,
    )];
    assert!(proved(&instance, &good).is_ok());
}

#[test]
fn patterns_that_match_nothing_are_refused() {
    let instance = set("goldilocks", 8);
    let claims = [claim("internal.sums[*]", Operand::B, ClaimKind::Zero)];
    let refusals = proved(&instance, &claims).unwrap_err();
    assert_eq!(refusals, [Refusal::Unmatched { claim: 0 }]);
}

#[test]
fn contradictory_claims_are_refused() {
    let program = ir::Program::build(&set("goldilocks", 8));
    let list = [
        claim("internal.rc", Operand::B, ClaimKind::ConstantTable),
        claim("internal.*", Operand::B, ClaimKind::Zero),
    ];
    let refused = lower(&program, Strategy::Eager, &Claims::new(&list)).unwrap_err();
    assert!(matches!(refused, Unsuited::Conflict(conflict) if conflict.claims == (0, 1)));
}

#[test]
fn another_matrix_or_exponent_is_refused() {
    let instance = set("goldilocks", 8);
    let claims = Claims::new(&[]);
    let good = lower(&ir::Program::build(&instance), Strategy::Eager, &claims).unwrap();
    let mut other = good.clone();
    let Linear::Poseidon2 { internal, .. } = &mut other.instance.linear else {
        panic!("the set is one of Poseidon2");
    };
    internal.diagonal.swap(2, 4);
    assert!(matches!(
        prove(other, &claims).unwrap_err()[..],
        [
            Refusal::Function {
                block: BlockKind::InternalRound,
                mismatch: Mismatch::Output { index: 2, .. }
            },
            ..
        ]
    ));
    let mut other = good;
    other.instance.alpha = 5;
    assert_eq!(prove(other, &claims).unwrap_err().len(), 1 + 1);
}

#[test]
fn arithmetic_programs_agree_with_the_field() {
    for instance in all() {
        let field = instance.field;
        let list = claims(&infer(&ir::Program::build(&instance)));
        let proved = proved(&instance, &list).unwrap();
        for block in &proved.program().blocks {
            let inputs: Vec<u64> = (0..block.inputs.len() as u64)
                .map(|i| field.reduce(u128::from(i + 3) * 0x9e37_79b9_7f4a_7c15_f39c))
                .collect();
            let outputs = block.eval(field, &inputs);
            for (output, form) in outputs
                .iter()
                .zip(specified(proved.program(), block.kind, 0))
            {
                let value = |input| {
                    let n = block.inputs.iter().position(|&i| i == input).unwrap();
                    field.from_montgomery(inputs[n])
                };
                assert_eq!(field.from_montgomery(*output), form.eval(field, &value));
            }
        }
    }
}

/// What is left of canonicalisations in one permutation, with every claim that can be proved and
/// with none. A change of lowering or inference that costs any shows here.
#[test]
fn executed_canonicalisations() {
    let counts = all().into_iter().map(|instance| {
        let inferred = claims(&infer(&ir::Program::build(&instance)));
        [inferred.as_slice(), &[]].map(|list| {
            proved(&instance, list)
                .unwrap()
                .executed_canonicalisations()
        })
    });
    assert_eq!(
        counts.collect::<Vec<_>>(),
        [[338, 898], [507, 1343], [676, 1722], [1376, 4348]]
    );
}
