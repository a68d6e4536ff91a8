//! The program `check`, as whoever has a kernel from elsewhere runs it.

use std::path::{Path, PathBuf};
use std::process::Command;

/// What it says of a kernel's text beside a certificate, and its exit code.
fn check(kernel: &Path, certificate: &Path) -> (Option<i32>, String, String) {
    let program = env!("CARGO_BIN_EXE_check");
    let output = Command::new(program).args([kernel, certificate]).output();
    let output = output.expect("the program runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

fn generated(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../generated")
        .join(file)
}

const CERTIFICATE: &str = "proofs/plonky3/koala_bear/w16_uniform.cert";
const KERNEL: &str = "src/plonky3/koala_bear/w16_avx2_across_uniform_b1.rs";

#[test]
fn what_holds_and_what_does_not() {
    let (code, said, _) = check(&generated(KERNEL), &generated(CERTIFICATE));
    assert_eq!(code, Some(0), "{said}");
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(
        lines[0],
        "certificate: plonky3/koala_bear/w16_uniform, proved"
    );
    assert_eq!(
        lines[1],
        "permutation: Poseidon2 over koala-bear, width 16, 8 external and 20 internal rounds, x^3, \
         as parameter set plonky3 has it"
    );
    assert!(lines[lines.len() - 1].starts_with("lemmas: all proved by "));

    let folder = tempfile::tempdir().expect("a folder");
    let altered = folder.path().join("altered.rs");
    let text = std::fs::read_to_string(generated(KERNEL)).expect("a kernel");
    assert!(text.contains("for round in 0..20"));
    std::fs::write(&altered, text.replacen("0..20", "1..20", 1)).expect("a file");
    let (code, _, said) = check(&altered, &generated(CERTIFICATE));
    assert_eq!(code, Some(1), "{said}");
    assert!(
        said.starts_with(&format!("refused: {}: ", altered.display())),
        "{said}"
    );

    let (code, _, said) = check(&folder.path().join("none.rs"), &generated(CERTIFICATE));
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("none.rs"), "{said}");
}
