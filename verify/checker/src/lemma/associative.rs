//! Multiplication modulo `2^52`, or `2^64`, is associative, which solvers are not told.
//!
//! Where a body multiplies by a multiple that it made before, `a·(b·k)` for a constant `k`, its lemma is
//! about `(a·b)·k`, which is the same word.

use crate::body::{Body, Step, Value};

/// The instructions that give the low half of a product: of 52-bit words, which they add to a word, and of words.
const LOW: [&str; 2] = ["_mm512_madd52lo_epu64", "_mm512_mullo_epi64"];

/// The body with each `a·(b·k)` modulo a power of two as `(a·b)·k`.
pub(super) fn reassociated(body: &Body) -> Body {
    let mut steps: Vec<Step> = Vec::new();
    // Where the result of each step is now.
    let mut places = Vec::new();
    for step in &body.steps {
        let mut step = step.clone();
        step.sources = moved(&step.sources, &places);
        if let Some([a, b, k]) = multiple(&steps, &step) {
            let mut first = step.clone();
            let zeros = step.sources.len() - 2;
            first.sources.splice(zeros.., [a, b]);
            let made = Value::Result(steps.len(), 0);
            step.sources.splice(zeros.., [made, k]);
            steps.push(first);
        }
        places.push(steps.len());
        steps.push(step);
    }
    Body {
        operands: body.operands,
        results: moved(&body.results, &places),
        steps,
    }
}

/// Values, of steps that are in other places now.
fn moved(values: &[Value], places: &[usize]) -> Vec<Value> {
    let moved = |value: &Value| match *value {
        Value::Result(step, n) => Value::Result(places[step], n),
        value => value,
    };
    values.iter().map(moved).collect()
}

/// `a`, `b` and `k`, if a step is `a·(b·k)` modulo a power of two.
fn multiple(steps: &[Step], step: &Step) -> Option<[Value; 3]> {
    let [a, made] = low(step)?;
    let Value::Result(made, 0) = made else {
        return None;
    };
    let [b, k] = low(&steps[made])?;
    let same = steps[made].instruction.meanings == step.instruction.meanings;
    (same && matches!(k, Value::Constant(..))).then_some([a, b, k])
}

/// The factors of a step that gives a low half, to which it adds nothing but zero.
fn low(step: &Step) -> Option<[Value; 2]> {
    let (zeros, factors) = step.sources.split_last_chunk()?;
    let is_low = LOW.contains(&&*step.instruction.meanings[0]);
    let is_zero = |source: &Value| matches!(source, Value::Constant(0, 64));
    (is_low && zeros.iter().all(is_zero)).then_some(*factors)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instruction::of;
    use crate::machine::Target;

    /// A product by the instruction of [`LOW`] of that number.
    fn step(n: usize, a: Value, b: Value) -> Step {
        let mut rows = of(Target::Avx512dq);
        let instruction = rows.find(|row| row.meanings[0] == LOW[n]).expect("a row");
        let zeros = vec![Value::Constant(0, 64); instruction.sources.len() - 2];
        Step {
            instruction,
            immediates: Vec::new(),
            sources: [zeros, vec![a, b]].concat(),
        }
    }

    #[test]
    fn multiples_by_constants_alone_are_put_last() {
        use Value::{Constant, Operand, Result};
        let body = |[first, then]: [usize; 2], k, made| Body {
            operands: 2,
            steps: vec![step(first, Operand(1), k), step(then, Operand(0), made)],
            results: vec![Result(1, 0), Result(0, 0)],
        };
        let known = Constant(7, 64);
        for n in 0..LOW.len() {
            let changed = reassociated(&body([n; 2], known, Result(0, 0)));
            let product = step(n, Operand(0), Operand(1));
            let last = step(n, Result(1, 0), known);
            assert_eq!(changed.steps, [step(n, Operand(1), known), product, last]);
            assert_eq!(changed.results, [Result(2, 0), Result(0, 0)]);
        }
        for other in [
            body([0; 2], Operand(0), Result(0, 0)),
            body([0; 2], known, Operand(1)),
            body([0, 1], known, Result(0, 0)),
            body([1, 0], known, Result(0, 0)),
        ] {
            assert_eq!(reassociated(&other), other);
        }
    }
}
