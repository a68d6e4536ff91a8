//! Instructions as `macro_rules!` around inline assembler: the compiler gives them registers, and
//! leaves them in their order, since it cannot know what they do.

use std::collections::BTreeMap;
use std::fmt::Write as _;

/// A macro of some lines. Results share registers with sources where they may: those of the last
/// line, for all is read by then.
pub(super) fn define(
    macros: &mut BTreeMap<String, String>,
    name: String,
    lines: &[Line],
    shape: &Shape,
) {
    if macros.contains_key(&name) {
        return;
    }
    let (inputs, outputs) = (shape.sources.len(), shape.results.len());
    let names = Line {
        sources: (0..inputs).map(source_name).collect(),
        results: (0..outputs).map(result_name).collect(),
        ..Line::default()
    };
    let texts: Vec<String> = lines.iter().map(|line| line.filled(&names)).collect();
    let parameters: Vec<String> = names.sources.iter().map(|s| format!("${s}:expr")).collect();
    let mut operands = String::new();
    for (n, source) in names.sources.iter().enumerate() {
        let class = class(shape.sources[n]);
        let named = texts
            .iter()
            .any(|text| text.contains(&format!("{{{source}")));
        if named {
            let _ = writeln!(operands, "{source} = in({class}) ${source},");
        } else {
            let _ = writeln!(operands, "r0 = inlateout({class}) ${source} => r0,");
        }
    }
    let tied = operands.contains("inlateout");
    for (n, result) in names.results.iter().enumerate() {
        let (class, written) = (class(shape.results[n]), format!("{{{result}"));
        let first = texts.iter().position(|text| text.contains(&written));
        let late = first == Some(texts.len() - 1);
        if !tied {
            let direction = if late { "lateout" } else { "out" };
            let _ = writeln!(operands, "{result} = {direction}({class}) {result},");
        }
    }
    let declared = names.results.iter().zip(&shape.results);
    let declared: Vec<String> = declared.map(|(r, t)| format!("let {r}: {t};")).collect();
    let given = match names.results.as_slice() {
        [one] => one.clone(),
        several => format!("({})", several.join(", ")),
    };
    let texts: Vec<String> = texts.iter().map(|text| format!("{text:?},")).collect();
    let text = format!(
        "macro_rules! {name} {{ ({parameters}) => {{{{ {declared}\n\
         // SAFETY: it computes, and declares every register that it writes.\n\
         unsafe {{ asm!(\n{texts}\n{operands}options(nomem, nostack)) }};\n{given} }}}}; }}\n",
        parameters = parameters.join(", "),
        declared = declared.join(" "),
        texts = texts.join("\n"),
    );
    macros.insert(name, text);
}

/// The types of a macro's operands and results.
pub(super) struct Shape {
    pub(super) sources: Vec<&'static str>,
    pub(super) results: Vec<&'static str>,
}

/// A line of assembler with names for its operands; those of its macro, where it has none.
#[derive(Default)]
pub(super) struct Line {
    pub(super) text: &'static str,
    pub(super) sources: Vec<String>,
    pub(super) results: Vec<String>,
    pub(super) immediates: Vec<u32>,
}

impl Line {
    fn filled(&self, names: &Self) -> String {
        let or = |own: &Vec<String>, all: &Vec<String>| match own.is_empty() {
            true => all.clone(),
            false => own.clone(),
        };
        let mut text = self.text.to_owned();
        let sources = or(&self.sources, &names.sources);
        let results = or(&self.results, &names.results);
        for (n, immediate) in self.immediates.iter().enumerate() {
            text = text.replace(&format!("{{i{n}}}"), &immediate.to_string());
        }
        let operands = sources
            .iter()
            .enumerate()
            .map(|(n, name)| (n.to_string(), name));
        let all = operands.chain(
            results
                .iter()
                .enumerate()
                .map(|(n, name)| (format!("r{n}"), name)),
        );
        for (hole, name) in all {
            for end in ['}', ':'] {
                // Marked, so that a name is not taken for another hole.
                let (from, to) = (format!("{{{hole}{end}"), format!("{{\u{1}{name}{end}"));
                text = text.replace(&from, &to);
            }
        }
        text.replace('\u{1}', "")
    }
}

pub(super) fn source_name(n: usize) -> String {
    ["a", "b", "c", "d"]
        .get(n)
        .map_or_else(|| format!("s{n}"), |name| (*name).to_owned())
}

pub(super) fn result_name(n: usize) -> String {
    format!("r{n}")
}

fn class(kind: &str) -> &'static str {
    match kind {
        "u64" => "reg",
        _ => "vreg",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::assembler::JOIN;

    fn defined(lines: &[Line], sources: &[&'static str], results: &[&'static str]) -> String {
        let mut macros = BTreeMap::new();
        let shape = Shape {
            sources: sources.to_vec(),
            results: results.to_vec(),
        };
        define(&mut macros, "it".to_owned(), lines, &shape);
        macros.remove("it").unwrap()
    }

    #[test]
    fn accumulators_are_in_the_register_of_the_result() {
        let line = Line {
            text: "umlal {r0:v}.2d, {1:v}.2s, {2:v}.2s",
            ..Line::default()
        };
        let halves = ["uint64x2_t", "uint32x2_t", "uint32x2_t"];
        let text = defined(&[line], &halves, &["uint64x2_t"]);
        assert!(
            text.contains("umlal {r0:v}.2d, {b:v}.2s, {c:v}.2s"),
            "{text}"
        );
        assert!(text.contains("r0 = inlateout(vreg) $a => r0,"), "{text}");
        assert!(!text.contains("lateout(vreg) r0,\n"), "{text}");
    }

    #[test]
    fn only_the_last_line_may_write_over_operands() {
        let line = |text| Line {
            text,
            ..Line::default()
        };
        let text = defined(&JOIN.map(line), &["u64", "u64"], &["uint64x2_t"]);
        assert!(text.contains("r0 = out(vreg) r0,"), "{text}");
        let text = defined(&[line("add {r0}, {0}, {1}")], &["u64", "u64"], &["u64"]);
        assert!(text.contains("r0 = lateout(reg) r0,"), "{text}");
    }
}
