//! No circles: what one module needs of another runs one way. `cargo test -p codegen --test layering`
//! prints each room with the rooms that it needs, ground floor first.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use proc_macro2::{TokenStream, TokenTree};
use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::{Attribute, ItemMod, ItemUse, Meta, Token, UseTree};

/// For each module of a crate's root the others that it names, and where.
type Needs = BTreeMap<String, BTreeMap<String, BTreeSet<String>>>;

/// Collects, of every path outside tests that leads through the crate's root, the segment after it.
#[derive(Default)]
struct Named {
    /// How many `super` lead from the module at hand to the root.
    depth: usize,
    found: BTreeSet<String>,
}

/// Whether what has these attributes is compiled for tests only.
fn is_test(attributes: &[Attribute]) -> bool {
    let cfg = |a: &Attribute| {
        let wanted = a.path().is_ident("cfg").then(|| a.parse_args::<Meta>());
        wanted.is_some_and(|meta| asks_for_test(&meta.unwrap()))
    };
    attributes
        .iter()
        .any(|a| a.path().is_ident("test") || cfg(a))
}

fn asks_for_test(meta: &Meta) -> bool {
    let Meta::List(list) = meta else {
        return meta.path().is_ident("test");
    };
    let parts = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated);
    let mut parts = parts.unwrap().into_iter();
    match list.path.get_ident().map(ToString::to_string).as_deref() {
        Some("all") => parts.any(|part| asks_for_test(&part)),
        Some("any") => parts.len() > 0 && parts.all(|part| asks_for_test(&part)),
        _ => false,
    }
}

impl Named {
    /// Takes the segments of a path as far as the root; whether it leads there.
    fn is_root(&self, path: &[String]) -> bool {
        let supers = path.iter().filter(|s| *s == "super").count();
        let leads = path.iter().all(|s| s == "super" || s == "self") && supers == self.depth;
        leads && supers > 0 || path == ["crate"]
    }

    /// Notes the first segment after the root in a path.
    fn path(&mut self, segments: &[String]) {
        let roots = (1..segments.len()).find(|&n| self.is_root(&segments[..n]));
        self.found.extend(roots.map(|n| segments[n].clone()));
    }

    fn tree(&mut self, before: &[String], tree: &UseTree) {
        let with = |name: &syn::Ident| [before, &[name.to_string()]].concat();
        match tree {
            UseTree::Path(path) => self.tree(&with(&path.ident), &path.tree),
            UseTree::Name(name) => self.path(&with(&name.ident)),
            UseTree::Rename(rename) => {
                let path = with(&rename.ident);
                assert!(!self.is_root(&path), "the root has another name");
                self.path(&path);
            }
            UseTree::Group(group) => {
                group.items.iter().for_each(|tree| self.tree(before, tree));
            }
            UseTree::Glob(_) => {
                assert!(!self.is_root(before), "all of the root is named");
                self.path(&[before, &["*".to_owned()]].concat());
            }
        }
    }

    /// Paths among the tokens of a macro, which have no syntax tree.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut path: Vec<String> = Vec::new();
        for token in tokens {
            match token {
                TokenTree::Ident(ident) => path.push(ident.to_string()),
                TokenTree::Punct(colon) if colon.as_char() == ':' => continue,
                other => {
                    path.clear();
                    if let TokenTree::Group(group) = other {
                        self.tokens(group.stream());
                    }
                }
            }
            let start = path.iter().rposition(|s| s == "crate");
            self.path(&path[start.unwrap_or(0)..]);
        }
    }
}

impl<'ast> Visit<'ast> for Named {
    fn visit_file(&mut self, file: &'ast syn::File) {
        if !is_test(&file.attrs) {
            visit::visit_file(self, file);
        }
    }

    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        if !is_test(&item.attrs) {
            self.depth += 1;
            visit::visit_item_mod(self, item);
            self.depth -= 1;
        }
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        if !is_test(&item.attrs) {
            visit::visit_item_fn(self, item);
        }
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        if !is_test(&item.attrs) {
            visit::visit_item_impl(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        if !is_test(&item.attrs) {
            self.tree(&[], &item.tree);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments = path.segments.iter().map(|s| s.ident.to_string());
        self.path(&segments.collect::<Vec<_>>());
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        self.tokens(mac.tokens.clone());
        visit::visit_macro(self, mac);
    }
}

/// How many `super` lead from a file's module to the root.
fn depth(relative: &Path) -> usize {
    let own = relative.file_stem().is_some_and(|stem| stem == "mod");
    relative.components().count() - usize::from(own)
}

/// Reads every file below `folder` that is not a test.
fn read(root: &Path, folder: &Path, needs: &mut Needs) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
        if stem == "tests" {
            continue;
        }
        if path.is_dir() {
            read(root, &path, needs);
            continue;
        }
        if path.extension().is_none_or(|e| e != "rs") {
            continue;
        }
        let relative = path.strip_prefix(root).unwrap();
        let first = relative.components().next().unwrap().as_os_str();
        let module = Path::new(first).file_stem().unwrap().to_string_lossy();
        if ["lib", "main"].contains(&&*module) {
            continue;
        }
        let file = syn::parse_file(&fs::read_to_string(&path).unwrap()).unwrap();
        let mut named = Named {
            depth: depth(relative),
            ..Named::default()
        };
        named.visit_file(&file);
        let of_module = needs.entry(module.clone().into_owned()).or_default();
        for other in named.found.into_iter().filter(|other| *other != module) {
            let files = of_module.entry(other).or_default();
            files.insert(relative.display().to_string());
        }
    }
}

/// Takes away, again and again, modules that need no module left. What remains stands in circles or
/// on them.
fn floors(needs: &Needs) -> (Vec<String>, BTreeSet<String>) {
    let mut left: BTreeSet<String> = needs.keys().cloned().collect();
    let mut floors = Vec::new();
    loop {
        let free = |module: &&String| needs[*module].keys().all(|other| !left.contains(other));
        let Some(module) = left.iter().find(free).cloned() else {
            return (floors, left);
        };
        left.remove(&module);
        floors.push(module);
    }
}

#[test]
fn modules_have_no_circles() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut needs = Needs::new();
    read(&root, &root, &mut needs);
    let known: BTreeSet<String> = needs.keys().cloned().collect();
    for others in needs.values_mut() {
        others.retain(|other, _| known.contains(other));
    }
    let (floors, circles) = floors(&needs);
    for module in &floors {
        let others: Vec<&str> = needs[module].keys().map(String::as_str).collect();
        println!("{module:<12} {}", others.join(" "));
    }
    for module in &circles {
        for (other, files) in needs[module].iter().filter(|(m, _)| circles.contains(*m)) {
            eprintln!("{module} needs {other}: {files:?}");
        }
    }
    assert!(circles.is_empty(), "in or on circles: {circles:?}");
    assert!(floors.len() > 20, "the rooms are read: {floors:?}");
}

/// What the modules of a text at `file` name, in order.
fn named(file: &str, text: &str) -> String {
    let mut named = Named {
        depth: depth(Path::new(file)),
        ..Named::default()
    };
    named.visit_file(&syn::parse_file(text).unwrap());
    named.found.into_iter().collect::<Vec<_>>().join(" ")
}

#[test]
fn paths_through_the_root_are_found_however_they_lead_there() {
    let text = "
        use crate::{a, b::B};
        use super::super::{c, d as other, e::*};
        use super::near;
        fn f() { super::super::g::G; self::super::super::h(); println!(\"{}\", crate::i::I); }
        mod inner { use super::super::super::j; use super::super::near; }
    ";
    assert_eq!(named("one/two.rs", text), "a b c d e g h i j");
    assert_eq!(named("one/mod.rs", "use super::a;"), "a");
    assert_eq!(named("one.rs", "use super::{a, b};"), "a b");
}

#[test]
fn what_is_compiled_for_tests_only_counts_for_nothing() {
    for condition in [
        "test",
        "all(test, unix)",
        "any(test)",
        "all(unix, all(test))",
    ] {
        let text = format!("#[cfg({condition})] mod m {{ use crate::a; }}");
        assert_eq!(named("one.rs", &text), "", "{condition}");
        assert_eq!(
            named("one.rs", &format!("#![cfg({condition})] use crate::a;")),
            ""
        );
    }
    for condition in [
        "not(test)",
        "any(test, unix)",
        "all(unix)",
        "feature = \"test\"",
    ] {
        let text = format!("#[cfg({condition})] use crate::a;");
        assert_eq!(named("one.rs", &text), "a", "{condition}");
    }
    assert_eq!(named("one.rs", "#[test] fn f() { crate::a::b(); }"), "");
}
