//! That the ranges derived for results hold what a row gives.
//!
//! A row is about integers, and so is the question. It is asked at the ranges that operands have in
//! certificates: so it is about the arithmetic that derives them, not about a copy of it that has
//! symbols for bounds.

use std::collections::BTreeSet;

use super::Verdict;
use super::solver::{Answer, Solver};
use crate::row::{Piece, Range, Reading, Row, Word, word};

/// Cases in one question: with many, solvers lose themselves in them.
const TOGETHER: usize = 16;

/// Has a solver prove that operands in each of these ranges give results in those derived for them.
pub(super) fn verdict(row: &Row, cases: &BTreeSet<Vec<Range>>, solver: &Solver) -> Verdict {
    for cases in derived(row, cases).chunks(TOGETHER) {
        match solver.answer(&leaves(row, cases), 0) {
            Answer::Impossible => {}
            Answer::Possible(_) => {
                return Verdict::Unknown("a result may leave the range derived for it".to_owned());
            }
            Answer::Unknown(reason) => return Verdict::Unknown(reason),
        }
    }
    Verdict::Proved
}

pub(super) fn derived<'c>(row: &Row, cases: &'c BTreeSet<Vec<Range>>) -> Vec<Case<'c>> {
    let cases = cases.iter();
    cases
        .map(|operands| (operands, row.ranges(operands)))
        .collect()
}

/// The ranges of operands, and those derived for results.
type Case<'c> = (&'c Vec<Range>, Vec<Range>);

/// That some operands in one of these ranges give a result outside of the range derived for it.
pub(super) fn leaves(row: &Row, cases: &[Case<'_>]) -> String {
    let mut text = "(set-logic QF_LIA)\n".to_owned();
    let mut words: BTreeSet<Word> = (0..row.operands).map(Word::Operand).collect();
    words.extend(row.pieces().filter_map(|(_, piece)| match piece {
        Piece::Bits { of, .. } => Some(of),
        Piece::Quotient { .. } => None,
    }));
    text.extend(words.iter().map(|word| declare(&name(*word))));
    for (n, sum) in row.results.iter().enumerate() {
        let mut value = number(sum.constant);
        for (m, (k, piece)) in sum.terms.iter().enumerate() {
            let piece = pieces(&format!("{n}.{m}"), *piece, &mut text);
            value = format!("(+ {value} (* {} {piece}))", number(*k));
        }
        if let Some((from, [below, above])) = sum.corrected {
            let [from, below, above] = [from, below, above].map(number);
            value = format!("(+ {value} (ite (< {value} {from}) {below} {above}))");
        }
        let whole = format!("(* {} r{n})", 1i128 << row.down);
        let cases = row.either.iter();
        let cases = cases.map(|by| format!(" (= {whole} (+ {value} {}))", number(*by)));
        text += &declare(&format!("r{n}"));
        if row.parts.is_none() {
            text += &format!("(assert (or false{}))\n", cases.collect::<String>());
        }
        let stated = row.stated(n).map(|range| within(&format!("r{n}"), range));
        text.extend(stated.map(|stated| format!("(assert {stated})\n")));
    }
    let outside = cases.iter().map(|(operands, derived)| {
        let inside = words.iter().map(|word| bounds(row, *word, operands));
        let derived = derived.iter().enumerate();
        let derived = derived.map(|(n, range)| within(&format!("r{n}"), *range));
        let [inside, derived] = [inside.collect::<String>(), derived.collect()];
        format!("\n(and {inside} (not (and true {derived})))")
    });
    let outside: String = outside.collect();
    format!("{text}(assert (or false{outside}))\n(check-sat)\n")
}

/// The value of a piece, by quotients and remainders.
fn pieces(at: &str, piece: Piece, text: &mut String) -> String {
    let mut divide = |word: &str, by: u32, name: &str| {
        let (quotient, rest) = (format!("{name}.quotient{at}"), format!("{name}.rest{at}"));
        let power = 1i128 << by;
        *text += &(declare(&quotient) + &declare(&rest));
        *text += &format!("(assert (= {word} (+ (* {power} {quotient}) {rest})))\n");
        *text += &format!("(assert {})\n", within(&rest, (0, power - 1)));
        [quotient, rest]
    };
    match piece {
        Piece::Bits { of, from, width } => {
            let [floor, _] = divide(&name(of), from, "floor");
            match width {
                Some(width) => divide(&floor, width, "bits")[1].clone(),
                None => floor,
            }
        }
        Piece::Quotient { bits, .. } => {
            let often = format!("often{at}");
            *text += &declare(&often);
            *text += &format!("(assert {})\n", within(&often, (0, (1 << bits) - 1)));
            often
        }
    }
}

/// What is known of a word where operands are in these ranges; of a product that these do not bound, how long it is.
fn bounds(row: &Row, of: Word, operands: &[Range]) -> String {
    match of {
        Word::Product(..)
            if row.reads == Reading::Unsigned && word(of, operands).1 == i128::MAX =>
        {
            let most = u128::MAX >> (128 - 2 * row.bits);
            format!("(<= 0 {} {most})", name(of))
        }
        _ => within(&name(of), word(of, operands)),
    }
}

fn name(word: Word) -> String {
    word.name("x")
}

fn declare(name: &str) -> String {
    format!("(declare-const {name} Int)\n")
}

fn number(n: i128) -> String {
    match n {
        0.. => n.to_string(),
        _ => format!("(- {})", n.unsigned_abs()),
    }
}

fn within(value: &str, (lo, hi): Range) -> String {
    format!("(<= {} {value} {})", number(lo), number(hi))
}
