//! Modes are generic, so they are compiled in the crate that uses them. What they call there, without
//! link-time optimisation: kernels, the engine around them, and what moves memory. A function of the
//! standard library that stays a call is one for each word or vector; `array::from_fn` alone cost a fifth
//! of a sponge's time.

#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// Functions that look like a user's, to be found by their names.
mod user {
    use poseidon2_kernels::modes::{FeedForwardCompression, MmoSponge};
    use poseidon2_kernels::{
        Compression, LengthMismatch, Poseidon2Goldilocks, Poseidon2KoalaBear, Sponge,
    };

    type Goldilocks = Poseidon2Goldilocks<8>;
    type KoalaBear = Poseidon2KoalaBear<16>;
    type Outcome = Result<(), LengthMismatch>;

    #[inline(never)]
    pub(super) fn sponge(
        sponge: &Sponge<Goldilocks, 8, 4, 4>,
        rows: &[u64],
        digests: &mut [[u64; 4]],
    ) -> Outcome {
        sponge.hash_rows_into(rows, digests)
    }

    #[inline(never)]
    pub(super) fn compression(
        compression: &Compression<Goldilocks, 2, 4, 8>,
        pairs: &[[[u64; 4]; 2]],
        nodes: &mut [[u64; 4]],
    ) -> Outcome {
        compression.compress_layer_into(pairs, nodes)
    }

    #[inline(never)]
    pub(super) fn mmo(
        sponge: &MmoSponge<KoalaBear, 16, 12, 8>,
        rows: &[u32],
        digests: &mut [[u32; 8]],
    ) -> Outcome {
        sponge.hash_rows_into(rows, digests)
    }

    #[inline(never)]
    pub(super) fn feed_forward(
        compression: &FeedForwardCompression<KoalaBear, 2, 8, 16>,
        pairs: &[[[u32; 8]; 2]],
        nodes: &mut [[u32; 8]],
    ) -> Outcome {
        compression.compress_layer_into(pairs, nodes)
    }
}

/// What may stay a call, as each is one for a kernel call or a row, or ends the program.
const RARE: [&str; 4] = [
    "core::iter::adapters::zip::",
    "core::panicking::",
    "core::result::unwrap_failed",
    "core::slice::",
];

/// What a tool of the package binutils says of this program.
fn objdump(arguments: &[&str]) -> String {
    let program = std::env::current_exe().expect("a test has a path");
    let mut objdump = Command::new("objdump");
    let output = objdump.args(arguments).arg(program).output();
    let output = output.expect("objdump, of the package binutils");
    String::from_utf8(output.stdout).expect("names are UTF-8")
}

/// What each function of this program calls, but for what it has the addresses of in registers or
/// memory.
fn calls(listing: &str, slots: &str) -> BTreeMap<String, BTreeSet<String>> {
    let mut names = BTreeMap::new();
    for line in listing.lines() {
        if let Some((address, name)) = line.split_once(" <")
            && let Some(name) = name.strip_suffix(">:")
        {
            names.insert(address.trim_start_matches('0'), name);
        }
    }
    // Where the loader puts which function's address.
    let slots = slots.lines().filter_map(|line| {
        let (slot, function) = line.split_once(" R_X86_64_RELATIVE")?;
        let (_, address) = function.split_once("+0x")?;
        let name = names.get(address.trim_start_matches('0'))?;
        Some((slot.trim_start_matches('0'), *name))
    });
    let slots: BTreeMap<&str, &str> = slots.collect();
    let mut calls: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut function = "";
    for line in listing.lines() {
        if let Some((_, name)) = line.split_once(" <")
            && let Some(name) = name.strip_suffix(">:")
        {
            function = name;
        } else if let Some((_, target)) = line.split_once("call ") {
            let known = match target.split_once("# ") {
                Some((_, slot)) => slots
                    .get(slot.split(' ').next().unwrap_or_default())
                    .copied(),
                None => target
                    .split_once(" <")
                    .and_then(|(_, name)| name.strip_suffix('>')),
            };
            let callees = calls.entry(function.to_owned()).or_default();
            callees.extend(known.map(str::to_owned));
        }
    }
    calls
}

#[test]
#[cfg_attr(debug_assertions, ignore = "an unoptimised build inlines nothing")]
fn modes_call_nothing_for_each_word() {
    std::hint::black_box((
        user::sponge as *const (),
        user::compression as *const (),
        user::mmo as *const (),
        user::feed_forward as *const (),
    ));
    let listing = objdump(&["-d", "-C", "--no-show-raw-insn"]);
    let calls = calls(&listing, &objdump(&["-R"]));
    let own =
        |name: &str| name.contains("emitted_calls::user::") || name.contains("poseidon2_kernels::");
    let rare = |name: &str| {
        let name = name.trim_start_matches('<');
        // Since Rust 1.99, names of slice methods have the type of the elements, and some have no module.
        let of_a_slice =
            name.starts_with('[') && (name.contains("]>::") || name.contains("] as core::slice::"));
        of_a_slice || RARE.iter().any(|rare| name.starts_with(rare))
    };
    let (mut modes, mut others) = (0, BTreeSet::new());
    for (function, callees) in calls.iter().filter(|(function, _)| own(function)) {
        modes += usize::from(function.contains(">>::absorb"));
        let others_of = callees
            .iter()
            .filter(|callee| !own(callee) && !rare(callee));
        others.extend(others_of.map(|callee| format!("{function} calls {callee}")));
    }
    assert!(modes > 0, "there are none");
    assert_eq!(others, BTreeSet::new());
}
