//! The rows, from the file of instructions. What the file is made of, its head says.

use std::sync::LazyLock;

use super::smt::{Definitions, Function};
use super::{Class, Kind, Row};

const TEXT: &str = include_str!("../../../verify/checker/instructions.smt2");

/// What tells rows of general registers apart, besides their names.
const PREFIXES: [&str; 3] = ["x64 ", "a64 ", "t32 "];

pub(super) static DEFINITIONS: LazyLock<Definitions> = LazyLock::new(|| {
    let definitions = Definitions::read(TEXT);
    for (name, sort) in &definitions.sorts {
        let bits = kind(name).map_or(u64::BITS, Kind::bits);
        assert_eq!(*sort, format!("(_ BitVec {bits})"), "the sort {name}");
    }
    definitions
});

/// Sections with their rows.
static SECTIONS: LazyLock<Vec<(&str, Vec<Row>)>> = LazyLock::new(sections);

/// The kind of a sort's name; immediates have none.
fn kind(sort: &str) -> Option<Kind> {
    match sort {
        "Word" => Some(Kind::Word),
        "Half" => Some(Kind::Half),
        "Pair" => Some(Kind::Pair),
        "Bit" => Some(Kind::Bit),
        "Flags" => Some(Kind::Flags),
        "Imm" => None,
        other => panic!("no register holds a {other}"),
    }
}

/// The rows of a section.
pub(super) fn section(name: &str) -> &'static [Row] {
    let found = SECTIONS.iter().find(|section| section.0 == name);
    &found.expect("tests find every section").1
}

fn sections() -> Vec<(&'static str, Vec<Row>)> {
    let mut sections: Vec<(&str, Vec<Row>)> = Vec::new();
    let lines: Vec<&str> = TEXT.lines().collect();
    let mut functions = DEFINITIONS.functions.iter().peekable();
    for (n, line) in lines.iter().enumerate() {
        if let Some(name) = line.strip_prefix("; == ") {
            sections.push((name, Vec::new()));
        }
        let Some(function) = functions.next_if(|function| function.line == n + 1) else {
            continue;
        };
        // Before the first section there are helpers.
        let Some((_, rows)) = sections.last_mut() else {
            continue;
        };
        let comment = lines[..n]
            .iter()
            .rev()
            .map_while(|line| line.strip_prefix("; "));
        let mut comment: Vec<&str> = comment.collect();
        comment.reverse();
        let second = format!("{} 1", function.name);
        let second = functions.next_if(|next| next.name == second);
        rows.push(row(
            &comment,
            [function].into_iter().chain(second).collect(),
        ));
    }
    sections
}

fn row(comment: &[&'static str], meaning: Vec<&'static Function>) -> Row {
    let (symbol, parameters) = (meaning[0].name, &meaning[0].parameters);
    let refuse = |what: &str| -> ! { panic!("instructions.smt2, {symbol}: {what}") };
    let value = |key: &str| {
        let mut lines = comment.iter();
        lines.find_map(|line| line.strip_prefix(key)?.strip_prefix(": "))
    };
    let bounds = value("immediates")
        .into_iter()
        .flat_map(|all| all.split(", "));
    let bounds = bounds.map(|bounds| {
        let (least, most) = bounds.split_once("..=")?;
        Some((least.parse().ok()?, most.parse().ok()?))
    });
    let immediates: Option<Vec<(u32, u32)>> = bounds.collect();
    let classes = match value("class") {
        Some("none") => Some(Vec::new()),
        Some(all) => all.split(", ").map(Class::named).collect(),
        None => None,
    };
    let sources: Vec<Kind> = parameters
        .iter()
        .filter_map(|(_, sort)| kind(sort.atom))
        .collect();
    let results = meaning
        .iter()
        .filter_map(|function| kind(function.result.atom));
    let prefix = PREFIXES
        .iter()
        .find_map(|prefix| symbol.strip_prefix(prefix));
    let row = Row {
        name: prefix.unwrap_or(symbol),
        rust: value("rust"),
        line: value("asm"),
        block: value("block"),
        template: value("template"),
        results: results.collect::<Vec<_>>().leak(),
        immediates: immediates.unwrap_or_else(|| refuse("immediates")).leak(),
        classes: classes.unwrap_or_else(|| refuse("class")).leak(),
        sources: sources.leak(),
        meaning,
    };
    if row.sources.len() + row.immediates.len() != parameters.len() || comment.is_empty() {
        refuse("the comment does not fit");
    }
    row
}
