//! The text that prepares constants: scalar code that all kernels of a strategy share.

use super::layout::Layout;
use super::macros::{Side, constants, macro_definition, macro_name};
use super::rust::statements;
use crate::asm::Bodies;
use crate::ir::BlockKind;
use crate::isa::Target;
use crate::machine::Named;
use crate::prove::Proved;

/// The module with the function that prepares constants for all kernels of a strategy.
pub(crate) fn preparation(
    strategy: &str,
    proved: &Proved,
    index: usize,
    bodies: &Bodies,
) -> String {
    let program = proved.program();
    let field = program.words_of(BlockKind::Constant);
    let word = format!("u{}", field.word_bits());
    let block = &program.blocks[index];
    let macros: Vec<String> = bodies
        .iter()
        .map(|(op, body)| macro_definition(*op, body, Side::Main))
        .collect();
    let named = constants(bodies, Side::Main).into_iter();
    let named = named.map(|(name, (Named { about, word, .. }, _))| (name, word, about));
    let words = block.operations.iter().filter_map(|operation| {
        let about = "a word that is the same in all states";
        Some((macro_name(operation.op), operation.word()?, about))
    });
    let constants: String = named
        .chain(words)
        .map(|(name, value, about)| {
            format!("/// {about}.\nmacro_rules! {name}(() => ({value}{word}););\n\n")
        })
        .collect();
    let parts = program.constant_words();
    let mut outputs: Vec<String> = block.outputs.iter().map(ToString::to_string).collect();
    outputs.resize(parts, "0_u32".to_owned());
    format!(
        "//! Round constants over {field} as kernels of strategy `{strategy}` read them.\n\n\
         {constants}{macros}\n\n\
         /// Makes {words} of each canonical constant, in the order of `constants`.\n\
         ///\n\
         /// Slices of other lengths are cut to what both have.\n\
         pub const fn prepare(constants: &[{word}], prepared: &mut [{word}]) {{\n\
         let (chunks, _) = prepared.as_chunks_mut::<{parts}>();\n\
         // `const fn`: tables of named parameter sets are made when they are compiled.\n\
         let mut n = 0;\n\
         while n < constants.len() && n < chunks.len() {{\n\
         let constant = constants[n];\n\
         {statements}chunks[n] = [{outputs}];\nn += 1;\n}}\n}}\n",
        field = field.name,
        outputs = outputs.join(", "),
        macros = macros.join("\n"),
        words = if parts == 1 { "a word" } else { "2 words" },
        statements = statements(
            proved,
            index,
            Layout {
                batch: 1,
                stage: 1,
                pass: None,
                group: None,
                general: 0,
                target: Target::Scalar,
                core: None,
                window: None,
                second: false,
            },
        ),
    )
}
