//! Texts made wrong at random: by line, by token and by byte.

use proptest::prelude::*;
use proptest::test_runner::TestRng;

/// What breaks readers: bounds of numbers, brackets and operators that nest, names of everything.
const STRANGE: [&str; 24] = [
    "0",
    "1",
    "4294967296",
    "9223372036854775807",
    "18446744073709551615",
    "18446744073709551616",
    "0xffffffffffffffffffffffffffffffffffffffff",
    "-1",
    "1e308",
    "é",
    "\u{1}",
    "\"",
    "'",
    "#",
    "//",
    "/*",
    "*",
    "*a*a*a*a*a*a*a*a*a",
    "=",
    "{{",
    "{%",
    "r#\"",
    "\n",
    "cfg",
];

/// Beginnings and ends that nest; some have no end.
const NESTS: [(&str, &str); 16] = [
    ("(", ")"),
    ("[", "]"),
    ("{", "}"),
    ("{{", "}}"),
    ("{% if k %}", "{% endif %}"),
    ("/*", "*/"),
    ("<", ">"),
    ("mul!(", ")"),
    ("-", ""),
    ("!", ""),
    ("&", ""),
    ("x.", ""),
    ("x + ", ""),
    ("if ", ""),
    ("|x| ", ""),
    ("x = ", ""),
];

/// How much longer than a real file a text may become.
const MORE: usize = 64 << 10;

/// One in so many inputs has nothing to do with any file.
const ARBITRARY: u32 = 20;

/// A text with a few things wrong, some of them from another text.
pub(super) fn mutated(text: &str, other: &str, rng: &mut TestRng) -> String {
    if rng.random_ratio(1, ARBITRARY) {
        return arbitrary(text, other, rng);
    }
    let mut changed = text.to_owned();
    for _ in 0..rng.random_range(1..=4) {
        changed = once(&changed, other, rng);
        changed.truncate(changed.floor_char_boundary(text.len() + MORE));
    }
    changed
}

/// Bytes, or words of two texts in any order.
fn arbitrary(text: &str, other: &str, rng: &mut TestRng) -> String {
    let length = 1 << rng.random_range(0..12);
    if rng.random() {
        let bytes: Vec<u8> = (0..length).map(|_| rng.random()).collect();
        return String::from_utf8_lossy(&bytes).into_owned();
    }
    let words = [tokens(text), tokens(other), STRANGE.to_vec()].concat();
    (0..length).map(|_| pick(&words, rng)).collect()
}

fn once(text: &str, other: &str, rng: &mut TestRng) -> String {
    let lines = rng.random();
    let split = |text| match lines {
        true => str::split_inclusive(text, '\n').collect(),
        false => tokens(text),
    };
    let (mut pieces, others): (Vec<&str>, Vec<&str>) = (split(text), split(other));
    let (start, end) = run(&pieces, rng);
    let (nested, ended);
    let instead: Vec<&str> = match rng.random_range(0..10) {
        0 => Vec::new(),
        1 => pieces[start..end].repeat(2),
        2 => {
            let length: usize = pieces[start..end].iter().map(|piece| piece.len()).sum();
            let times = 1 << rng.random_range(2..12);
            pieces[start..end].repeat(times.min(1 + MORE / length.max(1)))
        }
        3 => {
            let (from, to) = run(&others, rng);
            others[from..to].to_vec()
        }
        4 => vec![pick(&STRANGE, rng)],
        5 => {
            let (open, close) = NESTS[rng.random_range(0..NESTS.len())];
            let depth = 1 << rng.random_range(2..15);
            nested = open.repeat(depth);
            ended = close.repeat(if rng.random() { depth } else { 0 });
            [&[&*nested], &pieces[start..end], &[&*ended]].concat()
        }
        6 => {
            pieces.truncate(end);
            pieces[start..].to_vec()
        }
        7 => {
            let from = run(&others, rng).0;
            pieces.truncate(end);
            others[from..].to_vec()
        }
        8 => return flipped(text, rng),
        _ => return number(text, rng),
    };
    pieces.splice(start..end, instead);
    pieces.concat()
}

/// Words, runs of blanks, and every other character by itself: together the text.
fn tokens(text: &str) -> Vec<&str> {
    let kind = |c: char| match c {
        _ if c.is_alphanumeric() || c == '_' => 1,
        _ if c.is_whitespace() => 2,
        _ => 0,
    };
    let (mut all, mut rest) = (Vec::new(), text);
    while let Some(first) = rest.chars().next() {
        let same = |c: char| kind(first) > 0 && kind(c) == kind(first);
        let end = rest.find(|c| !same(c)).unwrap_or(rest.len());
        let (token, after) = rest.split_at(end.max(first.len_utf8()));
        all.push(token);
        rest = after;
    }
    all
}

/// Where a few pieces in a row begin and end.
fn run(pieces: &[&str], rng: &mut TestRng) -> (usize, usize) {
    let start = rng.random_range(0..=pieces.len());
    let length = rng.random_range(0..=8);
    (start, pieces.len().min(start + length))
}

fn pick<'t>(words: &[&'t str], rng: &mut TestRng) -> &'t str {
    words[rng.random_range(0..words.len())]
}

/// The text with one byte changed.
fn flipped(text: &str, rng: &mut TestRng) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let at = rng.random_range(0..=bytes.len());
    if let Some(byte) = bytes.get_mut(at) {
        *byte ^= 1 << rng.random_range(0..8);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The text with another number in place of one.
fn number(text: &str, rng: &mut TestRng) -> String {
    let mut words = tokens(text);
    let digits = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
    let places: Vec<usize> = (0..words.len()).filter(|n| digits(words[*n])).collect();
    let Some(last) = places.len().checked_sub(1) else {
        return text.to_owned();
    };
    let place = places[rng.random_range(0..=last)];
    let shift = rng.random_range(0..64);
    let word = match rng.random() {
        true => (rng.random::<u64>() >> shift).to_string(),
        false => pick(&STRANGE[..9], rng).to_owned(),
    };
    words[place] = &word;
    words.concat()
}
