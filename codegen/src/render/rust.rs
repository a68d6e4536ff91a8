//! Kernels in plain Rust: blocks as statements that invoke the macros of macro-ops.

use super::layout::{Layout, Stream};
use super::macros::{invocation, macro_name};
use super::matrix::Matrix;
use super::{Comment, comments, comments_on, general, noted, return_comment};
use crate::arith::{Block, Operation};
use crate::ir::{BlockKind, Input, Value};
use crate::isa::table;
use crate::ops::MacroOp;
use crate::prove::Proved;
use std::collections::BTreeMap;

/// The statements of one block, whose streams are interleaved macro-op by macro-op.
#[must_use]
pub fn statements(proved: &Proved, index: usize, layout: Layout) -> String {
    laid_out(proved, index, &proved.program().blocks[index], layout)
}

/// The same of a block that is made of operations of that one.
pub(super) fn laid_out(proved: &Proved, index: usize, block: &Block, layout: Layout) -> String {
    let comments = comments_on(proved, index, &block.operations);
    let width = proved.program().instance.width;
    let may_loop = block.kind == BlockKind::ExternalLinear && proved.program().parts == 2;
    if may_loop && layout.by_part(width) && parts_are_alike(block) {
        return by_part(block, &comments);
    }
    let streams = layout.streams(block.kind);
    let leads = layout.leads(block.kind);
    let name = |value: Value, Stream { group, lead }: Stream| match (
        block.inputs.get(value.index()),
        leads,
    ) {
        (Some(Input::Constant), _) | (Some(Input::InnerConstant), 1) => "constant".to_owned(),
        (Some(Input::InnerConstant), _) => format!("constant_{lead}"),
        (Some(Input::Factor(n)), _) => format!("factor_{n}"),
        (Some(Input::ConstantPart(part)), 1) => format!("constant_{}", part.name()),
        (Some(Input::ConstantPart(part)), _) => format!("constant_{}_{lead}", part.name()),
        (_, 1) if streams.len() == 1 => value.to_string(),
        (_, 1) => format!("{value}_{group}"),
        _ => format!("{value}_{group}_{lead}"),
    };
    let read = |value: Value| {
        let mut operands = block.operations.iter().flat_map(|o| &o.operands);
        operands.any(|v| *v == value) || block.moved().any(|(_, v)| v == value)
    };
    let is_wide = proved.program().is_wide();
    let mut text = String::new();
    for (value, input) in (0..).map(Value).zip(&block.inputs) {
        if !read(value) {
            continue;
        }
        for &stream in &streams {
            let place = layout.place(block, stream);
            let from = match input {
                Input::ConstantPart(part) if stream.group == 0 => {
                    format!("broadcast!({})", place.constant(Some(*part)))
                }
                Input::InnerConstant if stream.group == 0 => {
                    format!("broadcast!({})", place.constant(None))
                }
                Input::Factor(n) if stream.group == 0 => {
                    format!("broadcast!([FACTORS[round][{n}], 0_u32])")
                }
                Input::State(_) if block.kind == BlockKind::Enter && is_wide => {
                    format!("wide!({})", place.state(*input))
                }
                Input::State(_) | Input::StatePart(..) | Input::Inner(_) => place.state(*input),
                _ => continue,
            };
            text += &format!("let {} = {from};\n", name(value, stream));
        }
    }
    if block.kind == BlockKind::ExternalSbox && streams.len() > 1 {
        text += table(layout.target).loaded;
    }
    let matrix = Matrix::of(proved.program(), layout.target);
    if let Some((rows, first)) = matrix.rows(index, block) {
        let [each, after] = layout.place(block, streams[0]).rows(rows.output);
        return text + &rows.statements(block, first, &each, &comments) + &after;
    }
    let words: Vec<_> = (0..leads)
        .map(|lead| general::words(layout, block, lead))
        .collect();
    let mut next = 0;
    for together in block.operations.chunk_by(|a, b| stay_together(a.op, b.op)) {
        let said = (next..next + together.len()).filter_map(|n| comments.get(&n));
        next += together.len();
        let mut lines = String::new();
        for &stream in &streams {
            for operation in together.iter().filter(|o| o.is_coded()) {
                let name = |value: Value| name(value, stream);
                let entry = matrix.entry(index, operation.result);
                lines += &match words[stream.lead].contains(&operation.result) {
                    true => general::statements(block, operation, &name),
                    false if let Some(entry) = entry => {
                        format!("let {} = {entry};\n", name(operation.result))
                    }
                    false => statement(operation, name),
                };
            }
        }
        text += &noted(said, &lines);
    }
    let leaves = block.kind == BlockKind::Leave && is_wide;
    // A preparation's results go where its caller says.
    let slides = block.kind == BlockKind::InternalRound && layout.window.is_some();
    let stored = block.moved().filter(|(place, _)| match place {
        Input::Inner(i) if slides => *i < 2,
        _ => block.kind != BlockKind::Constant,
    });
    for (i, (output, value)) in stored.enumerate() {
        let mut lines = String::new();
        for &stream in &streams {
            let place = layout.place(block, stream).written(output);
            let value = name(value, stream);
            lines += &match leaves {
                true => format!("{place} = narrow!({value});\n"),
                false => format!("{place} = {value};\n"),
            };
        }
        text += &noted(&return_comment(proved, index, i), &lines);
    }
    text
}

/// The statement of an operation over the names of values.
fn statement(operation: &Operation, name: impl Fn(Value) -> String) -> String {
    let results: Vec<String> = operation.results().map(&name).collect();
    let operands: Vec<String> = operation.operands.iter().map(|&v| name(v)).collect();
    invocation(&results, &macro_name(operation.op), &operands)
}

/// Whether a block does the same to both parts, one right after the other.
fn parts_are_alike(block: &Block) -> bool {
    block.operations.chunks(2).all(|pair| match pair {
        [low, high] => {
            let beside = low.operands.iter().map(|v| Value(v.0 + 1));
            let even = low.operands.iter().all(|v| v.0 % 2 == 0) && low.result.0 % 2 == 0;
            even && low.op == high.op && beside.eq(high.operands.iter().copied())
        }
        _ => false,
    })
}

/// The external linear layer as a loop over parts, to both of which it does the same: so many
/// values less are alive at once. The compiler must not know which part has which turn, or it would
/// lay both out side by side again; all it is told is that there are two.
///
/// It treats its parts alike, as [`parts_are_alike`] found.
fn by_part(block: &Block, comments: &BTreeMap<usize, Comment>) -> String {
    let place = |input: &Input| match input {
        Input::StatePart(i, _) => format!("group[{i}][part & 1]"),
        _ => unreachable!("elements have parts here"),
    };
    let mut text = String::from("for part in core::hint::black_box([0, 1]) {\n");
    for (n, input) in block.inputs.iter().enumerate().step_by(2) {
        text += &format!("let v{n} = {};\n", place(input));
    }
    for (n, low) in block.operations.iter().step_by(2).enumerate() {
        let said = [2 * n, 2 * n + 1].into_iter();
        let said = said.filter_map(|n| comments.get(&n));
        text += &noted(said, &statement(low, |value| value.to_string()));
    }
    for (input, value) in block.inputs.iter().zip(&block.outputs).step_by(2) {
        text += &format!("{} = {value};\n", place(input));
    }
    text + "}\n"
}

/// Whether interleaved streams take turns between two operations, or each does both at once: a
/// product in steps does, or the halves of all products would be alive together.
fn stay_together(first: MacroOp, then: MacroOp) -> bool {
    let within_product = matches!(first, MacroOp::MulWide | MacroOp::Share | MacroOp::Product);
    then == MacroOp::Second
        || within_product
        || (first == MacroOp::Second && then == MacroOp::Share)
}

/// The state of all groups made of the words in memory: `let mut state = …;`.
///
/// One expression for each element, so that no element waits for another and nothing is written
/// twice. Where elements are several statements, groups have them in common.
#[must_use]
pub fn entered(proved: &Proved, index: usize, layout: Layout) -> String {
    let block = &proved.program().blocks[index];
    let (parts, is_wide) = (proved.program().parts, proved.program().is_wide());
    if is_wide && layout.batch > 1 {
        let any = layout.of(0).place(block, Stream { group: 0, lead: 0 });
        let (any, width) = (any.state(block.inputs[0]), block.outputs.len());
        return format!(
            "let mut state = [[wide!({any}); {width}]; {}];
            for (words, group) in words.iter().zip(state.iter_mut()) {{ {} }}",
            layout.batch,
            statements(proved, index, layout)
        );
    }
    let comments = comments(proved, index);
    let groups = (0..layout.batch).map(|group| {
        let place = layout.of(group).place(block, Stream { group, lead: 0 });
        let name = |value: Value| match block.inputs.get(value.index()) {
            Some(&input) if is_wide => format!("wide!({})", place.state(input)),
            Some(&input) => place.state(input),
            None => value.to_string(),
        };
        let elements = block.outputs.chunks(parts).map(|outputs| {
            let made = block.leading_to(outputs).into_iter().map(|operation| {
                let comment = comments.get(&(operation.result.index() - block.inputs.len()));
                noted(comment, &statement(operation, name))
            });
            let made: String = made.collect();
            let outputs: Vec<String> = outputs.iter().map(|v| name(*v)).collect();
            match &outputs[..] {
                [one] if made.is_empty() => one.clone(),
                [one] => format!("{{\n{made}{one} }}"),
                several => format!("{{\n{made}[{}] }}", several.join(", ")),
            }
        });
        format!("[{}]", elements.collect::<Vec<_>>().join(", "))
    });
    let groups: Vec<String> = groups.collect();
    format!("let mut state = [{}];", groups.join(", "))
}
