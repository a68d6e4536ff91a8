//! The text that prepares constants: scalar code that all kernels of a strategy share.

use super::macros::{Side, constants, macro_definition};
use super::rust::{Layout, statements};
use crate::asm::Bodies;
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
    let field = program.instance.field;
    let block = &program.blocks[index];
    let macros: Vec<String> = bodies
        .iter()
        .map(|(op, body)| macro_definition(*op, body, Side::Main))
        .collect();
    let constants: String = constants(bodies, Side::Main)
        .into_iter()
        .map(|(name, (Named { about, word, .. }, _))| {
            format!("/// {about}.\nmacro_rules! {name} {{ () => {{ {word}u64 }}; }}\n\n")
        })
        .collect();
    let outputs: Vec<String> = block.outputs.iter().map(ToString::to_string).collect();
    format!(
        "//! Round constants over {field} as kernels of strategy `{strategy}` read them.\n\n\
         {constants}{macros}\n\n\
         /// Makes {parts} words of each canonical constant, in the order of `constants`.\n\
         ///\n\
         /// Slices of other lengths are cut to what both have.\n\
         pub const fn prepare(constants: &[u64], prepared: &mut [u64]) {{\n\
         let (chunks, _) = prepared.as_chunks_mut::<{parts}>();\n\
         // `const fn`: tables of named parameter sets are made when they are compiled.\n\
         let mut n = 0;\n\
         while n < constants.len() && n < chunks.len() {{\n\
         let constant = constants[n];\n\
         {statements}chunks[n] = [{outputs}];\nn += 1;\n}}\n}}\n",
        field = field.name,
        outputs = outputs.join(", "),
        macros = macros.join("\n"),
        parts = program.parts,
        statements = statements(
            proved,
            index,
            Layout {
                batch: 1,
                stage: 1,
                general: 0,
                target: Target::Scalar,
                core: None,
            },
        ),
    )
}
