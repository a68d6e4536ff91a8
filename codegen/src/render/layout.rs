//! How blocks are laid out: what their statements interleave, and where inputs and outputs are.

use crate::arith::Block;
use crate::ir::{BlockKind, Input};
use crate::isa::{Target, table};
use crate::names::{Core, Part};

/// One of the independent computations that a block's statements interleave.
#[derive(Clone, Copy)]
pub(super) struct Stream {
    pub(super) group: usize,
    /// Which of the elements that one pass of the S-box loop takes.
    pub(super) lead: usize,
}

/// How a block's text is laid out.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// Groups of states.
    pub batch: usize,
    /// S-boxes of one group that an external round interleaves.
    pub stage: usize,
    /// Which elements these are, where each pass has a text of its own.
    pub pass: Option<usize>,
    /// The group, where the text is of one by its number.
    pub group: Option<usize>,
    /// How many of those run on general registers.
    pub general: usize,
    /// What the text is written in.
    pub target: Target,
    /// The core whose order of instructions S-boxes and internal rounds have, if not the compiler's.
    pub core: Option<&'static Core>,
    /// Where internal rounds move elements on by one place, how many of these there are, and rounds: elements stay
    /// where they are in a longer array, and each round sees a window of it.
    pub window: Option<[usize; 2]>,
    /// Which of two internal rounds that are one text.
    pub second: bool,
}

impl Layout {
    /// The same for one group.
    pub(super) fn of(self, group: usize) -> Self {
        Self {
            group: Some(group),
            ..self
        }
    }

    /// How many elements of one group the statements of a block of this kind take together.
    pub(super) fn leads(self, kind: BlockKind) -> usize {
        match kind {
            BlockKind::ExternalSbox => self.stage,
            _ => 1,
        }
    }

    /// What the statements of a block of this kind interleave. What works on a whole group by itself
    /// (the external linear layer, whose columns are independent work enough, and what is executed
    /// once) is one group's; S-boxes and internal rounds have all groups, S-boxes also some elements
    /// of each.
    pub(super) fn streams(self, kind: BlockKind) -> Vec<Stream> {
        let groups = match kind {
            BlockKind::ExternalSbox | BlockKind::InternalRound if self.group.is_none() => {
                self.batch
            }
            _ => 1,
        };
        (0..self.leads(kind))
            .flat_map(|lead| (0..groups).map(move |group| Stream { group, lead }))
            .collect()
    }

    pub(super) fn place(self, block: &Block, stream: Stream) -> Place<'_> {
        Place {
            block,
            stream,
            stage: self.leads(block.kind),
            pass: self.pass,
            group: self.group,
            window: self.window,
            second: self.second,
            in_vectors: table(self.target).vector_bits > 0,
        }
    }

    /// Whether internal rounds keep element 0 as words on general registers from the first to the last.
    pub(super) fn first_is_words(self) -> bool {
        self.general > 0 && self.core.is_some()
    }

    /// Whether a loop takes what the external linear layer does to both parts.
    pub(super) fn by_part(self, width: usize) -> bool {
        // All in registers, no loop has to spare any.
        let spares = self.stage < width || self.batch > 1;
        (self.general > 0 || self.target == Target::Wasm) && spares
    }
}
/// Where a block's inputs and outputs are.
pub(super) struct Place<'a> {
    block: &'a Block,
    stream: Stream,
    stage: usize,
    pass: Option<usize>,
    group: Option<usize>,
    window: Option<[usize; 2]>,
    second: bool,
    in_vectors: bool,
}

impl Place<'_> {
    /// The element that a pass of the S-box loop is about.
    fn at_hand(&self) -> String {
        match (self.stage, self.stream.lead, self.pass) {
            (stage, lead, Some(pass)) => (pass * stage + lead).to_string(),
            (1, ..) => "element".to_owned(),
            (stage, 0, _) => format!("pass * {stage}"),
            (stage, lead, _) => format!("pass * {stage} + {lead}"),
        }
    }

    /// The word of the round constant at hand, or of a part of it.
    pub(super) fn constant(&self, part: Option<Part>) -> String {
        let part = part.map_or_else(String::new, |part| format!("[{}]", part as usize));
        match self.block.kind {
            BlockKind::ExternalSbox => {
                format!("constants.external[step - 1][{}]{part}", self.at_hand())
            }
            _ if self.second => format!("constants.internal[round + 1]{part}"),
            _ => format!("constants.internal[round]{part}"),
        }
    }

    fn element(&self, element: usize) -> String {
        let group = self.group.unwrap_or(self.stream.group);
        match self.block.kind {
            BlockKind::ExternalLinear if self.group.is_some() => {
                format!("state[{group}][{element}]")
            }
            BlockKind::ExternalSbox => format!("state[{group}][{}]", self.at_hand()),
            BlockKind::InternalRound => format!("state[{group}][{element}]"),
            BlockKind::Enter if self.group.is_some() => format!("words[{group}][{element}]"),
            BlockKind::Enter => format!("words[{element}]"),
            BlockKind::Leave => format!("words[{element}]"),
            _ => format!("group[{element}]"),
        }
    }

    /// A word of the state: state words in memory (the only one of its array, or the vector in
    /// its wrapper), or parts in the kernel's own variable.
    pub(super) fn state(&self, input: Input) -> String {
        match input {
            Input::Inner(i @ 1..)
                if let (Some([width, _]), BlockKind::InternalRound) =
                    (self.window, self.block.kind) =>
            {
                format!("window[{}][round + {}]", self.stream.group, width - 1 - i)
            }
            Input::Inner(i @ 1..)
                if let (Some([width, rounds]), BlockKind::InternalLeave) =
                    (self.window, self.block.kind) =>
            {
                format!("window[{}]", width - 1 + rounds - i)
            }
            // Words are in memory when parts leave for them.
            Input::StatePart(i, part) if self.block.kind == BlockKind::Leave => {
                format!("group[{i}][{}]", part as usize)
            }
            Input::StatePart(i, part) => format!("{}[{}]", self.element(i), part as usize),
            Input::Inner(i) if matches!(self.block.kind, BlockKind::Enter | BlockKind::Leave) => {
                format!("group[{i}]")
            }
            Input::Inner(i) => self.element(i),
            Input::State(i) if self.in_vectors => format!("{}.0", self.element(i)),
            Input::State(i) => format!("{}[0]", self.element(i)),
            Input::Constant | Input::ConstantPart(_) | Input::InnerConstant | Input::Factor(_) => {
                unreachable!("constants are no state")
            }
        }
    }

    /// Where rows of a matrix are written, of which the first makes this output, and what is done after them.
    pub(super) fn rows(&self, output: usize) -> [String; 2] {
        match (self.window, self.block.kind, output) {
            // Beside the first window there is room for the element before.
            (Some([width, _]), BlockKind::LinearEnter, 0) => {
                let first = width - 1;
                [
                    format!("window[{first} - row]"),
                    format!("group[0] = window[{first}];\n"),
                ]
            }
            (_, _, 0) => ["group[row]".to_owned(), String::new()],
            (.., output) => [format!("group[row + {output}]"), String::new()],
        }
    }

    /// The same where it is written.
    pub(super) fn written(&self, output: Input) -> String {
        match (self.window, output, self.block.kind) {
            (Some([width, _]), Input::Inner(i @ 1..), BlockKind::LinearEnter) => {
                format!("window[{}]", width - 1 - i)
            }
            (Some([width, _]), Input::Inner(i @ 1..), BlockKind::InternalRound) => {
                format!("window[{}][round + {}]", self.stream.group, width - i)
            }
            (Some(_), Input::Inner(i), BlockKind::InternalLeave) => self.element(i),
            _ => self.state(output),
        }
    }

    /// Element 0 of internal rounds, where it is words.
    pub(super) fn first(&self, input: Input) -> String {
        match input {
            Input::StatePart(_, part) => format!("first[{}][{}]", self.stream.group, part as usize),
            _ => unreachable!("elements have parts here"),
        }
    }
}
