//! Strategy `eager`: one word per value, reduced at every operation.

use super::claims::{Claims, Conflict, Decision};
use crate::arith::{Block, MacroOp, Operation, Program, Return, Site, Treatment};
use crate::ir::{self, FieldOp, Value};
use crate::params::Field;

/// The macro-op that computes a field operation, and its operands.
#[must_use]
pub fn macro_op(field: &Field, op: FieldOp) -> (MacroOp, Vec<Value>) {
    match op {
        FieldOp::Add(a, b) => (MacroOp::Add, vec![a, b]),
        FieldOp::Sub(a, b) => (MacroOp::Sub, vec![a, b]),
        FieldOp::Div2Exp(x, 1) if !field.montgomery => (MacroOp::Halve, vec![x]),
        FieldOp::Div2Exp(x, k) => (MacroOp::Div2Exp(k), vec![x]),
        FieldOp::Mul(a, b) => (MacroOp::Mul, vec![a, b]),
        FieldOp::Square(x) => (MacroOp::Square, vec![x]),
    }
}

/// Operands that are canonicalised at a site about which the proof set is silent.
///
/// Goldilocks: the second operand of an addition or subtraction; with `b < p` the bounds
/// `a + b < 2^64 + p` and `b - a ≤ p` hold for every `a`. 31-bit fields have a word only one bit
/// wider than `p`: both operands, and those of products.
#[must_use]
pub fn default_operands(field: &Field, op: MacroOp) -> &'static [usize] {
    match (field.montgomery, op) {
        (false, MacroOp::Add | MacroOp::Sub) => &[1],
        (true, MacroOp::Add | MacroOp::Sub | MacroOp::Mul) => &[0, 1],
        (true, MacroOp::Square | MacroOp::Div2Exp(1)) => &[0],
        _ => &[],
    }
}

/// Lowers a field-level program under the claims of a proof set.
///
/// # Errors
/// Contradictory claims.
pub(super) fn lower(program: &ir::Program, claims: &Claims<'_>) -> Result<Program, Conflict> {
    let [linear, sbox, internal] = &program.blocks;
    let field = program.instance.field;
    let instance = &program.instance;
    let blocks = vec![
        block(field, linear, claims)?,
        block(field, sbox, claims)?,
        block(field, internal, claims)?,
    ];
    Ok(Program {
        flow: Program::poseidon2(instance, &blocks, &[instance.internal_rounds]),
        instance: instance.clone(),
        blocks,
        parts: 1,
        pairs: Vec::new(),
    })
}

/// Emits arithmetic operations while remembering the most reduced version of each field value.
pub(super) struct Lowering {
    inputs: usize,
    /// `versions[v]`: the arithmetic value that now stands for field value `v`.
    versions: Vec<Value>,
    pub(super) operations: Vec<Operation>,
}

impl Lowering {
    pub(super) fn new(inputs: usize) -> Self {
        Self {
            inputs,
            versions: (0..inputs).map(|n| Value(n as u32)).collect(),
            operations: Vec::new(),
        }
    }

    pub(super) fn version(&self, value: Value) -> Value {
        self.versions[value.index()]
    }

    fn push(
        &mut self,
        op: MacroOp,
        operands: Vec<Value>,
        name: &str,
        site: Option<Site>,
        serves: Option<usize>,
    ) -> Value {
        let result = Value((self.inputs + self.operations.len()) as u32);
        self.operations.push(Operation {
            op,
            operands,
            result,
            name: name.to_owned(),
            site,
            serves,
        });
        result
    }

    /// Canonicalises `value` for operand `operand` of `site`; later uses see the result.
    pub(super) fn canonicalise(&mut self, value: Value, site: &str, operand: usize) {
        let version = self.version(value);
        let canonical = self.push(
            MacroOp::Canonicalise,
            vec![version],
            site,
            None,
            Some(operand),
        );
        self.versions[value.index()] = canonical;
    }

    /// Emits the macro-op of a field operation.
    pub(super) fn compute(
        &mut self,
        op: MacroOp,
        operands: &[Value],
        name: &str,
        treatments: Vec<Treatment>,
        has_needs: bool,
    ) -> Value {
        let versions = operands.iter().map(|&v| self.version(v)).collect();
        let site = has_needs.then_some(Site { treatments });
        let result = self.push(op, versions, name, site, None);
        self.versions.push(result);
        result
    }
}

/// Name of the site at which output `i` of a block returns to the boundary range.
#[must_use]
pub(super) fn boundary_site(block: &ir::Block, i: usize) -> String {
    match block
        .operations
        .iter()
        .find(|o| o.result == block.outputs[i])
    {
        Some(operation) => format!("{}.output", operation.name),
        None => format!("{}.output[{i}]", block.kind.name()),
    }
}

fn block(
    field: &'static Field,
    source: &ir::Block,
    claims: &Claims<'_>,
) -> Result<Block, Conflict> {
    let mut lowering = Lowering::new(source.inputs.len());
    for operation in &source.operations {
        let (op, operands) = macro_op(field, operation.op);
        let defaults = default_operands(field, op);
        if defaults.is_empty() {
            let treatments = vec![Treatment::AsIs; operands.len()];
            lowering.compute(op, &operands, &operation.name, treatments, false);
            continue;
        }
        let decision = claims.decide(&operation.name)?;
        let treatments = treatments(&decision, defaults, operands.len());
        for (n, treatment) in treatments.iter().enumerate() {
            if *treatment == Treatment::Canonicalised {
                lowering.canonicalise(operands[n], &operation.name, n);
            }
        }
        lowering.compute(op, &operands, &operation.name, treatments, true);
    }
    let mut returns = Vec::new();
    if field.montgomery {
        for (i, &output) in source.outputs.iter().enumerate() {
            let name = boundary_site(source, i);
            let treatment = match claims.decide(&name)? {
                Decision::Elide(claims) => Treatment::Elided(claims[0].0),
                Decision::Default | Decision::Canonicalise(_) => {
                    lowering.canonicalise(output, &name, 0);
                    Treatment::Canonicalised
                }
            };
            returns.push(Return {
                name,
                value: lowering.version(output),
                treatment,
            });
        }
    }
    Ok(Block {
        kind: source.kind,
        inputs: source.inputs.clone(),
        outputs: source
            .outputs
            .iter()
            .map(|&v| lowering.version(v))
            .collect(),
        operations: lowering.operations,
        returns,
    })
}

/// What happens to each operand of a site under a decision.
pub(super) fn treatments(decision: &Decision, defaults: &[usize], arity: usize) -> Vec<Treatment> {
    let mut treatments: Vec<Treatment> = (0..arity)
        .map(|n| {
            if defaults.contains(&n) {
                Treatment::Canonicalised
            } else {
                Treatment::AsIs
            }
        })
        .collect();
    match decision {
        Decision::Default => {}
        Decision::Canonicalise(operand) => {
            treatments = vec![Treatment::AsIs; arity];
            if let Some(treatment) = treatments.get_mut(*operand) {
                *treatment = Treatment::Canonicalised;
            }
        }
        Decision::Elide(claims) => {
            for &(claim, operand) in claims {
                let about_default = operand.is_some_and(|o| defaults.contains(&o));
                for &d in defaults {
                    if !about_default || operand == Some(d) {
                        treatments[d] = Treatment::Elided(claim);
                    }
                }
            }
        }
    }
    treatments
}
