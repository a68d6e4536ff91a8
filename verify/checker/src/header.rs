//! What a certificate is about.

use super::{Fault, Step, agree, read, refuse};
use reference::{self, Poseidon2};

/// The entries, and what they say of the field and the permutation.
pub(super) struct Header<'a> {
    entries: Vec<(&'a str, &'a str)>,
    /// The permutation, its constants aside.
    pub(super) p2: Poseidon2,
    pub(super) p: i128,
    /// The greatest word.
    pub(super) word: i128,
    pub(super) montgomery: bool,
    /// The greatest word in a state between blocks.
    pub(super) boundary: i128,
    /// Words of one element between blocks.
    pub(super) parts: usize,
    /// Runs of internal rounds.
    pub(super) runs: Vec<usize>,
    /// Elements `a` and `b` in whose places internal rounds keep `a + b` and `2^k·(a - b)`; and `k`.
    pub(super) pairs: Vec<[usize; 3]>,
}

impl<'a> Header<'a> {
    pub(super) fn new(entries: Vec<(&'a str, &'a str)>) -> Step<Self> {
        let p2 = Poseidon2 {
            modulus: 0,
            alpha: 0,
            diagonal: Vec::new(),
            external: Vec::new(),
            internal: Vec::new(),
        };
        let (p, word, montgomery, boundary, parts, runs) = (0, 0, false, 0, 1, Vec::new());
        let mut header = Self {
            entries,
            p2,
            p,
            word,
            montgomery,
            boundary,
            parts,
            runs,
            pairs: Vec::new(),
        };
        header.field()?;
        header.permutation()?;
        header.representation()?;
        Ok(header)
    }

    /// An entry that must be there once.
    pub(super) fn entry(&self, key: &str) -> Step<&'a str> {
        let mut found = self.entries.iter().filter(|entry| entry.0 == key);
        match (found.next(), found.next()) {
            (Some((_, text)), None) => Ok(text),
            _ => refuse(Fault::Syntax, format!("the header must say `{key}` once")),
        }
    }

    /// The blocks, and how often a permutation executes each; constants are prepared before.
    pub(super) fn blocks(&self) -> Vec<(&'static str, usize)> {
        let external = self.p2.external.len();
        let mut blocks = vec![
            ("external-linear", external + 1),
            ("external-sbox", external * self.p2.width()),
            ("internal-round", self.p2.internal.len()),
        ];
        if self.parts > 1 {
            let around = ["enter", "leave", "internal-enter"];
            blocks.extend(around.map(|name| (name, 1)));
            blocks.push(("internal-normalise", self.runs.len() - 1));
            if !self.pairs.is_empty() {
                blocks.push(("internal-leave", 1));
            }
            blocks.push(("constant", 0));
        }
        blocks
    }

    /// What an element is between blocks: a word, or two parts with runs of internal rounds.
    fn representation(&mut self) -> Step<()> {
        let keys = self.entries.iter().map(|entry| entry.0);
        if !keys.into_iter().any(|key| ["parts", "pair"].contains(&key)) {
            return self.flow();
        }
        agree("parts", self.entry("parts")?, "2")?;
        agree("montgomery", self.montgomery, false)?;
        self.parts = 2;
        let pairs = self.entries.iter().filter(|entry| entry.0 == "pair");
        for (_, pair) in pairs {
            let numbers: Option<Vec<usize>> = pair.split(' ').map(|n| n.parse().ok()).collect();
            let &[a, b, k] = &read(numbers)?[..] else {
                return read(None);
            };
            // Element 0 goes through the S-box as it is; no element is in two pairs.
            let others = self.pairs.iter().flat_map(|pair| &pair[..2]);
            let taken: Vec<usize> = others.copied().chain([0]).collect();
            let free = |i| i < self.p2.width() && !taken.contains(&i);
            if !free(a) || !free(b) || a == b || k > 32 {
                return refuse(Fault::Stated, format!("`{pair}` is no pair"));
            }
            self.pairs.push([a, b, k]);
        }
        self.flow()
    }

    /// The flow must be the paper's: all external rounds around all internal ones, with the blocks
    /// of this representation where they belong. It is free to choose where internal rounds are
    /// interrupted for a normalisation, which only parts have.
    fn flow(&mut self) -> Step<()> {
        let stated = self.entries.iter().filter(|entry| entry.0 == "flow");
        let stated: Vec<&str> = stated.map(|entry| entry.1).collect();
        let internal = stated
            .iter()
            .filter_map(|step| step.strip_prefix("internal-rounds "));
        let length = |rounds: &str| {
            let (from, to) = rounds.split_once(' ')?;
            to.parse::<usize>().ok()?.checked_sub(from.parse().ok()?)
        };
        self.runs = read(internal.map(length).collect())?;
        agree(
            "steps of the flow",
            stated.join(", "),
            self.steps().join(", "),
        )?;
        let rounds = self.p2.internal.len();
        agree(
            "internal rounds of all runs",
            self.runs.iter().sum(),
            rounds,
        )
    }

    fn steps(&self) -> Vec<String> {
        let parts = |block: &str| (self.parts > 1).then(|| block.to_owned());
        let rounds = self.p2.external.len();
        let mut steps: Vec<String> = parts("enter").into_iter().collect();
        steps.push("external-linear".to_owned());
        steps.push(format!("external-rounds 0 {}", rounds / 2));
        steps.extend(parts("internal-enter"));
        let mut done = 0;
        for run in &self.runs {
            if done > 0 {
                steps.extend(parts("internal-normalise"));
            }
            steps.push(format!("internal-rounds {done} {}", done + run));
            done += run;
        }
        steps.extend(parts("internal-leave").filter(|_| !self.pairs.is_empty()));
        steps.push(format!("external-rounds {} {rounds}", rounds / 2));
        steps.extend(parts("leave"));
        steps
    }

    /// A state in the basis of internal rounds.
    pub(super) fn paired(&self, state: &mut [u64]) {
        let p2 = &self.p2;
        for [a, b, k] in &self.pairs {
            let opposite = p2.mul(state[*b], p2.modulus - 1);
            let difference = p2.add(state[*a], opposite);
            state[*a] = p2.add(state[*a], state[*b]);
            state[*b] = p2.mul(p2.pow(2, *k as u64), difference);
        }
    }

    /// A state that is in the basis of internal rounds, as it is.
    pub(super) fn unpaired(&self, state: &mut [u64]) {
        let p2 = &self.p2;
        for [a, b, k] in &self.pairs {
            let sum = p2.mul(halves(p2, 1), state[*a]);
            let difference = p2.mul(halves(p2, *k as u64 + 1), state[*b]);
            state[*a] = p2.add(sum, difference);
            state[*b] = p2.add(sum, p2.mul(p2.modulus - 1, difference));
        }
    }

    fn field(&mut self) -> Step<()> {
        let name = self.entry("field")?;
        let field = read(reference::fields().find(|field| field.name == name))?;
        self.p2.modulus = field.modulus;
        self.p = i128::from(field.modulus);
        self.montgomery = field.montgomery_bits > 0;
        let bits = if self.montgomery { 32 } else { 64 };
        self.word = (1 << bits) - 1;
        self.boundary = if self.montgomery {
            self.p - 1
        } else {
            self.word
        };
        for (key, must) in [
            ("modulus", self.p.to_string()),
            ("word-bits", bits.to_string()),
            ("montgomery", self.montgomery.to_string()),
            ("boundary", format!("0 {}", self.boundary)),
        ] {
            agree(key, self.entry(key)?, &must)?;
        }
        Ok(())
    }

    fn permutation(&mut self) -> Step<()> {
        let count = |key| {
            let n = self.entry(key)?.parse().ok();
            read(n.filter(|n: &usize| (1..=1024).contains(n)))
        };
        let width = count("width")?;
        let (external, internal) = (count("external-rounds")?, count("internal-rounds")?);
        self.p2.alpha = count("alpha")? as u64;
        self.p2.external = vec![vec![0; width]; external];
        self.p2.internal = vec![0; internal];
        let entries = self.entry("diagonal")?.split(' ');
        self.p2.diagonal = read(entries.map(|entry| residue(&self.p2, entry)).collect())?;
        agree("entries of the diagonal", self.p2.diagonal.len(), width)?;
        agree("width modulo 4", width % 4, 0)?;
        let known = reference::find(self.entry("parameter-set")?, self.entry("field")?, width);
        let known = known.map_or_else(|| self.p2.clone(), |known| known.permutation);
        agree("alpha", self.p2.alpha, known.alpha)?;
        agree("external rounds", external, known.external.len())?;
        agree("internal rounds", internal, known.internal.len())?;
        for (entry, right) in self.p2.diagonal.iter().zip(known.diagonal) {
            agree("diagonal entry", *entry, right)?;
        }
        Ok(())
    }
}

/// `-3/2^4` as a residue.
fn residue(p2: &Poseidon2, text: &str) -> Option<u64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (numerator, divisor) = digits.split_once('/').unwrap_or((digits, "1"));
    let shift = match divisor.strip_prefix("2^") {
        Some(shift) => shift.parse().ok()?,
        None => ["1", "2"].iter().position(|d| *d == divisor)? as u64,
    };
    let magnitude = p2.mul(numerator.parse().ok()?, halves(p2, shift));
    let sign = if digits == text { 1 } else { p2.modulus - 1 };
    Some(p2.mul(magnitude, sign))
}

/// 2^-k.
pub(super) fn halves(p2: &Poseidon2, k: u64) -> u64 {
    p2.pow(p2.modulus.div_ceil(2), k)
}
