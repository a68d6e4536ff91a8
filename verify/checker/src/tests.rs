use std::path::Path;

use super::*;

fn certificate(program: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../generated/proofs/plonky3");
    let text = std::fs::read_to_string(folder.join(format!("{program}.cert")));
    let text = text.expect("a certificate");
    let lines = text.lines().filter_map(|line| line.split('#').next());
    let lines = lines.map(str::trim_end).filter(|line| !line.is_empty());
    lines.map(|line| format!("{line}\n")).collect()
}

/// Every line, changed in every way that makes it say something else.
fn tampered(text: &str) -> Vec<(String, String)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut all = Vec::new();
    for (n, line) in lines.iter().enumerate() {
        let mut push = |with: &str| {
            let mut changed = lines.clone();
            changed[n] = with;
            let what = format!("`{with}` for line {}, `{line}`", n + 1);
            all.push((what, changed.join("\n")));
        };
        push("");
        let words: Vec<&str> = line.split(' ').collect();
        for (at, word) in words.iter().enumerate() {
            let digits = word.trim_start_matches(|c: char| !c.is_ascii_digit());
            let head = &word[..word.len() - digits.len()];
            let number = digits.parse::<i64>().ok();
            let numbers = number.into_iter().flat_map(|n| [n + 1, n - 1]);
            let mut others: Vec<String> = numbers.map(|n| format!("{head}{n}")).collect();
            let names = [("add", "sub"), ("plus", "minus"), ("canonicalise", "halve")];
            for (a, b) in names {
                others.extend((*word == a).then(|| b.to_owned()));
                others.extend((*word == b).then(|| a.to_owned()));
            }
            for other in others {
                let mut words = words.clone();
                words[at] = &other;
                push(&words.join(" "));
            }
        }
    }
    all
}

#[test]
fn tampering_is_refused() {
    for (name, step) in [
        ("goldilocks/w8_eager", 3),
        ("goldilocks/w8_columns", 23),
        ("goldilocks/w8_limbs", 23),
        ("koala_bear/w16_eager", 41),
        ("baby_bear/w16_radix52", 41),
    ] {
        let text = certificate(name);
        check(&text).expect("it holds");
        let tampered = tampered(&text);
        assert!(tampered.len() > 500, "{}", tampered.len());
        let tried = tampered.into_iter().step_by(step);
        let accepted: Vec<String> = tried
            .filter(|(_, text)| check(text).is_ok())
            .map(|(what, _)| what)
            .collect();
        assert_eq!(accepted, Vec::<String>::new(), "{name}");
    }
}

#[test]
fn refusals_name_the_line() {
    let text = certificate("goldilocks/w8_eager");
    let refused = |from: &str, to: &str| {
        let at = text.find(from).unwrap_or_else(|| panic!("no `{from}`"));
        let line = text[..at].lines().count() + 1;
        let refused = check(&text.replacen(from, to, 1)).expect_err("a tampered certificate");
        assert_eq!(refused.line, Some(line), "{refused}");
        refused.what
    };
    let what = refused("v9 = add v8 v1", "v9 = add v0 v1");
    assert!(what.contains("does not take values"), "{what}");
    let what = refused("v9 = add v8 v1", "v9 = pack v8 v1");
    assert!(what.contains("misreads an operand"), "{what}");
    let what = refused("v9 = add v8 v1", "v9 = add-twice v8 v1");
    assert!(what.contains("no macro-op"), "{what}");
    let what = refused("v9 = add v8 v1", "v9 = add v8 v9");
    assert!(what.contains("cannot be read"), "{what}");
    let what = refused("parts 1", "parts 3");
    assert!(what.contains("`parts` is a number up to 2"), "{what}");
    let own = "program plonky3/goldilocks/w8_";
    for other in [
        "program plonky3/goldilocks/w12_",
        "program plonky3/goldilocks/w8_x::",
        "program plonky3/goldilocks/w8_x/",
        "program plonky3/baby_bear/w8_",
        "program mine/goldilocks/w8_",
    ] {
        let what = refused(own, other);
        assert!(
            what.contains("is named `plonky3/goldilocks/w8_…`"),
            "{what}"
        );
    }
}

/// What is shown of a certificate is what is read: of its names, too.
#[test]
fn characters_that_hide_others_are_refused() {
    let text = certificate("goldilocks/w8_eager");
    for set in [
        "\u{1b}[8mmine",
        "mine\u{2800}as\u{2800}plonky3",
        "mine#\rwidth",
    ] {
        let text = text.replace(" plonky3", &format!(" {set}"));
        let refused = check(&text).expect_err(set);
        assert!(refused.what.contains(r"there may be no \u{"), "{refused}");
    }
}

/// A sum with a product of two words and a square of one is no product of the forms that both are of.
#[test]
fn squares_beside_products_are_refused() {
    let permutation = reference::find("plonky3", "goldilocks", 8)
        .expect("known")
        .permutation;
    let row = ops::find(&reference::GOLDILOCKS, None, "mul").expect("a row");
    let product = |a, b, k| {
        let of = row::Word::Product(a, b);
        let (from, width) = (0, None);
        (k, row::Piece::Bits { of, from, width })
    };
    let meaning = |terms: &[_]| {
        let mut row = row.clone();
        row.results[0].terms = terms.to_vec();
        row.meaning(&permutation, 0)
    };
    assert!(meaning(&[product(0, 1, 1)]).is_some());
    assert!(meaning(&[product(0, 0, 1), product(0, 1, 2), product(1, 1, 1)]).is_some());
    assert_eq!(meaning(&[product(0, 1, 1), product(1, 1, 1)]), None);
}

/// What words make is added up, and pieces cancel with the same pieces alone. Words are doubled in one reading alone.
#[test]
fn pieces_are_told_apart() {
    use row::Word::{Doubled, Operand, Product};
    use row::{Piece, Reading};
    let permutation = reference::find("plonky3", "goldilocks", 8)
        .expect("known")
        .permutation;
    let row = ops::find(&reference::GOLDILOCKS, None, "mul").expect("a row");
    let meaning = |reads, terms: &[_]| {
        let mut row = row.clone();
        row.reads = reads;
        row.results[0].terms = terms.to_vec();
        row.meaning(&permutation, 0)
    };
    let whole = |of, k| {
        let (from, width) = (0, None);
        (k, Piece::Bits { of, from, width })
    };
    let quotient = |k, factor, bits| {
        let of = Operand(0);
        (k, Piece::Quotient { of, factor, bits })
    };
    let rest = |[factor, bits]: [u32; 2]| {
        let two = [quotient(1, 1, 8), quotient(-1, factor.into(), bits)];
        let terms = [&[whole(Operand(0), 1)], &two[..]].concat();
        meaning(Reading::Unsigned, &terms)
    };
    assert!(rest([1, 8]).is_some());
    assert_eq!([[3, 8], [1, 16]].map(rest), [None, None]);
    let both = [whole(Product(0, 1), 1), whole(Doubled(0, 1), 1)];
    assert_eq!(meaning(Reading::Unsigned, &both), None);
    let thrice = meaning(Reading::Shifted, &[whole(Product(0, 1), 3)]);
    assert_eq!(meaning(Reading::Shifted, &both), thrice);
    let turned = [whole(Product(0, 1), 1), whole(Product(1, 0), 2)];
    assert_eq!(meaning(Reading::Shifted, &turned), thrice);
}

/// Products that `2^52` may divide are refused: of an even constant, of x by itself, of a sixth power that
/// is p less, of a word that may be zero.
#[test]
fn products_that_may_not_carry_are_refused() {
    let text = certificate("baby_bear/w16_radix52");
    check(&text).expect("it holds");
    let sbox = text.find("block external-sbox").expect("a block");
    let (before, sbox) = text.split_at(sbox);
    let lines = sbox
        .lines()
        .take_while(|line| !line.starts_with("block internal"));
    let lines: Vec<&str> = lines.collect();
    let p = "2013265921";
    let given = |what: &str| {
        let line = lines.iter().find(|line| line.contains(what)).expect(what);
        line.split(' ').next().expect("a value").to_owned()
    };
    let (one, more) = (
        given(&format!("= constant({p})")),
        given("= constant(2013265922)"),
    );
    let start = given("= constant(1)");
    let mut refused = 0;
    for line in lines.iter().filter(|line| line.contains(" = ")) {
        let changed = match line.split(' ').collect::<Vec<_>>()[..] {
            [r, "=", "plus", x, by] if by == one => format!("{r} = plus {x} {x}"),
            [r, "=", "mul-add", c, a, b] if c == more => format!("{r} = mul-add {start} {a} {b}"),
            _ => continue,
        };
        let text = format!("{before}{}", sbox.replacen(line, &changed, 1));
        let found = check(&text).expect_err(&changed);
        assert!(found.what.contains("2^52"), "{changed}: {found}");
        refused += 1;
    }
    assert_eq!(refused, 3);
    let enter = text.find("block enter").expect("a block");
    let (before, enter) = text.split_at(enter);
    let sum = enter
        .lines()
        .find(|line| line.contains(" = plus v0 "))
        .expect("p is added");
    let (sum, _) = sum.split_once(" = ").expect("a value");
    let enter = enter.replacen(&format!(" {sum} "), " v0 ", 1);
    let found = check(&format!("{before}{enter}")).expect_err("a word that may be zero");
    assert!(found.what.contains("2^52"), "{found}");
}

/// Kernels of words of 64 bits and radix 2^52 read constants with a zero behind each: no table has them so, unless
/// they are prepared.
#[test]
fn constants_of_two_words_are_prepared() {
    let text = certificate("koala_bear/w16_radix52");
    let (before, constant) = text.split_once("block constant\n").expect("a block");
    let (_, after) = constant.split_once("block ").expect("others");
    let refused = check(&format!("{before}block {after}")).expect_err("raw constants");
    assert_eq!(refused.what, "there is no block constant");
}

#[test]
fn no_program_is_endless() {
    let text = certificate("goldilocks/w8_eager");
    for (from, to) in [
        ("width 8", "width 1024"),
        ("internal-rounds 22", "internal-rounds 1000"),
        ("alpha 7", "alpha 0"),
    ] {
        assert!(text.contains(from), "no `{from}`");
        let refused = check(&text.replacen(from, to, 1)).expect_err(to);
        assert!(refused.what.contains("is a number up to"), "{refused}");
    }
    let output = text.find("output ").expect("the first block ends");
    let (before, after) = text.split_at(output);
    let (_, last) = before.rsplit_once("\nv").expect("a value");
    let (last, _) = last.split_once(' ').expect("is given");
    let last: usize = last.parse().expect("a number");
    let idle = |n| format!("v{n} = canonicalise v{last}\n");
    let idle: String = (last + 1..last + 300_000).map(idle).collect();
    let refused = check(&format!("{before}{idle}{after}")).expect_err("a long program");
    assert!(refused.what.contains("steps from the start"), "{refused}");
}

/// Each of these products has a million words tried: how many there may be is bounded.
#[test]
fn trials_of_carries_are_bounded() {
    let text = certificate("baby_bear/w16_radix52");
    let enter = text.find("block enter").expect("a block");
    let output = enter + text[enter..].find("output ").expect("it ends");
    let tried = |products: u64| {
        // v56 is 32·v0 + 1, and v57 zero. Factors are congruent; of any other, there is no power.
        let mut ops = [0, 51, 52, 53, 54]
            .map(|x| format!("plus v{x} v{x}"))
            .to_vec();
        ops.extend(["plus v55 v18".to_owned(), "constant(0)".to_owned()]);
        for n in 0..products {
            ops.push(format!("constant({})", 2_013_265_921 * (4 * n + 2)));
            ops.push(format!("plus v56 v{}", 50 + ops.len()));
            for _ in 0..12 {
                ops.push(format!("plus v{} v57", 50 + ops.len()));
            }
            ops.push(format!("mul-add v18 v56 v{}", 50 + ops.len()));
        }
        let lines = (51..).zip(ops).map(|(n, op)| format!("v{n} = {op}\n"));
        let lines: String = lines.collect();
        check(&format!("{}{lines}{}", &text[..output], &text[output..]))
    };
    tried(1).expect("one holds");
    let refused = tried(6).expect_err("as many as six");
    assert!(refused.what.contains("2^52"), "{refused}");
}

/// A factor is a word of 32 bits in memory; that a number is longer is a lint to Rust.
#[test]
fn factors_are_words() {
    let text = certificate("koala_bear/w16_radix52");
    let line = text.find("block ").expect("a block");
    let refused = |factor: u64| {
        let factors = format!("factors{}\n", format!(" {factor} 1").repeat(20));
        let text = format!("{}{factors}{}", &text[..line], &text[line..]);
        check(&text).expect_err("factors without a use")
    };
    let most = refused(u32::MAX.into()).line;
    assert_ne!(most, refused(1 << 32).line);
    assert!(most > Some(text[..line].lines().count() + 1));
}

/// A row that says something else than its macro-op's name is refused, or proves another function.
#[test]
fn rows_stand_for_what_cancels() {
    let field = reference::GOLDILOCKS;
    let permutation = reference::find("plonky3", "goldilocks", 8)
        .expect("it is there")
        .permutation;
    let meaning = |row: &row::Row| row.meaning(&permutation, 0);
    for op in [
        "pack",
        "carry",
        "split",
        "mul-columns",
        "mul-columns-redc",
        "mul-halves",
        "mul-columns-halves",
        "share",
        "mul",
    ] {
        let row = ops::find(&field, None, op).expect("it is there");
        let right = meaning(&row).expect("pieces cancel");
        for result in 0..row.results.len() {
            for term in 0..row.results[result].terms.len() {
                let mut wrong = row.clone();
                wrong.results[result].terms[term].0 *= -1;
                assert_ne!(meaning(&wrong), Some(right.clone()), "{op} {result} {term}");
            }
        }
    }
}
