use super::*;

const NEON: &str = include_str!("samples/neon.rs");
const SCALAR: &str = include_str!("samples/scalar.rs");

fn plain(old: &str, new: &str) -> String {
    render(&compare(old, new).unwrap(), false)
}

#[test]
fn the_same_text_has_no_changes() {
    assert!(compare(NEON, NEON).unwrap().is_empty());
    assert_eq!(plain(SCALAR, SCALAR), "");
}

#[test]
fn an_instruction_less_with_registers_allocated_anew() {
    let new = NEON
        .replacen("                \"csel x5, x3, xzr, hs\",\n", "", 1)
        .replace("x6", "x7");
    insta::assert_snapshot!(plain(NEON, &new));
}

#[test]
fn a_moved_instruction_and_swapped_operands() {
    let load = "                \"ldr x5, [x0, #8]\",\n";
    let first = "                \"ldr x4, [x0]\",\n";
    let new = NEON
        .replacen(&format!("{first}{load}"), &format!("{load}{first}"), 1)
        .replace("\"umulh x6, x4, x4\"", "\"umulh x6, x4, x6\"");
    insta::assert_snapshot!(plain(NEON, &new));
}

#[test]
fn macro_bodies_and_sites_in_plain_rust() {
    let new = SCALAR
        .replace("let r = u64::wrapping_add(t2, t4);", "let r = t2;")
        .replace(
            "group[0] = v9;",
            "let v10 = add!(v9, v9);\n            group[0] = v10;",
        );
    insta::assert_snapshot!(plain(SCALAR, &new));
}

#[test]
fn a_kernel_that_was_not_there() {
    let changes = compare("", SCALAR).unwrap();
    let edits = changes.places.iter().flat_map(|place| &place.edits);
    assert!(edits.clone().count() > 5);
    assert!(edits.clone().all(|edit| matches!(edit, Edit::Added(_))));
}

#[test]
fn colour_only_where_it_is_wanted() {
    let changes = compare(SCALAR, &SCALAR.replace("add!(v", "sub!(v")).unwrap();
    assert!(!render(&changes, false).contains('\u{1b}'));
    let changes = compare(NEON, &NEON.replace("umulh", "mul")).unwrap();
    assert!(render(&changes, true).contains('\u{1b}'));
}
