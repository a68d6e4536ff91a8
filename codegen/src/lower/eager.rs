//! Strategy `eager`: one word per value, reduced at every operation.

use super::claims::{Claims, Conflict};
use crate::arith::{Basis, Block, Operation, Program, Return, Site, Treatment};
use crate::ir::{self, FieldOp, Value};
use crate::ops::{Contract, MacroOp};
use crate::params::Field;

/// The macro-op that computes a field operation, and its operands.
#[must_use]
pub(super) fn macro_op(field: &'static Field, op: FieldOp) -> (MacroOp, Vec<Value>) {
    match op {
        FieldOp::Add(a, b) => (MacroOp::Add, vec![a, b]),
        FieldOp::Sub(a, b) => (MacroOp::Sub, vec![a, b]),
        FieldOp::Div2Exp(x, 1) if Contract::of(field, MacroOp::Halve).is_some() => {
            (MacroOp::Halve, vec![x])
        }
        FieldOp::Div2Exp(x, k) => (MacroOp::Div2Exp(k), vec![x]),
        FieldOp::Mul(a, b) => (MacroOp::Mul, vec![a, b]),
        FieldOp::Square(x) => (MacroOp::Square, vec![x]),
        FieldOp::Constant(x) => (MacroOp::Constant(field.to_montgomery(x)), Vec::new()),
    }
}

/// Operands that are canonicalised at a site about which the proof set is silent.
#[must_use]
pub(super) fn default_operands(field: &'static Field, op: MacroOp) -> &'static [usize] {
    Contract::of(field, op).map_or(&[], |contract| contract.row.canonical)
}

/// Lowers a field-level program under the claims of a proof set.
///
/// # Errors
/// Contradictory claims.
pub(super) fn lower(program: &ir::Program, claims: &Claims<'_>) -> Result<Program, Conflict> {
    let instance = &program.instance;
    let decide = |_: &Lowering, site: &Open<'_>| {
        claims.treatments(site.name, site.defaults, site.operands.len())
    };
    let blocks = program.blocks.iter();
    let blocks = blocks.map(|source| block(instance.field, source, decide));
    let blocks = blocks.collect::<Result<Vec<_>, _>>()?;
    Ok(Program {
        flow: Program::in_order(instance, &blocks, &[instance.internal_rounds]),
        instance: instance.clone(),
        blocks,
        parts: 1,
        radix: 0,
        words: instance.field,
        basis: Basis::default(),
        across: None,
    })
}

/// A site, before it is decided what happens to its operands.
pub(super) struct Open<'a> {
    pub(super) name: &'a str,
    /// The macro-op; none where an output returns to the boundary range.
    pub(super) op: Option<MacroOp>,
    /// Field values.
    pub(super) operands: &'a [Value],
    /// Operands that are canonicalised unless somebody says otherwise.
    pub(super) defaults: &'static [usize],
}

/// Emits arithmetic operations while remembering the most reduced version of each field value.
pub(super) struct Lowering {
    inputs: usize,
    /// `versions[v]`: the arithmetic value that now stands for field value `v`.
    versions: Vec<Value>,
    pub(super) operations: Vec<Operation>,
}

impl Lowering {
    pub(super) fn version(&self, value: Value) -> Value {
        self.versions[value.index()]
    }

    fn push(
        &mut self,
        op: MacroOp,
        operands: &[Value],
        name: &str,
        site: Option<Site>,
        serves: Option<usize>,
    ) -> Value {
        let result = Value((self.inputs + self.operations.len()) as u32);
        self.operations.push(Operation {
            op,
            operands: operands.iter().map(|&v| self.version(v)).collect(),
            result,
            name: name.to_owned(),
            site,
            serves,
        });
        result
    }

    /// Canonicalises operands of a site as was decided; later uses see the results.
    fn treat(&mut self, site: &Open<'_>, treatments: &[Treatment]) {
        for (n, (&value, treatment)) in site.operands.iter().zip(treatments).enumerate() {
            if *treatment == Treatment::Canonicalised {
                let op = MacroOp::Canonicalise;
                let canonical = self.push(op, &[value], site.name, None, Some(n));
                self.versions[value.index()] = canonical;
            }
        }
    }
}

/// Name of the site at which output `i` of a block returns to the boundary range.
fn boundary_site(block: &ir::Block, i: usize) -> String {
    let mut operations = block.operations.iter();
    match operations.find(|o| o.result == block.outputs[i]) {
        Some(operation) => format!("{}.output", operation.name),
        None => format!("{}.output[{i}]", block.kind.name()),
    }
}

/// Lowers a block; `decide` says what happens to the operands of each site, in program order.
pub(super) fn block<E>(
    field: &'static Field,
    source: &ir::Block,
    mut decide: impl FnMut(&Lowering, &Open<'_>) -> Result<Vec<Treatment>, E>,
) -> Result<Block, E> {
    let inputs = source.inputs.len();
    let mut lowering = Lowering {
        inputs,
        versions: (0..inputs).map(|n| Value(n as u32)).collect(),
        operations: Vec::new(),
    };
    for operation in &source.operations {
        let (op, operands) = macro_op(field, operation.op);
        let open = Open {
            name: &operation.name,
            op: Some(op),
            operands: &operands,
            defaults: default_operands(field, op),
        };
        let mut site = None;
        if !open.defaults.is_empty() {
            let treatments = decide(&lowering, &open)?;
            lowering.treat(&open, &treatments);
            site = Some(Site { treatments });
        }
        let result = lowering.push(op, &operands, open.name, site, None);
        lowering.versions.push(result);
    }
    let mut returns = Vec::new();
    let outputs = source.outputs.iter().enumerate();
    for (i, output) in outputs.filter(|_| field.is_montgomery()) {
        let name = boundary_site(source, i);
        let open = Open {
            name: &name,
            op: None,
            operands: std::slice::from_ref(output),
            defaults: &[0],
        };
        let treatments = decide(&lowering, &open)?;
        lowering.treat(&open, &treatments);
        returns.push(Return {
            name,
            value: lowering.version(*output),
            treatment: treatments[0],
        });
    }
    let outputs = source.outputs.iter().map(|&v| lowering.version(v));
    Ok(Block {
        kind: source.kind,
        inputs: source.inputs.clone(),
        outputs: outputs.collect(),
        operations: lowering.operations,
        returns,
    })
}
