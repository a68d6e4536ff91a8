//! Reading certificates.

use std::str::FromStr;

use super::{Fault, Outcome, refuse};

/// A certificate, as it stands in its file.
pub(super) struct Certificate<'a> {
    header: Vec<(usize, &'a str, &'a str)>,
    /// Macro-ops for which a lemma is named, by its hash.
    pub(super) lemmas: Vec<&'a str>,
    pub(super) blocks: Vec<Block<'a>>,
    /// Sites, elided, kept, assumed, executed canonicalisations.
    pub(super) counts: [usize; 5],
    pub(super) counts_line: usize,
}

pub(super) struct Block<'a> {
    pub(super) line: usize,
    pub(super) name: &'a str,
    pub(super) executions: usize,
    pub(super) values: Vec<Value<'a>>,
    pub(super) sites: Vec<Site<'a>>,
    /// Line and value of each output.
    pub(super) outputs: Vec<(usize, usize)>,
}

pub(super) struct Value<'a> {
    pub(super) line: usize,
    pub(super) kind: Kind<'a>,
    pub(super) range: (i128, i128),
    pub(super) name: &'a str,
}

pub(super) enum Kind<'a> {
    Input(&'a str),
    /// The macro-op with its immediate, such as `div2exp(3)`, and its operands.
    Operation(String, Vec<usize>),
}

pub(super) struct Site<'a> {
    pub(super) line: usize,
    pub(super) name: &'a str,
    pub(super) op: String,
    pub(super) operands: Vec<usize>,
    /// Line, text, reached, bound.
    pub(super) needs: Vec<(usize, &'a str, i128, i128)>,
    /// Line, operand's letter, verdict.
    pub(super) verdicts: Vec<(usize, &'a str, &'a str)>,
}

impl Site<'_> {
    pub(super) fn is_of(&self, value: &Value<'_>) -> bool {
        let own = |op: &String, operands: &Vec<usize>| self.op == *op && self.operands == *operands;
        self.name == value.name
            && matches!(&value.kind, Kind::Operation(op, operands) if own(op, operands))
    }

    pub(super) fn keeps(&self) -> bool {
        self.verdicts
            .iter()
            .any(|(_, _, verdict)| verdict.starts_with("kept"))
    }

    pub(super) fn operand(&self, letter: &str) -> Option<usize> {
        match letter {
            "a" | "x" => self.operands.first().copied(),
            "b" => self.operands.last().copied(),
            _ => None,
        }
    }
}

impl Value<'_> {
    pub(super) fn is(&self, producer: &str) -> bool {
        matches!(&self.kind, Kind::Operation(op, _) if op.split('(').next() == Some(producer))
    }
}

impl Block<'_> {
    pub(super) fn ranges(&self, values: &[usize]) -> Vec<(i128, i128)> {
        values.iter().map(|v| self.values[*v].range).collect()
    }

    pub(super) fn canonicalisations(&self) -> usize {
        self.values
            .iter()
            .filter(|value| value.is("canonicalise"))
            .count()
    }
}

/// `12` in `v12`, if that value is defined already.
fn value(word: &str, defined: usize) -> Option<usize> {
    let n = number(word.strip_prefix('v')?)?;
    (n < defined).then_some(n)
}

/// A number in plain decimal digits, perhaps negative.
fn number<T: FromStr>(word: &str) -> Option<T> {
    if word.starts_with('+') {
        None
    } else {
        word.parse().ok()
    }
}

fn range(words: &str) -> Option<(i128, i128)> {
    let (lo, hi) = words.split_once(' ')?;
    let range = (number(lo)?, number(hi)?);
    (range.0 <= range.1).then_some(range)
}

impl<'a> Certificate<'a> {
    pub(super) fn parse(text: &'a str) -> Outcome<Self> {
        let mut certificate = Self {
            header: Vec::new(),
            lemmas: Vec::new(),
            blocks: Vec::new(),
            counts: [usize::MAX; 5],
            counts_line: 0,
        };
        let lines = text.lines().enumerate().map(|(n, line)| (n + 1, line));
        let mut lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        if lines.next().map(|(_, line)| line) != Some("poseidon2-certificate 1") {
            return refuse(1, Fault::Syntax, "not a certificate of version 1");
        }
        for (number, line) in lines {
            if certificate.line(number, line).is_none() {
                return refuse(number, Fault::Syntax, format!("cannot be read: {line}"));
            }
        }
        Ok(certificate)
    }

    /// Line and text of a header entry, which must be there once.
    pub(super) fn header(&self, key: &str) -> Outcome<(usize, &'a str)> {
        let mut found = self.header.iter().filter(|entry| entry.1 == key);
        match (found.next(), found.next()) {
            (Some((line, _, text)), None) => Ok((*line, text)),
            _ => refuse(1, Fault::Syntax, format!("must say `{key}` once")),
        }
    }

    fn line(&mut self, line: usize, text: &'a str) -> Option<()> {
        let (first, rest) = text.trim_start().split_once(' ')?;
        let preamble = self.blocks.is_empty();
        let inside = self.blocks.last_mut().filter(|_| self.counts_line == 0);
        match (first, inside) {
            ("lemma", None) => self.lemmas.push(rest.split_once(' ')?.0),
            ("block", _) if self.counts_line == 0 => {
                let (name, executions) = rest.split_once(" executions ")?;
                let executions = number(executions)?;
                let (values, sites, outputs) = Default::default();
                self.blocks.push(Block {
                    line,
                    name,
                    executions,
                    values,
                    sites,
                    outputs,
                });
            }
            ("sites", Some(_)) => {
                let words: Vec<&str> = rest.split(' ').collect();
                let [sites, "elided", elided, "kept", kept, "assumed", assumed] = words[..] else {
                    return None;
                };
                for (n, word) in [sites, elided, kept, assumed].into_iter().enumerate() {
                    self.counts[n] = number(word)?;
                }
                self.counts_line = line;
            }
            ("executed-canonicalisations", None) if self.counts_line > 0 => {
                self.counts[4] = number(rest)?;
            }
            (_, Some(block)) => block.line(line, first, rest)?,
            (_, None) if preamble => self.header.push((line, first, rest)),
            _ => return None,
        }
        Some(())
    }
}

impl<'a> Block<'a> {
    fn line(&mut self, line: usize, first: &str, rest: &'a str) -> Option<()> {
        let defined = self.values.len();
        let values = |words: &mut dyn Iterator<Item = &'a str>| -> Option<Vec<usize>> {
            let list: Option<Vec<usize>> = words.map(|word| value(word, defined)).collect();
            list.filter(|list| !list.is_empty() && list.len() <= 2)
        };
        match first {
            "input" | "op" => {
                let (left, right) = rest.split_once(" range ")?;
                let (result, left) = left.split_once(' ')?;
                if result.strip_prefix('v')? != defined.to_string() {
                    return None;
                }
                let (bounds, name) = match first {
                    "op" => right.split_once(" name ")?,
                    _ => (right, ""),
                };
                let kind = if first == "op" {
                    let mut words = left.split(' ').peekable();
                    let mut op = words.next()?.to_owned();
                    if let Some(k) = words.next_if(|word| word.starts_with('#')) {
                        op = format!("{op}({})", number::<u32>(&k[1..])?);
                    }
                    Kind::Operation(op, values(&mut words)?)
                } else if self
                    .values
                    .iter()
                    .any(|v| matches!(v.kind, Kind::Operation(..)))
                {
                    return None;
                } else {
                    Kind::Input(left)
                };
                self.values.push(Value {
                    line,
                    kind,
                    range: range(bounds)?,
                    name,
                });
            }
            "site" => {
                let (name, rest) = rest.split_once(" op ")?;
                let mut words = rest.split(' ');
                let op = words.next()?.to_owned();
                let operands = values(&mut words)?;
                let (needs, verdicts) = Default::default();
                self.sites.push(Site {
                    line,
                    name,
                    op,
                    operands,
                    needs,
                    verdicts,
                });
            }
            "need" => {
                let (text, rest) = rest.split_once(" reached ")?;
                let (reached, bound) = rest.split_once(" bound ")?;
                let need = (line, text, number(reached)?, number(bound)?);
                self.sites.last_mut()?.needs.push(need);
            }
            "a" | "b" | "x" => {
                let letter = ["a", "b", "x"]
                    .into_iter()
                    .find(|letter| *letter == first)?;
                let site = self.sites.last_mut()?;
                if site.verdicts.iter().any(|(_, other, _)| *other == letter) {
                    return None;
                }
                site.verdicts.push((line, letter, rest));
            }
            "output" => {
                let (state, output) = rest.split_once(' ')?;
                if state != format!("state[{}]", self.outputs.len()) {
                    return None;
                }
                self.outputs.push((line, value(output, defined)?));
            }
            _ => return None,
        }
        Some(())
    }
}
