//! The body of a macro-op as instructions: what a macro's text is read as, and what is proved of it.

use std::collections::{BTreeMap, BTreeSet};

use crate::instruction::{Instruction, is_flags, of};
use crate::machine::{Target, broadcasts};
use crate::spelling::{Holes, Spelling, number, tokens};

/// A macro's body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Body {
    /// Operands of the macro, in order.
    pub(crate) operands: usize,
    /// Instructions, each after those that it reads.
    pub(crate) steps: Vec<Step>,
    /// What the macro gives.
    pub(crate) results: Vec<Value>,
}

impl Body {
    /// Whether it takes words out of lanes, or puts them there: of such a body nothing is proved.
    pub(crate) fn changes_lanes(&self) -> bool {
        let mut steps = self.steps.iter();
        steps.any(|step| step.instruction.table == "lanes")
    }

    /// What its steps make, with the bits of each.
    pub(crate) fn made(&self) -> impl Iterator<Item = (Value, u32)> {
        let steps = self.steps.iter().enumerate();
        steps.flat_map(|(at, step)| {
            let results = step.instruction.results.iter().enumerate();
            results.map(move |(n, bits)| (Value::Result(at, n), *bits))
        })
    }
}

/// One instruction of a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) instruction: &'static Instruction,
    pub(crate) immediates: Vec<u64>,
    pub(crate) sources: Vec<Value>,
}

/// What an instruction reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Value {
    /// An operand of the macro.
    Operand(usize),
    /// A constant: in every lane the same word, of so many bits.
    Constant(u64, u32),
    /// A result of a step: the step, and which of its results.
    Result(usize, usize),
}

/// A value, and the bits of the register that holds it, or of its lanes.
pub(crate) type Held = (Value, u32);

/// Named constants, by the name of their macro: each in a word, or in every lane of a vector.
pub(crate) type Constants = BTreeMap<String, (Held, bool)>;

/// A named constant: what its macro's one arm says.
pub(crate) fn constant(text: &[String]) -> Option<(Held, bool)> {
    let text = text.strip_prefix(&*tokens("() => ("))?;
    let text = text.strip_suffix(&*tokens(");"))?;
    let text = match text {
        [view, open, inner @ .., close]
            if [view, open, close] == ["vreinterpretq_u64_u32", "(", ")"] =>
        {
            inner
        }
        text => text,
    };
    let (digits, bits, register) = match text {
        [word] if word.ends_with("u64") => (text, 64, 64),
        [word] if word.ends_with("u32") => (text, 32, 32),
        [name, open, digits @ .., close] if (&**open, &**close) == ("(", ")") => {
            let known = broadcasts().find(|known| known.name == name)?;
            (digits, known.bits, known.lane)
        }
        _ => return None,
    };
    let most = u64::MAX >> (64 - bits);
    let word = match digits {
        [word] => number(word).filter(|word| *word <= most)?,
        [minus, word] if minus == "-" => number(word)?.wrapping_neg() & most,
        _ => return None,
    };
    Some(((Value::Constant(word, bits), register), digits != text))
}

/// A register of a block of assembler.
struct Register<'a> {
    class: &'a str,
    /// Whether the block must leave it as it is.
    kept: bool,
    /// Whether it may be one that is kept, by another name.
    late: bool,
    holds: Option<Held>,
    /// The variable that takes what it holds at the end.
    result: &'a str,
}

/// A body that is being read.
struct Reader<'a> {
    rows: Vec<&'static Instruction>,
    constants: &'a Constants,
    rest: &'a [String],
    variables: BTreeMap<&'a str, Held>,
    /// Variables that are not written: bits, and the class of their register.
    declared: BTreeMap<&'a str, (u32, &'a str)>,
    steps: Vec<Step>,
    /// Whether a block of assembler may come: bodies have one, if there are lines of it.
    assembles: bool,
}

impl Body {
    /// Reads what stands between the outer braces of a `macro_rules!` of one arm, whose operands are
    /// words of so many bits; of none: of as many as are read.
    pub(crate) fn read(
        text: &[String],
        constants: &Constants,
        target: Target,
        bits: u32,
    ) -> Result<Self, String> {
        let rows: Vec<_> = of(target).collect();
        let mut reader = Reader {
            assembles: rows.iter().any(|row| row.asm.is_some()),
            rows,
            constants,
            rest: text,
            variables: BTreeMap::new(),
            declared: BTreeMap::new(),
            steps: Vec::new(),
        };
        let (operands, results) = reader.body(bits)?;
        Ok(Self {
            operands,
            steps: reader.steps,
            results,
        })
    }
}

impl<'a> Reader<'a> {
    /// Takes what is spelled so, and gives what stands in its holes in their order.
    fn take(&mut self, spelling: &str) -> Option<Vec<&'a [String]>> {
        let (holes, rest) = Spelling::new(spelling, false).prefix(self.rest)?;
        self.rest = rest;
        Some(holes.into_values().collect())
    }

    fn must(&mut self, spelling: &str) -> Result<Vec<&'a [String]>, String> {
        let taken = self.take(spelling);
        taken.ok_or_else(|| format!("no `{spelling}`: `{}`", shown(self.rest)))
    }

    fn value(&self, text: &[String]) -> Result<Held, String> {
        let found = match text {
            [variable] => self.variables.get(&**variable),
            [name, ..] => self.constants.get(name).map(|(held, _)| held),
            [] => None,
        };
        found
            .copied()
            .ok_or_else(|| format!("no such value: `{}`", shown(text)))
    }

    fn body(&mut self, bits: u32) -> Result<(usize, Vec<Value>), String> {
        self.must("(")?;
        let mut operands = Vec::new();
        while let Some(name) = self.take("${0}:expr") {
            operands.push(&*name[0][0]);
            self.take(",");
        }
        self.must(") => {{")?;
        for (n, operand) in operands.iter().enumerate() {
            self.must(&format!("let {operand} = ${operand};"))?;
            self.variables.insert(operand, (Value::Operand(n), bits));
        }
        while self.statement()? {}
        let mut results = Vec::new();
        let several = self.take("(").is_some();
        while let Some(name) = self.take("{0}") {
            let (value, held) = self.value(name[0])?;
            if ![0, held].contains(&bits) && held <= 64 {
                return Err(format!("a result of {held} bits"));
            }
            results.push(value);
            self.take(",");
        }
        self.must(if several { ")}}" } else { "}}" })?;
        self.take(";");
        match self.rest {
            [] if several || results.len() == 1 => Ok((operands.len(), results)),
            rest => Err(format!("no end of a body: `{}`", shown(rest))),
        }
    }

    fn statement(&mut self) -> Result<bool, String> {
        if let Some(declared) = self.take("let {0}: {1};") {
            let of_type = match &*declared[1][0] {
                "u64" => (64, "reg"),
                "u32" => (32, "reg"),
                "uint64x2_t" => (64, "vreg"),
                "uint32x2_t" => (32, "vreg"),
                other => return Err(format!("no type that bodies have: `{other}`")),
            };
            self.variables.remove(&*declared[0][0]);
            self.declared.insert(&declared[0][0], of_type);
        } else if self.assembles && self.take("unsafe { core::arch::asm! (").is_some() {
            self.assembles = false;
            self.assembler()?;
        } else if let Some(names) = self
            .take("let {0} =")
            .or_else(|| self.take("let ({0}, {1}) ="))
        {
            let block = |row: &&Instruction| Some(row.block.as_ref()?.prefix(self.rest)?.1.len());
            let block = self
                .rows
                .iter()
                // Behind lines of assembler there may be variables that are no vectors.
                .filter(|_| self.assembles)
                .find_map(block)
                .map(|rest| self.rest.len() - rest);
            let end = || self.rest.iter().position(|token| token == ";");
            let (text, rest) = self
                .rest
                .split_at(block.or_else(end).ok_or("no end of a statement")?);
            self.rest = rest;
            self.must(";")?;
            // A block takes a word for a vector.
            let of = |n: usize, _: u32, holes: &Holes<'_>| {
                let hole = holes.get(&n.to_string())?;
                let is_vector = block.is_none() || hole.len() == 1;
                self.value(hole).ok().filter(|_| is_vector)
            };
            let (step, _) = match block {
                Some(_) => self.step(text, |row| row.block.as_ref(), of)?,
                None => self.step(text, |row| row.rust.as_ref(), of)?,
            };
            let results = self.push(step);
            if results.len() != names.len() {
                return Err(format!("not as many names as results: `{}`", shown(text)));
            }
            let names = names.into_iter().map(|name| &*name[0]);
            self.variables.extend(names.zip(results));
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// The one instruction that is spelled so and reads what is there.
    fn step<'t>(
        &self,
        text: &'t [String],
        spelling: impl Fn(&Instruction) -> Option<&Spelling>,
        source: impl Fn(usize, u32, &Holes<'_>) -> Option<Held>,
    ) -> Result<(Step, Holes<'t>), String> {
        let found = self.rows.iter().filter_map(|&row| {
            let holes = spelling(row)?.whole(text)?;
            let sources = row.sources.iter().enumerate().map(|(n, &bits)| {
                let (value, held) = source(n, bits, &holes)?;
                (held == bits || held == 0).then_some(value)
            });
            let immediates = row.immediates.iter().enumerate().map(|(n, bounds)| {
                let [text] = holes.get(&format!("i{n}"))? else {
                    return None;
                };
                number(text).filter(|number| bounds.contains(number))
            });
            let step = Step {
                instruction: row,
                immediates: immediates.collect::<Option<_>>()?,
                sources: sources.collect::<Option<_>>()?,
            };
            Some((step, holes))
        });
        let mut found: Vec<_> = found.collect();
        match (found.pop(), found.pop()) {
            (Some(one), None) => Ok(one),
            _ => Err(format!(
                "no one instruction of these operands: `{}`",
                shown(text)
            )),
        }
    }

    /// Adds a step, and gives its results.
    fn push(&mut self, step: Step) -> Vec<Held> {
        let (at, results) = (self.steps.len(), step.instruction.results.iter());
        let results = results.enumerate();
        let results = results
            .map(|(n, bits)| (Value::Result(at, n), *bits))
            .collect();
        self.steps.push(step);
        results
    }

    /// A block of assembler, line by line.
    fn assembler(&mut self) -> Result<(), String> {
        let mut lines = Vec::new();
        while let [line, comma, rest @ ..] = self.rest
            && let (Some(line), ",") = (line.strip_prefix('"'), &**comma)
        {
            lines.push(tokens(line));
            self.rest = rest;
        }
        let mut registers = self.registers()?;
        if self.take("options(nomem, nostack)); }").is_none() {
            self.must("options(pure, nomem, nostack)); }")?;
        }
        let mut flags = None;
        for line in &lines {
            flags = self.line(line, &mut registers, flags)?;
        }
        for register in registers
            .into_values()
            .filter(|register| register.result != "_")
        {
            let declared = self.declared.remove(register.result);
            let right = |(_, bits): &Held| declared == Some((*bits, register.class));
            match register.holds.filter(right) {
                Some(held) => self.variables.insert(register.result, held),
                None => return Err(format!("`{}` is not written", register.result)),
            };
        }
        Ok(())
    }

    fn registers(&mut self) -> Result<BTreeMap<&'a str, Register<'a>>, String> {
        let mut registers = BTreeMap::new();
        loop {
            let through = self.take("{0} = {1}({2}) {3} => {4},");
            let Some(parts) = through.or_else(|| self.take("{0} = {1}({2}) {3},")) else {
                return Ok(registers);
            };
            let (kind, result) = (&*parts[1][0], parts.get(4).or(parts.get(3)));
            let given = kind.starts_with("in");
            let register = Register {
                class: &parts[2][0],
                kept: kind == "in",
                late: kind.contains("late"),
                holds: if given {
                    Some(self.value(parts[3])?)
                } else {
                    None
                },
                result: result
                    .filter(|_| kind != "in")
                    .map_or("_", |result| &result[0]),
            };
            let known = match parts.len() {
                5 => ["inout", "inlateout"].contains(&kind),
                _ => ["in", "out", "lateout"].contains(&kind),
            };
            // Rust takes a word for a vector here, whose other lanes then are anything.
            let class = register.class == "reg" || register.class == "vreg" && parts[3].len() == 1;
            if !known || !class || registers.insert(&*parts[0][0], register).is_some() {
                return Err(format!("no register that bodies have: `{}`", parts[0][0]));
            }
        }
    }

    /// One line; gives the flags after it.
    fn line(
        &mut self,
        line: &[String],
        registers: &mut BTreeMap<&'a str, Register<'a>>,
        mut flags: Option<Held>,
    ) -> Result<Option<Held>, String> {
        // To an assembler such a number is octal.
        let octal = |token: &&String| {
            let digit = |c: char| c.is_ascii_digit();
            token
                .strip_prefix('0')
                .is_some_and(|rest| rest.starts_with(digit))
        };
        if let Some(number) = line.iter().find(octal) {
            return Err(format!("`{number}` is another number to an assembler"));
        }
        let moves = ["mov {r0}, {0}", "mov {r0:v}.16b, {0:v}.16b"];
        let moved = moves
            .iter()
            .find_map(|text| Spelling::new(text, true).whole(line));
        let held = |hole: &[String]| registers.get(&*hole[0])?.holds;
        let (results, holes) = match moved {
            Some(holes) => {
                let held =
                    held(holes["0"]).ok_or_else(|| format!("of nothing: `{}`", shown(line)))?;
                (vec![held], holes)
            }
            None => {
                let source =
                    |n: usize, bits: u32, holes: &Holes<'_>| match holes.get(&n.to_string()) {
                        Some(hole) => held(hole),
                        None if is_flags(bits) => flags,
                        None => held(holes.get(&format!("r{n}"))?),
                    };
                let (step, holes) = self.step(line, |row| row.asm.as_ref(), source)?;
                // The next instruction overwrites a carry, whichever it is.
                flags = flags.filter(|(_, bits)| *bits > 1);
                (self.push(step), holes)
            }
        };
        let mut written = BTreeSet::new();
        for (n, (value, bits)) in results.into_iter().enumerate() {
            if is_flags(bits) {
                flags = Some((value, bits));
                continue;
            }
            let hole = holes.get(&format!("r{n}"));
            let register = hole.and_then(|hole| registers.get_mut(&*hole[0]));
            // Of two results in one register a CPU may keep either.
            let is_first = written.insert(hole);
            let Some(register) = register.filter(|register| is_first && !register.kept) else {
                return Err(format!("writes what it may not: `{}`", shown(line)));
            };
            register.holds = Some((value, bits));
            if register.late {
                let kept = registers.values_mut().filter(|register| register.kept);
                kept.for_each(|register| register.holds = None);
            }
        }
        Ok(flags)
    }
}

fn shown(text: &[String]) -> String {
    text[..text.len().min(12)].join(" ")
}

#[cfg(test)]
mod tests;
