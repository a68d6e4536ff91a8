//! What a certificate is about.

use super::{Fault, Step, agree, read, refuse};
use crate::oracle::{self, GOLDILOCKS, KOALA_BEAR, Poseidon2};

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
        let (p, word, montgomery, boundary) = (0, 0, false, 0);
        let mut header = Self {
            entries,
            p2,
            p,
            word,
            montgomery,
            boundary,
        };
        header.field()?;
        header.permutation()?;
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

    pub(super) fn has_lemma(&self, op: &str) -> bool {
        let lemmas = self.entries.iter().filter(|entry| entry.0 == "lemma");
        let mut lemmas = lemmas.filter_map(|entry| entry.1.split_once(' '));
        lemmas.any(|(lemma, hash)| lemma == op && !hash.is_empty())
    }

    pub(super) fn executions(&self, block: &str) -> usize {
        let (external, internal) = (self.p2.external.len(), self.p2.internal.len());
        match block {
            "external-linear" => external + 1,
            "external-sbox" => external * self.p2.width(),
            _ => internal,
        }
    }

    fn field(&mut self) -> Step<()> {
        let name = self.entry("field")?;
        let known = [GOLDILOCKS, KOALA_BEAR];
        let field = read(known.into_iter().find(|field| field.name == name))?;
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
        let known = oracle::find(self.entry("parameter-set")?, self.entry("field")?, width);
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
