//! The arithmetic programs that kernels are made from, as the generator lowers and proves them.

use codegen::arith::MacroOp;
use codegen::arith::{Block, Program};
use codegen::ir::BlockKind;
use codegen::lower::infer::infer;
use codegen::lower::{Claims, lower, lower_columns, lower_limbs, lower_redc};
use codegen::names::Strategy;
use codegen::prove::{Proved, Refusal, Subject, prove};
use codegen::spec::Claim;
use codegen::{ir, params};

use crate::oracle::{Instance, instances};

/// One program with everything that was decided for it.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Field and width, and the strategy where it is not the default.
    pub name: String,
    /// How values are represented and reduced.
    pub strategy: Strategy,
    /// The oracles' side of it.
    pub instance: Instance,
    /// The field-level program.
    pub source: ir::Program,
    /// The proof set: the maximal one.
    pub claims: Vec<Claim>,
    /// The arithmetic program under that proof set.
    pub program: Program,
}

impl Entry {
    /// Lowers the instance by a strategy, under the maximal proof set where it takes one; nothing
    /// where the strategy does not work for the field.
    ///
    /// # Panics
    /// Where the generator does not know the oracles' instance, or contradicts itself.
    #[must_use]
    pub fn new(instance: Instance, strategy: Strategy) -> Option<Self> {
        let field = params::Field::by_name(instance.field.name).expect("the oracles' fields");
        if field.is_montgomery() && strategy != Strategy::Eager {
            return None;
        }
        let width = instance.permutation.width();
        let known = params::instance(instance.parameter_set, field, width);
        let source = ir::Program::build(&known.expect("the oracles' instances"));
        let inferred = if strategy.takes_proofs() {
            infer(&source)
        } else {
            Vec::new()
        };
        let claims = inferred.into_iter().map(|inferred| Claim {
            pattern: inferred.site.parse().expect("inference writes patterns"),
            operand: inferred.operand,
            kind: inferred.kind,
            span: 0..0,
        });
        let claims: Vec<Claim> = claims.collect();
        let program = lowered(&source, strategy, &claims).expect("inference is consistent");
        let mut name = format!("{} w{width}", instance.field.name);
        if strategy != Strategy::DEFAULT {
            name = format!("{name} {strategy}");
        }
        Some(Self {
            name,
            strategy,
            instance,
            source,
            claims,
            program,
        })
    }

    /// Elements in a state.
    #[must_use]
    pub fn width(&self) -> usize {
        self.instance.permutation.width()
    }

    /// Proves the program.
    ///
    /// # Errors
    /// Every refusal.
    pub fn prove(&self) -> Result<Proved, Vec<Refusal>> {
        self.prove_instead(self.program.clone())
    }

    /// Proves another program under this proof set.
    ///
    /// # Errors
    /// Every refusal.
    ///
    /// # Panics
    /// Never: the proof set has been lowered before.
    pub fn prove_instead(&self, program: Program) -> Result<Proved, Vec<Refusal>> {
        let claims = Claims::new(&self.claims);
        if self.strategy.takes_proofs() {
            // Lowering marks the claims that speak of a site; the prover refuses the others.
            lower(&self.source, &claims).expect("lowered before");
        }
        prove(program, &claims)
    }
}

/// The program that a strategy makes; nothing where claims contradict each other, or where no
/// ranges fit.
pub(crate) fn lowered(
    source: &ir::Program,
    strategy: Strategy,
    claims: &[Claim],
) -> Option<Program> {
    match strategy {
        Strategy::Eager => lower(source, &Claims::new(claims)).ok(),
        Strategy::Columns => lower_columns(source).ok(),
        Strategy::Redc => lower_redc(source).ok(),
        Strategy::Limbs => lower_limbs(source).ok(),
    }
}

/// The certificate of a proof that stands for no kernel: the lemmas are named without hashes.
#[must_use]
pub fn certificate(proved: &Proved) -> String {
    let program = proved.program();
    // Constants are prepared by code that kernels share, whose lemmas no certificate names.
    let own = |block: &&Block| block.kind != BlockKind::Constant;
    let blocks = program.blocks.iter().filter(own);
    let operations = blocks.flat_map(|block| &block.operations);
    let operations = operations.filter(|o| o.op != MacroOp::Second);
    let mut lemmas: Vec<_> = operations
        .map(|o| (o.op.to_string(), "assumed".to_owned()))
        .collect();
    lemmas.sort();
    lemmas.dedup();
    proved.certificate(&Subject {
        kernel: "program",
        isa: "none",
        layout: "none",
        strategy: "none",
        batch: 1,
        lemmas: &lemmas,
    })
}

/// The programs of all instances that an oracle knows, by every strategy.
#[must_use]
pub fn all() -> Vec<Entry> {
    let by_strategy = |strategy: &Strategy| {
        let entries = instances().into_iter();
        let entries = entries.filter_map(|instance| Entry::new(instance, *strategy));
        entries.collect::<Vec<_>>()
    };
    Strategy::all().iter().flat_map(by_strategy).collect()
}
