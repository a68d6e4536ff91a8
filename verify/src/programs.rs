//! The arithmetic programs that kernels are made from, as the generator lowers and proves them.

use codegen::arith::Program;
use codegen::lower::infer::infer;
use codegen::lower::{Claims, lower};
use codegen::prove::{Proved, Refusal, Subject, prove};
use codegen::spec::Claim;
use codegen::{ir, params};

use crate::oracle::{Instance, instances};

/// One program with everything that was decided for it.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Field and width.
    pub name: String,
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
    /// Lowers the instance under the maximal proof set.
    ///
    /// # Panics
    /// Where the generator does not know the oracles' instance, or contradicts itself.
    #[must_use]
    pub fn new(instance: Instance) -> Self {
        let field = params::Field::by_name(instance.field.name).expect("the oracles' fields");
        let width = instance.permutation.width();
        let known = params::instance(instance.parameter_set, field, width);
        let source = ir::Program::build(&known.expect("the oracles' instances"));
        let claims: Vec<Claim> = infer(&source)
            .into_iter()
            .map(|inferred| Claim {
                pattern: inferred.site.parse().expect("inference writes patterns"),
                operand: inferred.operand,
                kind: inferred.kind,
                span: 0..0,
            })
            .collect();
        let program = lower(&source, &Claims::new(&claims)).expect("inference is consistent");
        let name = format!("{} w{width}", instance.field.name);
        Self {
            name,
            instance,
            source,
            claims,
            program,
        }
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
        // Lowering marks the claims that speak of a site; the prover refuses those that do not.
        lower(&self.source, &claims).expect("lowered before");
        prove(program, &claims)
    }
}

/// The certificate of a proof that stands for no kernel: the lemmas are named without hashes.
#[must_use]
pub fn certificate(proved: &Proved) -> String {
    let program = proved.program();
    let operations = program.blocks.iter().flat_map(|block| &block.operations);
    let mut lemmas: Vec<_> = operations
        .map(|o| (o.op.to_string(), "assumed".to_owned()))
        .collect();
    lemmas.sort();
    lemmas.dedup();
    proved.certificate(&Subject {
        kernel: "program",
        isa: "none",
        layout: "none",
        strategy: "eager",
        batch: 1,
        lemmas: &lemmas,
    })
}

/// The programs of all instances that an oracle knows.
#[must_use]
pub fn all() -> Vec<Entry> {
    instances().into_iter().map(Entry::new).collect()
}
