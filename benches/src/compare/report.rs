//! The report: one file that opens anywhere, with a page for each field.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;

use super::plots;
use super::record::Record;
use super::table::{Best, Timeline, claim, timelines};
use crate::shape::{Part, Shape};
use crate::statistics::Verdict;

/// All that there is to tell.
pub(super) struct Report<'a> {
    /// What the figures were made on and with.
    pub(super) facts: &'a [(&'static str, String)],
    /// The figures.
    pub(super) records: &'a [Record],
    /// What was asked for, but not run.
    pub(super) not_run: &'a [String],
}

const STYLE: &str = "body{font:14px/1.5 sans-serif;margin:2em auto;max-width:1040px;padding:0 1em}\
table{border-collapse:collapse;margin:1em 0}\
td,th{padding:.15em .7em;border-bottom:1px solid #ddd;text-align:right;white-space:nowrap}\
td:first-child,th:first-child,td.t{text-align:left}\
.win{color:#06690f;font-weight:bold}.loss{color:#a01010}.overlap,.noisy{color:#777}\
.wrong{color:#fff;background:#a01010}svg{max-width:100%;height:auto}pre{overflow-x:auto}\
.pages{display:flex;flex-wrap:wrap}.pages>input{position:absolute;opacity:0}\
.pages>label{padding:.3em 1em;border:1px solid #ddd;cursor:pointer}\
.pages>section{display:none;order:1;width:100%}\
.pages>input:checked+label{background:#eee;font-weight:bold}\
.pages>input:checked+label+section{display:block}.pages>input:focus-visible+label{outline:2px solid}";

impl Report<'_> {
    /// As a page without references to anything outside of it.
    ///
    /// # Errors
    /// Where a plot cannot be drawn.
    pub(super) fn html(&self) -> Result<String, Box<dyn Error>> {
        let mut page = format!(
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
             <title>Poseidon2 kernels and Plonky3</title><style>{STYLE}</style></head><body>\n\
             <h1>Poseidon2 kernels and Plonky3, side by side</h1>\n<table>\n"
        );
        for (name, value) in self.facts {
            page += &format!(
                "<tr><td>{name}</td><td class=\"t\">{}</td></tr>\n",
                escape(value)
            );
        }
        page += "</table>\n<p>Ours and the peer take turns in one process, after both have come to \
                 the same result. Times are medians in nanoseconds per permutation, with quartiles. \
                 A ratio is a claim only if the intervals are apart and the spread is below 3 %.</p>\n";
        let mut fields: BTreeMap<&str, Vec<Record>> = BTreeMap::new();
        for record in self.records {
            let records = fields.entry(&record.cell.field).or_default();
            records.push(record.clone());
        }
        page += "<div class=\"pages\">\n";
        for (index, (field, records)) in fields.iter().enumerate() {
            let checked = if index == 0 { " checked" } else { "" };
            page += &format!(
                "<input type=\"radio\" name=\"field\" id=\"field-{index}\"{checked}>\
                 <label for=\"field-{index}\">{field}</label>\n<section>\n"
            );
            page += &of_field(records)?;
            page += "</section>\n";
        }
        page += "</div>\n";
        if !self.not_run.is_empty() {
            page += "<h2>Not run</h2>\n<ul>\n";
            for line in self.not_run {
                page += &format!("<li>{}</li>\n", escape(line));
            }
            page += "</ul>\n";
        }
        page += "</body></html>\n";
        Ok(page)
    }
}

/// The page of a field.
fn of_field(records: &[Record]) -> Result<String, Box<dyn Error>> {
    let fastest = escape(&Best(records).to_string());
    let mut page = format!("<h2>Fastest kernels</h2>\n<pre>{fastest}</pre>\n");
    let mut isas: BTreeMap<&str, Vec<&Record>> = BTreeMap::new();
    for record in records {
        isas.entry(&record.cell.isa).or_default().push(record);
    }
    let timelines = timelines(records);
    for (isa, records) in isas {
        page += &format!("<h2>{isa}</h2>\n");
        page += &section(isa, &records, &timelines)?;
    }
    Ok(page)
}

fn section(
    isa: &str,
    records: &[&Record],
    timelines: &[(&Record, [Timeline; 2])],
) -> Result<String, Box<dyn Error>> {
    let mut text = String::new();
    let whole = |shape: &Shape| shape.part() == Part::Whole && *shape != Shape::Natural;
    let shapes: Vec<Shape> = Shape::ALL.into_iter().filter(whole).collect();
    let mut by_kernel = records.to_vec();
    by_kernel.sort_by_key(|record| (&record.cell.field, record.cell.width, &record.cell.kernel));
    by_kernel.retain(|record| shapes.contains(&record.cell.shape));
    if !by_kernel.is_empty() {
        text += &plots::ratios(&format!("{isa}: ratios"), &by_kernel, &shapes)?;
    }
    let of_isa = timelines
        .iter()
        .filter(|(record, _)| record.cell.isa == isa);
    let of_isa: Vec<_> = of_isa.copied().collect();
    if !of_isa.is_empty() {
        text += &plots::phases(&format!("{isa}: phases"), &of_isa)?;
    }
    text += "<details><summary>All figures</summary><table>\n<tr><th>kernel</th><th>shape</th>\
             <th>ours</th><th>quartiles</th><th>p3</th><th>quartiles</th><th>p3 states</th>\
             <th>spread</th><th>turns</th><th>p3 / ours</th></tr>\n";
    for record in records {
        row(&mut text, record);
    }
    text += "</table></details>\n";
    Ok(text)
}

fn row(text: &mut String, record: &Record) {
    let class = match record.verdict {
        Some(Verdict::Win) => "win",
        Some(Verdict::Loss) => "loss",
        Some(Verdict::Overlap) => "overlap",
        Some(Verdict::Noisy) => "noisy",
        None => "wrong",
    };
    let time = |median: Option<f64>, interval: Option<[f64; 2]>| match (median, interval) {
        (Some(median), Some([low, high])) => {
            format!("<td>{median:.1}</td><td>{low:.1}–{high:.1}</td>")
        }
        _ => "<td></td><td></td>".to_owned(),
    };
    // Writing to a string does not fail.
    let _ = writeln!(
        text,
        "<tr><td>{}</td><td class=\"t\">{}</td>{}{}<td>{}</td><td>{}</td><td>{}</td>\
         <td class=\"{class}\">{}</td></tr>",
        escape(&record.cell.kernel),
        record.cell.shape,
        time(record.ours_ns, record.ours_interval),
        time(record.peer_ns, record.peer_interval),
        record.peer_states,
        record
            .spread
            .map_or(String::new(), |spread| format!("{:.1} %", 100.0 * spread)),
        record.turns,
        claim(record),
    );
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::super::record::tests::outcome;
    use super::*;

    #[test]
    fn the_page_is_whole_and_asks_for_nothing() {
        let record = |batch, shape, ours| {
            Record::new(&outcome(batch, shape, ours, 400.0, 0.002), "x86-64-v3").expect("measured")
        };
        let records = [
            record(1, Shape::Chain, 300.0),
            record(1, Shape::Natural, 300.0),
            record(1, Shape::ExternalInitial, 100.0),
            record(1, Shape::Internal, 100.0),
            record(1, Shape::ExternalFinal, 100.0),
        ];
        let report = Report {
            facts: &[("CPU", "A <fast> one".to_owned())],
            records: &records,
            not_run: &["neon: 3 kernels: this is x86_64".to_owned()],
        };
        let page = report.html().expect("plots are drawn");
        assert!(page.contains("A &lt;fast&gt; one"));
        assert!(page.contains("not run") || page.contains("Not run"));
        assert_eq!(page.matches("<svg").count(), 2);
        for reference in ["src=", "href=", "@import", "url("] {
            assert!(!page.contains(reference), "{reference}");
        }
    }

    #[test]
    fn each_field_has_a_page_and_the_first_is_shown() {
        let record = |field: &str| {
            let mut record = outcome(1, Shape::Chain, 300.0, 400.0, 0.002);
            record.cell.field = field.to_owned();
            record.cell.kernel = format!("plonky3/{field}/one");
            Record::new(&record, "native").expect("measured")
        };
        let records = ["koala-bear", "goldilocks", "koala-bear"].map(record);
        let report = Report {
            facts: &[],
            records: &records,
            not_run: &[],
        };
        let page = report.html().expect("plots are drawn");
        let pages: Vec<&str> = page.split("<section>").collect();
        assert_eq!(pages.len(), 3);
        assert_eq!(page.matches(" checked>").count(), 1);
        for (own, other, pages) in [
            ("goldilocks", "koala-bear", [pages[0], pages[1]]),
            ("koala-bear", "goldilocks", [pages[1], pages[2]]),
        ] {
            assert!(pages[0].ends_with(&format!(">{own}</label>\n")), "{own}");
            let (page, _) = pages[1].split_once("</section>").expect("it ends");
            assert!(page.contains(&format!("plonky3/{own}/one")), "{own}");
            assert!(!page.contains(other), "{own}");
        }
    }

    #[test]
    fn nothing_measured_is_a_report_too() {
        let report = Report {
            facts: &[],
            records: &[],
            not_run: &[],
        };
        assert!(report.html().is_ok_and(|page| page.ends_with("</html>\n")));
    }
}
