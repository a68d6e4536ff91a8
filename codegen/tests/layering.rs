//! No circles: what one module needs of another runs one way. `cargo test -p codegen --test layering`
//! prints each room with the rooms that it needs, ground floor first.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use syn::visit::{self, Visit};
use syn::{Attribute, ItemMod, ItemUse, Meta, UseTree};

/// For each module of a crate's root the others that it names, and where.
type Needs = BTreeMap<String, BTreeMap<String, BTreeSet<String>>>;

/// Collects the first segment after `crate::` of every path outside tests.
#[derive(Default)]
struct Named(BTreeSet<String>);

fn is_test(attributes: &[Attribute]) -> bool {
    let tests = |a: &Attribute| match &a.meta {
        Meta::List(list) => list.path.is_ident("cfg") && list.tokens.to_string() == "test",
        _ => false,
    };
    attributes.iter().any(tests)
}

impl Named {
    fn first(&mut self, tree: &UseTree) {
        match tree {
            UseTree::Path(path) => {
                self.0.insert(path.ident.to_string());
            }
            UseTree::Name(name) => {
                self.0.insert(name.ident.to_string());
            }
            UseTree::Rename(rename) => {
                self.0.insert(rename.ident.to_string());
            }
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.first(tree)),
            UseTree::Glob(_) => {}
        }
    }
}

impl<'ast> Visit<'ast> for Named {
    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        if !is_test(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        if let UseTree::Path(path) = &item.tree
            && path.ident == "crate"
        {
            self.first(&path.tree);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let mut segments = path.segments.iter();
        if segments.next().is_some_and(|first| first.ident == "crate")
            && let Some(module) = segments.next()
        {
            self.0.insert(module.ident.to_string());
        }
        visit::visit_path(self, path);
    }
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
        let mut named = Named::default();
        named.visit_file(&file);
        let of_module = needs.entry(module.clone().into_owned()).or_default();
        for other in named.0.into_iter().filter(|other| *other != module) {
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
