//! Attacks on macros, and on instructions in an order of our own.

use super::*;

/// What is defined beside `permute` must be what it is called; and instructions in an order of our own
/// must be those of the macro-ops.
#[test]
fn definitions_and_instructions_count() {
    let attacks: [(&str, usize, &str, &str); 25] = [
        (
            "exchanged lanes of a vector's words",
            3,
            "(vgetq_lane_u64::<0>",
            "(vgetq_lane_u64::<1>",
        ),
        (
            "exchanged words of a vector",
            3,
            "vcreate_u64($a), vcreate_u64($b)",
            "vcreate_u64($b), vcreate_u64($a)",
        ),
        (
            "a word that is in one lane",
            1,
            "_mm256_set1_epi64x($word",
            "_mm256_set_epi64x(0, 0, 0, $word",
        ),
        (
            "a changed word",
            1,
            "($word.cast_signed())",
            "(($word + 1).cast_signed())",
        ),
        (
            "a constant that computes",
            1,
            "_mm256_set1_epi64x(4294967295)",
            "_mm256_set1_epi64x(4294967294 + 1)",
        ),
        (
            "another attribute",
            1,
            "#[target_feature",
            "#[cold]\n#[target_feature",
        ),
        (
            "two lists of features",
            1,
            "#[target_feature",
            "#[target_feature(enable = \"bmi2\")]\n#[target_feature",
        ),
        (
            "a struct that is laid out otherwise",
            1,
            "packed(8)",
            "packed(4)",
        ),
        (
            "an attribute of a macro",
            1,
            "macro_rules! plus",
            "#[cfg(test)]\nmacro_rules! plus",
        ),
        (
            "a function",
            1,
            "macro_rules! plus",
            "fn f() {}\nmacro_rules! plus",
        ),
        (
            "a macro that is not there",
            1,
            "plus!(v0_0_0, constant_low_0)",
            "add!(v0_0_0, constant_low_0)",
        ),
        (
            "a store that is not compiled",
            1,
            "words[1].0 = v21;",
            "#[cfg(any())]\nwords[1].0 = v21;",
        ),
        (
            "a file that is not compiled",
            1,
            "//! Poseidon2 over",
            "#![cfg(any())]\n//! Poseidon2 over",
        ),
        (
            "states that are somewhere else",
            0,
            "    let state = states;",
            "    let copy = states;\n    let mut states = [copy[0], copy[1]];\n    let state = states;",
        ),
        (
            "another instruction",
            4,
            "let v26 = vaddq_u64!(v24, v25)",
            "let v26 = vsubq_u64!(v24, v25)",
        ),
        (
            "exchanged operands",
            4,
            "vaddq_u64!(v50, v49)",
            "vaddq_u64!(v49, v50)",
        ),
        (
            "another immediate",
            4,
            "let v103 = vshlq_n_u64_33!",
            "let v103 = vshlq_n_u64_32!",
        ),
        (
            "another lane",
            4,
            "let x132 = take_0!",
            "let x132 = take_1!",
        ),
        (
            "lanes joined the other way",
            4,
            "\"fmov {t0:d}, {a}\"",
            "\"fmov {t0:d}, {b}\"",
        ),
        (
            "a lane that is not joined",
            4,
            "\"mov {t0:v}.d[1], {b}\",",
            "",
        ),
        (
            "a word in one lane of two",
            4,
            "let v25 = broadcast!(constants.external[step - 1][pass * 8][1]);",
            "let v25 = constants.external[step - 1][pass * 8][1];",
        ),
        (
            "another line in a macro",
            4,
            "\"add {t0:v}.2d, {a:v}.2d, {b:v}.2d\"",
            "\"sub {t0:v}.2d, {a:v}.2d, {b:v}.2d\"",
        ),
        (
            "another body of a macro-op",
            4,
            "let t9 = vsraq_n_u64::<32>(t7, t6);",
            "let t9 = vsraq_n_u64::<31>(t7, t6);",
        ),
        (
            "a macro-op that is not there",
            4,
            "macro_rules! square {",
            "macro_rules! squared {",
        ),
        (
            "macros that may be anything",
            4,
            "#[allow(unused_macros)]",
            "#[allow(unused_macros)]\n#[macro_use]",
        ),
    ];
    for (what, at, from, to) in attacks {
        let (name, program) = KERNELS[at];
        let (text, shape) = kernel(name, program);
        assert!(text.contains(from), "{what}: {name} has no `{from}`");
        assert!(read(&text.replacen(from, to, 1), &shape).is_err(), "{what}");
    }
}

/// Every line of a macro made wrong is refused, or read as another body.
#[test]
fn every_line_of_a_macro_counts() {
    let mut tried = 0;
    for (name, program) in KERNELS {
        let (text, shape) = kernel(name, program);
        let features = ["avx2", "avx512ifma", "neon"].map(str::to_owned);
        let features: Vec<String> = features
            .into_iter()
            .filter(|f| name.contains(&**f))
            .collect();
        let macros = |text: &str| {
            let file = syn::parse_file(text).map_err(|error| error.to_string())?;
            let macros = file::items(
                &file.items,
                shape.word(),
                shape.wide.is_some(),
                target(&features, &file),
            )?;
            Ok::<_, String>(format!(
                "{:?}",
                (macros.bodies, macros.others, macros.replaced)
            ))
        };
        let end = text
            .find("#[target_feature")
            .or(text.find("pub fn permute"))
            .unwrap();
        // Macros stand before what they are for, and before what is said of it.
        let lines: Vec<&str> = text[..end].lines().collect();
        let said = |line: &&&str| line.is_empty() || line.starts_with("///");
        let end = lines.len() - lines.iter().rev().take_while(said).count();
        let lines = &lines[..end];
        let before = macros(&lines.join("\n")).unwrap();
        let start = lines
            .iter()
            .position(|line| line.starts_with("macro_rules!"))
            .unwrap();
        for at in start..lines.len() {
            for changed in wrong(lines[at]) {
                let mut others = lines.to_vec();
                others[at] = &changed;
                let differs = macros(&others.join("\n")).as_ref() != Ok(&before);
                // Numbers outside of bodies are words of the permutation.
                let refused = || read(&text.replacen(lines[at], &changed, 1), &shape).is_err();
                assert!(
                    differs || refused(),
                    "{name}: `{changed}` for `{}`",
                    lines[at]
                );
                tried += 1;
            }
        }
    }
    assert!(tried > 1000, "{tried}");
}

/// One instruction after the other in an order of our own.
#[test]
fn every_instruction_counts() {
    let (text, shape) = kernel(KERNELS[4].0, KERNELS[4].1);
    let code = |line| str::split_once(line, " // ").map_or(line, |(code, _)| code);
    let lines: Vec<&str> = text.lines().map(code).collect();
    let start = lines
        .iter()
        .position(|line| line.contains("pub fn permute"))
        .unwrap();
    let mut tried = 0;
    for at in (start..lines.len()).step_by(37) {
        // There is one pass.
        let wrong = wrong(lines[at]).into_iter();
        for changed in wrong.filter(|changed| !changed.contains("pass * 9")) {
            let mut lines = lines.clone();
            lines[at] = &changed;
            let outcome = read(&lines.join("\n"), &shape);
            assert!(outcome.is_err(), "`{changed}` for `{}`", lines[at]);
            tried += 1;
        }
    }
    assert!(tried > 50, "{tried}");
}

fn wrong(line: &str) -> Vec<String> {
    let code = line.trim();
    let mut all = Vec::new();
    if code.is_empty() || code.starts_with("//") {
        return all;
    }
    if code.ends_with(';') {
        all.push(String::new());
    }
    if let Some((head, operands)) = code.split_once("!(")
        && let Some((a, b)) = operands.trim_end_matches(");").split_once(", ")
        && a != b
    {
        all.push(format!("{head}!({b}, {a});"));
    }
    // Indices and bounds, not names.
    for (at, digit) in code.char_indices().filter(|(_, c)| c.is_ascii_digit()) {
        let (before, after) = (&code[..at], &code[at + 1..]);
        let part_of_a_name = before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        if !part_of_a_name && !before.ends_with(".0") && !before.ends_with(").") {
            let other = if digit == '9' {
                '8'
            } else {
                char::from(digit as u8 + 1)
            };
            all.push(format!("{before}{other}{after}"));
        }
    }
    all
}
