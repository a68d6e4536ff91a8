//! One block of a certificate, line by line.

use super::header::{Header, halves};
use super::rules::{self, Need, Range};
use super::{Fault, Step, agree, read, refuse};
use crate::oracle::Layer;

/// Sites, those without a canonicalisation, executed canonicalisations.
#[derive(Clone, Copy, Default)]
pub(super) struct Counts {
    pub(super) sites: usize,
    pub(super) elided: usize,
    pub(super) executed: usize,
}

impl Counts {
    pub(super) fn add(&mut self, block: &Self, executions: usize) {
        self.sites += block.sites;
        self.elided += block.elided;
        self.executed += block.executed * executions;
    }
}

/// A power of a linear form over the inputs and, last, the S-box's output.
#[derive(Clone, PartialEq)]
struct Form(Vec<u64>, u64);

struct Value<'a> {
    /// The macro-op; empty for an input.
    op: String,
    /// The name of the site, or of the input.
    name: &'a str,
    range: Range,
    form: Form,
}

pub(super) struct Block<'a> {
    header: &'a Header<'a>,
    name: &'static str,
    inputs: Vec<String>,
    values: Vec<Value<'a>>,
    /// The site that must come next, and its preconditions.
    awaited: Option<(String, Vec<Need>)>,
    /// The site at hand: name, operands, preconditions to come, operands with a verdict.
    site: (&'a str, Vec<usize>, Vec<Need>, Vec<&'a str>),
    names: Vec<&'a str>,
    returned: Vec<usize>,
    outputs: usize,
    counts: Counts,
    kept: bool,
}

impl<'a> Block<'a> {
    pub(super) fn new(header: &'a Header<'a>, name: &'static str) -> Self {
        let states = if name == "external-sbox" {
            1
        } else {
            header.p2.width()
        };
        let mut inputs: Vec<String> = (0..states).map(|i| format!("state[{i}]")).collect();
        if name != "external-linear" {
            inputs.push("constant".to_owned());
        }
        let (values, names, returned, site) = Default::default();
        let (awaited, outputs, counts, kept) = (None, 0, Counts::default(), true);
        Self {
            header,
            name,
            inputs,
            values,
            awaited,
            site,
            names,
            returned,
            outputs,
            counts,
            kept,
        }
    }

    pub(super) fn line(&mut self, first: &'a str, rest: &'a str) -> Step<()> {
        match first {
            "input" | "op" if self.outputs == 0 => self.value(first, rest),
            "site" => self.site(rest),
            "need" => self.need(rest),
            "a" | "b" | "x" => self.verdict(first, rest),
            "output" => self.output(rest),
            _ => read(None),
        }
    }

    /// What has been begun is complete.
    fn settled(&mut self) -> Step<()> {
        if let Some((site, _)) = &self.awaited {
            return refuse(
                Fault::NoSite,
                format!("before this, `site {site}` must come"),
            );
        }
        agree("missing preconditions", self.site.2.len(), 0)?;
        if !std::mem::replace(&mut self.kept, true) {
            self.counts.elided += 1;
        }
        Ok(())
    }

    pub(super) fn finish(mut self) -> Step<Counts> {
        self.settled()?;
        let states = self
            .inputs
            .iter()
            .filter(|input| *input != "constant")
            .count();
        agree("outputs", self.outputs, states)?;
        agree(
            "returns",
            self.returned.len(),
            if self.header.montgomery { states } else { 0 },
        )?;
        Ok(self.counts)
    }

    fn operand(&self, word: &str) -> Step<usize> {
        let n = word.strip_prefix('v').and_then(|n| n.parse().ok());
        read(n.filter(|n| *n < self.values.len()))
    }

    fn value(&mut self, first: &str, rest: &'a str) -> Step<()> {
        self.settled()?;
        let (left, right) = read(rest.split_once(" range "))?;
        let (result, left) = read(left.split_once(' '))?;
        agree("value", result, &format!("v{}", self.values.len()))?;
        let (bounds, name) = right.split_once(" name ").unwrap_or((right, left));
        let stated = read(
            bounds
                .split_once(' ')
                .and_then(|(lo, hi)| Some((lo.parse::<i128>().ok()?, hi.parse::<i128>().ok()?))),
        )?;
        let n = self.values.len();
        let (op, derived, form) = if first == "op" {
            agree("inputs", n.min(self.inputs.len()), self.inputs.len())?;
            self.operation(left, name)?
        } else {
            agree(
                "input",
                left,
                self.inputs.get(n).map_or("no more", |input| input),
            )?;
            let top = if left == "constant" {
                self.header.p - 1
            } else {
                self.header.boundary
            };
            (String::new(), (0, top), Form(self.unit(n), 1))
        };
        let inside = stated.0 <= derived.0 && derived.1 <= stated.1;
        let legal = 0 <= stated.0 && stated.1 <= self.header.word;
        if !inside || !legal || op.is_empty() && stated != derived {
            let what = format!("v{n} takes the values from {} to {}", derived.0, derived.1);
            return refuse(Fault::Range, what);
        }
        self.counts.executed += usize::from(op == "canonicalise");
        self.values.push(Value {
            op,
            name,
            range: stated,
            form,
        });
        Ok(())
    }

    fn operation(&mut self, text: &str, name: &str) -> Step<(String, Range, Form)> {
        let (op, operands) = read(text.split_once(' '))?;
        let (op, operands) = match operands.strip_prefix('#') {
            Some(rest) => {
                let (k, operands) = read(rest.split_once(' '))?;
                (format!("{op}({k})"), operands)
            }
            None => (op.to_owned(), operands),
        };
        let values: Vec<usize> = operands
            .split(' ')
            .map(|word| self.operand(word))
            .collect::<Step<_>>()?;
        let ranges: Vec<Range> = values.iter().map(|v| self.values[*v].range).collect();
        let rule = rules::apply(self.header, &op, &ranges);
        let Some(rule) = rule.filter(|_| self.header.has_lemma(&op)) else {
            return refuse(
                Fault::MacroOp,
                format!("no macro-op `{op}`, or no lemma for it"),
            );
        };
        if !rule.needs.is_empty() {
            self.awaited = Some((format!("{name} op {op} {operands}"), rule.needs));
        }
        let (a, b) = (
            &self.values[values[0]].form,
            &self.values[values[values.len() - 1]].form,
        );
        let Some(form) = self.form(&op, a, b) else {
            let what = format!("`{name}` is neither linear nor a step of the S-box");
            return refuse(Fault::Function, what);
        };
        Ok((op, rule.range, form))
    }

    fn unit(&self, n: usize) -> Vec<u64> {
        (0..=self.inputs.len()).map(|i| u64::from(i == n)).collect()
    }

    /// The form as a linear one: that of the whole S-box is its output.
    fn linear(&self, form: &Form) -> Option<Vec<u64>> {
        let last = self.inputs.len();
        let shifted = (0..=last)
            .map(|i| u64::from(i == 0 || i == last - 1))
            .collect();
        let sbox = *form == Form(shifted, self.header.p2.alpha);
        if sbox {
            Some(self.unit(last))
        } else {
            (form.1 == 1).then(|| form.0.clone())
        }
    }

    fn form(&self, op: &str, a: &Form, b: &Form) -> Option<Form> {
        let p2 = &self.header.p2;
        let combine = |x: u64, y: u64| -> Option<Form> {
            let (a, b) = (self.linear(a)?, self.linear(b)?);
            let sum = a
                .iter()
                .zip(&b)
                .map(|(a, b)| p2.add(p2.mul(*a, x), p2.mul(*b, y)));
            Some(Form(sum.collect(), 1))
        };
        match op {
            "canonicalise" => Some(a.clone()),
            "add" => combine(1, 1),
            "sub" => combine(1, p2.modulus - 1),
            "mul" | "square" => (a.0 == b.0).then(|| Form(a.0.clone(), a.1 + b.1)),
            "halve" => combine(halves(p2, 1), 0),
            _ => {
                let k = op.strip_prefix("div2exp(")?.strip_suffix(')')?;
                combine(halves(p2, k.parse().ok()?), 0)
            }
        }
    }

    fn site(&mut self, rest: &'a str) -> Step<()> {
        let needs = match self.awaited.take() {
            Some((site, needs)) => {
                agree("site", rest, &site)?;
                needs
            }
            None => {
                let value = self.operand(read(rest.split_once(" op return ")).map(|r| r.1)?)?;
                self.returned.push(value);
                vec![("x < p", self.values[value].range.1, self.header.p)]
            }
        };
        self.settled()?;
        let (name, call) = read(rest.split_once(" op "))?;
        if self.names.contains(&name) || self.outputs > 0 {
            return refuse(
                Fault::Syntax,
                format!("a second site `{name}`, or one too late"),
            );
        }
        self.names.push(name);
        let operands = call.split(' ').skip(1).map(|word| self.operand(word));
        self.site = (name, operands.collect::<Step<_>>()?, needs, Vec::new());
        self.counts.sites += 1;
        self.kept = false;
        Ok(())
    }

    fn need(&mut self, rest: &str) -> Step<()> {
        agree("preconditions left", self.site.2.len().min(1), 1)?;
        let (text, reached, bound) = self.site.2.remove(0);
        agree(
            "precondition",
            rest,
            &format!("{text} reached {reached} bound {bound}"),
        )?;
        if reached < bound {
            return Ok(());
        }
        refuse(
            Fault::Unmet,
            format!("`{text}` reaches {reached}, its bound is {bound}"),
        )
    }

    fn value_of(&self, letter: &str) -> Option<&Value<'a>> {
        let operands = &self.site.1;
        let n = if letter == "b" {
            operands.last()
        } else {
            operands.first()
        };
        n.map(|n| &self.values[*n])
    }

    /// A kept operand is canonicalised for this very site; an elided one has a true reason.
    fn verdict(&mut self, letter: &'a str, verdict: &str) -> Step<()> {
        let holds = match verdict.strip_prefix("elided: ") {
            Some(reason) => self.reason_holds(reason),
            None => {
                self.kept = true;
                let value = self.value_of(letter);
                verdict == "kept: canonicalised here"
                    && value.is_some_and(|v| v.op == "canonicalise" && v.name == self.site.0)
            }
        };
        if !holds || self.site.3.contains(&letter) || self.returned.len() > self.inputs.len() {
            return refuse(Fault::Operand, format!("operand {letter} is not {verdict}"));
        }
        self.site.3.push(letter);
        Ok(())
    }

    fn reason_holds(&self, reason: &str) -> bool {
        let lies_in = |letter: &str, text: &str| {
            let stated = rules::range(text);
            stated.is_some() && self.value_of(letter).map(|v| v.range) == stated
        };
        if let Some(ranges) = reason.strip_prefix("ranges: a in ") {
            let parts = ranges.split_once(", b in ");
            return parts.is_some_and(|(a, b)| lies_in("a", a) && lies_in("b", b));
        }
        let Some((letter, fact)) = reason.split_once(" is ") else {
            return false;
        };
        let value = self.value_of(letter);
        let output = fact.strip_prefix("the output of ");
        if let Some((producer, range)) = output.and_then(|rest| rest.rsplit_once(", in ")) {
            let made = value.is_some_and(|value| match value.op.split('(').next() {
                Some("") | None => producer == self.name,
                Some(op) => producer == op || producer == value.name,
            });
            return made && lies_in(letter, range);
        }
        match fact {
            "zero" => value.is_some_and(|value| value.range == (0, 0)),
            "an entry of the constant table, below p"
            | "a round constant, canonicalised at construction, below p" => {
                value.is_some_and(|value| value.op.is_empty() && value.name == "constant")
            }
            _ => false,
        }
    }

    fn output(&mut self, rest: &str) -> Step<()> {
        self.settled()?;
        let (state, value) = read(rest.split_once(' '))?;
        agree("output", state, &format!("state[{}]", self.outputs))?;
        let n = self.operand(value)?;
        agree(
            "returned value",
            *self.returned.get(self.outputs).unwrap_or(&n),
            n,
        )?;
        let value = &self.values[n];
        if value.range.1 > self.header.boundary {
            return refuse(
                Fault::Boundary,
                format!("v{n} leaves the range between blocks"),
            );
        }
        let row: Vec<u64> = (0..=self.inputs.len())
            .map(|column| self.wanted(column))
            .collect();
        if self.linear(&value.form) != Some(row) {
            let what = format!("v{n} is not what {state} must be after {}", self.name);
            return refuse(Fault::Function, what);
        }
        self.outputs += 1;
        Ok(())
    }

    /// What an input, or last the S-box's output, must contribute to the next output.
    fn wanted(&self, column: usize) -> u64 {
        let last = self.inputs.len();
        let (layer, first) = match self.name {
            "external-linear" => (Layer::ExternalLinear, 0),
            "internal-round" => (Layer::InternalLinear, last),
            _ => return u64::from(column == last),
        };
        let hidden = first == last && (column == 0 || column == last - 1);
        let element = if column == first { 0 } else { column };
        let mut state = vec![0; self.header.p2.width()];
        if hidden || element >= state.len() {
            return 0;
        }
        state[element] = 1;
        self.header.p2.apply(layer, &mut state);
        state[self.outputs]
    }
}
