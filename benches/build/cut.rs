//! Kernels in, phases out.
//!
//! A kernel is a loop `for step in 0..=F`: each step after the first is an external round's S-boxes,
//! each has the external linear layer, and the step in the middle ends with the internal rounds,
//! under `if step == H`. External-initial is the loop to H without those, external-final the loop
//! from there, internal what the `if` guards. A kernel of another form is not cut.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use quote::{ToTokens, quote};
use syn::fold::{self, Fold};
use syn::{Expr, File, ItemFn, Pat, Stmt, parse_quote};

pub(crate) fn main() {
    let kernels = Path::new("../generated/src/plonky3");
    println!("cargo::rerun-if-changed={}", kernels.display());
    println!("cargo::rerun-if-changed=build/cut.rs");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it")).join("phases.rs");
    let modules = cut_all(kernels).unwrap_or_else(|error| panic!("{}: {error}", kernels.display()));
    fs::write(&out, modules).unwrap_or_else(|error| panic!("{}: {error}", out.display()));
}

/// The instruction sets that this build is for: the peer's types are those of the flags.
fn isas() -> &'static [&'static str] {
    let features = env::var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default();
    let has = |feature: &str| features.split(',').any(|one| one == feature);
    let arch = env::var("CARGO_CFG_TARGET_ARCH").unwrap_or_default();
    match arch.as_str() {
        "aarch64" => &["neon"],
        "x86_64" if has("avx512f") => &["avx512"],
        "x86_64" if has("avx2") => &["avx2"],
        "x86_64" => &["scalar", "x86_64"],
        _ => &["scalar"],
    }
}

fn cut_all(kernels: &Path) -> io::Result<String> {
    let (mut modules, mut words_64, mut words_32) = (String::new(), String::new(), String::new());
    for folder in sorted(kernels)?.into_iter().filter(|path| path.is_dir()) {
        let field = folder.file_name().unwrap_or_default().to_string_lossy();
        for path in sorted(&folder)? {
            let stem = path
                .file_stem()
                .and_then(|stem| stem.to_str())
                .unwrap_or_default();
            let of_this_isa = stem
                .split_once('_')
                .is_some_and(|(_, rest)| isas().iter().any(|isa| rest.starts_with(isa)));
            if path.extension().is_none_or(|extension| extension != "rs") || !of_this_isa {
                continue;
            }
            let text = fs::read_to_string(&path)?;
            let Some(phases) = phases(&text) else {
                continue;
            };
            let words = if text.contains("*mut u64") {
                &mut words_64
            } else {
                &mut words_32
            };
            let mut entries = String::new();
            for (index, phase) in phases.iter().enumerate() {
                let module = format!("{field}_{stem}_{index}");
                modules += &format!("pub mod {module} {{ {phase} }}\n");
                entries += &format!("{module}::permute_raw, ");
            }
            let name = format!("plonky3/{field}/{stem}");
            *words += &format!("    ({name:?}, [{entries}]),\n");
        }
    }
    let table = |name: &str, word: &str, rows: &str| {
        format!(
            "pub static {name}: &[(&str, [unsafe fn(*mut {word}, *const {word}); 3])] = &[\n{rows}];\n"
        )
    };
    Ok(modules + &table("WORDS_64", "u64", &words_64) + &table("WORDS_32", "u32", &words_32))
}

fn sorted(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path()));
    let mut entries: Vec<_> = entries.collect::<io::Result<_>>()?;
    entries.sort();
    Ok(entries)
}

/// The three phases of a kernel's text. None: it has another form.
fn phases(text: &str) -> Option<[String; 3]> {
    let phase = |phase: Phase| {
        let mut file: File = syn::parse_file(text).ok()?;
        // The module's own documentation and attributes stay with the kernel.
        file.attrs.clear();
        let mut cut = Cut { phase, cuts: 0 };
        let file = cut.fold_file(file);
        (cut.cuts == 1).then(|| file.to_token_stream().to_string())
    };
    Some([
        phase(Phase::Initial)?,
        phase(Phase::Internal)?,
        phase(Phase::Final)?,
    ])
}

#[derive(Clone, Copy)]
enum Phase {
    Initial,
    Internal,
    Final,
}

struct Cut {
    phase: Phase,
    cuts: usize,
}

impl Fold for Cut {
    fn fold_item_fn(&mut self, mut function: ItemFn) -> ItemFn {
        function
            .attrs
            .retain(|attribute| !attribute.path().is_ident("doc"));
        fold::fold_item_fn(self, function)
    }

    fn fold_expr(&mut self, expression: Expr) -> Expr {
        match self.cut(&expression) {
            Some(cut) => {
                self.cuts += 1;
                cut
            }
            None => fold::fold_expr(self, expression),
        }
    }
}

impl Cut {
    /// The loop over steps, with those of the phase alone.
    fn cut(&self, expression: &Expr) -> Option<Expr> {
        let Expr::ForLoop(steps) = expression else {
            return None;
        };
        let Expr::Range(range) = &*steps.expr else {
            return None;
        };
        let (last, half) = (range.end.as_ref()?, half(steps.body.stmts.last()?)?);
        let named = matches!(&*steps.pat, Pat::Ident(name) if name.ident == "step");
        if !named || quote!(#range).to_string() != quote!(0..=#last).to_string() {
            return None;
        }
        let (half, internal) = half;
        if let Phase::Internal = self.phase {
            return Some(parse_quote!({ #(#internal)* }));
        }
        let mut steps = steps.clone();
        steps.body.stmts.pop();
        *steps.expr = match self.phase {
            Phase::Initial => parse_quote!(0..=#half),
            _ => parse_quote!((#half + 1)..=#last),
        };
        Some(Expr::ForLoop(steps))
    }
}

/// H and the statements, in `if step == H { .. }`.
fn half(statement: &Stmt) -> Option<(Expr, Vec<Stmt>)> {
    let Stmt::Expr(Expr::If(guarded), _) = statement else {
        return None;
    };
    let Expr::Binary(condition) = &*guarded.cond else {
        return None;
    };
    let (left, half) = (&condition.left, &condition.right);
    let equals = matches!(condition.op, syn::BinOp::Eq(_));
    let alone = guarded.else_branch.is_none() && quote!(#left).to_string() == "step";
    (equals && alone).then(|| ((**half).clone(), guarded.then_branch.stmts.clone()))
}
