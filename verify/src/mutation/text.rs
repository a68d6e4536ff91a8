//! Mutants of what is emitted: kernels, constants, preparation, registry and tuning tables, with
//! lines made wrong, spread over each file. All must be refused by reading them: no kernel is executed here.
//! What reads well but has another body of a macro, or another interface, counts apart, as unproved: it is
//! compared with what was proved, and nothing shows that it is wrong.
//!
//! Whatever could make such a mistake (templates, renderer, scheduler, spellings, flow) is covered:
//! the mistake would be in the text.

use std::fmt;
use std::io;
use std::path::Path;

use checker::{Crate, below};

use crate::parallel::in_parallel;

/// What a mutant is wrong in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Flow,
    Statement,
    Index,
    Operands,
    Store,
    Interface,
    Body,
    Assembler,
    Constants,
    Preparation,
    Registry,
    Tuning,
}

impl Kind {
    const ALL: [(Self, &str); 12] = [
        (Self::Flow, "rounds, passes and conditions"),
        (Self::Statement, "statements left out"),
        (Self::Index, "indices of elements, constants and lanes"),
        (Self::Operands, "operands exchanged"),
        (Self::Store, "one more store"),
        (Self::Interface, "signatures and CPU features"),
        (Self::Body, "instructions of macro-ops"),
        (Self::Assembler, "lines of assembler and their operands"),
        (Self::Constants, "tables of constants"),
        (Self::Preparation, "preparation of constants"),
        (Self::Registry, "registry"),
        (Self::Tuning, "tuning tables"),
    ];
}

/// One line of one file, made wrong.
struct Mutant {
    kind: Kind,
    line: usize,
    instead: String,
}

/// What becomes of a mutant.
#[derive(Debug)]
enum Verdict {
    /// It does not compute what its certificate says, or cannot be read.
    Refused,
    /// It is not refused for what it says, but no proof is about it.
    Unproved,
    Accepted(String),
}

/// All mutants.
#[derive(Debug)]
pub(crate) struct Table(Vec<(Kind, Verdict)>);

impl Table {
    /// The mutants that nothing refuses, and the kinds that have none.
    pub(crate) fn faults(&self) -> Vec<String> {
        let accepted = self.0.iter().filter_map(|(_, verdict)| match verdict {
            Verdict::Accepted(what) => Some(what.clone()),
            _ => None,
        });
        let without = Kind::ALL
            .iter()
            .filter(|(kind, _)| self.count(*kind)[0] == 0);
        let without = without.map(|(_, name)| format!("{name}: no mutant"));
        accepted.chain(without).collect()
    }

    /// Mutants of a kind: all, those that are refused, and those that no proof is about.
    fn count(&self, kind: Kind) -> [usize; 3] {
        let mut counts = [0; 3];
        for (_, verdict) in self.0.iter().filter(|(of, _)| *of == kind) {
            counts[0] += 1;
            counts[1] += usize::from(matches!(verdict, Verdict::Refused));
            counts[2] += usize::from(matches!(verdict, Verdict::Unproved));
        }
        counts
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let title = "texts made wrong, none executed";
        write!(
            f,
            "{title:<44} {:>7} {:>7} {:>8}",
            "all", "refused", "unproved"
        )?;
        let rows = Kind::ALL.map(|(kind, name)| (name, self.count(kind)));
        let total = [0, 1, 2].map(|n| rows.iter().map(|(_, counts)| counts[n]).sum());
        for (name, [all, refused, unproved]) in rows.into_iter().chain([("all", total)]) {
            write!(f, "\n{name:<44} {all:>7} {refused:>7} {unproved:>8}")?;
        }
        Ok(())
    }
}

/// Mutants of each file that are tried, spread over all that there are.
const TRIED: usize = 80;

/// The kernels whose text is made wrong: every strategy and instruction set. Others have the same
/// lines more often.
fn is_tried(path: &Path) -> bool {
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let kernel = name.starts_with('w') && name.contains("_b");
    let of_31_bits =
        name.starts_with("w16_") && path.parent().is_some_and(|p| p.ends_with("koala_bear"));
    let smallest = name.ends_with("_b1") || name.contains("_staggered_");
    !kernel || smallest && (name.starts_with("w8_") || of_31_bits)
}

/// Makes lines of a generated crate wrong, and has the checker read it.
pub(crate) fn score(folder: &Path, checked: &Crate) -> io::Result<Table> {
    let source = folder.join("src");
    let mut files = Vec::new();
    for path in below(&source, "rs")?
        .into_iter()
        .filter(|path| is_tried(path))
    {
        let text = std::fs::read_to_string(&path)?;
        files.push((path, text));
    }
    let judged = in_parallel(&files, |(path, text)| judge(path, text, &source, checked));
    let judged = judged.into_iter().collect::<io::Result<Vec<_>>>()?;
    Ok(Table(judged.into_iter().flatten().collect()))
}

type Judged = (Kind, Verdict);

fn judge(path: &Path, text: &str, source: &Path, checked: &Crate) -> io::Result<Vec<Judged>> {
    let name = path.strip_prefix(source).unwrap_or(path).with_extension("");
    let name = name.to_string_lossy();
    // What stands beside code for people is no code.
    let code = |line| str::split_once(line, " // ").map_or(line, |(code, _)| code);
    let lines: Vec<&str> = text.lines().map(code).collect();
    let mutants = mutants(&name, &lines);
    if mutants.is_empty() {
        return Ok(Vec::new());
    }
    // What refuses everything would refuse every mutant.
    let wrong = |what: String| io::Error::other(format!("{name}.rs as it is: {what}"));
    match checked.check(&name, &lines.join("\n")) {
        Ok(true) => {}
        Ok(false) => return Err(wrong("it is not what was read".to_owned())),
        Err(refused) => return Err(wrong(refused.to_string())),
    }
    let step = mutants.len().div_ceil(TRIED).max(1);
    let tried = mutants.into_iter().step_by(step).map(|mutant| {
        let mut changed = lines.clone();
        changed[mutant.line] = &mutant.instead;
        let verdict = match checked.check(&name, &changed.join("\n")) {
            Err(_) => Verdict::Refused,
            Ok(false) => Verdict::Unproved,
            Ok(true) => {
                let (line, was) = (mutant.line + 1, lines[mutant.line].trim());
                let instead = mutant.instead.trim();
                Verdict::Accepted(format!("{name}.rs:{line} `{was}` is `{instead}`"))
            }
        };
        (mutant.kind, verdict)
    });
    Ok(tried.collect())
}

fn mutants(name: &str, lines: &[&str]) -> Vec<Mutant> {
    let whole = match name {
        // A list without a module, or with another, does not compile.
        _ if name.ends_with("/mod") => return Vec::new(),
        _ if name.contains("constants_w") => Some(Kind::Constants),
        _ if lines
            .iter()
            .any(|line| line.starts_with("pub const fn prepare")) =>
        {
            Some(Kind::Preparation)
        }
        "registry" => Some(Kind::Registry),
        "tuning" => Some(Kind::Tuning),
        _ if name.contains("_b") => None,
        _ => return Vec::new(),
    };
    let one_pass = lines.iter().any(|line| line.trim() == "for pass in 0..1 {");
    let mut kind = Kind::Body;
    let mut all = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        // Which kernel of a permutation serves, and when, is a matter of speed: of the tuning tables,
        // the permutation is what counts. Beside Plonky3's own a row's steps serve.
        let counts = match whole {
            Some(Kind::Tuning) if line.contains("Server::") => None,
            Some(Kind::Tuning) => [", isa: ", ", least: "]
                .iter()
                .find_map(|end| line.find(end)),
            _ => Some(line.len()),
        };
        let (line, rest) = line.split_at(counts.unwrap_or_default());
        let code = line.trim();
        if code.is_empty() || code.starts_with("//") {
            continue;
        }
        if code.starts_with("pub fn permute") {
            kind = Kind::Statement;
        } else if code.starts_with("macro_rules!") || code.starts_with("pub unsafe fn") {
            kind = Kind::Body;
        }
        // A missing `use` does not compile.
        if !code.contains(char::is_alphanumeric) || code.starts_with("use ") {
            continue;
        }
        let of = |own: Kind| match (whole, kind) {
            (Some(whole), _) => whole,
            _ if is_interface(code) => Kind::Interface,
            _ if is_assembler(code) => Kind::Assembler,
            (None, Kind::Statement) => own,
            (None, kind) => kind,
        };
        let mut push = |own: Kind, instead: String| {
            let (kind, line) = (of(own), at);
            let instead = instead + rest;
            all.push(Mutant {
                kind,
                line,
                instead,
            });
        };
        let flow =
            code.starts_with("for ") || code.starts_with("if ") || code.starts_with("while ");
        let counted = match code {
            // What this is filled with is overwritten, and elements beyond a state's are not read.
            _ if code.starts_with("let mut state = [[wide!(") => String::new(),
            _ if one_pass => without_passes(line),
            _ => line.to_owned(),
        };
        for number in numbers(&counted) {
            push(if flow { Kind::Flow } else { Kind::Index }, number);
        }
        // Without it, the name still has the same value, from a block around this one.
        let again =
            code.contains(" = constant_") && lines[..at].iter().any(|line| line.trim() == code);
        let statement = code.ends_with(';') || code.ends_with("),") && whole.is_none();
        if statement && !again {
            push(Kind::Statement, String::new());
        }
        if let Some(swapped) = swapped(line) {
            push(Kind::Operands, swapped);
        }
        for other in renamed(line, whole == Some(Kind::Tuning)) {
            push(Kind::Operands, other);
        }
        let store = code.split_once(" = ").filter(|_| code.ends_with(';'));
        if let Some((place, value)) = store.filter(|(place, _)| place.contains('[')) {
            // The place of an element or part that is written before.
            let other = (1..9).fold(place.to_owned(), |place, n| {
                place.replace(&format!("[{n}]"), "[0]")
            });
            if other != place {
                push(Kind::Store, format!("{line} {other} = {value}"));
            }
        }
    }
    all
}

/// Where there is one pass, all multiples of its number are 0.
fn without_passes(line: &str) -> String {
    let Some((before, after)) = line.split_once("pass * ") else {
        return line.to_owned();
    };
    let after = after.trim_start_matches(|c: char| c.is_ascii_digit());
    format!("{before}0{}", without_passes(after))
}

fn is_interface(code: &str) -> bool {
    ["pub fn", "pub unsafe fn", "#[", "unsafe { permute", "use "]
        .iter()
        .any(|s| code.starts_with(s))
}

fn is_assembler(code: &str) -> bool {
    let operand = [
        " in(reg",
        " out(reg",
        " lateout(reg",
        " inout(reg",
        " inlateout(reg",
    ];
    code.starts_with('"')
        || operand.iter().any(|o| code.contains(o))
        || code.starts_with("options(")
}

/// The line with each number one more, where it is no part of a name.
fn numbers(line: &str) -> Vec<String> {
    let digit = |c: char| c.is_ascii_hexdigit() || c == 'x';
    let mut all = Vec::new();
    let mut rest = 0;
    while let Some(at) = line[rest..]
        .find(|c: char| c.is_ascii_digit())
        .map(|n| n + rest)
    {
        let end = line[at..]
            .find(|c| !digit(c))
            .map_or(line.len(), |n| n + at);
        rest = end;
        let before = line[..at].chars().next_back();
        if before.is_some_and(|c| c.is_alphanumeric() || c == '_') {
            continue;
        }
        let number = &line[at..end];
        let more = match number.strip_prefix("0x") {
            Some(hex) => u64::from_str_radix(hex, 16)
                .map(|n| format!("{:#x}", n ^ 1))
                .ok(),
            None => number.parse::<u64>().map(|n| (n ^ 1).to_string()).ok(),
        };
        all.extend(more.map(|more| format!("{}{more}{}", &line[..at], &line[end..])));
    }
    all
}

/// The line with the first two operands of a call exchanged.
fn swapped(line: &str) -> Option<String> {
    let open = line.rfind('(')?;
    let close = open + line[open..].find(')')?;
    let (a, b) = line[open + 1..close].split_once(", ")?;
    let (b, rest) = b
        .split_once(", ")
        .map_or((b, String::new()), |(b, rest)| (b, format!(", {rest}")));
    (a != b && !line.trim().starts_with("macro_rules"))
        .then(|| format!("{}({b}, {a}{rest}{}", &line[..open], &line[close..]))
}

/// The line with another instruction, macro-op, register or flag; of choices, another permutation.
fn renamed(line: &str, choice: bool) -> Vec<String> {
    let pairs = [
        ("add", "sub"),
        ("plus", "minus"),
        ("srli", "slli"),
        ("shr", "shl"),
        ("and", "or"),
        ("xor", "or"),
        (", cs", ", cc"),
        ("lo_", "hi_"),
        ("square", "mul"),
        ("EPSILON", "P"),
        ("low", "high"),
        ("{a}", "{b}"),
        ("pure", "readonly"),
        ("external", "internal"),
        ("Avx2", "Scalar"),
        ("w8_", "w12_"),
        ("_b1", "_b2"),
    ];
    let both = pairs.into_iter().flat_map(|(a, b)| [(a, b), (b, a)]);
    let both = both.filter(|(from, _)| !choice || !from.starts_with("_b"));
    let renamed = both.map(|(from, to)| line.replacen(from, to, 1));
    renamed.filter(|other| other != line).collect()
}
