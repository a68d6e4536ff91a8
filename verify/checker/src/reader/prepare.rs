//! Reads a module that prepares constants, and compares it with a certificate's block.

use syn::Item;

use super::execute::{Kernel, Read, Value, text};
use super::file::{self, Bodies};
use super::graph::{Graph, Node};
use super::message::unknown;
use crate::certificate::Program;
use crate::machine::Target;

/// What stands around the statements on one constant, after the number of words that are made of it, and
/// around what they give.
const LOOP: [&str; 3] = [
    " > () ; let mut n = 0 ; \
     while n < constants . len () && n < chunks . len () { let constant = constants [n] ;",
    "chunks [n] = [",
    "] ; n += 1 ; } }",
];

/// Compares the text with the block that prepares a constant; gives the bodies of its macro-ops.
pub(crate) fn read(source: &str, program: &Program) -> Read<Bodies> {
    let file = super::parse_whole(source)?;
    let (macros, others): (Vec<&Item>, _) = file
        .items
        .iter()
        .partition(|item| matches!(item, Item::Macro(_)));
    let [Item::Fn(function)] = others[..] else {
        return Err("there is more than `prepare`, or less".to_owned());
    };
    let (word, parts) = (program.word(), program.parts);
    let signature =
        format!("const fn prepare (constants : & [{word}] , prepared : & mut [{word}])");
    let body = text(&function.block);
    let chunks = format!("{{ let (chunks , _) = prepared . as_chunks_mut :: < {parts}");
    let inner = body
        .strip_prefix(&chunks)
        .and_then(|rest| rest.strip_prefix(LOOP[0]))
        .and_then(|rest| rest.strip_suffix(LOOP[2]));
    let inner = inner.and_then(|inner| inner.rsplit_once(LOOP[1]));
    let right = text(&function.sig) == signature && file::attributes(&function.attrs).is_empty();
    let Some((statements, outputs)) = inner.filter(|_| right) else {
        return unknown("not the loop that prepares constants", function);
    };
    // Names of the loop stay what they are.
    let named = ["mut", "constants", "prepared", "chunks", "n"];
    if statements.split(' ').any(|token| named.contains(&token)) {
        return unknown("no statements on one constant", function);
    }
    let inner = format!("{{ {statements} let mut chunk = [{outputs}] ; }}");
    let inner = syn::parse_str(&inner).map_err(|error| error.to_string())?;
    let macros = macros.into_iter().cloned().collect::<Vec<_>>();
    let macros = file::items(&macros, word, false, Target::Scalar)?;
    let bodies = macros.bodies.clone();
    let mut graph = Graph::default();
    let constant = Value::Words(vec![graph.add(Node::State(0, 0, 0))]);
    let prepared = program
        .prepared(&mut graph)
        .map_err(|refused| refused.what)?;
    let prepared = prepared.into_iter().map(|word| Value::Words(vec![word]));
    let mut kernel = Kernel::new([], graph, 1, macros, [String::new(), String::new()]);
    kernel.name("constant", constant);
    kernel.block(&inner)?;
    if kernel.memory.get("chunk") == Some(&Value::Many(prepared.collect())) {
        return Ok(bodies);
    }
    Err("constants are prepared otherwise than the certificate has it".to_owned())
}
