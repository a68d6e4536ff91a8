//! A program in C that tests each function of the C interface, with words to give to it and what the
//! reference makes of them.

use std::fmt::Write as _;

use crate::corpus::values::{Fill, edges};
use crate::oracle::{Instance, Permutation, known_answers};

/// As many as `counts` in `checks.h` ask for at most.
const STATES: usize = 40;

/// The functions of a permutation, by their names.
pub(super) fn functions(instance: &Instance) -> impl Iterator<Item = String> + use<> {
    let prefix = name(instance);
    let montgomery = is_montgomery(instance).then_some("permute_montgomery");
    let names = ["permute", "hash", "compress"].into_iter();
    let names = names.chain(montgomery);
    names.map(move |name| format!("poseidon2_{prefix}_{name}"))
}

/// The program, which includes the files beside it.
pub(super) fn program(instances: &[Instance]) -> String {
    let mut text = String::from("#include \"checks.h\"\n");
    let mut tests = String::new();
    for instance in instances {
        section(&mut text, instance);
        let _ = writeln!(tests, "    {}_test();", name(instance));
    }
    text + "\nint main(int given, char **names)\n{\n    (void)names;\n    begin(given);\n"
        + &tests
        + "    return end();\n}\n"
}

fn name(instance: &Instance) -> String {
    let (set, field) = (&instance.parameter_set, instance.field.name);
    format!("{set}_{field}_w{}", instance.permutation.width()).replace('-', "_")
}

fn is_montgomery(instance: &Instance) -> bool {
    instance.field.montgomery_bits != 0
}

/// Words of a digest.
fn digest(instance: &Instance) -> usize {
    if is_montgomery(instance) { 8 } else { 4 }
}

fn section(text: &mut String, instance: &Instance) {
    let (name, width, digest) = (
        name(instance),
        instance.permutation.width(),
        digest(instance),
    );
    let (rate, montgomery) = (width - digest, is_montgomery(instance));
    let word = if montgomery { "uint32_t" } else { "uint64_t" };
    let mut array = |what: &str, kind: &str, numbers: &[u64]| {
        let numbers: Vec<String> = numbers.iter().map(|n| format!("{n:#x}")).collect();
        let numbers = numbers.join(", ");
        let _ = writeln!(text, "static const {kind} {name}_{what}[] = {{{numbers}}};");
    };
    let permutation = &instance.permutation;
    let states = states(instance);
    array("states", word, &states);
    let images = |decode: &dyn Fn(u64) -> u64, encode: &dyn Fn(u64) -> u64| -> Vec<u64> {
        let mut images: Vec<u64> = states.iter().copied().map(decode).collect();
        images
            .chunks_mut(width)
            .for_each(|state| permutation.permute(state));
        images.into_iter().map(encode).collect()
    };
    array("images", word, &images(&|x| x, &|x| x));
    if montgomery {
        let field = instance.field;
        let images = images(&|x| field.decode(x), &|x| field.encode(x));
        array("montgomery_images", word, &images);
    }
    // No block, less than one, one, more than one, more than two.
    let lengths = [0, 1, rate, rate + 1, 2 * rate + 3];
    let words = words(instance, STATES * (2 * rate + 3).max(2 * digest));
    array("words", word, &words);
    array("lengths", "size_t", &lengths.map(|length| length as u64));
    let digests = |rate: usize, length: usize| -> Vec<u64> {
        let row = |row: usize| &words[row * length..][..length];
        let digests = (0..STATES).flat_map(|n| sponge(permutation, rate, digest, row(n)));
        digests.collect()
    };
    let hashed = lengths.iter().flat_map(|length| digests(rate, *length));
    array("digests", word, &hashed.collect::<Vec<_>>());
    array("nodes", word, &digests(2 * digest, 2 * digest));
    let sizes = [("WIDTH", width), ("RATE", rate), ("DIGEST", digest)];
    let sizes = sizes.map(|(size, words)| (size, words.to_string()));
    let from_header = format!("POSEIDON2_{}_##size", name.to_uppercase());
    let mut macros = vec![
        ("NAME", name),
        ("WORD", word.into()),
        ("SIZE(size)", from_header),
    ];
    macros.extend(sizes);
    macros.extend(montgomery.then(|| ("MONTGOMERY", String::new())));
    for (name, value) in &macros {
        let _ = writeln!(text, "#define {name} {value}");
    }
    text.push_str("#include \"permutation.inc\"\n");
    for (name, _) in &macros {
        let name = name.trim_end_matches("(size)");
        let _ = writeln!(text, "#undef {name}");
    }
}

/// Those of known answers first.
fn states(instance: &Instance) -> Vec<u64> {
    let known = known_answers(instance).into_iter();
    let mut states: Vec<u64> = known.flat_map(|answer| answer.input).collect();
    let all = STATES * instance.permutation.width();
    states.extend(words(instance, all));
    states.truncate(all);
    states
}

/// Words of which many are not below p.
fn words(instance: &Instance, count: usize) -> Vec<u64> {
    let (p, most) = match is_montgomery(instance) {
        true => (instance.field.modulus, u64::from(u32::MAX)),
        false => (instance.field.modulus, u64::MAX),
    };
    let multiples = (1..=most / p).flat_map(|k| [k * p - 1, k * p, k * p + 1]);
    let edges: Vec<u64> = edges(&instance.field)
        .into_iter()
        .chain(multiples)
        .chain([most])
        .collect();
    let mut fill = Fill::new(count as u64);
    let mut word = || match fill.below(2) {
        0 => fill.bits() & most,
        _ => edges[fill.index(edges.len())],
    };
    (0..count).map(|_| word()).collect()
}

/// The overwrite-mode sponge of a row. Of a pair of nodes in one block it is their compression.
pub(super) fn sponge(
    permutation: &Permutation,
    rate: usize,
    digest: usize,
    row: &[u64],
) -> Vec<u64> {
    let mut state = vec![0; permutation.width()];
    for block in row.chunks(rate) {
        state[..block.len()].copy_from_slice(block);
        permutation.permute(&mut state);
    }
    state.truncate(digest);
    state
}
