//! One kernel's text: the context its template is rendered with, and the documentation above it.

use super::inline::Macros;
use super::layout::Layout;
use super::macros::{Side, described, macro_definition};
use super::matrix::Matrix;
use super::{across, general, ordered, overlap, rust, staggered};
use crate::arith::{LANES, Program};
use crate::asm::Bodies;
use crate::diag::{Diagnostics, number};
use crate::ir::BlockKind;
use crate::isa::{Target, features, table};
use crate::kernel::{CANONICALISATIONS, KernelInfo, kernel_name, preparation_module, source_path};
use crate::machine::Body;
use crate::names::{self, Strategy};
use crate::ops::MacroOp;
use crate::params::Family;
use crate::prove::Proved;
use crate::spec::{KernelSpec, Spec};
use crate::template::TemplateSet;
use std::collections::{BTreeMap, BTreeSet};

/// What one kernel is to be.
pub(crate) struct Plan<'a> {
    layout: Layout,
    /// The folder of its kernel template.
    template: String,
    /// Whether one group is half a round behind the other.
    staggered: bool,
    /// Whether the S-box of an internal round stands beside the linear layer of the round before.
    overlapping: bool,
    proved: &'a Proved,
    pub(crate) info: KernelInfo,
}

impl<'a> Plan<'a> {
    /// The plan of one kernel.
    pub(crate) fn new(
        spec: &Spec,
        kernel: &KernelSpec,
        target: Target,
        batch: usize,
        proved: &'a Proved,
    ) -> Self {
        let instance = &spec.instance;
        let name = kernel_name(instance, kernel, batch);
        let info = KernelInfo {
            file: source_path(&name),
            name,
            parameter_set: instance.parameter_set.clone(),
            field: instance.field.name.to_owned(),
            width: instance.width,
            external_rounds: instance.external_rounds,
            internal_rounds: instance.internal_rounds,
            isa: kernel.isa.name().to_owned(),
            layout: kernel.layout.name().to_owned(),
            strategy: kernel.strategy.name().to_owned(),
            batch,
            lanes: Target::states(
                kernel.isa,
                kernel.layout,
                proved.program().words.word_bits(),
            ),
            features: features(kernel.isa, kernel.layout)
                .iter()
                .map(|&f| f.to_owned())
                .collect(),
            target_arch: kernel.isa.target_arch().map(str::to_owned),
            word_bits: instance.field.word_bits(),
            parts: proved.program().constant_words(),
            preparation: proved
                .program()
                .block(BlockKind::Constant)
                .map(|_| preparation_module(instance.field, kernel.strategy)),
            code: String::new(),
            certificate: String::new(),
            sites: proved.sites().len(),
            elided: proved.elided(),
            kept: proved.kept(),
            counts: BTreeMap::new(),
        };
        Self {
            template: format!("{}/{}", kernel.isa, kernel.layout),
            staggered: kernel.layout == names::Layout::Staggered,
            // What is done before the last run of rounds stands in the turn after its first.
            overlapping: kernel.overlap.contains(&batch)
                && proved
                    .program()
                    .runs()
                    .last()
                    .is_some_and(|run| run.len() > 1),
            layout: Layout {
                batch,
                stage: kernel.stage(instance.width, batch),
                pass: None,
                group: None,
                general: kernel.general(instance.width, batch),
                target,
                core: kernel.order,
                window: proved.program().window(),
                second: false,
            },
            proved,
            info,
        }
    }

    /// Instructions that one call executes, by class, loads, stores and control flow aside.
    pub(crate) fn count(&mut self, bodies: &Bodies, words: &Bodies) {
        let program = self.proved.program();
        for (executed, side) in program
            .executed_across()
            .into_iter()
            .flatten()
            .zip([bodies, words])
        {
            for (op, times) in executed {
                self.count_body(side.get(&op), times);
            }
        }
        let executed = program.blocks.iter().filter(|_| program.across.is_none());
        for block in executed.filter(|block| program.executions(block.kind) > 0) {
            let times = program.executions(block.kind) * self.layout.batch;
            let leads = self.layout.leads(block.kind);
            let on_words: Vec<_> = (0..leads)
                .map(|lead| general::words(self.layout, block, lead))
                .collect();
            let coded = block.operations.iter().filter(|o| o.is_coded());
            for operation in coded {
                let apart = on_words.iter().filter(|w| w.contains(&operation.result));
                let apart = times * apart.count() / leads;
                self.count_body(bodies.get(&operation.op), times - apart);
                // On general registers each lane has instructions of its own.
                self.count_body(words.get(&operation.op), apart * self.info.lanes);
            }
        }
        self.info.counts.insert(
            CANONICALISATIONS.to_owned(),
            (self.proved.executed_canonicalisations() * self.layout.batch) as u64,
        );
    }

    fn count_body(&mut self, body: Option<&Body>, times: usize) {
        let instructions = body.into_iter().flat_map(Body::executed);
        for class in instructions.flat_map(|instruction| instruction.row.classes) {
            let counted = self.info.counts.entry(class.name().to_owned());
            *counted.or_insert(0) += times as u64;
        }
    }

    fn context(&self) -> tera::Context {
        let info = &self.info;
        let Layout { batch, stage, .. } = self.layout;
        let mut context = tera::Context::new();
        context.insert("word", if info.word_bits == 64 { "u64" } else { "u32" });
        context.insert("width", &info.width);
        context.insert("batch", &batch);
        context.insert("lanes", &info.lanes);
        context.insert("states", &(batch * info.lanes));
        let program = self.proved.program();
        context.insert("constant_words", &program.constant_words());
        let growth = program.basis.growth.as_ref();
        context.insert("factors", &growth.map(|growth| &growth.factors));
        context.insert("inner", &program.is_inner());
        context.insert("wide", &program.is_wide());
        context.insert("preparation", &info.preparation);
        context.insert("stage", &stage);
        context.insert("passes", &self.passes());
        context.insert("aligned", &self.is_aligned());
        context.insert("apart", &self.is_apart());
        context.insert("split", &(self.is_apart() || program.enters_linearly()));
        context.insert("unrolled", &self.is_unrolled());
        context.insert("vectors", &(info.width / LANES));
        context.insert("moves", &program.across.as_ref().map(across::moves));
        // Templates have the loops of this flow, and what is free in it.
        let runs: Vec<_> = program.runs().collect();
        let lengths: Vec<usize> = runs.iter().map(|run| run.len()).collect();
        let flow = Program::in_order(&program.instance, &program.blocks, &lengths);
        assert_eq!(program.flow, flow, "lowering gives no other flow");
        // Where rounds overlap, the linear layer of one is in the turn of the next.
        let late = usize::from(self.overlapping);
        let normalised = runs[1..]
            .iter()
            .map(|run| format!("round == {}", run.start + late));
        context.insert("external_rounds", &info.external_rounds);
        context.insert("internal_rounds", &info.internal_rounds);
        context.insert("internal_pairs", &info.internal_rounds.div_ceil(2));
        context.insert("whole_pairs", &(info.internal_rounds / 2));
        context.insert("initial", &program.instance.starts_linear());
        context.insert("half", &(info.external_rounds / 2));
        context.insert("normalised", &normalised.collect::<Vec<_>>().join(" || "));
        context.insert("overlapping", &self.overlapping);
        context.insert("features", &info.features.join(","));
        let range = if info.word_bits == 64 {
            "any `u64`"
        } else {
            "Montgomery forms below `p`"
        };
        context.insert("input_range", range);
        let window = self.layout.window.map(|[width, rounds]| width - 1 + rounds);
        context.insert("window", &window);
        context.insert("module", table(self.layout.target).module);
        context.insert("general", &self.layout.general);
        context.insert("first_is_words", &self.layout.first_is_words());
        context.insert("whole", &self.is_whole());
        context.insert("ordered", &self.layout.core.is_some());
        context
    }

    /// Whether both halves of the external rounds have loops of their own, in which each pass of the S-box
    /// has a text of its own: with every element known, the compiler keeps them in registers. With more
    /// elements than registers it lost on Zen 4. In plain Rust it is 2 to 5 % of `radix52`, for 800 lines of each
    /// kernel, and more of `radix32`.
    fn is_apart(&self) -> bool {
        let (program, elements) = (self.proved.program(), self.info.width * self.layout.batch);
        let pays = table(self.layout.target).vector_bits > 0
            || program.words.family == Family::Montgomery64;
        program.is_wide() && pays && self.layout.stage > 1 && elements <= 24
    }

    /// Whether the stack is aligned for what the compiler spills: where a state in words of the kernel's own is to be
    /// in registers, and has no room there.
    fn is_aligned(&self) -> bool {
        let alone = self.layout.batch == 1 && (self.is_apart() || self.passes() == 1);
        // With the constants of `halves` beside them, eight elements have no room, either.
        let many = self.info.width > 8 || self.info.strategy == Strategy::Halves.name();
        self.proved.program().is_inner() && many && (alone || self.staggered)
    }

    /// Whether an external round is one text, and so are two internal rounds.
    fn is_whole(&self) -> bool {
        let program = self.proved.program();
        let rounds = [
            BlockKind::ExternalSbox,
            BlockKind::ExternalLinear,
            BlockKind::InternalRound,
        ];
        let mut rounds = rounds.iter().filter_map(|kind| program.block(*kind));
        let is_orderable = |block: usize| program.blocks[block].is_orderable();
        self.layout.core.is_some() && program.parts == 1 && rounds.all(is_orderable)
    }

    /// Passes that the S-boxes of an external round are made in.
    fn passes(&self) -> usize {
        self.info.width / self.layout.stage
    }

    /// Whether each of them has a text of its own.
    fn is_unrolled(&self) -> bool {
        self.proved.program().across.is_some() || self.sbox_layouts()[0].pass.is_some()
    }

    /// The S-boxes of an external round, by the text of one pass, where rounds have no loop in common.
    fn in_passes(&self, text: String) -> String {
        if self.is_unrolled() || !self.proved.program().enters_linearly() {
            return text;
        }
        let counter = if self.layout.stage == 1 {
            "element"
        } else {
            "pass"
        };
        format!("for {counter} in 0..{} {{\n{text}}}", self.passes())
    }

    /// How the S-boxes of an external round are laid out: in one text, or in several that follow one another.
    fn sbox_layouts(&self) -> Vec<Layout> {
        let Layout { stage, target, .. } = self.layout;
        // A pass over a whole state keeps it in registers, but with sixteen S-boxes side by side LLVM spills a
        // hundred vectors.
        let halved = target == Target::Avx2 && (stage, self.info.width) == (16, 16);
        if !halved && !self.is_apart() {
            return vec![self.layout];
        }
        let stage = if halved { 8 } else { stage };
        let passes = (0..self.info.width / stage).map(|pass| Layout {
            stage,
            pass: Some(pass),
            ..self.layout
        });
        passes.collect()
    }

    /// The text of the kernel.
    pub(crate) fn text(
        &self,
        bodies: &Bodies,
        words: &Bodies,
        templates: &TemplateSet,
    ) -> Result<String, Diagnostics> {
        let main = bodies.iter().map(|body| (body, Side::Main));
        let beside = words.iter().map(|body| (body, Side::General));
        // In an order of their own, instructions have macros instead. What they are instructions of
        // stays in the file, which would otherwise not say what its certificate is about.
        let invoked = self.invoked();
        let used =
            |op, side| self.layout.core.is_none() || side == Side::Main && invoked.contains(op);
        let mut macros: Vec<String> = super::macros::opaque(bodies).into_iter().collect();
        let mut replaced = Vec::new();
        for ((op, body), side) in main.chain(beside) {
            let place = if used(op, side) {
                &mut macros
            } else {
                &mut replaced
            };
            place.push(macro_definition(*op, body, side));
        }
        if self.layout.core.is_some() && replaced.is_empty() {
            // Even if the compiler's rounds use every macro: this module tells the checker that instructions have macros.
            let all = bodies.iter();
            replaced.extend(all.map(|(op, body)| macro_definition(*op, body, Side::Main)));
        }
        let mut lines = Macros::default();
        let mut context = self.context();
        let sides = [(bodies, Side::Main), (words, Side::General)];
        let constants = sides.into_iter().flat_map(|(bodies, side)| {
            let named = super::macros::constants(bodies, side).into_iter();
            named.map(move |(name, (named, kind))| described(name, named, kind, side))
        });
        let across = self.proved.program().across.as_ref();
        let matrix = Matrix::of(self.proved.program(), self.layout.target);
        let fixed = super::macros::fixed(self.proved.program(), &matrix);
        context.insert("matrix", &matrix.vectors);
        context.insert("constants", &constants.chain(fixed).collect::<Vec<_>>());
        for (index, block) in self.proved.program().blocks.iter().enumerate() {
            let bodies = (bodies, words);
            let mut statements = |together: &[(usize, Layout)]| match self.layout.core {
                _ if let Some(across) = across => {
                    Ok(across::statements(self.proved, index, across))
                }
                Some(core) if block.has_sboxes_to_order() => {
                    let text = ordered::ordered(self.proved, together, core, bodies, &mut lines);
                    match block.kind {
                        BlockKind::ExternalSbox => text.map(|text| self.in_passes(text)),
                        _ => text,
                    }
                }
                _ if block.kind == BlockKind::ExternalSbox => {
                    let layouts = self.sbox_layouts().into_iter();
                    let texts = layouts.map(|layout| rust::statements(self.proved, index, layout));
                    Ok(self.in_passes(texts.collect()))
                }
                _ => Ok(rust::statements(self.proved, index, self.layout)),
            };
            let alone = (index, self.layout);
            let mut text = || statements(&[alone]);
            let (key, text) = match block.kind {
                BlockKind::ExternalLinear => ("linear", text()?),
                BlockKind::ExternalSbox if self.is_whole() => {
                    let groups = 0..self.layout.batch;
                    let rounds = groups.map(|group| {
                        let layout = self.layout.of(group);
                        statements(&ordered::external_round(self.proved.program(), layout))
                    });
                    ("sbox", rounds.collect::<Result<_, _>>()?)
                }
                BlockKind::ExternalSbox => ("sbox", text()?),
                BlockKind::InternalRound if self.is_whole() => {
                    let pair = ordered::internal_pair(alone);
                    context.insert("internal_pair", &statements(&pair)?);
                    ("internal", statements(&[alone])?)
                }
                BlockKind::InternalRound if self.overlapping => {
                    overlap::insert(&mut context, self.proved, index, self.layout)?;
                    continue;
                }
                BlockKind::InternalRound => ("internal", text()?),
                BlockKind::InternalEnter => ("internal_enter", text()?),
                BlockKind::LinearEnter => ("linear_enter", text()?),
                BlockKind::InternalNormalise => ("internal_normalise", text()?),
                BlockKind::InternalLeave => ("internal_leave", text()?),
                BlockKind::Leave => ("leave", text()?),
                BlockKind::Enter if across.is_none() => {
                    ("enter", rust::entered(self.proved, index, self.layout))
                }
                BlockKind::Enter => ("enter", text()?),
                BlockKind::Constant => continue,
            };
            context.insert(key, &text);
        }
        if self.staggered {
            staggered::insert(&mut context, self.proved, self.layout);
        }
        macros.extend(lines.0.into_values());
        if !replaced.is_empty() {
            let replaced = replaced.join("\n");
            macros.push(format!(
                "\n/// The macro-ops whose instructions have an order of our own.\n\
                 #[allow(unused_macros)]\nmod macro_ops {{\n{replaced}\n}}"
            ));
        }
        context.insert("macros", &macros.join("\n"));
        templates.render_kernel(&self.template, &context)
    }

    /// Macro-ops of blocks whose order is the compiler's.
    fn invoked(&self) -> BTreeSet<MacroOp> {
        let blocks = self.proved.program().blocks.iter();
        let blocks = blocks.filter(|b| b.kind != BlockKind::Constant && !b.has_sboxes_to_order());
        let operations = blocks.flat_map(|block| &block.operations);
        operations.map(|operation| operation.op).collect()
    }

    /// The module's documentation: what it is, what it costs, which certificate it rests on, and the
    /// bodies that it is made of, by the hashes of their text.
    pub(crate) fn header(&self, lemmas: &[(String, String)]) -> String {
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
        let states = number(info.states(), "state");
        let bodies = lemmas.iter();
        let bodies: Vec<String> = bodies
            .map(|(op, hash)| format!("{op} {}", &hash[..16]))
            .collect();
        format!(
            "//! {permutation} over {field}, width {width}, parameter set `{set}`: {states} a call.\n\
             //!\n\
             //! - ISA {isa} (features: {features}), layout `{layout}`, strategy `{strategy}`, batch {batch}\n\
             //! - state words on entry and return: {range}\n\
             //! - instructions a call, by class: {counts}\n\
             //! - sites {sites}, canonicalisation elided at {elided}, kept at {kept}\n\
             //! - certificate `{certificate}`\n\
             //! - blake3 of macro-op bodies: {bodies}\n\n",
            permutation = self.proved.program().instance.kind().title(),
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
            certificate = info.certificate,
            bodies = bodies.join(", "),
        )
    }
}
