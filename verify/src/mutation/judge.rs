//! The verdicts on mutants: the prover's and the executed tests'.

use std::collections::HashMap;

use codegen::arith::{Program, Range};
use codegen::ir::BlockKind;
use codegen::lower::{Claims, lower};
use codegen::prove::{Proved, Refusal, prove};

use super::mutants;
use super::table::{Row, Table};
use super::{Body, Kind, Mutant};
use crate::checker;
use crate::corpus;
use crate::corpus::values::Fill;
use crate::directed::{Directed, Machine, Words, vectors};
use crate::oracle::{Field, known_answers};
use crate::programs::{self, Entry, all};

/// Uniform inputs that each mutant is tried on.
const RANDOM: usize = 256;

/// Of the vectors of other sites every so manieth is tried.
const OTHERS: usize = 8;

/// What executed test a case belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Test {
    KnownAnswer,
    Directed,
    Random,
}

/// An input with its image, as words below p.
struct Case {
    test: Test,
    site: String,
    table: usize,
    state: Vec<u64>,
    image: Vec<u64>,
}

struct Tests {
    field: Field,
    tables: Vec<Words>,
    cases: Vec<Case>,
}

/// Judges every mutant of every program, each program on a thread of its own.
///
/// # Panics
/// Where a thread does.
#[must_use]
pub fn score() -> Table {
    let entries = all();
    std::thread::scope(|scope| {
        let handles: Vec<_> = entries
            .iter()
            .map(|entry| scope.spawn(move || judge(entry)))
            .collect();
        let join = |handle: std::thread::ScopedJoinHandle<'_, _>| handle.join().expect("no panic");
        Table {
            rows: handles.into_iter().flat_map(join).collect(),
        }
    })
}

fn judge(entry: &Entry) -> Vec<Row> {
    let tests = Tests::new(entry);
    let verdict = |mutant: Mutant| {
        let (proof, machine) = prover(entry, &mutant);
        // What is proved equal is tried on its own site's vectors only.
        let everywhere = !matches!(proof, Proof::Equivalent(_));
        let found = machine.map(|machine| tests.run(&machine, &mutant, everywhere));
        let (refused, equivalent) = match proof {
            Proof::Refused(reason) => (Some(reason), None),
            Proof::Equivalent(argument) => (None, Some(argument)),
            Proof::NotAsked => (None, None),
        };
        Row {
            program: entry.name.clone(),
            kind: mutant.kind,
            refused,
            equivalent,
            executed: found.is_some(),
            caught: found.and_then(|found| found.0),
            random: found.is_some_and(|found| found.1),
            site: mutant.site,
            what: mutant.what,
        }
    };
    mutants::all(entry).into_iter().map(verdict).collect()
}

/// What the prover says of a mutant.
enum Proof {
    Refused(String),
    /// It proves that the mutant computes the same for every input, and the certificate checker
    /// finds the proof good.
    Equivalent(String),
    /// Constants and rounds are no matter of its.
    NotAsked,
}

impl Proof {
    fn of(proof: Result<Proved, Vec<Refusal>>, kind: Kind, site: &str) -> Self {
        let proved = match proof {
            Ok(proved) => proved,
            Err(refusals) => return Self::Refused(reason(&refusals)),
        };
        if let Err(refused) = checker::check(&programs::certificate(&proved)) {
            return Self::Refused(format!("by the certificate checker: {refused}"));
        }
        let stands_for_zero = "what is added stands for zero too, and every part stays in range";
        let argument = match kind {
            Kind::OffsetDropped => "no part is negative without it, by the ranges",
            Kind::OtherOffset => stands_for_zero,
            Kind::NotNormalised => "elements stay in range without it",
            Kind::Runs => "elements stay in range in runs of these lengths",
            _ => "",
        };
        if !argument.is_empty() {
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

/// What the prover says, and what can be executed.
fn prover(entry: &Entry, mutant: &Mutant) -> (Proof, Option<Machine>) {
    let machine = |program: &Program| Machine::new(entry.instance.field, program);
    let mut same = machine(&entry.program);
    match &mutant.body {
        Body::Program(program) => {
            let proof = entry.prove_instead((**program).clone());
            (
                Proof::of(proof, mutant.kind, &mutant.site),
                Some(machine(program)),
            )
        }
        Body::Claims(list) => {
            let claims = Claims::new(list);
            match lower(&entry.source, entry.strategy, &claims) {
                Err(unsuited) => (Proof::Refused(unsuited.to_string()), None),
                Ok(program) => {
                    // A false claim that changes no instruction has nothing to execute.
                    let changed = differs(&program, &entry.program).then(|| machine(&program));
                    (
                        Proof::of(prove(program, &claims), mutant.kind, &mutant.site),
                        changed,
                    )
                }
            }
        }
        Body::RawConstants => (raw_constants(&entry.program), Some(same)),
        Body::Constant(..) => (Proof::NotAsked, Some(same)),
        Body::WithoutExternal(round) => {
            same.without_external = Some(*round);
            (Proof::NotAsked, Some(same))
        }
        Body::WithoutInternal(round) => {
            same.without_internal = Some(*round);
            (Proof::NotAsked, Some(same))
        }
    }
}

/// Where constants are prepared, ranges tell whether that minds a word that is not canonical.
fn raw_constants(program: &Program) -> Proof {
    let Some(index) = program.block(BlockKind::Constant) else {
        return Proof::NotAsked;
    };
    let (block, field) = (&program.blocks[index], program.instance.field);
    let prepared = |constant: Range| -> Vec<Range> {
        let (ranges, _) = block.ranges(field, &[constant]);
        block.outputs.iter().map(|v| ranges[v.index()]).collect()
    };
    if prepared(Range::word(field.word_bits())) != prepared(Range::below(field.modulus)) {
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
        let field = instance.field;
        let standard = corpus::Table::standard(instance);
        let mut tests = Self {
            field,
            tables: vec![Words::of(&field, &standard)],
            cases: Vec::new(),
        };
        for answer in known_answers(instance) {
            let encode = |x: &u64| field.encode(*x);
            tests.cases.push(Case {
                test: Test::KnownAnswer,
                site: String::new(),
                table: 0,
                state: answer.input.iter().map(encode).collect(),
                image: answer.output.iter().map(encode).collect(),
            });
        }
        let mut places: HashMap<String, usize> = HashMap::from([(standard.name.clone(), 0)]);
        for Directed {
            site, table, state, ..
        } in vectors(&entry.program, instance)
        {
            let place = *places.entry(table.name.clone()).or_insert_with(|| {
                tests.tables.push(Words::of(&field, &table));
                tests.tables.len() - 1
            });
            tests.push(Test::Directed, site, (place, &table), instance, state);
        }
        let mut fill = Fill::new(entry.width() as u64);
        for _ in 0..RANDOM {
            let word = |_| match field.montgomery_bits {
                0 => fill.bits(),
                _ => fill.below(field.modulus),
            };
            let state = (0..entry.width()).map(word).collect();
            tests.push(Test::Random, String::new(), (0, &standard), instance, state);
        }
        tests
    }

    fn push(
        &mut self,
        test: Test,
        site: String,
        (place, table): (usize, &corpus::Table),
        instance: &crate::oracle::Instance,
        state: Vec<u64>,
    ) {
        let mut image: Vec<u64> = state.iter().map(|x| self.field.decode(*x)).collect();
        table.permutation(instance).permute(&mut image);
        let image = image.iter().map(|x| self.field.encode(*x)).collect();
        self.cases.push(Case {
            test,
            site,
            table: place,
            state,
            image,
        });
    }

    /// The deterministic test that catches a mutant, if one does; and whether random inputs do.
    fn run(
        &self,
        machine: &Machine,
        mutant: &Mutant,
        everywhere: bool,
    ) -> (Option<&'static str>, bool) {
        let tables: Vec<Words> = self
            .tables
            .iter()
            .map(|words| self.mutated(words, mutant))
            .collect();
        let p = self.field.modulus;
        let wrong = |case: &Case| {
            let out = machine.run(&tables[case.table], &case.state, |_, _| {});
            out.iter()
                .zip(&case.image)
                .any(|(word, right)| word % p != *right)
        };
        let any = |test: Test, own: bool, step: usize| {
            let cases = self.cases.iter().filter(|case| case.test == test);
            let mut cases = cases
                .filter(|case| (case.site == mutant.site) == own)
                .step_by(step);
            cases.any(wrong)
        };
        let caught = if any(Test::KnownAnswer, false, 1) {
            Some("known answers")
        } else if any(Test::Directed, true, 1) {
            Some("directed, at the site")
        } else if everywhere && any(Test::Directed, false, OTHERS) {
            Some("directed, at another site")
        } else {
            None
        };
        (caught, any(Test::Random, false, 1))
    }

    fn mutated(&self, words: &Words, mutant: &Mutant) -> Words {
        let p = self.field.modulus;
        let mut words = words.clone();
        let step = |word: u64, more: bool| {
            let one = self.field.encode(1);
            let sum = u128::from(word) + u128::from(if more { one } else { p - one });
            (sum % u128::from(p)) as u64
        };
        match mutant.body {
            Body::Constant(Some((round, element)), _, more) => {
                let word = &mut words.external[round][element];
                *word = step(*word, more);
            }
            Body::Constant(None, round, more) => {
                words.internal[round] = step(words.internal[round], more);
            }
            Body::RawConstants => {
                let top = if self.field.montgomery_bits == 0 {
                    u64::MAX
                } else {
                    0xffff_ffff
                };
                for word in words
                    .external
                    .iter_mut()
                    .flatten()
                    .chain(&mut words.internal)
                {
                    *word = word
                        .checked_add(p)
                        .filter(|raw| *raw <= top)
                        .unwrap_or(*word);
                }
            }
            _ => {}
        }
        words
    }
}
