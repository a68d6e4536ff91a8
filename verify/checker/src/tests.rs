use std::path::Path;

use super::*;
fn certificate(program: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../generated/proofs/plonky3");
    let text = std::fs::read_to_string(folder.join(format!("{program}.cert")));
    let text = text.expect("a certificate");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| format!("{line}\n")).collect()
}

/// Every line, changed in every way that makes it say something else.
fn tampered(text: &str) -> Vec<(String, String)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut all = Vec::new();
    let mut push = |what: String, n: usize, with: Option<String>| {
        let mut changed: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
        match with {
            Some(line) => changed[n] = line,
            None => drop(changed.remove(n)),
        }
        all.push((what, changed.join("\n")));
    };
    for (n, line) in lines
        .iter()
        .enumerate()
        .filter(|(_, line)| !line.is_empty())
    {
        push(format!("without `{line}`"), n, None);
        let words: Vec<&str> = line.split(' ').collect();
        for (at, word) in words.iter().enumerate() {
            let mut with = |new: String| {
                if new == *word {
                    return;
                }
                let mut words: Vec<String> = words.iter().map(|w| (*w).to_owned()).collect();
                words[at] = new;
                let line = words.join(" ");
                push(format!("`{line}` for line {}", n + 1), n, Some(line));
            };
            if let Ok(number) = word.parse::<i128>() {
                with((number + 1).to_string());
                with((number - 1).to_string());
            } else if let Some(value) = word.strip_prefix('v').and_then(|v| v.parse::<u32>().ok()) {
                with(format!("v{}", value + 1));
                with(format!("v{}", value.saturating_sub(1)));
            } else if *word == "add" {
                with("sub".to_owned());
                with("mul".to_owned());
            } else if *word == "sub" {
                with("add".to_owned());
            } else if *word == "canonicalise" {
                with("halve".to_owned());
            }
        }
    }
    all
}

/// What a certificate may say otherwise without being wrong: a bound that is wider than need be.
fn harmless(what: &str, refused: &Result<Checked, Refused>, checked: &Checked) -> bool {
    let same = refused.as_ref().is_ok_and(|other| {
        (other.sites, other.elided, other.executed)
            == (checked.sites, checked.elided, checked.executed)
    });
    same && (what.starts_with("`op ") || what.starts_with("without `  "))
}

#[test]
fn tampering_is_refused() {
    // The longer certificates, of elements in parts, are executed on ranges each time.
    for (name, step) in [
        ("goldilocks/w8_eager", 1),
        ("goldilocks/w8_columns", 7),
        ("goldilocks/w8_limbs", 7),
    ] {
        let text = certificate(name);
        let checked = check(&text).expect("it holds");
        let mut accepted = Vec::new();
        let mut tried = 0;
        for (what, text) in tampered(&text).into_iter().step_by(step) {
            let outcome = check(&text);
            tried += 1;
            if outcome.is_ok() && !harmless(&what, &outcome, &checked) {
                accepted.push(what);
            }
        }
        assert!(tried > 500, "{tried}");
        assert_eq!(accepted, Vec::<String>::new(), "{name}");
    }
}

fn refusal(from: &str, to: &str) -> Fault {
    let text = certificate("goldilocks/w8_eager");
    assert!(text.contains(from), "{from}");
    check(&text.replacen(from, to, 1))
        .expect_err("a tampered certificate")
        .fault
}

#[test]
fn each_kind_of_tampering_has_its_fault() {
    let top = "18446744073709551615";
    assert!(matches!(refusal("-1/2", "1/2"), Fault::Stated));
    assert!(matches!(refusal("assumed 0", "assumed 1"), Fault::Stated));
    assert!(matches!(
        refusal(
            "constant range 0 18446744069414584320",
            &format!("constant range 0 {top}")
        ),
        Fault::Range
    ));
    assert!(matches!(
        refusal(
            "op v9 add v8 v1 range 0 18446744073709551615",
            "op v9 add v8 v1 range 0 5"
        ),
        Fault::Range
    ));
    assert!(matches!(refusal("op v9 add", "op v9 pack"), Fault::MacroOp));
    let rounds = ["internal-rounds 0 22", "internal-rounds 0 21"];
    assert!(matches!(refusal(rounds[0], rounds[1]), Fault::Stated));
    let swapped = "flow internal-rounds 0 22\nflow external-rounds 0 4";
    let right = "flow external-rounds 0 4\nflow internal-rounds 0 22";
    assert!(matches!(refusal(right, swapped), Fault::Stated));
    assert!(matches!(
        refusal(
            "b is the output of halve",
            "b is the output of canonicalise"
        ),
        Fault::Operand
    ));
    let outputs = "output state[0] v49\noutput state[1] v51";
    assert!(matches!(
        refusal(outputs, "output state[0] v51\noutput state[1] v49"),
        Fault::Function
    ));
    let site = "site external[*].mds.block[0].t01 op add v8 v1\n  \
                need a + b < 2^64 + p reached 36893488143124135935 bound 36893488143124135937\n  \
                a kept: canonicalised here\n";
    assert_eq!(refusal(site, ""), Fault::NoSite);
    // A dropped canonicalisation: the sum may not fit its word any more.
    assert_eq!(refusal("op v9 add v8 v1", "op v9 add v0 v1"), Fault::Range);
    let both = "op v9 add v8 v1 range 0 18446744073709551615 name external[*].mds.block[0].t01\n\
                site external[*].mds.block[0].t01 op add v8 v1";
    let raw = both.replace("add v8 v1", "add v0 v1");
    assert!(matches!(refusal(both, &raw), Fault::Range));
}

#[test]
fn every_generated_certificate_holds_and_every_kernel_has_one() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../generated");
    let checked = check_crate(&folder).expect("a readable folder");
    assert!(!checked.proofs.is_empty() && checked.kernels.len() > checked.proofs.len());
    assert_eq!(checked.refused(&folder), Vec::<String>::new());
}
