use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::*;

fn templates() -> TemplateSet {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../templates");
    TemplateSet::load(&directory).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn timing() {
    let templates = templates();
    let solver = Solver::find(Duration::from_secs(120)).unwrap();
    let filter = std::env::var("LEMMA").unwrap_or_default();
    for (target, field, op) in all(&templates) {
        let rendered = templates.render_body(target, field, op).unwrap_or_else(|e| panic!("{e}"));
        let lemma = Lemma::new(&rendered).unwrap();
        if !lemma.name().contains(&filter) { continue; }
        let start = Instant::now();
        if let Err(e) = lemma.test(QUICK) { println!("{}", lemma.broken(&e)); continue; }
        let tested = start.elapsed();
        if let Ok(dir) = std::env::var("SMT") {
            for (n, q) in lemma.queries().iter().enumerate() {
                std::fs::write(format!("{dir}/{}-{n}.smt2", lemma.name().replace(['/', ' '], "-")), q).unwrap();
            }
        }
        let result = if std::env::var("SMT").is_ok() { Ok(()) } else { lemma.prove(&solver) };
        println!("{:45} {:3} test {:?} prove {:?} {}", lemma.name(), rendered.body.instructions.len(), tested, start.elapsed(),
          match result { Ok(()) => "ok".to_owned(), Err(e) => e.to_string() });
    }
}
