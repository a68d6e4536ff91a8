//! The program that executes rows: a function for each row, its immediates and its spelling.

use std::fmt::Write as _;

use codegen::isa::{Kind, Operand, Row, Table, Target, join, table, take};
use codegen::render::macros::opaque_definition;

use super::edges;

const PRELUDE: &str = include_str!("prelude.rs");
/// The same without a standard library, and what it needs of the system.
const SMALL: [&str; 2] = [
    include_str!("small.rs"),
    include_str!("../../guest/src/system.rs"),
];

/// A row to be executed in one spelling.
#[derive(Debug)]
pub(super) struct Case {
    pub(super) row: &'static Row,
    pub(super) immediates: Vec<u32>,
    spelling: Spelling,
    /// The lane that the row is about, of those that move one lane's word.
    pub(super) lane: Option<usize>,
}

/// How a row is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spelling {
    Rust,
    Line,
    Block,
}

/// Bounds, what is next to them, and amounts where halves of words meet.
fn spread(&(least, most): &(u32, u32)) -> Vec<u32> {
    let all = [least, least + 1, 31, 32, 33, most - 1, most];
    let mut all: Vec<u32> = all
        .into_iter()
        .filter(|n| (least..=most).contains(n))
        .collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn immediates(row: &Row) -> Vec<Vec<u32>> {
    match row.immediates {
        [] => vec![Vec::new()],
        [only] => spread(only).into_iter().map(|n| vec![n]).collect(),
        // A field's place and width: the assembler refuses one that leaves the word.
        [place, width, ..] => {
            let widths = |&from: &u32| spread(width).into_iter().map(move |n| vec![from, n]);
            let fields = spread(place);
            let fields = fields.iter().flat_map(widths);
            fields.filter(|field| field[0] + field[1] <= 64).collect()
        }
    }
}

/// Every row of a target, in each of its spellings.
pub(super) fn cases(target: Target) -> Vec<Case> {
    let moves = [take(), join()]
        .into_iter()
        .flat_map(|rows| rows.iter().enumerate());
    let moves = moves.filter(|_| target == Target::Neon);
    let rows = table(target).rows().map(|row| (row, None));
    let rows = rows.chain(moves.map(|(lane, row)| (row, Some(lane))));
    let mut cases = Vec::new();
    for (row, lane) in rows {
        for immediates in immediates(row) {
            let spellings = [
                (Spelling::Rust, !row.is_assembler()),
                (Spelling::Line, row.line.is_some()),
                (Spelling::Block, row.has_block()),
            ];
            for (spelling, _) in spellings.into_iter().filter(|spelling| spelling.1) {
                let immediates = immediates.clone();
                cases.push(Case {
                    row,
                    immediates,
                    spelling,
                    lane,
                });
            }
        }
    }
    cases
}

/// The program of a target's cases, with a standard library or without.
pub(super) fn program(target: Target, cases: &[Case], std: bool) -> String {
    let table = table(target);
    let [small, system] = SMALL;
    let mut text = match std {
        true => PRELUDE.to_owned(),
        false => format!("{small}\nmod system {{\n{system}}}\n"),
    };
    let opaque = table.rows().find_map(opaque_definition);
    text += &opaque.unwrap_or_default();
    for (n, case) in cases.iter().enumerate() {
        let _ = write!(text, "\n{}", case.function(n, table));
    }
    text += match std {
        true => "\nfn main() {\n",
        false => "\n#[unsafe(no_mangle)]\nextern \"C\" fn guest_main() -> ! {\n",
    };
    if target.place().0.target_arch() == Some("x86_64") {
        for feature in table.features {
            let _ = writeln!(
                text,
                "    if !is_x86_feature_detected!({feature:?}) {{\n        \
                 println!(\"this CPU lacks {feature}\");\n        return;\n    }}"
            );
        }
    }
    text += "    run(&[\n";
    for (n, case) in cases.iter().enumerate() {
        let _ = writeln!(text, "        (row{n}, {}),", edges(case.row.sources.len()));
    }
    let end = if std { ";" } else { "" };
    let _ = writeln!(text, "    ], {}){end}\n}}", edges(usize::MAX));
    text
}

/// What a register's words are read as, where its type does not tell.
fn held(ty: &str, kind: Kind) -> &str {
    match (ty, kind) {
        ("v128", Kind::Half) => "Halves",
        ("v128", _) => "Words",
        (_, Kind::Pair) => "Pairs",
        (ty, _) => ty,
    }
}

impl Case {
    /// In messages.
    pub(super) fn describe(&self) -> String {
        let spelling = match self.spelling {
            Spelling::Rust => "Rust",
            Spelling::Line => "assembler",
            Spelling::Block => "a block of assembler",
        };
        format!("`{}` {:?} in {spelling}", self.row.name, self.immediates)
    }

    fn is_line(&self) -> bool {
        self.spelling == Spelling::Line
    }

    /// Whether an operand is in a general register, as far as its line says.
    fn is_general(&self, operand: Operand) -> bool {
        let mut views = Vec::new();
        let _ = self.row.line_with(|hole| {
            views.extend((hole.operand == operand).then_some(hole.view));
            String::new()
        });
        match views.first() {
            Some(view) => !matches!(view, Some('v' | 'd')),
            // It is where a result comes to stand.
            None => operand != Operand::Result(0) && self.is_general(Operand::Result(0)),
        }
    }

    /// Lanes of a result.
    pub(super) fn lanes(&self, table: &Table) -> usize {
        match self.lane {
            Some(_) if self.is_general(Operand::Result(0)) => 1,
            _ => self.width(table),
        }
    }

    /// Lanes of its operands: narrower ones where a table's halves fill whole vectors.
    pub(super) fn width(&self, table: &Table) -> usize {
        let mut kinds = self.row.sources.iter().chain(self.row.results);
        match table.has_words_of(32) && kinds.all(|kind| *kind == Kind::Half) {
            true => table.lanes(32),
            false => table.lanes(64),
        }
    }

    fn function(&self, n: usize, table: &Table) -> String {
        let row = self.row;
        let of = |operand, kind| match (self.is_line() && self.is_general(operand), kind) {
            (true, _) if table.target == Target::Armv8m => "u32",
            (true, _) | (_, Kind::Flags) => "u64",
            (false, kind) => table.rust_type(kind).unwrap_or("u64"),
        };
        let mut text = String::new();
        if table.vector_bits > 0 {
            let _ = writeln!(
                text,
                "#[target_feature(enable = {:?})]",
                table.features.join(",")
            );
        }
        let _ = writeln!(text, "fn row{n}(all: &[Operands], left: &mut Left) {{");
        let _ = writeln!(
            text,
            "    for lanes in all.chunks_exact({}) {{",
            self.width(table)
        );
        for (n, &kind) in row.sources.iter().enumerate() {
            let ty = of(Operand::Source(n), kind);
            let from = match (ty, self.lane) {
                ("u64", Some(lane)) => format!("&lanes[{lane}..]"),
                _ => "lanes".to_owned(),
            };
            let held = held(ty, kind);
            let _ = writeln!(
                text,
                "        let s{n}: {ty} = operand::<{held}>({from}, {n}).into();"
            );
            if kind == Kind::Flags {
                let _ = writeln!(text, "        let s{n} = nzcv(s{n});");
            }
        }
        let results = row.results.iter().enumerate();
        let types: Vec<&str> = results
            .map(|(n, &kind)| of(Operand::Result(n), kind))
            .collect();
        let bound: Vec<String> = (0..types.len()).map(|n| format!("r{n}")).collect();
        let (bound, all) = match types.as_slice() {
            [only] => ("r0".to_owned(), (*only).to_owned()),
            all => (
                format!("({})", bound.join(", ")),
                format!("({})", all.join(", ")),
            ),
        };
        let value = match self.spelling {
            Spelling::Rust => row.render(&[], &self.sources(), &self.immediates),
            Spelling::Line => self.assembler(table.target),
            Spelling::Block => row.block(&self.sources()).unwrap_or_default(),
        };
        let _ = writeln!(text, "        let {bound}: {all} = {value};");
        for (n, kind) in row.results.iter().enumerate() {
            if *kind == Kind::Flags {
                let _ = writeln!(text, "        let r{n} = flags(r{n});");
            }
            let held = held(types[n], *kind);
            let _ = writeln!(text, "        left.extend({held}::from(r{n}).words());");
        }
        text + "    }\n}\n"
    }

    fn sources(&self) -> Vec<String> {
        (0..self.row.sources.len())
            .map(|n| format!("s{n}"))
            .collect()
    }

    /// Flags go into their register before the line, and come out of it after.
    fn assembler(&self, target: Target) -> String {
        let row = self.row;
        let line = row.line_with(|hole| match hole.operand {
            Operand::Result(n) => format!("{{{}}}", hole.viewed(&format!("r{n}"))),
            Operand::Source(n) => format!("{{{}}}", hole.viewed(&format!("s{n}"))),
            Operand::Immediate(n) => self.immediates[n].to_string(),
        });
        let class = |operand, kind| match kind {
            Kind::Flags | Kind::Bit => "reg",
            _ if self.is_general(operand) => "reg",
            _ => "vreg",
        };
        let (mut before, mut after, mut operands) = (Vec::new(), Vec::new(), Vec::new());
        let mut kept = vec![false; row.sources.len().max(row.results.len())];
        let arm = target == Target::Armv8m;
        for (n, &kind) in row.sources.iter().enumerate() {
            match kind {
                Kind::Flags => before.push(format!("msr nzcv, {{s{n}}}")),
                Kind::Bit if arm => {
                    before.push(format!("lsrs {{half}}, {{s{n}}}, #1"));
                    operands.push("half = out(reg) _".to_owned());
                }
                Kind::Bit => before.push(format!("bt {{s{n}}}, 0")),
                _ if !row.line_names(Operand::Source(n)) => {
                    kept[n] = true;
                    continue;
                }
                _ => {}
            }
            let class = class(Operand::Source(n), kind);
            operands.push(format!("s{n} = in({class}) s{n}"));
        }
        let mut names = Vec::new();
        for (n, &kind) in row.results.iter().enumerate() {
            match kind {
                Kind::Flags => after.push(format!("mrs {{r{n}}}, nzcv")),
                Kind::Bit if arm => after.extend([
                    format!("mov {{r{n}}}, #0"),
                    format!("adc {{r{n}}}, {{r{n}}}, #0"),
                ]),
                Kind::Bit => after.extend([
                    format!("setc {{r{n}:l}}"),
                    format!("movzx {{r{n}:e}}, {{r{n}:l}}"),
                ]),
                _ => {}
            }
            let class = class(Operand::Result(n), kind);
            operands.push(match kept[n] {
                true => format!("r{n} = inout({class}) s{n} => r{n}"),
                false => format!("r{n} = out({class}) r{n}"),
            });
            names.push(format!("r{n}"));
        }
        let lines: Vec<String> = before.into_iter().chain(line).chain(after).collect();
        let declared: String = names.iter().map(|name| format!("let {name}; ")).collect();
        format!(
            "unsafe {{ {declared}asm!(\"{}\", {}, options(nomem, nostack)); ({}) }}",
            lines.join("\", \""),
            operands.join(", "),
            names.join(", "),
        )
    }
}
