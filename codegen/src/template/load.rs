//! Reading template files and rendering bodies.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use tera::{Context, Tera};

use super::body::{self, Line};
use super::{error, mark};
use crate::diag::{Diagnostic, Diagnostics, Source, nearest};
use crate::isa::Target;
use crate::machine::Body;
use crate::ops::{Contract, MacroOp};
use crate::params::Field;

/// Name of the template of a kernel's control flow.
const KERNEL: &str = "kernel.rs.tera";

/// All templates of a directory.
#[derive(Clone)]
pub struct TemplateSet {
    directory: PathBuf,
    tera: Tera,
    /// In the order of the file numbers that marks carry.
    files: Vec<(String, Source)>,
}

/// A macro-op's template, rendered and read.
#[derive(Debug, Clone)]
pub struct Rendered {
    /// The target it is for.
    pub target: Target,
    /// The field.
    pub field: &'static Field,
    /// The macro-op.
    pub op: MacroOp,
    /// The template's file, for messages.
    pub file: String,
    /// The instructions as text, one a line, comments and empty lines left out.
    pub text: String,
    /// blake3 of `text`, in hexadecimal.
    pub hash: String,
    /// The instructions.
    pub body: Body,
}

/// Tags that a template may have. Tera nests each `elif` in the one before it, and needs stack for every level.
const TAGS: usize = 400;

/// Whether tera can read a text without overflowing the stack.
fn bounded(source: &Source) -> Result<(), Diagnostic> {
    let tags = source.text().matches("{%").count();
    if tags <= TAGS {
        return Ok(());
    }
    let message = format!("{} has {tags} tags, more than {TAGS}", source.name());
    let help = "put some of it into a file of its own, and `include` that";
    Err(Diagnostic::new(message).help(help))
}

/// Files under `root` that end in `.tera`, by their names relative to it.
fn collect(root: &Path) -> std::io::Result<BTreeMap<String, PathBuf>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "tera") {
                let relative = path.strip_prefix(root).unwrap_or(&path);
                let parts: Vec<_> = relative.iter().map(|part| part.to_string_lossy()).collect();
                found.insert(parts.join("/"), path);
            }
        }
    }
    Ok(found)
}

/// A template's text with its lines marked. Kernels stay as they are: they extend each other, and
/// nothing outside a block may stand in a template that extends another.
fn marked(name: &str, source: &Source, number: usize) -> String {
    if name.ends_with(KERNEL) {
        source.text().to_owned()
    } else {
        mark::mark(source.text(), number)
    }
}

impl TemplateSet {
    /// Reads every `.tera` file under `directory`.
    ///
    /// # Errors
    /// Files that cannot be read, and tera syntax errors: all of them at once.
    pub fn load(directory: &Path) -> Result<Self, Diagnostics> {
        let paths = collect(directory).map_err(|error| {
            let folder = directory.display();
            Diagnostic::new(format!("cannot read the templates in {folder}: {error}"))
                .help("name the folder of the templates with --templates")
        })?;
        let mut errors = Diagnostics::new();
        let mut files = Vec::new();
        for (name, path) in paths {
            let shown = path.display().to_string();
            let cannot = |error| Diagnostic::new(format!("cannot read {shown}: {error}"));
            let bytes = fs::read(&path).map_err(cannot);
            let source = bytes.and_then(|bytes| Source::of_bytes(&shown, bytes));
            let source = source.and_then(|source| bounded(&source).map(|()| source));
            files.extend(errors.keep(source).map(|source| (name, source)));
        }
        let texts = files.iter().enumerate();
        let texts = texts.map(|(n, (name, source))| (name.as_str(), marked(name, source, n)));
        let texts: Vec<(&str, String)> = texts.collect();
        let mut tera = Tera::default();
        if let Err(error) = tera.add_raw_templates(texts.iter().map(|(name, text)| (name, text))) {
            // Each by itself, so that every file's syntax errors are seen, not only the first's.
            for ((name, text), (_, source)) in texts.iter().zip(&files) {
                if let Err(error) = Tera::default().add_raw_template(name, text)
                    && error::is_syntax(&error)
                {
                    errors.push(error::of_tera(&error, &files, source));
                }
            }
            if errors.is_empty() {
                let (folder, error) = (directory.display(), error::text(&error));
                let message = format!("the templates in {folder} do not fit together: {error}");
                errors.push(Diagnostic::new(message));
            }
        }
        errors.into_result()?;
        Ok(Self {
            directory: directory.to_owned(),
            tera,
            files,
        })
    }

    /// Puts another text in place of one template's.
    ///
    /// # Errors
    /// A template that is not in the set, a text with too many tags, and what tera says of it: nothing can be
    /// rendered before another one is in its place.
    pub fn replace(&mut self, name: &str, text: &str) -> Result<(), Diagnostics> {
        let Some(file) = self.file(name) else {
            let folder = self.directory.display();
            return Err(Diagnostic::new(format!("no template {name} in {folder}")).into());
        };
        let source = Source::new(self.files[file].1.name(), text);
        bounded(&source)?;
        let marked = marked(name, &source, file);
        self.files[file].1 = source.clone();
        let added = self.tera.add_raw_template(name, &marked);
        added.map_err(|error| error::of_tera(&error, &self.files, &source))?;
        Ok(())
    }

    /// The directory they were read from.
    #[must_use]
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Names of all templates, relative to the directory, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(|(name, _)| name.as_str())
    }

    /// Name of a macro-op's template.
    #[must_use]
    pub fn name(target: Target, field: &Field, op: MacroOp) -> String {
        let family = field.family.name();
        format!("{}/{family}/{}.tera", target.folder(), op.template())
    }

    /// The body of a macro-op.
    ///
    /// # Errors
    /// A template that is missing, fails to render, or is not a body in the target's notation;
    /// every wrong line at once.
    pub fn render_body(
        &self,
        target: Target,
        field: &'static Field,
        op: MacroOp,
    ) -> Result<Rendered, Diagnostics> {
        if Contract::of(field, op).is_none() {
            let message = format!("{} has no macro-op {op}", field.name);
            return Err(Diagnostic::new(message).into());
        }
        let file = self.find(target, field, op)?;
        let mut context = Context::new();
        context.insert("two_adicity", &field.two_adicity());
        context.insert("op", op.template());
        if let Some(k) = op.immediate() {
            context.insert("k", &u64::from(k));
        }
        for (key, constant) in op.constants() {
            context.insert(key, constant);
        }
        let source = &self.files[file].1;
        let rendered = self.render(file, &context)?;
        let lines: Vec<Line> = mark::unmark(&rendered, file)
            .into_iter()
            .map(|(text, origin)| Line {
                text,
                source: &self.files[origin.file].1,
                line: origin.line,
            })
            .filter(|line| !line.code().is_empty())
            .collect();
        let body = body::read(&lines, source, target, field, op)?;
        let text: String = lines
            .iter()
            .map(|line| format!("{}\n", line.code()))
            .collect();
        let hash = blake3::hash(text.as_bytes()).to_hex().to_string();
        Ok(Rendered {
            target,
            field,
            op,
            file: source.name().to_owned(),
            text,
            hash,
            body,
        })
    }

    /// The text of a kernel: the control flow of `<isa>/<layout>/kernel.rs.tera` around the blocks
    /// in `context`.
    ///
    /// # Errors
    /// A template that is missing or fails to render.
    pub fn render_kernel(&self, folder: &str, context: &Context) -> Result<String, Diagnostics> {
        let name = format!("{folder}/{KERNEL}");
        let Some(file) = self.file(&name) else {
            let path = self.directory.join(&name);
            let message = format!("the kernel template {} is missing", path.display());
            let error = Diagnostic::new(message);
            return Err(error.help("every ISA and layout has one").into());
        };
        Ok(self.render(file, context)?)
    }

    fn file(&self, name: &str) -> Option<usize> {
        self.files.iter().position(|(known, _)| known == name)
    }

    fn render(&self, file: usize, context: &Context) -> Result<String, Diagnostic> {
        let (name, source) = &self.files[file];
        let rendered = self.tera.render(name, context);
        rendered.map_err(|error| error::of_tera(&error, &self.files, source))
    }

    /// The file of a macro-op's template.
    ///
    /// # Errors
    /// There is none. Parameters are not named: all shifts have one template.
    pub(crate) fn find(
        &self,
        target: Target,
        field: &Field,
        op: MacroOp,
    ) -> Result<usize, Diagnostic> {
        let name = Self::name(target, field, op);
        if let Some(file) = self.file(&name) {
            return Ok(file);
        }
        let (op, field, place) = (op.template(), field.name, target.folder());
        let message = format!("no template for macro-op {op} of {field} on {place}");
        let folder = &name[..=name.rfind('/').unwrap_or_default()];
        let idle = |file: &&str| {
            let inside = file.strip_prefix(folder);
            let stem = inside.and_then(|inside| inside.strip_suffix(".tera"));
            // What lies deeper, in `parts`, is no macro-op's: bodies include it.
            stem.is_some_and(|stem| {
                !stem.contains('/') && MacroOp::all().iter().all(|op| op.template() != stem)
            })
        };
        let idle: Vec<&str> = self.names().filter(idle).collect();
        let path = self.directory.join(&name);
        let path = path.display();
        Err(
            Diagnostic::new(message).help(match nearest(&name, &idle).first() {
                Some(near) => format!("write {path}, or rename `{near}`, which no macro-op uses"),
                None => format!("write {path}; templates/README.md says how"),
            }),
        )
    }
}
