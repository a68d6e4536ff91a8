//! Instructions, their spellings and their meanings: `instructions.smt2`, read.

use std::ops::RangeInclusive;
use std::sync::LazyLock;

use crate::machine::Target;
use crate::spelling::Spelling;

/// One instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Instruction {
    /// The table that it is in.
    pub(crate) table: String,
    /// The name of the function that is its meaning, as SMT-LIB writes it; of each result.
    pub(crate) meanings: Vec<String>,
    /// Bits of each source.
    pub(crate) sources: Vec<u32>,
    /// Bits of each result.
    pub(crate) results: Vec<u32>,
    /// The immediates that follow the sources: which each can be.
    pub(crate) immediates: Vec<RangeInclusive<u64>>,
    /// Its spelling in Rust, with holes.
    pub(crate) rust: Option<Spelling>,
    /// Its line of assembler, with holes.
    pub(crate) asm: Option<Spelling>,
    pub(crate) block: Option<Spelling>,
}

static ALL: LazyLock<Vec<Instruction>> = LazyLock::new(|| {
    read(include_str!("../instructions.smt2")).unwrap_or_else(|line| panic!("not read: `{line}`"))
});

/// The instructions that a target has.
pub(crate) fn of(target: Target) -> impl Iterator<Item = &'static Instruction> {
    let tables = target.tables();
    ALL.iter().filter(|row| tables.contains(&&*row.table))
}

/// Registers of flags are narrower than any other, and no line of assembler names them.
pub(crate) fn is_flags(bits: u32) -> bool {
    bits <= 2
}

/// Reads all tables, or gives the line that is not understood.
pub(crate) fn read(text: &str) -> Result<Vec<Instruction>, &str> {
    let (mut rows, mut table, mut remarks) = (Vec::<Instruction>::new(), "", Vec::new());
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("; == ") {
            table = name;
        } else if let Some(remark) = line.strip_prefix("; ") {
            remarks.push(remark);
        } else if line.is_empty() {
            remarks.clear();
        } else if !table.is_empty() && !line.starts_with(' ') {
            row(line, table, &remarks, &mut rows).ok_or(line)?;
            remarks.clear();
        }
    }
    Ok(rows)
}

fn row(line: &str, table: &str, remarks: &[&str], rows: &mut Vec<Instruction>) -> Option<()> {
    let line = line.strip_prefix("(define-fun ")?;
    let end = match line.strip_prefix('|') {
        Some(quoted) => quoted.find('|')? + 2,
        None => line.find(' ')?,
    };
    let (name, rest) = line.split_at(end);
    let (parameters, rest) = rest.strip_prefix(" ((")?.split_once(")) ")?;
    let sorts = parameters.split(") (").map(|one| one.split(' ').nth(1));
    let sorts = sorts.collect::<Option<Vec<_>>>()?;
    let words = sorts.iter().take_while(|sort| **sort != "Imm");
    let sources = words.map(|sort| bits(sort)).collect::<Option<Vec<_>>>()?;
    let result = bits(rest.split(' ').next()?)?;
    let second = |row: &&mut Instruction| {
        let first = row.meanings[0].trim_matches('|');
        remarks.is_empty() && row.sources == sources && name == format!("|{first} 1|")
    };
    if let Some(row) = rows.last_mut().filter(second) {
        row.meanings.push(name.to_owned());
        row.results.push(result);
        return Some(());
    }
    let key = |key| remarks.iter().find_map(|remark| remark.strip_prefix(key));
    let bounds = key("immediates: ").map_or(Vec::new(), |all| all.split(", ").collect());
    let bounds = bounds.into_iter().map(|bound: &str| {
        let (least, most) = bound.split_once("..=")?;
        Some(least.parse().ok()?..=most.parse().ok()?)
    });
    let row = Instruction {
        table: table.to_owned(),
        meanings: vec![name.to_owned()],
        sources,
        results: vec![result],
        immediates: bounds.collect::<Option<_>>()?,
        rust: key("rust: ").map(|text| Spelling::new(text, false)),
        asm: key("asm: ").map(|text| Spelling::new(text, true)),
        block: key("block: ").map(|text| Spelling::new(text, false)),
    };
    let immediates = row.immediates.len();
    let complete = |spelling: &Spelling| (0..immediates).all(|n| spelling.names(&format!("i{n}")));
    let spelled = row.rust.is_some() || row.asm.is_some();
    let complete = row.rust.iter().chain(&row.asm).all(complete);
    let fits = sorts.len() == row.sources.len() + immediates;
    rows.push(row);
    (spelled && complete && fits).then_some(())
}

/// Bits of a sort.
fn bits(sort: &str) -> Option<u32> {
    match sort {
        "Word" => Some(64),
        "Half" => Some(32),
        "Pair" => Some(128),
        "Bit" => Some(1),
        "Flags" => Some(2),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: &str = "\
(define-sort Word () (_ BitVec 64))
(define-fun wide ((a Half)) Word ((_ zero_extend 32) a))

; == x86
; A manual.

; SHLD
; A remark.
; rust: shld::<{i0}>({0}, {1})
; asm: shld {r0}, {1}, {i0}
; immediates: 1..=63
; class: shift
(define-fun |x shld| ((a Word) (b Half) (i Imm)) Word
  (bvshl a i))
(define-fun |x shld 1| ((a Word) (b Half) (i Imm)) Bit #b0)
";

    #[test]
    fn rows_are_read() {
        let rows = read(ROWS).unwrap();
        let [row] = &rows[..] else {
            panic!("{rows:?}");
        };
        assert_eq!(row.table, "x86");
        assert_eq!(row.meanings, ["|x shld|", "|x shld 1|"]);
        assert_eq!(
            (&row.sources[..], &row.results[..]),
            (&[64, 32][..], &[64, 1][..])
        );
        let shifts = 1..=63;
        assert_eq!(row.immediates, [shifts]);
        assert!(of(Target::Neon).count() > 50 && of(Target::Avx512ifma).count() > 20);
    }

    /// A vector is of two lanes or of four: a row of both would move words between lanes.
    #[test]
    fn rows_of_wasm_are_of_lanes_of_one_size() {
        let mut seen = std::collections::BTreeSet::new();
        for row in of(Target::Wasm) {
            let bits = row.sources[0];
            let mut all = row.sources.iter().chain(&row.results);
            assert!(all.all(|own| *own == bits), "{:?}", row.meanings);
            seen.insert(bits);
        }
        assert_eq!(seen.into_iter().collect::<Vec<_>>(), [32, 64]);
    }

    #[test]
    fn rows_that_are_not_understood_are_refused() {
        let wrong = [
            ("(a Word)", "(a Ward)"),
            (" Word\n", " (_ BitVec 64)\n"),
            (" (i Imm))", ")"),
            ("1..=63", "1 to 63"),
            ("; immediates: 1..=63\n", ""),
            ("::<{i0}>", ""),
            (
                "; rust: shld::<{i0}>({0}, {1})\n; asm: shld {r0}, {1}, {i0}\n",
                "",
            ),
            ("(define-fun |x shld 1|", "(define-fun |y shld 1|"),
            ("(define-fun |x shld|", "(declare-fun |x shld|"),
        ];
        for (from, to) in wrong {
            assert!(ROWS.contains(from), "{from}");
            assert!(read(&ROWS.replacen(from, to, 1)).is_err(), "{to}");
        }
    }
}
