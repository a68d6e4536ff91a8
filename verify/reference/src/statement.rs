//! An instance as a text states it: the head of a certificate, or a file of its own with constants.
//!
//! What follows a `#` is for people, and not read.
//!
//! ```text
//! poseidon2-instance 1
//! parameter-set mine
//! field koala-bear
//! width 16
//! external-rounds 8
//! internal-rounds 20
//! alpha 3
//! diagonal -2 1 2 4 …
//! constants grain
//! ```
//!
//! What differs from Plonky3's layers is stated as well: `m4` with sixteen entries, row by row;
//! `order strides` for M4 ⊗ P; `initial no` where no layer comes before the first round; `scale 1/2^32`
//! for a factor of the internal matrix. Constants may be `grain external-first`, or be written out:
//! `external` with all rows one after the other, and `internal`.
//!
//! Poseidon1 has `mds` in place of a diagonal: the first row of a circulant matrix, each row below one place
//! further to the right, or all rows. External rounds are the full ones, internal rounds the partial ones;
//! `internal` constants are written out for all elements of each, or for element 0 alone.

use std::collections::BTreeMap;

use super::grain::{Cut, constants};
use super::instance::{Instance, fields};
use super::permutation::{External, Layer, Linear, Order, Permutation};
use super::poseidon1::single_constants;

/// The words behind each key, and the line that they stand in, from 1.
pub type Entries<'t> = BTreeMap<&'t str, (usize, Vec<&'t str>)>;

/// Why a text states no instance: the line, and what is wrong there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misstated {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong, in words.
    pub what: String,
}

fn misstated<T>(line: usize, what: impl Into<String>) -> Result<T, Misstated> {
    let what = what.into();
    Err(Misstated { line, what })
}

/// The lines that say something, each with its number from 1, as words. What follows a `#` is left out.
///
/// # Errors
/// The line of a character by which a person might be shown something else: any that is not ASCII, and, after
/// a `#`, those that move a cursor or end a line.
pub fn lines(text: &str) -> Result<Vec<(usize, Vec<&str>)>, Misstated> {
    let moves = |c: &char| c.is_control() && *c != '\t' || matches!(c, '\u{2028}' | '\u{2029}');
    let mut lines: Vec<(usize, Vec<&str>)> = Vec::new();
    for (n, line) in text.lines().enumerate() {
        let (code, comment) = line.split_once('#').unwrap_or((line, ""));
        let mut hidden = code.chars().filter(|c| moves(c) || !c.is_ascii());
        if let Some(c) = hidden.next().or_else(|| comment.chars().find(moves)) {
            return misstated(n + 1, format!("there may be no {}", c.escape_unicode()));
        }
        lines.push((n + 1, code.split_whitespace().collect()));
    }
    lines.retain(|(_, words)| !words.is_empty());
    Ok(lines)
}

/// The entries of lines; each key stands once.
///
/// # Errors
/// The line of a key that stands twice.
pub fn entries<'t>(
    lines: impl Iterator<Item = (usize, Vec<&'t str>)>,
) -> Result<Entries<'t>, Misstated> {
    let mut entries = Entries::new();
    for (line, words) in lines {
        if let Some((key, rest)) = words.split_first()
            && entries.insert(key, (line, rest.to_vec())).is_some()
        {
            return misstated(line, format!("`{key}` stands twice"));
        }
    }
    Ok(entries)
}

fn word<'t>(entries: &mut Entries<'t>, key: &str) -> Result<(usize, &'t str), Misstated> {
    match entries.remove(key) {
        Some((line, words)) if words.len() == 1 => Ok((line, words[0])),
        Some((line, _)) => misstated(line, "the line cannot be read"),
        None => misstated(1, format!("`{key}` is missing")),
    }
}

/// A number from 1; greater ones would take for ever.
fn number(entries: &mut Entries<'_>, key: &str, most: usize) -> Result<(usize, usize), Misstated> {
    let (line, word) = word(entries, key)?;
    match word.parse() {
        Ok(number) if (1..=most).contains(&number) => Ok((line, number)),
        _ => misstated(line, format!("`{key}` is a number up to {most}")),
    }
}

impl Instance {
    /// Takes what states a permutation out of some entries, but for its constants, which are zero. Gives the line of
    /// the number of external rounds as well.
    ///
    /// # Errors
    /// The first line that cannot be read or contradicts another.
    pub fn take(entries: &mut Entries<'_>) -> Result<(Self, usize), Misstated> {
        let (width_line, width) = number(entries, "width", 32)?;
        let (line, external) = number(entries, "external-rounds", 64)?;
        let (_, internal) = number(entries, "internal-rounds", 64)?;
        let (alpha_line, alpha) = number(entries, "alpha", 64)?;
        let (_, parameter_set) = word(entries, "parameter-set")?;
        let (field_line, field) = word(entries, "field")?;
        let Some(field) = fields().find(|known| known.name == field) else {
            return misstated(field_line, "the line cannot be read");
        };
        if external % 2 != 0 {
            return misstated(line, "external rounds stand in two halves");
        }
        let mut permutation = Permutation {
            modulus: field.modulus,
            alpha: alpha as u64,
            linear: Linear::plonky3(Vec::new()),
            external: vec![vec![0; width]; external],
            internal: vec![0; internal],
        };
        if permutation.merges_elements() {
            return misstated(alpha_line, "x^alpha is the same for several x");
        }
        permutation.linear = match entries.remove("mds") {
            Some((line, words)) => Linear::Poseidon1(permutation.mds(width, line, &words)?),
            None if width % 4 != 0 || width == 4 => {
                let what = "the external matrix is made of blocks of four, two at least";
                return misstated(width_line, what);
            }
            None => permutation.poseidon2(width, entries)?,
        };
        if [Layer::ExternalLinear, Layer::InternalLinear]
            .into_iter()
            .any(|layer| permutation.is_singular(layer))
        {
            return misstated(1, "a linear layer cannot be undone");
        }
        let parameter_set = parameter_set.to_owned();
        let instance = Self {
            parameter_set,
            field,
            permutation,
        };
        Ok((instance, line))
    }

    /// Reads the text of an instance.
    ///
    /// # Errors
    /// The first line that does not state one.
    pub fn read(text: &str) -> Result<Self, Misstated> {
        let mut lines = lines(text)?.into_iter();
        match lines.next() {
            Some((_, words)) if words == ["poseidon2-instance", "1"] => {}
            other => {
                let line = other.map_or(1, |(line, _)| line);
                return misstated(line, "not an instance of version 1");
            }
        }
        let mut entries = entries(lines)?;
        let (mut instance, _) = Self::take(&mut entries)?;
        instance.permutation.constants_of(&mut entries)?;
        match entries.first_key_value() {
            Some((key, (line, _))) => misstated(*line, format!("no instance has `{key}`")),
            None => Ok(instance),
        }
    }
}

impl Permutation {
    /// The MDS matrix by its first row, or by all.
    fn mds(&self, width: usize, line: usize, words: &[&str]) -> Result<Vec<Vec<u64>>, Misstated> {
        let entries = self.fractions(line, words)?;
        let turned = |places| {
            let mut row = entries.clone();
            row.rotate_right(places);
            row
        };
        if entries.len() == width {
            Ok((0..width).map(turned).collect())
        } else if entries.len() == width * width {
            Ok(entries.chunks(width).map(<[u64]>::to_vec).collect())
        } else {
            misstated(
                line,
                "`mds` has a row of as many entries as elements, or all rows",
            )
        }
    }

    /// What is stated of Poseidon2's linear layers.
    fn poseidon2(&self, width: usize, entries: &mut Entries<'_>) -> Result<Linear, Misstated> {
        let (mut external, mut scale) = (External::PLONKY3, 1);
        if let Some((line, words)) = entries.remove("m4") {
            let residues = self.fractions(line, &words)?;
            match residues.as_chunks::<4>() {
                (rows, []) if rows.len() == 4 => external.m4.copy_from_slice(rows),
                _ => return misstated(line, "M4 has sixteen entries"),
            }
        }
        if let Some((line, words)) = entries.remove("order") {
            external.order = match words[..] {
                ["blocks"] => Order::Blocks,
                ["strides"] => Order::Strides,
                _ => return misstated(line, "`order` is `blocks` or `strides`"),
            };
        }
        if let Some((line, words)) = entries.remove("initial") {
            external.initial = match words[..] {
                ["yes"] => true,
                ["no"] => false,
                _ => return misstated(line, "`initial` is `yes` or `no`"),
            };
        }
        if let Some((line, words)) = entries.remove("scale") {
            match self.fractions(line, &words)?[..] {
                [stated] => scale = stated,
                _ => return misstated(line, "`scale` is one number"),
            }
        }
        let Some((line, words)) = entries.remove("diagonal") else {
            return misstated(1, "`diagonal` is missing");
        };
        let diagonal = self.fractions(line, &words)?;
        if diagonal.len() != width {
            return misstated(line, "not as many entries as elements");
        }
        Ok(Linear::Poseidon2 {
            external,
            scale,
            diagonal,
        })
    }

    fn fractions(&self, line: usize, words: &[&str]) -> Result<Vec<u64>, Misstated> {
        let residues = words.iter().map(|word| self.residue(word));
        match residues.collect() {
            Some(residues) => Ok(residues),
            None => misstated(line, "the line cannot be read"),
        }
    }

    /// `-3/2^4` or `0x2a` as a residue.
    fn residue(&self, text: &str) -> Option<u64> {
        let digits = text.strip_prefix('-').unwrap_or(text);
        let (numerator, divisor) = digits.split_once('/').unwrap_or((digits, "1"));
        let shift = match divisor.strip_prefix("2^") {
            Some(shift) => shift.parse().ok().filter(|shift| *shift <= 64)?,
            None => ["1", "2"].iter().position(|d| *d == divisor)? as u32,
        };
        let numerator = match numerator.strip_prefix("0x") {
            Some(hexadecimal) => u64::from_str_radix(hexadecimal, 16).ok()?,
            None => numerator.parse().ok()?,
        };
        Some(self.fraction(digits != text, numerator, shift))
    }

    fn constants_of(&mut self, entries: &mut Entries<'_>) -> Result<(), Misstated> {
        if let Some((line, words)) = entries.remove("constants") {
            let cut = match words[..] {
                ["grain"] => Cut::Paper,
                ["grain", "external-first"] => match self.linear {
                    Linear::Poseidon2 { .. } => Cut::ExternalFirst,
                    Linear::Poseidon1(_) => {
                        return misstated(line, "`external-first` is for Poseidon2 alone");
                    }
                },
                _ => return misstated(line, "`constants` are `grain`, or written out"),
            };
            (self.external, self.internal) = constants(self, cut);
            return Ok(());
        }
        let [external, internal] = ["external", "internal"].map(|key| entries.remove(key));
        let Some(((line, external), (internal_line, internal))) = external.zip(internal) else {
            return misstated(1, "there are no constants");
        };
        let external = self.fractions(line, &external)?;
        let internal = self.fractions(internal_line, &internal)?;
        let width = self.width();
        if external.len() != width * self.external.len() {
            return misstated(line, "not a constant for each element of each round");
        }
        let rounds = self.internal.len();
        if let Linear::Poseidon1(_) = self.linear
            && internal.len() == width * rounds
        {
            let (first, last) = external.split_at(external.len() / 2);
            let all = [first, &internal, last].concat();
            (self.external, self.internal) = single_constants(self, &all);
            return Ok(());
        }
        if internal.len() != rounds {
            return misstated(internal_line, "not a constant for each round");
        }
        self.external = external.chunks(width).map(<[u64]>::to_vec).collect();
        self.internal = internal;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::find;

    /// The M4 of the paper (section 5.1) and of Horizen Labs' code.
    const HORIZEN_M4: [[u64; 4]; 4] = [[5, 7, 1, 3], [4, 6, 1, 1], [1, 3, 5, 7], [1, 1, 4, 6]];

    const PLONKY3: &str = "poseidon2-instance 1
parameter-set plonky3
field goldilocks
width 8
external-rounds 8 # half before, half after
internal-rounds 22
alpha 7
diagonal -2 1 2 1/2 3 -1/2 -3 -4
constants grain
";

    #[test]
    fn a_stated_instance_is_the_known_one() {
        let stated = Instance::read(PLONKY3).expect("an instance");
        let known = find("plonky3", "goldilocks", 8).expect("it is there");
        assert_eq!(stated.permutation, known.permutation);
        let told = PLONKY3.replace("after\n", "after: 4 · 2\r\n");
        assert!(told.contains("\r\n") && Instance::read(&told).is_ok());
    }

    #[test]
    fn layers_are_as_stated() {
        let more = "m4 5 7 1 3 4 6 1 1 1 3 5 7 1 1 4 6\norder strides\ninitial no\nscale -1/2^3\n";
        let stated = Instance::read(&(PLONKY3.to_owned() + more)).expect("an instance");
        let permutation = stated.permutation;
        let matrix = External {
            m4: HORIZEN_M4,
            order: Order::Strides,
            initial: false,
        };
        let Linear::Poseidon2 {
            external, scale, ..
        } = &permutation.linear
        else {
            panic!("it has a diagonal");
        };
        assert_eq!(*external, matrix);
        assert_eq!(permutation.mul(*scale, 8), permutation.modulus - 1);
        assert_eq!(permutation.layers().len(), 8 * 3 + 22 * 3);
        // Column 1 of M4 ⊗ P, where P has two rows: column 0 of M4, twice where the places in P are the same.
        let mut column = [0, 1, 0, 0, 0, 0, 0, 0];
        permutation.apply(crate::Layer::ExternalLinear, &mut column);
        assert_eq!(column, [5, 10, 4, 8, 1, 2, 1, 2]);
    }

    #[test]
    fn what_is_misstated_is_named_by_its_line() {
        for (from, to, line) in [
            ("poseidon2-instance 1", "poseidon2-instance 2", 1),
            ("field goldilocks", "field bn254", 3),
            ("width 8", "width 9", 4),
            ("external-rounds 8", "external-rounds 7", 5),
            ("internal-rounds 22", "internal-rounds 0", 6),
            ("alpha 7", "alpha 7 7", 7),
            ("alpha 7", "alpha 6", 7),
            ("width 8", "width 4", 4),
            ("-2 1 2 1/2 3", "0 0 2 1/2 3", 1),
            ("constants grain", "scale 0", 1),
            ("constants grain", "m4 1 1 1 1 1 1 1 1 1 2 3 4 4 3 2 1", 1),
            ("diagonal -2 1 2 1/2 3 -1/2 -3 -4", "mds 1 1 1 1 1 1 1 1", 1),
            ("-3 -4", "-3", 8),
            ("1/2 3", "1/3 3", 8),
            ("1/2 3", "1/2^65 3", 8),
            ("grain", "chacha", 9),
            ("constants grain", "internal 1\nexternal 1", 10),
            ("constants grain", "order 1", 9),
            ("constants grain", "initial perhaps", 9),
            ("constants grain", "m4 1 2 3", 9),
            ("constants grain", "scale 1 2", 9),
            ("constants grain", "constants grain\nconstants grain", 10),
            ("constants grain", "constants grain\nsponge 8", 10),
            ("constants grain", "", 1),
            ("alpha 7", "alpha 7 #\ralpha 3", 7),
            ("alpha 7", "alpha 7 # \u{1b}[2K", 7),
            ("alpha 7", "alpha 7 # \u{2028}alpha 3", 7),
            ("alpha 7", "alpha\u{a0}7", 7),
        ] {
            assert!(PLONKY3.contains(from), "no `{from}`");
            let refused = Instance::read(&PLONKY3.replacen(from, to, 1)).expect_err(to);
            assert_eq!(refused.line, line, "{to}: {refused:?}");
        }
    }
}
