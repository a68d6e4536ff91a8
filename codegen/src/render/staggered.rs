//! External rounds of two groups that are half a round apart.

use super::layout::Layout;
use super::rust::statements;
use crate::ir::BlockKind;
use crate::prove::Proved;

/// Puts the texts into a context: S-boxes of the first group alone, and S-boxes of each beside the sums of the other.
pub(super) fn insert(context: &mut tera::Context, proved: &Proved, layout: Layout) {
    let program = proved.program();
    let [sbox, linear] = [BlockKind::ExternalSbox, BlockKind::ExternalLinear]
        .map(|kind| program.block(kind).expect("all programs have it"));
    let passes = |group| {
        (0..program.instance.width / layout.stage).map(move |pass| {
            let layout = Layout {
                pass: Some(pass),
                ..layout.of(group)
            };
            statements(proved, sbox, layout)
        })
    };
    context.insert("first", &passes(0).collect::<String>());
    let turns = [0, 1].map(|group| {
        let sums = statements(proved, linear, layout.of(1 - group));
        mixed(&passes(group).collect::<Vec<_>>(), &sums)
    });
    context.insert("turns", &turns);
}

/// S-boxes, some at a time, and what does not wait for them: behind each of their texts as large a part of the sums.
fn mixed(passes: &[String], sums: &str) -> String {
    let sums: Vec<&str> = sums.lines().collect();
    let end = |pass: usize| sums.len() * pass / passes.len();
    let parts = passes.iter().enumerate().map(|(n, pass)| {
        let part = &sums[end(n)..end(n + 1)];
        format!("{pass}{}\n", part.join("\n"))
    });
    parts.collect()
}

#[cfg(test)]
mod tests {
    use super::mixed;

    #[test]
    fn every_line_is_there_once_and_in_its_order() {
        let passes = ["a\nb\n", "c\nd\n", "e\nf\n"].map(str::to_owned);
        let text = mixed(&passes, "1\n2\n3\n4\n");
        assert_eq!(text, "a\nb\n1\nc\nd\n2\ne\nf\n3\n4\n");
    }
}
