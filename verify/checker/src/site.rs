//! The sites of a block: preconditions, and the reasons for what is not canonicalised.

use super::block::{Block, Value};
use super::rules::{self, Need};
use super::{Fault, Step, agree, read, refuse};

/// The site at hand.
#[derive(Default)]
pub(super) struct Site<'a> {
    name: &'a str,
    operands: Vec<usize>,
    /// Preconditions to come.
    needs: Vec<Need>,
    /// Operands with a verdict.
    judged: Vec<&'a str>,
    /// Whether it has no canonicalisation, so far.
    elided: bool,
}

impl<'a> Block<'a> {
    /// What has been begun is complete.
    pub(super) fn settled(&mut self) -> Step<()> {
        match self.awaited.take() {
            Some((site, needs)) if !needs.is_empty() => {
                let what = format!("before this, `site {site}` must come");
                return refuse(Fault::NoSite, what);
            }
            _ => {}
        }
        agree("missing preconditions", self.site.needs.len(), 0)?;
        self.counts.elided += usize::from(std::mem::take(&mut self.site.elided));
        Ok(())
    }

    pub(super) fn site(&mut self, rest: &'a str) -> Step<()> {
        let needs = match self.awaited.take() {
            Some((site, needs)) if !needs.is_empty() || site == rest => {
                agree("site", rest, &site)?;
                needs
            }
            _ => {
                let value = self.operand(read(rest.split_once(" op return "))?.1)?;
                self.returned.push(value);
                vec![("x < p", self.values[value].range.1, self.header.p)]
            }
        };
        self.settled()?;
        let (name, call) = read(rest.split_once(" op "))?;
        if self.names.contains(&name) || !self.outputs.is_empty() {
            let what = format!("a second site `{name}`, or one too late");
            return refuse(Fault::Syntax, what);
        }
        self.names.push(name);
        let operands = call.split(' ').skip(1).map(|word| self.operand(word));
        self.site = Site {
            name,
            operands: operands.collect::<Step<_>>()?,
            needs,
            judged: Vec::new(),
            elided: true,
        };
        self.counts.sites += 1;
        Ok(())
    }

    pub(super) fn need(&mut self, rest: &str) -> Step<()> {
        agree("preconditions left", self.site.needs.len().min(1), 1)?;
        let (text, reached, bound) = self.site.needs.remove(0);
        let right = format!("{text} reached {reached} bound {bound}");
        agree("precondition", rest, &right)?;
        if reached < bound {
            return Ok(());
        }
        let what = format!("`{text}` reaches {reached}, its bound is {bound}");
        refuse(Fault::Unmet, what)
    }

    fn value_of(&self, letter: &str) -> Option<&Value<'a>> {
        let operands = &self.site.operands;
        let n = match letter {
            "b" => operands.last(),
            _ => operands.first(),
        };
        n.map(|n| &self.values[*n])
    }

    /// A kept operand is canonicalised for this very site; an elided one has a true reason.
    pub(super) fn verdict(&mut self, letter: &'a str, verdict: &str) -> Step<()> {
        let holds = match verdict.strip_prefix("elided: ") {
            Some(reason) => self.reason_holds(reason),
            None => {
                self.site.elided = false;
                let value = self.value_of(letter);
                verdict == "kept: canonicalised here"
                    && value.is_some_and(|v| v.is("canonicalise") && v.name == self.site.name)
            }
        };
        if !holds || self.site.judged.contains(&letter) || self.returned.len() > self.inputs.len() {
            return refuse(Fault::Operand, format!("operand {letter} is not {verdict}"));
        }
        self.site.judged.push(letter);
        Ok(())
    }

    fn reason_holds(&self, reason: &str) -> bool {
        let lies_in = |letter: &str, text: &str| {
            let stated = rules::range(text);
            stated.is_some() && self.value_of(letter).map(|v| v.range) == stated
        };
        if let Some(ranges) = reason.strip_prefix("ranges: a in ") {
            let sides = ranges.split_once(", b in ");
            return sides.is_some_and(|(a, b)| lies_in("a", a) && lies_in("b", b));
        }
        let Some((letter, fact)) = reason.split_once(" is ") else {
            return false;
        };
        let value = self.value_of(letter);
        let output = fact.strip_prefix("the output of ");
        if let Some((producer, range)) = output.and_then(|rest| rest.rsplit_once(", in ")) {
            let made = value.is_some_and(|value| match value.op {
                None => producer == self.name,
                Some(op) => producer == op.name || producer == value.name,
            });
            return made && lies_in(letter, range);
        }
        match fact {
            "zero" => value.is_some_and(|value| value.range == (0, 0)),
            "an entry of the constant table, below p"
            | "a round constant, canonicalised at construction, below p" => {
                value.is_some_and(|value| value.op.is_none() && value.name == "constant")
            }
            _ => false,
        }
    }
}
