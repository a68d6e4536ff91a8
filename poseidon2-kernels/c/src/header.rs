//! The header, as it follows from the functions.

use std::fmt::Write as _;
use std::marker::PhantomData;

use expect_test::expect_file;

use crate::{permutations, status};

/// A permutation that functions were made of.
pub(crate) struct Of<F, const W: usize, S>(PhantomData<(F, S)>);

pub(crate) trait Permutation {
    /// How the names of its functions begin.
    const PREFIX: &'static str;
    const ABOUT: &'static str;
    /// Numbers of words.
    const SIZES: [(&'static str, usize); 3];
    const FUNCTIONS: &'static [Function];
}

pub(crate) struct Function {
    /// How its name ends.
    pub(crate) name: &'static str,
    /// What it does, by lines.
    pub(crate) said: &'static [&'static str],
    /// The types of its arguments, and their names.
    pub(crate) arguments: fn() -> Vec<(String, &'static str)>,
}

/// A Rust type's name in C, as it stands before the name of an argument.
pub(crate) trait CType {
    fn name() -> String;
}

impl CType for u32 {
    fn name() -> String {
        "uint32_t ".into()
    }
}

impl CType for u64 {
    fn name() -> String {
        "uint64_t ".into()
    }
}

impl CType for usize {
    fn name() -> String {
        "size_t ".into()
    }
}

impl<T: CType> CType for *mut T {
    fn name() -> String {
        T::name() + "*"
    }
}

impl<T: CType> CType for *const T {
    fn name() -> String {
        format!("const {}*", T::name())
    }
}

/// What the header has on a permutation, and its functions.
pub(crate) type Section = fn() -> (String, &'static [Function]);

pub(crate) fn section<P: Permutation>() -> (String, &'static [Function]) {
    let mut text = format!("\n/* {} */\n", P::ABOUT);
    for (name, size) in P::SIZES {
        let _ = writeln!(text, "#define {}_{name} {size}", P::PREFIX.to_uppercase());
    }
    for function in P::FUNCTIONS {
        let arguments = (function.arguments)().into_iter();
        let arguments: Vec<String> = arguments.map(|(kind, name)| kind + name).collect();
        let (prefix, name) = (P::PREFIX, function.name);
        let _ = writeln!(text, "int {prefix}_{name}({});", arguments.join(", "));
    }
    (text, P::FUNCTIONS)
}

const HEAD: &str = "\
/* Poseidon2 permutations, hashing and compression. The instructions are chosen when the program runs.
 *
 * Written by `UPDATE_EXPECT=1 cargo test -p poseidon2-kernels-c`; do not edit.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef POSEIDON2_KERNELS_H
#define POSEIDON2_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern \"C\" {
#endif

/* What functions return. Where it is not POSEIDON2_OK or POSEIDON2_DEFECT, nothing was written. */
enum poseidon2_status {
";

const SELECTED: &str = "
};

/* The instruction set in use and why that one: \"avx2: the widest with kernels that this CPU has\".
 * It is found out by the first call of any function. The environment variable POSEIDON2_KERNEL,
 * read at that time, overrules it; no thread may change the environment meanwhile. The text stays as
 * long as the program runs. */
const char *poseidon2_selected(void);

/* What functions do, by how their names end; permute_montgomery is there for fields of 31 bits.
";

const RULES: &str = " *
 * Words are residues: any word stands for its residue mod p, and those given back are below p. Counts
 * and lengths are of states, rows, pairs and words, never of bytes. Words are in the CPU's byte order,
 * and aligned as their type asks. A pointer to no words is not looked at, so it may be null.
 *
 * The caller sees to it that the words are there, and that no other thread uses what is written until
 * the function returns. Any number of threads may call at the same time. */
";

const TAIL: &str = "
#ifdef __cplusplus
}
#endif

#endif
";

fn header() -> String {
    let statuses = status::ALL.iter().map(|(status, name, said)| {
        let said = said.join("\n     *");
        format!("    /*{said} */\n    {name} = {}", *status as i32)
    });
    let statuses: Vec<String> = statuses.collect();
    let (mut functions, mut sections) = (Vec::new(), String::new());
    for section in permutations::ALL {
        let (section, own) = section();
        sections += &section;
        for function in own {
            let said = function.said.join("\n *   ");
            let text = format!(" *\n * {}\n *   {said}\n", function.name);
            if !functions.contains(&text) {
                functions.push(text);
            }
        }
    }
    let (statuses, functions) = (statuses.join(",\n"), functions.concat());
    let text = [
        HEAD, &statuses, SELECTED, &functions, RULES, &sections, TAIL,
    ]
    .concat();
    // Not every compiler takes a header for UTF-8.
    text.replace('−', "-").replace('·', "*")
}

#[test]
fn the_header_is_that_of_the_functions() {
    expect_file!["../include/poseidon2_kernels.h"].assert_eq(&header());
}
