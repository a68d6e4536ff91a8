use super::smt::Definitions;
use super::{Kind, Operand, Row, Syntax, Table, Target, table};
use crate::term::Term;

fn tables() -> impl Iterator<Item = &'static Table> {
    Target::all().iter().map(|&target| table(target))
}

/// Extreme and middling values of the immediates.
fn immediates(row: &Row) -> Vec<Vec<u32>> {
    let pick = |f: fn(&(u32, u32)) -> u32| row.immediates.iter().map(f).collect::<Vec<u32>>();
    vec![pick(|b| b.0), pick(|b| b.1), pick(|b| (b.0 + b.1) / 2)]
}

fn variables(row: &Row) -> Vec<Term> {
    let kinds = row.sources.iter().enumerate();
    kinds.map(|(n, kind)| Term::var(n, kind.bits())).collect()
}

#[test]
fn meanings_have_the_widths_of_their_kinds() {
    for row in tables().flat_map(|t| t.rows()) {
        for immediates in immediates(row) {
            let results = row.apply(&variables(row), &immediates);
            let widths: Vec<u32> = results.iter().map(Term::width).collect();
            let kinds: Vec<u32> = row.results.iter().map(|k| k.bits()).collect();
            assert_eq!(widths, kinds, "{}", row.name);
        }
    }
}

/// Whoever adds a row with an operation that is not known is told where it stands.
#[test]
#[should_panic(expected = "instructions.smt2, line 2: unknown: (bvmul a a)")]
fn an_unknown_operation_is_refused() {
    let all = Definitions::read("; squares\n(define-fun |a square| ((a Word)) Word (bvmul a a))");
    let _ = all.call(&all.functions[0], &[Term::var(0, 64)]);
}

#[test]
fn names_are_unique_and_kinds_have_types() {
    for (table, &target) in tables().zip(Target::all()) {
        assert_eq!(table.target, target);
        for (n, row) in table.rows().enumerate() {
            let first = table.rows().position(|r| r.name == row.name);
            assert_eq!(first, Some(n), "{}", row.name);
            for kind in row.results.iter().chain(row.sources) {
                let typed = table.rust_type(*kind).is_some();
                assert!(typed || *kind == Kind::Flags, "{}: {kind:?}", row.name);
            }
        }
    }
}

/// Text written by a row is read back as that row.
#[test]
fn rows_read_what_they_write() {
    for table in tables() {
        for row in table.rows() {
            for immediates in immediates(row) {
                let results = ["t", "u"];
                let sources = ["a", "b", "c", "d"];
                let text = row.render(&results, &sources, &immediates);
                let kind = |name: &str| {
                    sources
                        .iter()
                        .position(|s| *s == name)
                        .map(|n| row.sources[n])
                };
                let reading = table
                    .read(&text, kind)
                    .unwrap_or_else(|e| panic!("{text}: {e:?}"));
                assert_eq!(reading.row.name, row.name, "{text}");
                let read = reading.immediates.iter().map(|(value, _)| *value as u32);
                assert_eq!(read.collect::<Vec<_>>(), immediates, "{text}");
                let named = |spans: &[Option<std::ops::Range<usize>>]| {
                    spans
                        .iter()
                        .map(|s| s.clone().map(|s| text[s].to_owned()))
                        .collect::<Vec<_>>()
                };
                for (n, source) in named(&reading.sources).into_iter().enumerate() {
                    let expected = (row.sources[n] != Kind::Flags).then(|| sources[n].to_owned());
                    assert_eq!(source, expected, "{text}");
                }
            }
        }
    }
}

/// Every operand of a row is in its text exactly once; results are, where the syntax names them.
#[test]
fn patterns_name_every_operand() {
    for table in tables() {
        for row in table.rows() {
            let mut holes = Vec::new();
            let _ = row.render_with(|hole| {
                holes.push(hole.operand);
                String::new()
            });
            let results = table.syntax == Syntax::Assembler;
            names(row, &holes, &[Kind::Flags], |operand| match operand {
                // Templates write it once.
                Operand::Source(_) if row.template.is_some() => 1..=usize::MAX,
                Operand::Source(_) => 1..=1,
                _ => usize::from(results)..=usize::from(results),
            });
        }
    }
}

/// A line of assembler names every operand. What it does not name is the first one, where the result
/// comes to stand.
#[test]
fn lines_name_every_operand() {
    let kept = [
        "umlal", "umlsl", "usra", "mls", "sli", "sri", "bsl", "add", "sub", "sbb", "shl", "shr",
        "itt",
    ];
    for table in tables() {
        for row in table.rows() {
            let mut holes = Vec::new();
            let line = row.line_with(|hole| {
                holes.push(hole.operand);
                String::new()
            });
            // Two vectors are not in a register.
            let mut kinds = row.sources.iter().chain(row.results);
            let paired = kinds.any(|kind| *kind == Kind::Pair);
            let needs = row.is_assembler() || table.target == Target::Neon && !paired;
            assert_eq!(line.is_some(), needs, "{}", row.name);
            let Some(mnemonic) = row.mnemonic() else {
                continue;
            };
            let flags = [Kind::Flags, Kind::Bit];
            let words = row.results.iter().filter(|kind| !flags.contains(kind));
            let words = words.count();
            names(row, &holes, &flags, |operand| match operand {
                Operand::Source(n) if kept.contains(&mnemonic) && n < words => 0..=1,
                Operand::Source(_) => 1..=1,
                _ => 1..=3,
            });
        }
    }
}

/// A block of assembler names every operand, and stands where a vector is two registers.
#[test]
fn blocks_name_every_operand() {
    let rows: Vec<&Row> = tables().flat_map(Table::rows).collect();
    for row in rows.into_iter().filter(|row| row.has_block()) {
        let names: Vec<String> = (0..row.sources.len()).map(|n| format!("@{n}")).collect();
        let block = row.block(&names).unwrap_or_default();
        assert!(
            names.iter().all(|name| block.contains(name)),
            "{}",
            row.name
        );
        let mut kinds = row.sources.iter().chain(row.results);
        assert!(kinds.any(|kind| *kind == Kind::Pair), "{}", row.name);
    }
}

/// Whether the holes are a row's operands, each as often as `often` says; those of some kinds have no
/// names.
fn names(
    row: &Row,
    holes: &[Operand],
    nameless: &[Kind],
    often: impl Fn(Operand) -> std::ops::RangeInclusive<usize>,
) {
    let registers = |kinds: &'static [Kind], operand: fn(usize) -> Operand| {
        let kinds = kinds.iter().enumerate();
        kinds.map(move |(n, kind)| (operand(n), nameless.contains(kind)))
    };
    let results = registers(row.results, Operand::Result);
    for (operand, is_flags) in registers(row.sources, Operand::Source).chain(results) {
        let count = holes.iter().filter(|h| **h == operand).count();
        let wanted = if is_flags { 0..=0 } else { often(operand) };
        assert!(
            wanted.contains(&count),
            "{}: {operand:?} {count} times",
            row.name
        );
    }
    for n in 0..row.immediates.len() {
        assert!(holes.contains(&Operand::Immediate(n)), "{}", row.name);
    }
}
