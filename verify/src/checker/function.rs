//! What a block computes, compared with the permutation, coefficient by coefficient.

use super::certificate::{Block, Certificate, Kind};
use super::rules::Field;
use super::{Fault, Outcome, agree, refuse};
use crate::oracle::{self, Layer, Poseidon2};

/// The permutation that the header describes.
pub(super) fn subject(certificate: &Certificate<'_>, field: &Field) -> Outcome<Poseidon2> {
    let count = |key| {
        let (line, text) = certificate.header(key)?;
        let n = text.parse().ok().filter(|n| (1..=1024).contains(n));
        let what = || format!("`{text}` is no such number");
        n.map_or_else(|| refuse(line, Fault::Syntax, what()), Ok::<usize, _>)
    };
    let width = count("width")?;
    let mut p2 = Poseidon2 {
        modulus: u64::try_from(field.p).expect("a modulus fits its word"),
        alpha: count("alpha")? as u64,
        diagonal: Vec::new(),
        external: vec![vec![0; width]; count("external-rounds")?],
        internal: vec![0; count("internal-rounds")?],
    };
    let (line, text) = certificate.header("diagonal")?;
    let entries: Option<_> = text.split(' ').map(|entry| residue(&p2, entry)).collect();
    p2.diagonal = entries.unwrap_or_default();
    if p2.diagonal.len() != width || width % 4 != 0 {
        return refuse(
            line,
            Fault::Syntax,
            "no diagonal of a width that is a multiple of 4",
        );
    }
    let (_, name) = certificate.header("field")?;
    let (line, set) = certificate.header("parameter-set")?;
    if let Some(known) = oracle::find(set, name, width) {
        let known = known.permutation;
        agree(line, "alpha", p2.alpha, known.alpha)?;
        agree(
            line,
            "external rounds",
            p2.external.len(),
            known.external.len(),
        )?;
        agree(
            line,
            "internal rounds",
            p2.internal.len(),
            known.internal.len(),
        )?;
        for (entry, right) in p2.diagonal.iter().zip(known.diagonal) {
            agree(line, "diagonal entry", *entry, right)?;
        }
    }
    Ok(p2)
}

/// `-3/2^4` as a residue.
fn residue(p2: &Poseidon2, text: &str) -> Option<u64> {
    let (negative, text) = text
        .strip_prefix('-')
        .map_or((false, text), |text| (true, text));
    let (numerator, divisor) = text.split_once('/').unwrap_or((text, "1"));
    let shift: u32 = match divisor.strip_prefix("2^") {
        Some(shift) => shift.parse().ok()?,
        None => divisor
            .parse::<u64>()
            .ok()
            .filter(|d| d.is_power_of_two())?
            .ilog2(),
    };
    let inverse = p2.pow(p2.modulus.div_ceil(2), u64::from(shift));
    let magnitude = p2.mul(numerator.parse().ok()?, inverse);
    Some(if negative {
        p2.mul(magnitude, p2.modulus - 1)
    } else {
        magnitude
    })
}

/// A value as a function of the block's inputs: a linear form over inputs and S-box output (the
/// last coefficient), or a power of a linear form.
#[derive(Clone, PartialEq)]
enum Form {
    Linear(Vec<u64>),
    Power(Vec<u64>, u64),
}

/// Compares a block with the layers it stands for.
pub(super) fn check(p2: &Poseidon2, block: &Block<'_>) -> Outcome<()> {
    let single = block.name == "external-sbox";
    let states = if single { 1 } else { p2.width() };
    let mut inputs: Vec<String> = (0..states).map(|i| format!("state[{i}]")).collect();
    if block.name != "external-linear" {
        inputs.push("constant".to_owned());
    }
    let is_input = |(name, n): (&String, usize)| {
        let value = block.values.get(n);
        value.is_some_and(|value| matches!(value.kind, Kind::Input(input) if input == name))
    };
    if !inputs.iter().zip(0..).all(is_input) || block.outputs.len() != states {
        let what = format!("{} has other inputs or outputs", block.name);
        return refuse(block.line, Fault::Function, what);
    }
    exactly(p2, block, inputs.len())
}

/// 2^-k for `halve` and `div2exp(k)`.
fn scale(p2: &Poseidon2, op: &str) -> Option<u64> {
    let k = match op.strip_prefix("div2exp(") {
        Some(k) => k.strip_suffix(')')?.parse().ok()?,
        None => (op == "halve").then_some(1)?,
    };
    Some(p2.pow(p2.modulus.div_ceil(2), k))
}

/// Reads the matrix off the block, the S-box's output being one unknown, and follows exponents.
fn exactly(p2: &Poseidon2, block: &Block<'_>, inputs: usize) -> Outcome<()> {
    let unit = |n: usize| (0..=inputs).map(|i| u64::from(i == n)).collect::<Vec<_>>();
    let shifted: Vec<u64> = (0..=inputs)
        .map(|i| u64::from(i == 0 || i == inputs - 1))
        .collect();
    let sbox = Form::Power(shifted, p2.alpha);
    let mut forms: Vec<Form> = (0..inputs).map(|n| Form::Linear(unit(n))).collect();
    let as_linear = |form: &Form| match form {
        Form::Linear(form) => Some(form.clone()),
        power => (*power == sbox).then(|| unit(inputs)),
    };
    for value in &block.values[inputs..] {
        let Kind::Operation(op, operands) = &value.kind else {
            return refuse(value.line, Fault::Function, "an input too many");
        };
        let (a, b) = (&forms[operands[0]], &forms[operands[operands.len() - 1]]);
        let combine = |x: u64, y: u64| -> Option<Form> {
            let (a, b) = (as_linear(a)?, as_linear(b)?);
            let sum = a
                .iter()
                .zip(&b)
                .map(|(a, b)| p2.add(p2.mul(*a, x), p2.mul(*b, y)));
            Some(Form::Linear(sum.collect()))
        };
        let form = match op.as_str() {
            "canonicalise" => Some(a.clone()),
            "add" => combine(1, 1),
            "sub" => combine(1, p2.modulus - 1),
            "mul" | "square" => {
                let power = |form: &Form| match form {
                    Form::Linear(base) => (base.clone(), 1),
                    Form::Power(base, exponent) => (base.clone(), *exponent),
                };
                let ((base, e), (other, f)) = (power(a), power(b));
                (base == other && e + f <= p2.alpha).then_some(Form::Power(base, e + f))
            }
            op => scale(p2, op).and_then(|scale| combine(scale, 0)),
        };
        let Some(form) = form else {
            let what = format!("`{}` is neither linear nor a step of the S-box", value.name);
            return refuse(value.line, Fault::Function, what);
        };
        forms.push(form);
    }
    let states = block.outputs.len();
    let layer = match block.name {
        "external-linear" => Some((Layer::ExternalLinear, 0)),
        "internal-round" => Some((Layer::InternalLinear, inputs)),
        _ => None,
    };
    for column in 0..=inputs {
        // What this input contributes to each output; element 0 of a round goes in by its power.
        let mut wanted = vec![0; states];
        match layer {
            Some((layer, first)) => {
                let element = if column == first {
                    Some(0)
                } else {
                    Some(column)
                };
                let hidden = first > 0 && (column == 0 || column == inputs - 1);
                if let Some(element) = element.filter(|e| *e < states && !hidden) {
                    wanted[element] = 1;
                    p2.apply(layer, &mut wanted);
                }
            }
            None => wanted[0] = u64::from(column == inputs),
        }
        for ((line, output), wanted) in block.outputs.iter().zip(wanted) {
            let is = as_linear(&forms[*output]).map(|form| form[column]);
            if is != Some(wanted) {
                let name = if column == inputs {
                    "the S-box"
                } else {
                    "an input"
                };
                let what = format!("v{output} has another coefficient of {name} (column {column})");
                return refuse(*line, Fault::Function, what);
            }
        }
    }
    Ok(())
}
