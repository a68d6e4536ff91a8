//! The arithmetic programs that kernels are made from, as the generator lowers and proves them.

use codegen::arith::Program;
use codegen::lower::infer::infer;
use codegen::lower::{Claims, Unsuited, lower};
use codegen::names::Strategy;
use codegen::prove::{Proved, Refusal, prove};
use codegen::spec::{Claim, Spec};
use codegen::{ir, params};

use crate::oracle::{Instance, instances};

/// One program with everything that was decided for it.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// Field and width, and the strategy where it is not the default.
    pub(crate) name: String,
    /// How values are represented and reduced.
    pub(crate) strategy: Strategy,
    /// The oracles' side of it.
    pub(crate) instance: Instance,
    pub(crate) source: ir::Program,
    /// The proof set: the maximal one.
    pub(crate) claims: Vec<Claim>,
    /// The arithmetic program under that proof set.
    pub(crate) program: Program,
}

impl Entry {
    /// Lowers the instance by a strategy, under the maximal proof set where it takes one; nothing
    /// where the strategy does not work for the field.
    pub(crate) fn new(instance: Instance, strategy: Strategy) -> Option<Self> {
        let field = params::Field::by_name(instance.field.name).expect("the oracles' fields");
        let width = instance.permutation.width();
        let known = params::instance(&instance.parameter_set, field, width);
        let made = Self::of(instance, &known.expect("the oracles' instances"), strategy);
        Self::suited(made, strategy)
    }

    /// Nothing where the strategy does not work for the field or the layers of Poseidon2.
    fn suited(made: Result<Self, Unsuited>, strategy: Strategy) -> Option<Self> {
        match made {
            Ok(entry) => Some(entry),
            Err(
                Unsuited::Field(..) | Unsuited::Scale(..) | Unsuited::Width(..) | Unsuited::M4(_),
            ) => None,
            Err(error) => panic!("{strategy}: {error}"),
        }
    }

    /// The same for an instance that both sides read from a text.
    fn of(
        instance: Instance,
        known: &params::Instance,
        strategy: Strategy,
    ) -> Result<Self, Unsuited> {
        let width = instance.permutation.width();
        let source = ir::Program::build(known);
        let inferred = if strategy.takes_proofs() {
            infer(&source)
        } else {
            Vec::new()
        };
        let claims = inferred.into_iter().map(|inferred| Claim {
            pattern: inferred.site.parse().expect("inference writes patterns"),
            operand: inferred.operand,
            kind: inferred.kind,
            said: 0..0,
            span: 0..0,
        });
        let claims: Vec<Claim> = claims.collect();
        let program = lower(&source, strategy, &Claims::new(&claims))?;
        let mut name = format!("{} w{width}", instance.field.name);
        if strategy != Strategy::DEFAULT {
            name = format!("{name} {strategy}");
        }
        Ok(Self {
            name,
            strategy,
            instance,
            source,
            claims,
            program,
        })
    }

    /// Elements in a state.
    pub(crate) fn width(&self) -> usize {
        self.instance.permutation.width()
    }

    /// Proves the program, or another in its place, under this proof set.
    pub(crate) fn prove(&self, program: Program) -> Result<Proved, Vec<Refusal>> {
        let claims = Claims::new(&self.claims);
        if self.strategy.takes_proofs() {
            // Lowering marks the claims that speak of a site; the prover refuses the others.
            lower(&self.source, self.strategy, &claims).expect("lowered before");
        }
        prove(program, &claims)
    }
}

/// The programs of all instances that an oracle knows, by every strategy.
pub(crate) fn all() -> Vec<Entry> {
    of(&instances())
}

/// The programs of a spec that keep elements in parts. Directed vectors for one word aim at the layers of the
/// repository's own permutations: in a dense matrix, say, sums have operands that are multiples of each other.
pub(crate) fn of_spec(spec: &Spec) -> Vec<Entry> {
    let instance = Instance::read(&spec.instance.statement()).expect("what is stated is read");
    let by_strategy = |strategy: &Strategy| {
        let entry = match Entry::of(instance.clone(), &spec.instance, *strategy) {
            // Their layers may be others than those of the repository's own.
            Err(Unsuited::Poseidon1(_) | Unsuited::Row(..) | Unsuited::Words(_)) => None,
            made => Entry::suited(made, *strategy),
        };
        entry.filter(|entry| entry.program.parts > 1)
    };
    Strategy::all().iter().filter_map(by_strategy).collect()
}

/// The programs of some instances, by every strategy.
pub(crate) fn of(instances: &[Instance]) -> Vec<Entry> {
    let by_strategy = |strategy: &Strategy| {
        let entries = instances.iter().cloned();
        let entries = entries.filter_map(|instance| Entry::new(instance, *strategy));
        entries.collect::<Vec<_>>()
    };
    Strategy::all().iter().flat_map(by_strategy).collect()
}
