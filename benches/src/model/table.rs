//! The table of modelled figures.

use std::fmt;

use super::Record;

/// A line for each kernel and core.
pub(super) struct Table<'a>(pub(super) &'a [Record]);

impl fmt::Display for Table<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:<44} {:<12} {:>12} {:>12} {:>12} {:>12}  p3 / ours",
            "modelled, per permutation",
            "core",
            "ours cycles",
            "p3 cycles",
            "ours instr.",
            "p3 instr."
        )?;
        for record in self.0 {
            let verdict = if record.verified {
                format!("{:.2} modelled", record.ratio)
            } else {
                "WRONG RESULT".to_owned()
            };
            writeln!(
                f,
                "{:<44} {:<12} {:>12.0} {:>12.0} {:>12.0} {:>12.0}  {verdict}",
                record.kernel,
                record.core,
                record.ours_cycles,
                record.peer_cycles,
                record.ours_instructions,
                record.peer_instructions,
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::example;
    use super::*;

    #[test]
    fn every_line_says_modelled() {
        let mut wrong = example();
        wrong.verified = false;
        let table = Table(&[example(), wrong]).to_string();
        let lines: Vec<_> = table.lines().collect();
        assert!(lines[0].starts_with("modelled"));
        assert!(lines[1].ends_with("2.25 modelled"));
        assert!(lines[2].ends_with("WRONG RESULT"));
    }
}
