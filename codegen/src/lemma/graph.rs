//! Terms with equal parts shared, in a normal form that the solver need not find by itself.
//!
//! Shifts by constants, resizes and masks by constants all become slices and concatenations. So
//! a product of half words is recognised as the same one however its operands were cut out, and
//! can stand for itself: products of two unknowns are *free* words here, bounded but not computed.
//! What is proved of all words below the bound holds of the true product.

mod enter;

use std::collections::HashMap;

use crate::term::{Term, mask};

/// A node of a [`Graph`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Id(u32);

/// What computes a node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Node {
    Var(usize),
    /// The product of two half words, by number.
    Product(usize),
    Const(u128),
    Not(Id),
    Binary(Binary, Id, Id),
    /// From this bit upwards.
    Slice(Id, u32),
    /// High part first; no two neighbours could be one.
    Concat(Vec<Id>),
    SignExtend(Id),
    Ite(Id, Id, Id),
}

/// An operation on two words; of comparisons, a bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Binary {
    Add,
    Sub,
    And,
    Or,
    Xor,
    Ult,
    Slt,
    Eq,
}

/// Interned nodes. Products of two unknown half words are always free words.
#[derive(Default)]
pub(super) struct Graph {
    /// Whether products of two unknown 64-bit words are sums of four products of half words; they
    /// are free words of 128 bits otherwise.
    of_halves: bool,
    /// Low bits of every product that are known to be zero. Whoever says so knows that operands are
    /// multiples of a power of two, and asserts it.
    even: u32,
    nodes: Vec<(Node, u32)>,
    interned: HashMap<(Node, u32), Id>,
    products: Vec<(Id, Id)>,
    /// Terms already entered; kept, so that their addresses stay theirs.
    entered: HashMap<usize, (Term, Id)>,
}

impl Graph {
    pub(super) fn new(of_halves: bool, even: u32) -> Self {
        Self {
            of_halves,
            even,
            ..Self::default()
        }
    }

    /// Takes `term` to be `id` from now on. Whoever calls this has proved that they are equal.
    pub(super) fn assume(&mut self, term: &Term, id: Id) {
        self.entered.insert(term.id(), (term.clone(), id));
    }

    pub(super) fn node(&self, id: Id) -> &Node {
        &self.nodes[id.0 as usize].0
    }

    pub(super) fn width(&self, id: Id) -> u32 {
        self.nodes[id.0 as usize].1
    }

    fn intern(&mut self, node: Node, width: u32) -> Id {
        if let Some(&id) = self.interned.get(&(node.clone(), width)) {
            return id;
        }
        let id = Id(self.nodes.len() as u32);
        self.nodes.push((node.clone(), width));
        self.interned.insert((node, width), id);
        id
    }

    fn value(&self, id: Id) -> Option<u128> {
        match self.node(id) {
            Node::Const(value) => Some(*value),
            _ => None,
        }
    }

    pub(super) fn constant(&mut self, value: u128, width: u32) -> Id {
        self.intern(Node::Const(value & mask(width)), width)
    }

    fn slice(&mut self, id: Id, from: u32, width: u32) -> Id {
        if from == 0 && width == self.width(id) {
            return id;
        }
        match self.node(id).clone() {
            Node::Const(value) => self.constant(value >> from, width),
            Node::Slice(of, lo) => self.slice(of, lo + from, width),
            Node::Concat(parts) => {
                let (mut lo, mut taken) = (0, Vec::new());
                for part in parts.into_iter().rev() {
                    let hi = lo + self.width(part);
                    let (a, b) = (lo.max(from), hi.min(from + width));
                    if a < b {
                        taken.push(self.slice(part, a - lo, b - a));
                    }
                    lo = hi;
                }
                taken.reverse();
                self.concat(taken)
            }
            Node::Ite(c, yes, no) => {
                let (yes, no) = (self.slice(yes, from, width), self.slice(no, from, width));
                self.ite(c, yes, no)
            }
            Node::Not(a) => {
                let a = self.slice(a, from, width);
                self.not(a)
            }
            Node::Binary(op, a, b)
                if op == Binary::Xor || from == 0 && matches!(op, Binary::Add | Binary::Sub) =>
            {
                let (a, b) = (self.slice(a, from, width), self.slice(b, from, width));
                self.binary(op, a, b)
            }
            _ => self.intern(Node::Slice(id, from), width),
        }
    }

    /// Joins parts, high part first.
    fn concat(&mut self, parts: Vec<Id>) -> Id {
        let mut joined: Vec<Id> = Vec::new();
        let mut rest: Vec<Id> = parts.into_iter().rev().collect();
        while let Some(part) = rest.pop() {
            if let Node::Concat(parts) = self.node(part) {
                rest.extend(parts.iter().rev());
                continue;
            }
            let merged = joined.last().and_then(|&above| self.merge(above, part));
            match merged {
                Some(merged) => *joined.last_mut().expect("there is one above") = merged,
                None => joined.push(part),
            }
        }
        if let [only] = joined[..] {
            return only;
        }
        let width = joined.iter().map(|&part| self.width(part)).sum();
        self.intern(Node::Concat(joined), width)
    }

    /// Two neighbouring parts as one, if they are neighbours in their origin, too.
    fn merge(&mut self, high: Id, low: Id) -> Option<Id> {
        let (above, below) = (self.width(high), self.width(low));
        if let (Some(h), Some(l)) = (self.value(high), self.value(low)) {
            return Some(self.constant(h << below | l, above + below));
        }
        let origin = |id: Id| match self.node(id) {
            Node::Slice(of, from) => (*of, *from),
            _ => (id, 0),
        };
        let ((of_high, from_high), (of_low, from_low)) = (origin(high), origin(low));
        let adjacent = of_high == of_low && from_high == from_low + below;
        adjacent.then(|| self.slice(of_low, from_low, above + below))
    }

    fn resize(&mut self, id: Id, width: u32) -> Id {
        let own = self.width(id);
        if width <= own {
            return self.slice(id, 0, width);
        }
        let zeros = self.constant(0, width - own);
        self.concat(vec![zeros, id])
    }

    fn shl(&mut self, id: Id, by: u32) -> Id {
        if by == 0 {
            return id;
        }
        let kept = self.slice(id, 0, self.width(id) - by);
        let zeros = self.constant(0, by);
        self.concat(vec![kept, zeros])
    }

    fn lshr(&mut self, id: Id, by: u32) -> Id {
        let kept = self.slice(id, by, self.width(id) - by);
        self.resize(kept, self.width(id))
    }

    fn sign_extend(&mut self, id: Id, width: u32) -> Id {
        if self.width(id) > 1 {
            return self.intern(Node::SignExtend(id), width);
        }
        let (ones, zeros) = (self.constant(u128::MAX, width), self.constant(0, width));
        self.ite(id, ones, zeros)
    }

    fn not(&mut self, a: Id) -> Id {
        let width = self.width(a);
        match self.node(a).clone() {
            Node::Const(value) => self.constant(!value, width),
            Node::Not(inner) => inner,
            _ => self.intern(Node::Not(a), width),
        }
    }

    fn binary(&mut self, op: Binary, a: Id, b: Id) -> Id {
        let width = self.width(a);
        let values = (self.value(a), self.value(b));
        if let (Some(x), Some(y)) = values {
            let folded = match op {
                Binary::Add => Some(x.wrapping_add(y)),
                Binary::Sub => Some(x.wrapping_sub(y)),
                Binary::And => Some(x & y),
                Binary::Or => Some(x | y),
                Binary::Xor => Some(x ^ y),
                Binary::Ult | Binary::Slt | Binary::Eq => None,
            };
            if let Some(value) = folded {
                return self.constant(value, width);
            }
        }
        match (op, values) {
            (Binary::Add | Binary::Or | Binary::Xor, (Some(0), _)) => b,
            (Binary::Add | Binary::Sub | Binary::Or | Binary::Xor, (_, Some(0))) => a,
            (Binary::And, (Some(ones), _)) => self.masked(b, ones),
            (Binary::And, (_, Some(ones))) => self.masked(a, ones),
            (Binary::Sub | Binary::Xor, _) if a == b => self.constant(0, width),
            (Binary::Eq, _) if a == b => self.constant(1, 1),
            (Binary::Add, _) => self.sum(a, b),
            (Binary::Sub, _) => match self.shifted_less_itself(a, b) {
                Some(narrow) => self.resize(narrow, width),
                None => self.intern(Node::Binary(op, a, b), width),
            },
            (Binary::And | Binary::Or | Binary::Xor, _) => {
                self.intern(Node::Binary(op, a.min(b), a.max(b)), width)
            }
            (Binary::Eq, _) => self.intern(Node::Binary(op, a.min(b), a.max(b)), 1),
            (Binary::Ult | Binary::Slt, _) => self.intern(Node::Binary(op, a, b), 1),
        }
    }

    /// A sum of unknowns, without the low bits that both have zero.
    fn sum(&mut self, a: Id, b: Id) -> Id {
        let width = self.width(a);
        let zeros = self.low_zeros(a).min(self.low_zeros(b));
        if self.even == 0 || zeros == 0 {
            return self.intern(Node::Binary(Binary::Add, a.min(b), a.max(b)), width);
        }
        let [a, b] = [a, b].map(|x| self.slice(x, zeros, width - zeros));
        let (sum, zeros) = (self.binary(Binary::Add, a, b), self.constant(0, zeros));
        self.concat(vec![sum, zeros])
    }

    /// Low bits that are zero whatever the variables are.
    fn low_zeros(&self, id: Id) -> u32 {
        match self.node(id) {
            Node::Const(value) => value.trailing_zeros().min(self.width(id) - 1),
            Node::Concat(parts) => match parts.last() {
                Some(&low) if self.value(low) == Some(0) => self.width(low),
                _ => 0,
            },
            _ => 0,
        }
    }

    /// `(x << k) - x` in as many bits as it needs, if that is what `a - b` is. Bodies and contracts
    /// form this multiple of `2^k - 1` in words of different widths; here they meet.
    fn shifted_less_itself(&mut self, a: Id, b: Id) -> Option<Id> {
        let x = match self.node(b).clone() {
            Node::Concat(parts) => match parts[..] {
                [zeros, x] if self.value(zeros) == Some(0) => x,
                _ => return None,
            },
            _ => b,
        };
        let Node::Concat(parts) = self.node(a) else {
            return None;
        };
        let lowest = *parts.last()?;
        let by = self.width(lowest);
        let width = self.width(x) + by;
        if self.value(lowest) != Some(0) || width > self.width(a) {
            return None;
        }
        let shifted = self.concat(vec![x, lowest]);
        if self.resize(shifted, self.width(a)) != a {
            return None;
        }
        let x = self.resize(x, width);
        Some(self.intern(Node::Binary(Binary::Sub, shifted, x), width))
    }

    /// `x` where the mask has ones, zeros elsewhere.
    fn masked(&mut self, x: Id, ones: u128) -> Id {
        let width = self.width(x);
        let (mut parts, mut from) = (Vec::new(), 0);
        while from < width {
            let bit = ones >> from & 1;
            let run = (from..width)
                .take_while(|&at| ones >> at & 1 == bit)
                .count() as u32;
            let zeros = self.constant(0, run);
            parts.push(if bit == 1 {
                self.slice(x, from, run)
            } else {
                zeros
            });
            from += run;
        }
        parts.reverse();
        self.concat(parts)
    }

    fn ite(&mut self, c: Id, yes: Id, no: Id) -> Id {
        match self.node(c) {
            Node::Not(inner) => self.ite(*inner, no, yes),
            _ => self.intern(Node::Ite(c, yes, no), self.width(yes)),
        }
    }
}
