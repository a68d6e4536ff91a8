//! Multiplication modulo `2^52` is associative, which solvers are not told.
//!
//! Where a body multiplies by a multiple that it made before, `a·(b·k)` for a constant `k`, its lemma is
//! about `(a·b)·k`, which is the same word.

use crate::body::{Body, Step, Value};

/// The instruction that adds the low half of a product of 52-bit words.
const LOW: &str = "_mm512_madd52lo_epu64";

/// The body with each `a·(b·k)` modulo `2^52` as `(a·b)·k`.
pub(super) fn reassociated(body: &Body) -> Body {
    let mut steps: Vec<Step> = Vec::new();
    // Where the result of each step is now.
    let mut places = Vec::new();
    for step in &body.steps {
        let moved = |value: &Value| match *value {
            Value::Result(step, n) => Value::Result(places[step], n),
            value => value,
        };
        let mut step = step.clone();
        step.sources = step.sources.iter().map(moved).collect();
        if let Some([zero, a, b, k]) = multiple(&steps, &step) {
            let mut first = step.clone();
            first.sources = vec![zero, a, b];
            step.sources = vec![zero, Value::Result(steps.len(), 0), k];
            steps.push(first);
        }
        places.push(steps.len());
        steps.push(step);
    }
    let moved = |value: &Value| match *value {
        Value::Result(step, n) => Value::Result(places[step], n),
        value => value,
    };
    Body {
        operands: body.operands,
        results: body.results.iter().map(moved).collect(),
        steps,
    }
}

/// Zero, `a`, `b` and `k`, if a step is `a·(b·k)` modulo `2^52` added to zero.
fn multiple(steps: &[Step], step: &Step) -> Option<[Value; 4]> {
    let [zero, a, made] = low(step)?;
    let Value::Result(made, 0) = made else {
        return None;
    };
    let [_, b, k] = low(&steps[made])?;
    matches!(k, Value::Constant(..)).then_some([zero, a, b, k])
}

/// The sources of a step that adds a low half to zero.
fn low(step: &Step) -> Option<[Value; 3]> {
    let sources: [Value; 3] = step.sources[..].try_into().ok()?;
    let is_low = step.instruction.meanings[0] == LOW;
    (is_low && matches!(sources[0], Value::Constant(0, 64))).then_some(sources)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instruction::of;
    use crate::machine::Target;

    fn step(a: Value, b: Value) -> Step {
        let mut rows = of(Target::Avx512ifma);
        let instruction = rows.find(|row| row.meanings[0] == LOW).expect("a row");
        Step {
            instruction,
            immediates: Vec::new(),
            sources: vec![Value::Constant(0, 64), a, b],
        }
    }

    #[test]
    fn multiples_by_constants_alone_are_put_last() {
        use Value::{Constant, Operand, Result};
        let body = |k, made| Body {
            operands: 2,
            steps: vec![step(Operand(1), k), step(Operand(0), made)],
            results: vec![Result(1, 0), Result(0, 0)],
        };
        let known = Constant(7, 64);
        let changed = reassociated(&body(known, Result(0, 0)));
        let product = step(Operand(0), Operand(1));
        assert_eq!(
            changed.steps,
            [step(Operand(1), known), product, step(Result(1, 0), known)]
        );
        assert_eq!(changed.results, [Result(2, 0), Result(0, 0)]);
        for other in [body(Operand(0), Result(0, 0)), body(known, Operand(1))] {
            assert_eq!(reassociated(&other), other);
        }
    }
}
