use super::*;
use crate::corpus::values::Fill;
use crate::programs::all;

#[test]
fn the_machine_runs_programs_as_the_generator_does() {
    for entry in all() {
        let machine = Machine::new(entry.instance.field, &entry.program);
        let words = Words::of(&entry.instance.field, &Table::standard(&entry.instance));
        let mut fill = Fill::new(1);
        for _ in 0..4 {
            let top = if entry.instance.field.montgomery_bits == 0 {
                u64::MAX
            } else {
                0x7f00_0000
            };
            let state: Vec<u64> = (0..entry.width()).map(|_| fill.below(top)).collect();
            // Where elements have parts, either may take the other word of a residue.
            let residues = |mut words: Vec<u64>| {
                let parts = entry.program.parts > 1;
                let p = entry.instance.field.modulus;
                words.iter_mut().filter(|_| parts).for_each(|x| *x %= p);
                words
            };
            let out = residues(machine.run(&words, &state, |_, _| {}));
            assert_eq!(
                out,
                residues(entry.program.permute(&state)),
                "{}",
                entry.name
            );
        }
    }
}

#[test]
fn every_site_has_its_vectors() {
    let mut lacking = Vec::new();
    for entry in all() {
        let start = std::time::Instant::now();
        let vectors = vectors(&entry.program, &entry.instance);
        let counts = count(&entry.program, &vectors);
        for count in &counts {
            let wanted = if entry.program.parts > 1 { 1 } else { VECTORS };
            assert!(
                count.vectors >= wanted || count.argument.is_some(),
                "{} {count:?}",
                entry.name
            );
            if count.hits < wanted.max(count.vectors / 2) {
                lacking.push((entry.name.clone(), count.clone()));
            }
        }
        let hit = counts.iter().filter(|count| count.hits >= VECTORS).count();
        println!(
            "{}: {} sites, {} vectors, {hit} sites hit {VECTORS} times, {:?}",
            entry.name,
            counts.len(),
            vectors.len(),
            start.elapsed()
        );
    }
    for (name, count) in &lacking {
        println!(
            "{name} {}: {} of {}, {:?}",
            count.site, count.hits, count.vectors, count.argument
        );
    }
    lacking.retain(|(_, count)| count.argument.is_none());
    assert_eq!(lacking, []);
}
