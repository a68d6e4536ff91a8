//! The verdicts on mutants: the prover's and the executed tests'.

use std::borrow::Cow;
use std::cell::LazyCell;

use codegen::arith::{Block, Program};
use codegen::ir::BlockKind;
use codegen::lower::{Claims, lower};
use codegen::ops::Range;
use codegen::prove::{Original, Proved, Refusal};

use super::mutants;
use super::table::{Proof, Row, Table};
use super::{Body, Kind, Mutant};
use crate::corpus::build::{KNOWN_ANSWERS, known};
use crate::corpus::values::Fill;
use crate::corpus::{self, Section};
use crate::directed::{self, Machine};
use crate::parallel::in_parallel;
use crate::programs::Entry;

/// Uniform inputs that each mutant is tried on.
const RANDOM: usize = 16;

/// Of the vectors of other sites every so manieth is tried.
const OTHERS: usize = 8;

/// What certificates of mutants are named, where others have their strategy.
const MUTANT: &str = "mutant";

/// The check of uniform inputs.
const UNIFORM: &str = "uniform";

/// Known answers, directed vectors and uniform inputs of a program, by tables of constants.
struct Tests(Vec<Section>);

/// Judges every mutant of some programs, each program on a thread of its own.
pub(crate) fn score(programs: &[Entry]) -> Table {
    let rows = in_parallel(programs, judge).concat();
    Table { rows }
}

fn judge(entry: &Entry) -> Vec<Row> {
    let tests = Tests::new(entry);
    let proved = entry.prove(entry.program.clone());
    let proved = proved.expect("what mutants are made from is right");
    checker::check(&proved.certificate(MUTANT)).expect("the checker agrees");
    let prover = Prover::new(entry, &proved);
    let verdict = |mutant: Mutant| {
        let (proof, program) = prover.judge(&mutant);
        // What is proved equal is tried on its own site's vectors only.
        let everywhere = !matches!(proof, Proof::Equivalent(_));
        let found = program.map(|program| tests.run(&program, &mutant, everywhere));
        Row {
            program: entry.name.clone(),
            kind: mutant.kind,
            proof,
            executed: found.is_some(),
            caught: found.and_then(|found| found.0),
            random: found.is_some_and(|found| found.1),
            site: mutant.site,
            what: mutant.what,
        }
    };
    mutants::all(entry).into_iter().map(verdict).collect()
}

impl Proof {
    /// A mutant of that kind at a site has been put to the prover.
    fn of(proof: Result<Proved, Vec<Refusal>>, kind: Kind, site: &str) -> Self {
        let proved = match proof {
            Ok(proved) => proved,
            Err(refusals) => return Self::Refused(reason(&refusals)),
        };
        if let Err(refused) = checker::check(&proved.certificate(MUTANT)) {
            return Self::Refused(format!("by the certificate checker: {refused}"));
        }
        let argument = match kind {
            Kind::OffsetDropped => Some("no part is negative without it, by the ranges"),
            Kind::OtherOffset => {
                Some("what is added stands for zero too, and every part stays in range")
            }
            Kind::NotNormalised => Some("elements stay in range without it"),
            Kind::Runs => Some("elements stay in range in runs of these lengths"),
            _ => None,
        };
        if let Some(argument) = argument {
            return Self::Equivalent(argument.to_owned());
        }
        let found = proved.sites().iter().find(|other| other.name == site);
        Self::Equivalent(
            match found.and_then(|site| Some((site, site.needs.first()?))) {
                Some((site, need)) => format!(
                    "`{}` reaches {} and holds without it, by the ranges",
                    need.text,
                    need.reached(&site.operands).0
                ),
                None => "the operation takes any representative".to_owned(),
            },
        )
    }
}

/// The prover, which knows of the program that mutants are made from.
struct Prover<'a> {
    entry: &'a Entry,
    claims: Claims<'a>,
    original: Original<'a>,
}

impl<'a> Prover<'a> {
    fn new(entry: &'a Entry, proved: &'a Proved) -> Self {
        let claims = Claims::new(&entry.claims);
        // Lowering marks the claims that speak of a site; the prover refuses the others.
        lower(&entry.source, entry.strategy, &claims).expect("lowered before");
        Self {
            entry,
            claims,
            original: Original::new(proved),
        }
    }

    /// What the prover says, and the program that can be executed.
    fn judge<'m>(&self, mutant: &'m Mutant) -> (Proof, Option<Cow<'m, Program>>)
    where
        'a: 'm,
    {
        let entry = self.entry;
        let proof = |program: &Program, claims: &Claims<'_>| {
            let found = self.original.prove(program, claims);
            Proof::of(found, mutant.kind, &mutant.site)
        };
        let same = Some(Cow::Borrowed(&entry.program));
        match &mutant.body {
            Body::Program(program) => {
                let proof = proof(program, &self.claims);
                (proof, Some(Cow::Borrowed(program)))
            }
            Body::Claims(list) => {
                let claims = Claims::new(list);
                match lower(&entry.source, entry.strategy, &claims) {
                    Err(unsuited) => (Proof::Refused(unsuited.to_string()), None),
                    Ok(program) => {
                        let proof = proof(&program, &claims);
                        // A false claim that changes no instruction has nothing to execute.
                        let changed = differs(&program, &entry.program);
                        (proof, changed.then_some(Cow::Owned(program)))
                    }
                }
            }
            Body::RawConstants => (raw_constants(&entry.program), same),
            Body::Constant(..) => (Proof::NotAsked, same),
            Body::Flow(flow) => {
                let program = Program {
                    flow: flow.clone(),
                    ..entry.program.clone()
                };
                (Proof::NotAsked, Some(Cow::Owned(program)))
            }
        }
    }
}

/// Where constants are prepared, ranges tell whether that minds a word that is not canonical, and where they are
/// summed in longer words, whether any sum does.
fn raw_constants(program: &Program) -> Proof {
    let field = program.instance.field;
    let word = Range::word(field.word_bits());
    let Some(index) = program.block(BlockKind::Constant) else {
        let inputs = program.input_ranges_of(word);
        let mut blocks = program.blocks.iter().zip(&inputs);
        let fits = |(block, inputs): (&Block, &Vec<Range>)| {
            let words = program.words_of(block.kind);
            block.ranges(words, inputs).1.is_empty()
        };
        return match program.is_inner() && blocks.all(fits) {
            true => Proof::Equivalent("the same residue, and sums with any word fit".to_owned()),
            false => Proof::NotAsked,
        };
    };
    let block = &program.blocks[index];
    let prepared = |constant: Range| -> Vec<Range> {
        let (ranges, _) = block.ranges(field, &[constant]);
        block.outputs.iter().map(|v| ranges[v.index()]).collect()
    };
    if prepared(word) != prepared(Range::below(field.modulus)) {
        return Proof::NotAsked;
    }
    let argument = "the same residue, and parts of any word are in the ranges of canonical ones";
    Proof::Equivalent(argument.to_owned())
}

/// Whether two programs execute different operations.
fn differs(a: &Program, b: &Program) -> bool {
    let code = |program: &Program| {
        let blocks = program.blocks.iter().map(|block| {
            let operations = block.operations.iter().map(|o| (o.op, o.operands.clone()));
            (operations.collect::<Vec<_>>(), block.outputs.clone())
        });
        blocks.collect::<Vec<_>>()
    };
    code(a) != code(b)
}

fn reason(refusals: &[Refusal]) -> String {
    match &refusals[0] {
        Refusal::Bound { site, .. } => format!("bound of {site}"),
        Refusal::Claim { says, .. } => format!("claim: {says}"),
        Refusal::Unmatched { .. } => "a claim that matches no site".to_owned(),
        Refusal::Boundary { output, .. } => format!("range of output {output}"),
        Refusal::Function { block, .. } => format!("function of {}", block.name()),
        Refusal::Reading { by, .. } => format!("reading by {by}"),
    }
}

impl Tests {
    fn new(entry: &Entry) -> Self {
        let instance = &entry.instance;
        let mut sections = directed::sections(entry);
        let standard = &mut sections[0];
        known(standard, instance);
        let mut fill = Fill::new(entry.width() as u64);
        let mut word = |_| fill.word(&instance.field);
        let inputs = (0..RANDOM).map(|_| (0..entry.width()).map(&mut word).collect());
        standard.push(instance, UNIFORM, String::new(), inputs);
        Self(sections)
    }

    /// The deterministic test that catches a mutant, if one does; and whether uniform inputs do.
    fn run(
        &self,
        program: &Program,
        mutant: &Mutant,
        everywhere: bool,
    ) -> (Option<&'static str>, bool) {
        let machines = self.0.iter().map(|section| {
            let machine = LazyCell::new(|| mutated(program, &section.table, mutant));
            (section, machine)
        });
        let machines: Vec<_> = machines.collect();
        let p = program.instance.field.modulus;
        let encode = |residue: &u64| program.instance.field.to_montgomery(*residue);
        let any = |check: &str, own: bool, step: usize| {
            let cases = machines.iter().flat_map(|(section, machine)| {
                let groups = section.ranges().filter(move |(group, _)| {
                    group.check == check && (group.origin == mutant.site) == own
                });
                let cases = groups.flat_map(|(_, range)| range);
                cases.map(move |n| (machine, section.case(n)))
            });
            cases.step_by(step).any(|(machine, (input, residues))| {
                let out = machine.run(input);
                let mut words = out.iter().zip(residues);
                words.any(|(word, residue)| word % p != encode(residue))
            })
        };
        let caught = if any(KNOWN_ANSWERS, false, 1) {
            Some("known answers")
        } else if any(directed::CHECK, true, 1) {
            Some("directed, at the site")
        } else if everywhere && any(directed::CHECK, false, OTHERS) {
            Some("directed, at another site")
        } else {
            None
        };
        (caught, any(UNIFORM, false, 1))
    }
}

/// A mutant's program with a table of constants, of which it may have others.
fn mutated<'a>(program: &'a Program, table: &corpus::Table, mutant: &Mutant) -> Machine<'a> {
    let mut table = Cow::Borrowed(table);
    if let Body::Constant(index, more) = mutant.body {
        let corpus::Table {
            external, internal, ..
        } = table.to_mut();
        let mut constants = external.iter_mut().flatten().chain(internal);
        let constant = constants.nth(index).expect("a constant of the table");
        *constant = program.instance.field.add(*constant, more);
    }
    let raw = matches!(mutant.body, Body::RawConstants);
    Machine::new(program, &table, raw)
}
