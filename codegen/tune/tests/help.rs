//! The help as its users meet it.

use std::process::Command;

#[test]
fn help() {
    let output = Command::new(env!("CARGO_BIN_EXE_tune"))
        .arg("--help")
        .env("NO_COLOR", "1")
        .output()
        .unwrap();
    assert!(output.status.success());
    insta::assert_snapshot!(String::from_utf8(output.stdout).unwrap());
}
