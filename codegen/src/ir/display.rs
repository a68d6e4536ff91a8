//! Text of a field-level program, for snapshots and `explain`.

use super::{Block, FieldOp};
use std::fmt;

impl fmt::Display for FieldOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Add(a, b) => write!(f, "{a} + {b}"),
            Self::Sub(a, b) => write!(f, "{a} - {b}"),
            Self::Div2Exp(x, k) => write!(f, "{x} / 2^{k}"),
            Self::Mul(a, b) => write!(f, "{a} * {b}"),
            Self::Square(x) => write!(f, "{x}^2"),
        }
    }
}

impl fmt::Display for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "block {}", self.kind.name())?;
        for (n, input) in self.inputs.iter().enumerate() {
            writeln!(f, "  v{n} = {input}")?;
        }
        for operation in &self.operations {
            writeln!(
                f,
                "  {} = {}  ; {}",
                operation.result, operation.op, operation.name
            )?;
        }
        for (n, output) in self.outputs.iter().enumerate() {
            writeln!(f, "  state[{n}] <- {output}")?;
        }
        Ok(())
    }
}
