//! The way through: from a spec to finished kernels. Each arrow of the design is one call here.

use crate::arith::MacroOp;
use crate::asm::Bodies;
use crate::diag::{Diagnostic, Diagnostics};
use crate::ir;
use crate::isa::constants::Constant;
use crate::isa::{Kind, Syntax, Target, table};
use crate::kernel::{Generated, KernelInfo, certificate_path, kernel_name, source_path};
use crate::lower::infer::{Inferred, infer};
use crate::lower::{Claims, lower};
use crate::prove::{Proved, Subject, prove};
use crate::render::{assembly, rust};
use crate::spec::{Isa, KernelSpec, Layout, Spec};
use crate::template::TemplateSet;
use crate::{lemma, refusal, report, selfcheck};
use std::collections::{BTreeMap, BTreeSet};

/// Generates one kernel.
///
/// # Errors
/// Everything that stands in its way: claims that are not proved, lemmas that do not hold,
/// templates that do not parse.
pub fn generate(
    spec: &Spec,
    kernel: &KernelSpec,
    batch: usize,
    templates: &TemplateSet,
) -> Result<Generated, Diagnostics> {
    let proved = prove_kernel(spec, kernel)?;
    let target = target(kernel)?;
    let (bodies, lemmas) = bodies(&proved, target, templates)?;
    selfcheck::bodies(&proved, &bodies, target)
        .map_err(|wrong| Diagnostic::new(wrong.to_string()))?;

    let name = kernel_name(&spec.instance, kernel, batch);
    let subject = Subject {
        kernel: &name,
        isa: kernel.isa.name(),
        layout: kernel.layout.name(),
        strategy: kernel.strategy.name(),
        batch,
        lemmas: &lemmas,
    };
    let mut plan = Plan::new(spec, kernel, target, batch, &name, &proved);
    plan.count(&bodies);
    let rendered = match table(target).syntax {
        Syntax::Assembler => plan.assembly(&bodies, templates)?,
        Syntax::Rust => plan.rust(&bodies, templates)?,
    };
    Ok(Generated {
        certificate: proved.certificate(&subject),
        source: crate::format::rustfmt(&rendered.source)?,
        listing: rendered.listing,
        sites: report::sites(&proved),
        info: plan.info,
    })
}

fn target(kernel: &KernelSpec) -> Result<Target, Diagnostic> {
    Target::of(kernel.isa, kernel.layout)
        .ok_or_else(|| Diagnostic::new(format!("{} has no layout `{}`", kernel.isa, kernel.layout)))
}

/// The claims that a kernel relies on.
fn claim_list<'s>(spec: &'s Spec, kernel: &KernelSpec) -> &'s [crate::spec::Claim] {
    let set = kernel.proof.as_ref().and_then(|name| spec.proofs.get(name));
    set.map_or(&[], Vec::as_slice)
}

/// Lowers and proves the program of a kernel.
///
/// # Errors
/// Every claim, bound or block that was refused.
pub fn prove_kernel(spec: &Spec, kernel: &KernelSpec) -> Result<Proved, Diagnostics> {
    let claims = Claims::new(claim_list(spec, kernel));
    let program = ir::Program::build(&spec.instance);
    let lowered =
        lower(&program, &claims).map_err(|conflict| refusal::conflict(spec, &claims, &conflict))?;
    let sites: Vec<String> = lowered
        .blocks
        .iter()
        .flat_map(|b| {
            b.operations
                .iter()
                .filter(|o| o.site.is_some())
                .map(|o| o.name.clone())
        })
        .collect();
    prove(lowered, &claims).map_err(|list| refusal::refusals(spec, &claims, &sites, &list))
}

/// What is true but useless in a kernel's proof set.
///
/// # Errors
/// As [`prove_kernel`].
pub fn warnings(spec: &Spec, kernel: &KernelSpec) -> Result<Diagnostics, Diagnostics> {
    let proved = prove_kernel(spec, kernel)?;
    let claims = Claims::new(claim_list(spec, kernel));
    Ok(refusal::warnings(spec, &claims, proved.warnings()))
}

/// The maximal provable set of elisions for a spec's permutation.
#[must_use]
pub fn infer_claims(spec: &Spec) -> Vec<Inferred> {
    infer(&ir::Program::build(&spec.instance))
}

/// The bodies of every macro-op of the program, each with its lemma proved, and the lemmas' names
/// and hashes.
fn bodies(
    proved: &Proved,
    target: Target,
    templates: &TemplateSet,
) -> Result<(Bodies, Vec<(String, String)>), Diagnostics> {
    let program = proved.program();
    let used: BTreeSet<MacroOp> = program
        .blocks
        .iter()
        .flat_map(|b| b.operations.iter().map(|o| o.op))
        .collect();
    let mut bodies = Bodies::new();
    let mut lemmas = Vec::new();
    let mut diagnostics = Diagnostics::default();
    for op in used {
        let contract = program.contract(op);
        let lemma = templates
            .render_body(target, program.instance.field, op)
            .and_then(|rendered| Ok((lemma::discharge(&contract, &rendered)?, rendered)));
        match lemma {
            Ok((hash, rendered)) => {
                lemmas.push((op.to_string(), hash));
                bodies.insert(op, rendered.body);
            }
            Err(error) => diagnostics.extend(error),
        }
    }
    diagnostics.into_result().map(|()| (bodies, lemmas))
}

struct Rendered {
    source: String,
    listing: Option<String>,
}

struct Plan<'a> {
    target: Target,
    batch: usize,
    proved: &'a Proved,
    info: KernelInfo,
}

impl<'a> Plan<'a> {
    fn new(
        spec: &Spec,
        kernel: &KernelSpec,
        target: Target,
        batch: usize,
        name: &str,
        proved: &'a Proved,
    ) -> Self {
        let instance = &spec.instance;
        let info = KernelInfo {
            name: name.to_owned(),
            parameter_set: instance.parameter_set.clone(),
            field: instance.field.name.to_owned(),
            width: instance.width,
            external_rounds: instance.external_rounds,
            internal_rounds: instance.internal_rounds,
            isa: kernel.isa.name().to_owned(),
            layout: kernel.layout.name().to_owned(),
            strategy: kernel.strategy.name().to_owned(),
            batch,
            lanes: lanes(kernel, instance.field.word_bits),
            features: table(target)
                .features
                .iter()
                .map(|&f| f.to_owned())
                .collect(),
            target_arch: target_arch(kernel.isa).map(str::to_owned),
            word_bits: instance.field.word_bits,
            file: source_path(name),
            certificate: certificate_path(name),
            sites: proved.sites().len(),
            elided: proved.elided(),
            kept: proved.kept(),
            counts: BTreeMap::new(),
        };
        Self {
            target,
            batch,
            proved,
            info,
        }
    }

    /// Instructions that one call executes, by class, loads, stores and control flow aside.
    fn count(&mut self, bodies: &Bodies) {
        let program = self.proved.program();
        for block in &program.blocks {
            let times = (block.kind.executions(&program.instance) * self.batch) as u64;
            for operation in &block.operations {
                for instruction in &bodies[&operation.op].instructions {
                    let class = instruction.row.class.name().to_owned();
                    *self.info.counts.entry(class).or_insert(0) += times;
                }
            }
        }
        self.info.counts.insert(
            "canonicalisations".to_owned(),
            (self.proved.executed_canonicalisations() * self.batch) as u64,
        );
    }

    fn context(&self) -> tera::Context {
        let info = &self.info;
        let mut context = tera::Context::new();
        context.insert("word", if info.word_bits == 64 { "u64" } else { "u32" });
        context.insert("width", &info.width);
        context.insert("batch", &self.batch);
        context.insert("lanes", &info.lanes);
        context.insert("states", &(self.batch * info.lanes));
        context.insert("external_rounds", &info.external_rounds);
        context.insert("internal_rounds", &info.internal_rounds);
        context.insert("half", &(info.external_rounds / 2));
        context.insert("features", &info.features.join(","));
        let range = if info.word_bits == 64 {
            "any `u64`"
        } else {
            "Montgomery forms below `p`"
        };
        context.insert("input_range", range);
        context
    }

    fn rust(&self, bodies: &Bodies, templates: &TemplateSet) -> Result<Rendered, Diagnostics> {
        let macros: Vec<String> = bodies
            .iter()
            .map(|(op, body)| rust::macro_definition(*op, body))
            .collect();
        let mut context = self.context();
        context.insert("module", table(self.target).module);
        context.insert("constants", &self.constants(bodies));
        context.insert("macros", &macros.join("\n"));
        for (index, key) in ["linear", "sbox", "internal"].into_iter().enumerate() {
            context.insert(key, &rust::statements(self.proved, index, self.batch));
        }
        let body = templates.render_kernel(self.target, &context)?;
        Ok(Rendered {
            source: self.header() + &body,
            listing: None,
        })
    }

    /// The named constants that the bodies read: name, word, kind of register, and what it is.
    fn constants(&self, bodies: &Bodies) -> Vec<BTreeMap<&'static str, String>> {
        let field = self.proved.program().instance.field;
        rust::constants(bodies)
            .into_iter()
            .filter_map(|(macro_name, (name, kind))| {
                let constant = Constant::by_name(field, name)?;
                let word = constant.word(field, self.target, kind);
                Some(BTreeMap::from([
                    ("name", macro_name),
                    ("word", format!("{word:#x}")),
                    ("signed", format!("{}", word.cast_signed())),
                    (
                        "kind",
                        if kind == Kind::Half { "half" } else { "word" }.to_owned(),
                    ),
                    ("about", constant.about.to_owned()),
                ]))
            })
            .collect()
    }

    fn assembly(&self, bodies: &Bodies, templates: &TemplateSet) -> Result<Rendered, Diagnostics> {
        let instance = &self.proved.program().instance;
        let mut context = self.context();
        let mut scratch = 0;
        let mut listing = String::new();
        for (index, key) in ["linear", "sbox", "internal"].into_iter().enumerate() {
            let block = assembly::assemble(self.proved, index, bodies, self.batch).map_err(
                |unfaithful| {
                    let name = unfaithful.block.name();
                    Diagnostic::new(format!(
                        "the schedule of {name} is not its dependence graph"
                    ))
                },
            )?;
            selfcheck::assembled(self.proved, &block, self.batch)
                .map_err(|wrong| Diagnostic::new(wrong.to_string()))?;
            scratch = scratch.max(block.code.scratch_words);
            context.insert(key, &block.operands(self.proved, instance.width));
            listing.push_str(&format!("{}:\n", block.kind.name()));
            for (line, comment) in block.lines(self.proved) {
                match comment {
                    Some(comment) => listing.push_str(&format!("    {line:<28}// {comment}\n")),
                    None => listing.push_str(&format!("    {line}\n")),
                }
            }
        }
        context.insert("scratch", &scratch);
        context.insert("constants", &self.constants(bodies));
        let body = templates.render_kernel(self.target, &context)?;
        Ok(Rendered {
            source: self.header() + &body,
            listing: Some(listing),
        })
    }

    /// The module's documentation: what it is, how it was made, what it costs.
    fn header(&self) -> String {
        let info = &self.info;
        let counts: Vec<String> = info
            .counts
            .iter()
            .map(|(class, n)| format!("{class} {n}"))
            .collect();
        let features = if info.features.is_empty() {
            "none".to_owned()
        } else {
            info.features.join(", ")
        };
        let states = info.batch * info.lanes;
        format!(
            "//! Poseidon2 over {field}, width {width}, parameter set `{set}`: {states} states a call.\n\
             //!\n\
             //! Made by `cargo run -p codegen -- --field {field} --isa {isa} --layout {layout} --width {width} --batch {batch}`.\n\
             //!\n\
             //! - ISA {isa} (features: {features}), layout `{layout}`, strategy `{strategy}`, batch {batch}\n\
             //! - state words on entry and return: {range}\n\
             //! - instructions a call, by class: {counts}\n\
             //! - sites {sites}, canonicalisation elided at {elided}, kept at {kept}\n\
             //! - certificate `{certificate}`, which names the macro-op bodies by hash\n\n",
            field = info.field,
            width = info.width,
            set = info.parameter_set,
            isa = info.isa,
            layout = info.layout,
            batch = info.batch,
            strategy = info.strategy,
            range = if info.word_bits == 64 {
                "any `u64`"
            } else {
                "Montgomery forms below p"
            },
            counts = counts.join(", "),
            sites = info.sites,
            elided = info.elided,
            kept = info.kept,
            certificate = info.certificate.rsplit('/').next().unwrap_or_default(),
        )
    }
}

/// States in one group of a kernel.
#[must_use]
pub fn lanes(kernel: &KernelSpec, word_bits: u32) -> usize {
    let vector_bits = match (kernel.isa, kernel.layout) {
        (_, Layout::Registers) | (Isa::Scalar, _) => return 1,
        (Isa::Neon, Layout::Lanes) => 128,
        (Isa::Avx2, Layout::Lanes) => 256,
        (Isa::Avx512, Layout::Lanes) => 512,
    };
    vector_bits / word_bits as usize
}

/// The architecture that an ISA's kernels compile for; `None` for every one.
#[must_use]
pub fn target_arch(isa: Isa) -> Option<&'static str> {
    match isa {
        Isa::Scalar => None,
        Isa::Neon => Some("aarch64"),
        Isa::Avx2 | Isa::Avx512 => Some("x86_64"),
    }
}
