//! One block of a certificate, line by line.

use super::form::{Form, Forms, atom, power};
use super::header::Header;
use super::reader::Steps;
use super::rules::{self, Need, Op, Range};
use super::site::Site;
use super::{Fault, Step, agree, read, refuse};
use reference::Layer;

/// Sites, those without a canonicalisation, executed canonicalisations.
#[derive(Clone, Copy, Default)]
pub(super) struct Counts {
    pub(super) sites: usize,
    pub(super) elided: usize,
    pub(super) executed: usize,
}

pub(super) struct Value<'a> {
    /// The macro-op; none for an input.
    pub(super) op: Option<Op<'a>>,
    operands: Vec<usize>,
    /// The name of the site, or of the input.
    pub(super) name: &'a str,
    pub(super) range: Range,
    form: Form,
}

impl Value<'_> {
    pub(super) fn is(&self, name: &str) -> bool {
        self.op.is_some_and(|op| op.name == name)
    }

    /// Whether its word is ten bits up.
    fn is_shifted(&self) -> bool {
        self.is("preshift")
    }
}

pub(super) struct Block<'a> {
    pub(super) header: &'a Header<'a>,
    pub(super) name: &'static str,
    pub(super) inputs: Vec<String>,
    /// Words of an element among the inputs.
    stride: usize,
    /// What the outputs are called.
    places: Vec<String>,
    forms: Forms<'a>,
    pub(super) values: Vec<Value<'a>>,
    /// The range of the second result of the operation before.
    second: Option<Range>,
    /// The site that may come next, and must if there are preconditions; and these.
    pub(super) awaited: Option<(String, Vec<Need>)>,
    pub(super) site: Site<'a>,
    pub(super) names: Vec<&'a str>,
    pub(super) returned: Vec<usize>,
    pub(super) outputs: Vec<usize>,
    pub(super) counts: Counts,
}

impl<'a> Block<'a> {
    pub(super) fn new(header: &'a Header<'a>, name: &'static str) -> Self {
        let called = |elements: usize, constant: bool, parts: usize| -> Vec<String> {
            let states = (0..elements).map(|i| format!("state[{i}]"));
            let elements = states.chain(constant.then(|| "constant".to_owned()));
            let parts: &[&str] = if parts == 1 {
                &[""]
            } else {
                &[".low", ".high"]
            };
            elements
                .flat_map(|e| parts.iter().map(move |part| format!("{e}{part}")))
                .collect()
        };
        let states = match name {
            "external-sbox" => 1,
            "constant" => 0,
            _ => header.p2.width(),
        };
        let constant = ["external-sbox", "internal-round", "constant"].contains(&name);
        let words = ["enter", "constant"].contains(&name);
        let stride = if words { 1 } else { header.parts };
        let inputs = called(states, constant, stride);
        let parts = if name == "leave" { 1 } else { header.parts };
        let places = called(states, name == "constant", parts);
        let base = Form::from([(0, 1), (states * stride, 1)]);
        let forms = Forms {
            p2: &header.p2,
            base,
        };
        let (values, names, returned, outputs) = Default::default();
        let (awaited, second, site, counts) = Default::default();
        Self {
            header,
            name,
            inputs,
            stride,
            places,
            forms,
            values,
            second,
            awaited,
            site,
            names,
            returned,
            outputs,
            counts,
        }
    }

    pub(super) fn line(&mut self, first: &'a str, rest: &'a str) -> Step<()> {
        match first {
            "input" | "op" if self.outputs.is_empty() => self.value(first, rest),
            "site" => self.site(rest),
            "need" => self.need(rest),
            "a" | "b" | "x" => self.verdict(first, rest),
            "output" => self.output(rest),
            _ => read(None),
        }
    }

    pub(super) fn finish(&mut self) -> Step<()> {
        self.settled()?;
        let states = self.places.len();
        agree("outputs", self.outputs.len(), states)?;
        let returned = if self.header.montgomery { states } else { 0 };
        agree("returns", self.returned.len(), returned)
    }

    pub(super) fn operand(&self, word: &str) -> Step<usize> {
        let n = word.strip_prefix('v').and_then(|n| n.parse().ok());
        read(n.filter(|n| *n < self.values.len()))
    }

    fn value(&mut self, first: &str, rest: &'a str) -> Step<()> {
        self.settled()?;
        let n = self.values.len();
        let (left, right) = read(rest.split_once(" range "))?;
        let (result, left) = read(left.split_once(' '))?;
        agree("value", result, &format!("v{n}"))?;
        let (bounds, name) = right.split_once(" name ").unwrap_or((right, left));
        let bounds = read(bounds.split_once(' '))?;
        let range = (read(bounds.0.parse().ok())?, read(bounds.1.parse().ok())?);
        let (op, operands, derived, form) = if first == "op" {
            agree("inputs", n.min(self.inputs.len()), self.inputs.len())?;
            self.operation(left, name)?
        } else {
            let input = self.inputs.get(n).map_or("no more", |input| input);
            agree("input", left, input)?;
            let derived = match left {
                "constant" => (0, self.header.p - 1),
                // Those of parts follow from the executions, which come last.
                _ if left.contains('.') => range,
                _ => (0, self.header.boundary),
            };
            (None, Vec::new(), derived, self.input(n))
        };
        let inside = range.0 <= derived.0 && derived.1 <= range.1;
        let word = 0 <= range.0 && range.1 <= self.header.word;
        let signed = -(1 << 63) <= range.0 && range.1 < 1 << 63 && self.header.parts > 1;
        if !inside || !(word || signed) || op.is_none() && range != derived {
            let what = format!("v{n} takes the values from {} to {}", derived.0, derived.1);
            return refuse(Fault::Range, what);
        }
        let value = Value {
            op,
            operands,
            name,
            range,
            form,
        };
        self.counts.executed += usize::from(value.is("canonicalise"));
        self.values.push(value);
        Ok(())
    }

    /// The form of an input: low parts are the element less what the high part stands for.
    fn input(&self, n: usize) -> Form {
        let form = atom(n);
        if self.inputs[n].ends_with(".low") {
            return self.forms.less(&form, n + 1);
        }
        form
    }

    #[allow(clippy::type_complexity)]
    fn operation(
        &mut self,
        text: &'a str,
        name: &str,
    ) -> Step<(Option<Op<'a>>, Vec<usize>, Range, Form)> {
        let n = self.values.len();
        let (op, text) = read(text.split_once(' '))?;
        let parameter = text.strip_prefix('#').and_then(|text| text.split_once(' '));
        let (parameter, text) = parameter.map_or((None, text), |(k, text)| (Some(k), text));
        let op = Op {
            name: op,
            parameter,
        };
        let operands = text.split(' ').map(|word| self.operand(word));
        let operands: Vec<usize> = operands.collect::<Step<_>>()?;
        let a = operands[0];
        let ranges: Vec<Range> = operands.iter().map(|v| self.values[*v].range).collect();
        let range = if op.name == "second" {
            let is_it = operands == [n - 1] && parameter.is_none();
            let second = self.second.take().filter(|_| is_it);
            let what = format!("v{a} has no second result, or it is late");
            second.map_or_else(|| refuse(Fault::MacroOp, what), Ok)?
        } else {
            let Some(rule) = rules::apply(self.header, op, &ranges) else {
                let what = format!("no macro-op `{op}` for such operands");
                return refuse(Fault::MacroOp, what);
            };
            self.awaited = Some((format!("{name} op {op} {text}"), rule.needs));
            self.second = rule.ranges.get(1).copied();
            rule.ranges[0]
        };
        // A word ten bits up means something to products alone.
        let product = ["square-limbs", "mul-limbs"].contains(&op.name);
        if operands
            .iter()
            .any(|v| self.values[*v].is_shifted() != product)
        {
            let what = format!("`{name}` misreads an operand");
            return refuse(Fault::MacroOp, what);
        }
        let forms: Vec<&Form> = operands.iter().map(|v| &self.values[*v].form).collect();
        let Some(form) = self.forms.apply(op, n, &forms) else {
            let what = format!("`{name}` is neither linear nor a step of the S-box");
            return refuse(Fault::Function, what);
        };
        Ok((Some(op), operands, range, form))
    }

    fn output(&mut self, rest: &str) -> Step<()> {
        self.settled()?;
        let at = self.outputs.len();
        let (place, value) = read(rest.split_once(' '))?;
        agree(
            "output",
            place,
            self.places.get(at).map_or("no more", |p| p),
        )?;
        let n = self.operand(value)?;
        agree("returned value", *self.returned.get(at).unwrap_or(&n), n)?;
        self.outputs.push(n);
        let value = &self.values[n];
        let mut form = value.form.clone();
        let mut element = at;
        if value.is_shifted() {
            return refuse(Fault::MacroOp, format!("v{n} leaves the block ten bits up"));
        } else if place.ends_with(".low") {
            return Ok(());
        } else if place.ends_with(".high") {
            let low = &self.values[self.outputs[at - 1]].form;
            form = self.forms.whole(low, &form);
            element /= 2;
        } else if value.range.0 < 0 || value.range.1 > self.header.boundary {
            let what = format!("v{n} leaves the range between blocks");
            return refuse(Fault::Boundary, what);
        }
        if form != self.wanted(element) {
            let what = format!("v{n} is not what {place} must be after {}", self.name);
            return refuse(Fault::Function, what);
        }
        Ok(())
    }

    /// What an output must be.
    fn wanted(&self, output: usize) -> Form {
        let sbox = power(self.header.p2.alpha);
        let header = self.header;
        let first = match self.name {
            "external-linear" | "internal-enter" | "internal-leave" => 0,
            "internal-round" => sbox,
            "external-sbox" => return atom(sbox),
            _ => return atom(output * self.stride),
        };
        let mut row = Form::new();
        for element in 0..header.p2.width() {
            let mut state = vec![0; header.p2.width()];
            state[element] = 1;
            match self.name {
                "external-linear" => header.p2.apply(Layer::ExternalLinear, &mut state),
                "internal-enter" => header.paired(&mut state),
                "internal-leave" => header.unpaired(&mut state),
                _ => {
                    header.unpaired(&mut state);
                    header.p2.apply(Layer::InternalLinear, &mut state);
                    header.paired(&mut state);
                }
            }
            let atom = if element == 0 {
                first
            } else {
                element * self.stride
            };
            row.insert(atom, state[output]);
        }
        row.retain(|_, k| *k != 0);
        row
    }

    /// The operations alone.
    pub(super) fn steps(&self) -> Steps {
        let operations = self.values[self.inputs.len()..].iter().map(|value| {
            let op = value.op.filter(|op| op.name != "second");
            // As a macro is called.
            let name = op.map(|op| {
                op.to_string()
                    .replace(['-', '(', '.'], "_")
                    .replace(')', "")
            });
            (name, value.operands.clone())
        });
        Steps {
            inputs: self.inputs.len(),
            operations: operations.collect(),
            outputs: self.outputs.clone(),
        }
    }

    /// The ranges stated for the inputs.
    pub(super) fn input_ranges(&self) -> Vec<Range> {
        let inputs = &self.values[..self.inputs.len()];
        inputs.iter().map(|value| value.range).collect()
    }

    /// The ranges of the outputs for other ranges of the inputs.
    pub(super) fn replay(&self, inputs: &[Range]) -> Step<Vec<Range>> {
        agree("inputs", inputs.len(), self.inputs.len())?;
        let mut ranges = inputs.to_vec();
        let mut second = None;
        for value in &self.values[inputs.len()..] {
            let operands: Vec<Range> = value.operands.iter().map(|v| ranges[*v]).collect();
            let range = if value.is("second") {
                second.take()
            } else {
                let rule = value
                    .op
                    .and_then(|op| rules::apply(self.header, op, &operands));
                second = rule.as_ref().and_then(|rule| rule.ranges.get(1).copied());
                rule.map(|rule| rule.ranges[0])
            };
            let what = format!("`{}` does not take what it is given", value.name);
            ranges.push(range.map_or_else(|| refuse(Fault::Range, what), Ok)?);
        }
        Ok(self.outputs.iter().map(|v| ranges[*v]).collect())
    }
}
