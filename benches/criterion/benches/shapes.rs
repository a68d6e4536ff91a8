//! Every match of this build under criterion, ours and the peer's in groups of two.
//!
//! The peer's types are those of the build's flags, so the instruction set is theirs as well:
//!
//! ```text
//! cargo bench -p shapes -- w8_scalar_redc_b1
//! RUSTFLAGS='-C target-cpu=x86-64-v3' cargo bench -p shapes -- chain/goldilocks/w8_avx2_halves_b2
//! RUSTFLAGS='-C target-cpu=x86-64-v4' cargo bench -p shapes -- merkle
//! ```

use std::cell::Cell;
use std::time::{Duration, Instant};

use benches::arena::{matches, native};
use benches::cell::Filter;
use benches::contestant::Contestant;
use criterion::{Bencher, Criterion, SamplingMode, Throughput, criterion_group, criterion_main};

fn shapes(criterion: &mut Criterion) {
    let ran = Cell::new(false);
    for isa in native() {
        for one in matches(isa, &Filter::default()) {
            let (kernel, shape) = (&one.cell.kernel, one.cell.shape);
            let name = kernel.rsplit('/').next().unwrap_or(kernel);
            let mut group = criterion.benchmark_group(format!("{shape}/{}/{name}", one.cell.field));
            group.sampling_mode(SamplingMode::Flat).sample_size(21);
            group.measurement_time(Duration::from_secs(1));
            group.warm_up_time(Duration::from_millis(200));
            // Set up only if a filter has not ruled it out.
            let mut pair = None;
            for side in ["ours", "p3"] {
                let permutations = if side == "ours" {
                    one.permutations.0
                } else {
                    one.permutations.1
                };
                group.throughput(Throughput::Elements(permutations));
                group.bench_function(side, |bencher| {
                    ran.set(true);
                    let pair = pair.get_or_insert_with(|| (one.set_up)(0));
                    let Some(pair) = pair else {
                        panic!("{kernel} and the peer do not come to the same result");
                    };
                    time(
                        bencher,
                        if side == "ours" {
                            &mut pair.ours
                        } else {
                            &mut pair.peer
                        },
                    );
                });
            }
            group.finish();
        }
    }
    // These options time nothing, whatever the filter is.
    let times_nothing = ["--list", "--ignored", "--load-baseline"];
    if !ran.get() && !std::env::args().any(|argument| times_nothing.contains(&argument.as_str())) {
        eprintln!(
            "error: nothing was timed: no kernel of this build matches the filter\n\
             `cargo bench -p shapes -- --list` shows what can be timed; candidates are not among them"
        );
        std::process::exit(1);
    }
}

fn time(bencher: &mut Bencher<'_>, contestant: &mut Contestant) {
    bencher.iter_custom(|times| {
        let start = Instant::now();
        contestant.run(times);
        start.elapsed()
    });
}

criterion_group!(benches, shapes);
criterion_main!(benches);
