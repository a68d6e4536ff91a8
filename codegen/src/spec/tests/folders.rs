//! What is said of folders and files that cannot be loaded.

use super::errors::{VALID, with};
use crate::diag::{Diagnostics, Source};
use crate::spec::{Spec, load_all};

#[test]
fn what_cannot_be_loaded_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let shown = |path: &std::path::Path| {
        let error = load_all(path).unwrap_err().render_plain();
        error
            .trim_start()
            .replace(folder.path().to_str().unwrap(), "DIR")
    };
    assert!(
        shown(&folder.path().join("absent"))
            .starts_with("× cannot read the folder of specs DIR/absent")
    );
    assert_eq!(shown(folder.path()), "× no spec (*.toml) in DIR\n");
    write("a.toml", VALID);
    write("b.toml", VALID);
    assert!(
        shown(folder.path()).starts_with("× DIR/b.toml and DIR/a.toml describe the same instance")
    );
    write("a.toml", &with(VALID, "width = 8", "width = 9"));
    write("b.toml", &with(VALID, "sbox = 7", "sbox = true"));
    assert_eq!(load_all(folder.path()).unwrap_err().len(), 2);
    let absent = Spec::load(folder.path().join("c.toml")).unwrap_err();
    assert!(
        absent
            .iter()
            .next()
            .unwrap()
            .message()
            .starts_with("cannot read spec ")
    );
}

#[test]
fn a_byte_that_is_not_utf_8_is_shown() {
    let source = Source::of_bytes("latin.toml", b"[permutation] # \xfcber\n".to_vec());
    let error: Diagnostics = source.unwrap_err().into();
    insta::assert_snapshot!(error.render_plain());
}
