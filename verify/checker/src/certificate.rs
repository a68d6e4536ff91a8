//! The text of a certificate: an instance, and a program of macro-ops for it.
//!
//! What follows a `#` is for people, and not read.
//!
//! ```text
//! poseidon2-certificate 2
//! program plonky3/goldilocks/w8_limbs
//! parameter-set plonky3
//! field goldilocks
//! width 8
//! …
//! runs 11 11
//! block external-linear
//! v16 = plus v0 v2
//! v17 v18 = carry v4 v5
//! output v17 v18
//! ```

use std::collections::BTreeMap;
use std::sync::Arc;

use reference::{Entries, Field, Instance, Misstated, Permutation};

use crate::Refused;
use crate::ops;
use crate::row::{Meaning, Row};

/// A program of macro-ops, as its certificate has it. Nothing of it is proved yet.
#[derive(Clone, Debug)]
pub struct Program {
    /// Such as `plonky3/goldilocks/w8_limbs`.
    pub name: String,
    /// Which instance it says that it is of.
    pub(crate) parameter_set: String,
    pub(crate) field: Field,
    /// The permutation; its constants are any.
    pub(crate) permutation: Permutation,
    /// Words of an element between blocks.
    pub(crate) parts: usize,
    /// The bits of the radix where blocks work on words of 64 bits in Montgomery form, whatever is in memory.
    pub(crate) wide: Option<u32>,
    /// Runs of internal rounds, with a normalisation between two of them.
    pub(crate) runs: Vec<usize>,
    /// The words, the same in all states, that each internal round has beside its constant.
    pub(crate) factors: Vec<[u32; FACTORS]>,
    pub(crate) blocks: BTreeMap<&'static str, Block>,
}

/// Factors of an internal round, where rounds have any.
pub(crate) const FACTORS: usize = 2;

/// A straight line of macro-ops.
#[derive(Clone, Debug, Default)]
pub(crate) struct Block {
    pub(crate) inputs: usize,
    pub(crate) operations: Vec<Operation>,
    pub(crate) outputs: Vec<usize>,
}

#[derive(Clone, Debug)]
pub(crate) struct Operation {
    /// The line, from 1.
    pub(crate) line: usize,
    /// As `shift-left(2)`.
    pub(crate) op: String,
    /// As the macro is called: `shift_left_2`.
    pub(crate) name: Arc<str>,
    pub(crate) row: Row,
    pub(crate) meaning: Meaning,
    pub(crate) operands: Vec<usize>,
}

/// The blocks, each with what it takes of a state: its elements, and whether a constant; and whether
/// its inputs and its outputs are in parts.
const BLOCKS: [(&str, Elements, bool, [bool; 2]); 10] = [
    ("constant", Elements::None, true, [false, true]),
    ("enter", Elements::All, false, [false, true]),
    ("external-linear", Elements::All, false, [true, true]),
    ("external-sbox", Elements::One, true, [true, true]),
    ("internal-enter", Elements::All, false, [true, true]),
    ("linear-enter", Elements::All, false, [true, true]),
    ("internal-round", Elements::All, true, [true, true]),
    ("internal-normalise", Elements::All, false, [true, true]),
    ("internal-leave", Elements::All, false, [true, true]),
    ("leave", Elements::All, false, [true, false]),
];

/// The blocks that every program has.
const NEEDED: [&str; 3] = ["external-linear", "external-sbox", "internal-round"];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Elements {
    None,
    One,
    All,
}

fn at<T>(line: usize, read: Option<T>) -> Result<T, Refused> {
    read.ok_or_else(|| Refused::new(line, "the line cannot be read"))
}

impl From<Misstated> for Refused {
    fn from(Misstated { line, what }: Misstated) -> Self {
        Self::new(line, what)
    }
}

impl Program {
    /// Reads the text of a certificate.
    ///
    /// # Errors
    /// The first line that is not of the format, or does not fit what is known of the instance.
    pub fn read(text: &str) -> Result<Self, Refused> {
        let mut lines = reference::lines(text)?.into_iter().peekable();
        match lines.next() {
            Some((_, words)) if words == ["poseidon2-certificate", "2"] => {}
            other => {
                let line = other.map_or(1, |(line, _)| line);
                return Err(Refused::new(line, "not a certificate of version 2"));
            }
        }
        let head = std::iter::from_fn(|| lines.next_if(|(_, words)| words[0] != "block"));
        let mut entries = reference::entries(head)?;
        let wide = match entries.remove("words") {
            None => None,
            Some((_, words)) if words == ["montgomery52"] => Some(52),
            Some((_, words)) if words == ["montgomery64"] => Some(32),
            Some((_, words)) if words == ["montgomery128"] => Some(64),
            Some((line, _)) => return at(line, None),
        };
        let mut program = Self::new(&mut entries, wide)?;
        if wide.is_some() && program.field.montgomery_bits != 32 {
            return Err(Refused::whole("words of that field are in no wider ones"));
        }
        if let Some((key, (line, _))) = entries.first_key_value() {
            return Err(Refused::new(*line, format!("no certificate has `{key}`")));
        }
        while let Some((line, words)) = lines.next() {
            let known = BLOCKS.iter().find(|known| words[1..] == [known.0]);
            let known = at(line, known)?;
            let [inputs, outputs] = program.sizes(known);
            let mut block = Block {
                inputs,
                ..Block::default()
            };
            let mut values = inputs;
            let body = std::iter::from_fn(|| lines.next_if(|(_, words)| words[0] != "block"));
            for (line, words) in body {
                program.line(known.0, &mut block, &mut values, line, &words)?;
            }
            if block.outputs.len() != outputs {
                let what = format!("{} has {outputs} outputs", known.0);
                return Err(Refused::new(line, what));
            }
            if program.blocks.insert(known.0, block).is_some() {
                return Err(Refused::new(line, "a second block of that name"));
            }
        }
        let parts: &[&str] = match (program.parts > 1, program.wide) {
            // A constant is more words than in a table.
            (true, _) | (_, Some(52)) => &["constant", "enter", "leave"],
            (_, Some(_)) => &["enter", "leave"],
            _ => &[],
        };
        let missing = |name: &&&str| !program.blocks.contains_key(**name);
        match NEEDED.iter().chain(parts).find(missing) {
            None => Ok(program),
            Some(name) => Err(Refused::whole(format!("there is no block {name}"))),
        }
    }

    fn new(entries: &mut Entries<'_>, wide: Option<u32>) -> Result<Self, Refused> {
        let (instance, line) = Instance::take(entries)?;
        let Instance {
            parameter_set,
            field,
            permutation,
        } = instance;
        let mut take = |key: &str| {
            let missing = || Refused::whole(format!("`{key}` is missing"));
            entries.remove(key).ok_or_else(missing)
        };
        let (parts_line, parts) = take("parts")?;
        let parts = match parts[..] {
            ["1"] => 1,
            ["2"] => 2,
            _ => return Err(Refused::new(parts_line, "`parts` is a number up to 2")),
        };
        let (name_line, name) = take("program")?;
        let own = format!(
            "{parameter_set}/{}/w{}_",
            field.module(),
            permutation.width()
        );
        // A name becomes a path and a module.
        let plain = |c| matches!(c, 'a'..='z' | '0'..='9' | '_' | '/');
        let is_path = |name: &str| name.chars().all(plain) && name.matches('/').count() == 2;
        if name.len() != 1 || !name[0].starts_with(&own) || !is_path(name[0]) {
            let what = format!(
                "a program for that permutation is named `{own}…`, of lower-case letters, digits and `_`"
            );
            return Err(Refused::new(name_line, what));
        }
        let name = name.concat();
        let (runs_line, runs) = take("runs")?;
        let runs: Option<Vec<usize>> = runs.iter().map(|run| run.parse().ok()).collect();
        let runs = at(runs_line, runs)?;
        let rounds = runs
            .iter()
            .try_fold(0usize, |sum, run| sum.checked_add(*run));
        if rounds != Some(permutation.internal.len()) {
            return Err(Refused::new(runs_line, "runs are not all internal rounds"));
        }
        let factors = entries
            .remove("factors")
            .map_or(Ok(Vec::new()), |(line, words)| {
                let words: Option<Vec<u32>> = words.iter().map(|word| word.parse().ok()).collect();
                let words = words.unwrap_or_default();
                let (factors, rest) = words.as_chunks();
                let right = rest.is_empty() && Some(factors.len()) == rounds;
                at(line, (right && wide.is_some()).then(|| factors.to_vec()))
            })?;
        let known = reference::find(&parameter_set, field.name, permutation.width());
        if known.is_some_and(|known| !known.permutation.is_like(&permutation)) {
            let what = "rounds, alpha or a matrix are not those of the parameter set";
            return Err(Refused::new(line, what));
        }
        Ok(Self {
            name,
            parameter_set,
            field,
            permutation,
            parts,
            wide,
            runs,
            factors,
            blocks: BTreeMap::new(),
        })
    }

    /// Whether blocks work on other words than are in memory; those of constants, too.
    pub(crate) fn is_inner(&self) -> bool {
        self.blocks.contains_key("constant")
    }

    /// Words that a block takes and gives.
    fn sizes(
        &self,
        (name, elements, constant, in_parts): &(&str, Elements, bool, [bool; 2]),
    ) -> [usize; 2] {
        let elements = match elements {
            Elements::None => 0,
            Elements::One => 1,
            Elements::All => self.permutation.width(),
        };
        let words = in_parts.map(|in_parts| if in_parts { self.parts } else { 1 });
        let (constant, prepared) = (usize::from(*constant), usize::from(elements == 0));
        let has_factors = *name == "internal-round" && !self.factors.is_empty();
        let factors = if has_factors { FACTORS } else { 0 };
        [
            (elements + constant) * words[0] + factors,
            (elements + prepared) * words[1],
        ]
    }

    fn line(
        &self,
        name: &str,
        block: &mut Block,
        values: &mut usize,
        line: usize,
        words: &[&str],
    ) -> Result<(), Refused> {
        let known = *values;
        let value = |word: &&str| {
            let n = word.strip_prefix('v').and_then(|n| n.parse().ok());
            at(line, n.filter(|n| *n < known))
        };
        if !block.outputs.is_empty() {
            return at(line, None);
        }
        if words[0] == "output" {
            block.outputs = words[1..].iter().map(value).collect::<Result<_, _>>()?;
            return Ok(());
        }
        let equals = at(line, words.iter().position(|word| *word == "="))?;
        let op = at(line, words.get(equals + 1))?;
        // Constants are prepared in the words that are in memory.
        let row = ops::find(&self.field, self.wide.filter(|_| name != "constant"), op);
        let row = row.ok_or_else(|| Refused::new(line, format!("no macro-op `{op}`")))?;
        let meaning = row.meaning(&self.permutation, self.field.montgomery_bits);
        let nothing = || Refused::new(line, format!("`{op}` stands for nothing modulo p"));
        let meaning = meaning.ok_or_else(nothing)?;
        let operands = words[equals + 2..].iter().map(value);
        let operands = operands.collect::<Result<Vec<_>, _>>()?;
        let results = (0..row.results.len()).map(|n| format!("v{}", *values + n));
        if operands.len() != row.operands || !results.eq(words[..equals].iter().copied()) {
            return Err(Refused::new(line, format!("not as `{op}` is written")));
        }
        *values += row.results.len();
        block.operations.push(Operation {
            line,
            op: (*op).to_owned(),
            name: op.replace(['-', '(', '.'], "_").replace(')', "").into(),
            row,
            meaning,
            operands,
        });
        Ok(())
    }

    /// The operations of its kernels, or of what prepares their constants.
    pub(crate) fn operations(&self, constant: bool) -> impl Iterator<Item = &Operation> {
        let own = self.blocks.iter();
        let own = own.filter(move |(name, _)| (**name == "constant") == constant);
        own.flat_map(|(_, block)| &block.operations)
    }
}
