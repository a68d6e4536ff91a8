//! A block in the making, in pieces and in words at once.

use crate::arith::{Block, LANES, Made, Move, Piece, PieceId, Pieces};
use crate::ir::{BlockKind, Input, Value};
use crate::lower::parts::Builder;
use crate::ops::MacroOp;
use crate::params::Field;

pub(super) struct Rows {
    words: Builder,
    width: usize,
    /// Whether element 0 is a word of its own, beside a round constant.
    is_internal: bool,
    pieces: Vec<Piece>,
}

impl Rows {
    /// On the vectors of a state; of an internal round, on element 0 and a constant, too.
    pub(super) fn new(field: &'static Field, width: usize, is_internal: bool) -> Self {
        let constant = is_internal.then_some(Input::Constant);
        let inputs = (0..width).map(Input::State).chain(constant);
        Self {
            words: Builder::on(field, inputs.collect()),
            width,
            is_internal,
            pieces: Vec::new(),
        }
    }

    fn push(&mut self, made: Made, lanes: Vec<Option<Value>>) -> PieceId {
        let known = self.pieces.iter().position(|piece| piece.made == made);
        PieceId(known.unwrap_or_else(|| {
            self.pieces.push(Piece { made, lanes });
            self.pieces.len() - 1
        }))
    }

    fn lanes(&self, piece: PieceId) -> &[Option<Value>] {
        &self.pieces[piece.0].lanes
    }

    pub(super) fn row(&mut self, n: usize) -> PieceId {
        let value = |i| (i > 0 || !self.is_internal).then_some(Value(i as u32));
        let lanes = (n * LANES..(n + 1) * LANES).map(value).collect();
        self.push(Made::Row(n), lanes)
    }

    pub(super) fn first(&mut self) -> PieceId {
        self.push(Made::First(0), vec![Some(Value(0))])
    }

    pub(super) fn constant(&mut self) -> PieceId {
        self.push(Made::Constant(0), vec![Some(Value(self.width as u32))])
    }

    pub(super) fn word(&mut self, word: u64) -> PieceId {
        let value = self.words.word(word);
        self.push(Made::Word(word), vec![Some(value)])
    }

    pub(super) fn words(&mut self, words: [u64; LANES]) -> PieceId {
        let values = words.map(|word| Some(self.words.word(word)));
        self.push(Made::Words(words.to_vec()), values.to_vec())
    }

    /// A macro-op in each lane. What two lanes compute alike is one value.
    pub(super) fn operation(&mut self, name: &str, op: MacroOp, operands: &[PieceId]) -> PieceId {
        let lanes = self.lanes(operands[0]).len();
        let mut value = |lane: usize| {
            let values = operands.iter().map(|piece| self.lanes(*piece)[lane]);
            let values: Vec<Value> = values.collect::<Option<_>>()?;
            let name = match lanes {
                1 => name.to_owned(),
                _ => format!("{name}[{lane}]"),
            };
            let known = self.words.applied(op, &values);
            Some(known.unwrap_or_else(|| self.words.push(&name, op, &values)))
        };
        let lanes = (0..lanes).map(&mut value).collect();
        self.push(Made::Operation(op, operands.to_vec()), lanes)
    }

    pub(super) fn moved(&mut self, way: Move, x: PieceId) -> PieceId {
        let lanes = (0..LANES).map(|lane| self.lanes(x)[way.source(lane)]);
        let lanes = lanes.collect();
        self.push(Made::Moved(way, x), lanes)
    }

    pub(super) fn broadcast(&mut self, word: PieceId) -> PieceId {
        let lanes = vec![self.lanes(word)[0]; LANES];
        self.push(Made::Broadcast(word), lanes)
    }

    pub(super) fn first_of(&mut self, x: PieceId) -> PieceId {
        let word = self.lanes(x)[0];
        self.push(Made::FirstOf(x), vec![word])
    }

    pub(super) fn with_first(&mut self, [x, first]: [PieceId; 2]) -> PieceId {
        let mut lanes = self.lanes(x).to_vec();
        lanes[0] = self.lanes(first)[0];
        self.push(Made::WithFirst([x, first]), lanes)
    }

    /// The block, without what no output is made of.
    pub(super) fn finish(
        self,
        kind: BlockKind,
        first: Option<PieceId>,
        rows: Vec<PieceId>,
    ) -> (Block, Pieces) {
        let own = rows.iter().flat_map(|row| self.lanes(*row)).copied();
        let first_lane = first.map(|piece| self.lanes(piece)[0]);
        let outputs = first_lane
            .into_iter()
            .chain(own.skip(usize::from(first.is_some())));
        let outputs: Vec<Value> = outputs
            .map(|value| value.expect("every element is somewhere"))
            .collect();
        let Self {
            words, mut pieces, ..
        } = self;
        let (block, kept) = words.finish(kind, outputs).pruned();
        for lane in pieces.iter_mut().flat_map(|piece| &mut piece.lanes) {
            *lane = lane.and_then(|value| kept.get(&value).copied());
        }
        let pieces = Pieces {
            kind,
            all: pieces,
            first: first.into_iter().collect(),
            rows: rows.into_iter().enumerate().collect(),
        };
        (block, pieces)
    }
}
