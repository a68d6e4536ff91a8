use std::path::Path;

use super::*;

#[test]
fn experiment() {
    let Ok(folder) = std::env::var("CRATE") else {
        return;
    };
    let only = std::env::var("ONLY").unwrap_or_default();
    let checked = crate::Crate::read(Path::new(&folder)).unwrap();
    println!("{:?}", checked.refused(Path::new(&folder)));
    let mut lemmas = checked.lemmas().unwrap();
    lemmas.retain(|lemma| lemma.to_string().contains(&only));
    let solvers = Solver::all(std::env::var_os("CACHE").map(Into::into));
    let start = std::time::Instant::now();
    for lemma in &lemmas {
        for solver in &solvers {
            let start = std::time::Instant::now();
            let verdict = lemma.prove(solver);
            let t = start.elapsed().as_secs_f64();
            if t > 1.0 || verdict != Verdict::Proved {
                println!("{t:7.2} {solver} {lemma}: {verdict}");
            }
        }
    }
    println!(
        "{} lemmas, {:.2}",
        lemmas.len(),
        start.elapsed().as_secs_f64()
    );
}
#[test]
fn counts() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../generated");
    for lemma in crate::Crate::read(&folder).unwrap().lemmas().unwrap() {
        if let Of::Ranges(cases) = &lemma.of {
            println!("{lemma} {}", cases.len());
        }
    }
}
