//! Rows as lines of inline assembler whose registers the compiler chooses.
//!
//! `{r0}` is result 0, `{0}` source 0, `{i0}` immediate 0; after a colon the view of the register. A
//! source that a line does not name is in the register of result 0 before.

use super::{Row, Text};

/// NEON rows by name: the instructions that the intrinsics stand for, as Arm's reference has them.
const NEON: &[(&str, &str)] = &[
    ("vaddq_u64", "add {r0:v}.2d, {0:v}.2d, {1:v}.2d"),
    ("vsubq_u64", "sub {r0:v}.2d, {0:v}.2d, {1:v}.2d"),
    ("vqaddq_s64", "sqadd {r0:v}.2d, {0:v}.2d, {1:v}.2d"),
    ("vaddw_u32", "uaddw {r0:v}.2d, {0:v}.2d, {1:v}.2s"),
    ("vsubw_u32", "usubw {r0:v}.2d, {0:v}.2d, {1:v}.2s"),
    ("vaddl_u32", "uaddl {r0:v}.2d, {0:v}.2s, {1:v}.2s"),
    ("vsubl_u32", "usubl {r0:v}.2d, {0:v}.2s, {1:v}.2s"),
    ("vmull_u32", "umull {r0:v}.2d, {0:v}.2s, {1:v}.2s"),
    ("vmlal_u32", "umlal {r0:v}.2d, {1:v}.2s, {2:v}.2s"),
    ("vmlsl_u32", "umlsl {r0:v}.2d, {1:v}.2s, {2:v}.2s"),
    ("vandq_u64", "and {r0:v}.16b, {0:v}.16b, {1:v}.16b"),
    ("vorrq_u64", "orr {r0:v}.16b, {0:v}.16b, {1:v}.16b"),
    ("veorq_u64", "eor {r0:v}.16b, {0:v}.16b, {1:v}.16b"),
    ("vbslq_u64", "bsl {r0:v}.16b, {1:v}.16b, {2:v}.16b"),
    ("vshlq_n_u64", "shl {r0:v}.2d, {0:v}.2d, #{i0}"),
    ("vshrq_n_u64", "ushr {r0:v}.2d, {0:v}.2d, #{i0}"),
    ("vsraq_n_u64", "usra {r0:v}.2d, {1:v}.2d, #{i0}"),
    ("vsliq_n_u64", "sli {r0:v}.2d, {1:v}.2d, #{i0}"),
    ("vcgtq_u64", "cmhi {r0:v}.2d, {0:v}.2d, {1:v}.2d"),
    ("vcgeq_u64", "cmhs {r0:v}.2d, {0:v}.2d, {1:v}.2d"),
    ("vtstq_u64", "cmtst {r0:v}.2d, {0:v}.2d, {1:v}.2d"),
    ("vmovn_u64", "xtn {r0:v}.2s, {0:v}.2d"),
    ("vshrn_n_u64", "shrn {r0:v}.2s, {0:v}.2d, #{i0}"),
    ("vmovl_u32", "ushll {r0:v}.2d, {0:v}.2s, #0"),
];

/// A lane's word into a general register.
pub const TAKE: [&str; 2] = ["fmov {r0}, {0:d}", "mov {r0}, {0:v}.d[1]"];

/// Two words into a vector, one line each.
pub const JOIN: [&str; 2] = ["fmov {r0:d}, {0}", "mov {r0:v}.d[1], {1}"];

/// A row's line; `None` for rows that have none.
#[must_use]
pub fn assembler(row: &Row) -> Option<&'static str> {
    match row.text {
        Text::Pattern(text) => Some(text),
        Text::Call | Text::Cast(_) | Text::Line(_) => {
            let line = NEON.iter().find(|(name, _)| *name == row.name);
            line.map(|(_, text)| *text)
        }
    }
}

/// Every mnemonic of vectors and moves.
pub fn mnemonics() -> impl Iterator<Item = &'static str> {
    let lines = NEON.iter().map(|(_, text)| *text);
    let lines = lines.chain(TAKE).chain(JOIN);
    lines.filter_map(|text| text.split(' ').next())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::{Target, table};

    #[test]
    fn every_neon_row_has_a_line_with_its_operands() {
        for row in table(Target::Neon).rows() {
            let line = assembler(row).unwrap_or_else(|| panic!("{}", row.name));
            assert!(line.contains("{r0:v}"), "{line}");
            for n in 0..row.sources.len() {
                let tied = n == 0
                    && ["umlal", "umlsl", "usra", "sli", "bsl"]
                        .contains(&line.split(' ').next().unwrap());
                assert_eq!(line.contains(&format!("{{{n}:v}}")), !tied, "{line}");
            }
            assert_eq!(line.contains("{i0}"), !row.immediates.is_empty(), "{line}");
        }
    }
}
