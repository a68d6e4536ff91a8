//! Reading template files and rendering bodies.

use std::fs;
use std::path::{Path, PathBuf};

use tera::{Context, Tera};

use super::body::{self, Line};
use super::{error, mark, ops};
use crate::arith::{Contract, MacroOp};
use crate::diag::{Diagnostic, Diagnostics, Source, nearest};
use crate::isa::Target;
use crate::machine::Body;
use crate::params::Field;

/// Name of the template of a kernel's control flow.
const KERNEL: &str = "kernel.rs.tera";

/// All templates of a directory.
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

/// Files under `directory` that end in `.tera`, with their names relative to `root`.
fn collect(
    root: &Path,
    directory: &Path,
    found: &mut Vec<(String, PathBuf)>,
) -> std::io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(root, &path, found)?;
        } else if path.extension().is_some_and(|e| e == "tera") {
            let relative = path.strip_prefix(root).unwrap_or(&path);
            let parts: Vec<_> = relative.iter().map(|part| part.to_string_lossy()).collect();
            found.push((parts.join("/"), path));
        }
    }
    Ok(())
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
        let mut paths = Vec::new();
        collect(directory, directory, &mut paths).map_err(|error| {
            Diagnostic::new(format!(
                "cannot read the templates in {}: {error}",
                directory.display()
            ))
            .help("name the folder of the templates with --templates")
        })?;
        paths.sort();
        let mut errors = Diagnostics::new();
        let mut files = Vec::new();
        for (name, path) in paths {
            match fs::read_to_string(&path) {
                Ok(text) => files.push((name, Source::new(path.display().to_string(), text))),
                Err(error) => {
                    errors.push(Diagnostic::new(format!(
                        "cannot read {}: {error}",
                        path.display()
                    )));
                }
            }
        }
        let mut tera = Tera::default();
        for (number, (name, source)) in files.iter().enumerate() {
            // One by one first, so that every file's syntax errors are seen, not only the first's.
            let marked = marked(name, source, number);
            if let Err(error) = Tera::default().add_raw_template(name, &marked)
                && error::is_syntax(&error)
            {
                errors.push(error::of_tera(&error, source));
            }
        }
        if errors.is_empty() {
            let marked = files
                .iter()
                .enumerate()
                .map(|(number, (name, source))| (name.clone(), marked(name, source, number)));
            if let Err(error) = tera.add_raw_templates(marked) {
                errors.push(Diagnostic::new(format!(
                    "the templates in {} do not fit together: {}",
                    directory.display(),
                    error::text(&error)
                )));
            }
        }
        errors.into_result()?;
        Ok(Self {
            directory: directory.to_owned(),
            tera,
            files,
        })
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
        format!("{}/{}/{}.tera", target.folder(), field.name, op.template())
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
        let name = Self::name(target, field, op);
        if Contract::of(field, op).is_none() {
            let message = format!("{} has no macro-op {op}", field.name);
            return Err(Diagnostic::new(message).into());
        }
        let Some(file) = self.files.iter().position(|(n, _)| *n == name) else {
            return Err(self.missing(&name, target, field, op).into());
        };
        let mut context = Context::new();
        context.insert("field", field.name);
        context.insert("op", op.template());
        if let Some(k) = op.immediate() {
            context.insert("k", &u64::from(k));
        }
        for (key, constant) in op.constants() {
            context.insert(key, constant);
        }
        let source = &self.files[file].1;
        let rendered = self
            .tera
            .render(&name, &context)
            .map_err(|error| error::of_tera(&error, self.source_of(&error).unwrap_or(source)))?;
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
    pub fn render_kernel(&self, target: Target, context: &Context) -> Result<String, Diagnostics> {
        let name = format!("{}/{KERNEL}", target.folder());
        let Some(file) = self.files.iter().position(|(n, _)| *n == name) else {
            let path = self.directory.join(&name);
            let message = format!("the kernel template {} is missing", path.display());
            return Err(Diagnostic::new(message)
                .help("every ISA and layout has one")
                .into());
        };
        let source = &self.files[file].1;
        let failure = |error| error::of_tera(&error, self.source_of(&error).unwrap_or(source));
        self.tera
            .render(&name, context)
            .map_err(|error| failure(error).into())
    }

    fn source_of(&self, error: &tera::Error) -> Option<&Source> {
        let name = error::file(error)?;
        self.files
            .iter()
            .find(|(n, _)| n == name)
            .map(|(_, source)| source)
    }

    /// Says nothing of parameters: all shifts have one template.
    fn missing(&self, name: &str, target: Target, field: &Field, op: MacroOp) -> Diagnostic {
        let message = format!(
            "no template for macro-op {} of {} on {}: {} is missing",
            op.template(),
            field.name,
            target.folder(),
            self.directory.join(name).display()
        );
        let folder = &name[..=name.rfind('/').unwrap_or_default()];
        let idle = |file: &&str| {
            let inside = file.strip_prefix(folder);
            let stem = inside.and_then(|inside| inside.strip_suffix(".tera"));
            stem.is_some_and(|stem| ops::all().all(|op| op.template() != stem))
        };
        let idle: Vec<&str> = self.names().filter(idle).collect();
        Diagnostic::new(message).help(match nearest(name, &idle).first() {
            Some(near) => format!("write it, or rename `{near}`, which no macro-op uses"),
            None => "write it; templates/README.md says how".to_owned(),
        })
    }
}
