//! The tables that are checked in.

use super::*;

fn tables() -> Vec<TuningTable> {
    load_all(&root().join("codegen/tuning")).unwrap_or_else(|wrong| panic!("{}", wrong.render()))
}

#[test]
fn name_only_kernels_that_exist() {
    assert_eq!(unknown(&tables(), &asked()), []);
}

/// Ours by Plonky3's, for each state: of a kernel's figure, and of Plonky3's type of so many lanes as
/// another figure of the table tells it. Written apart from what decides.
fn slower_than_stock(
    table: &TuningTable,
    choice: &Choice,
    step: &Step,
    lanes: usize,
) -> Option<f64> {
    let workload = choice.workload.unwrap_or(Workload::Chain);
    let of_workload = |cell: &TuningCell| cell.figures[workload as usize].clone();
    let same = |cell: &&TuningCell| {
        (&cell.key.field, cell.key.width) == (&choice.key.field, choice.key.width)
    };
    let cells = || table.cells.iter().filter(same);
    let own = |cell: &TuningCell, figure: &Figure| cell.key.full(&figure.kernel) == step.kernel;
    let (cell, figure) = cells().find_map(|cell| {
        let found = of_workload(cell)
            .into_iter()
            .find(|figure| own(cell, figure));
        found.map(|figure| (cell, figure))
    })?;
    let word_bits = if choice.key.field == "goldilocks" {
        64
    } else {
        32
    };
    let vectors = |isa: Isa| match isa {
        _ if table.arch == "aarch64" => 128 / word_bits,
        Isa::Wasm => 128 / word_bits,
        Isa::Avx2 => 256 / word_bits,
        Isa::Avx512 | Isa::Avx512Ifma => 512 / word_bits,
        _ => 1,
    };
    let rival = if figure.states < lanes { 1 } else { lanes };
    let is_of_rival = |cell: &TuningCell, figure: &Figure| match rival {
        1 => figure.lanes == 1 && (vectors(cell.key.isa) == 1 || table.modelled),
        lanes => figure.lanes > 1 && vectors(cell.key.isa) == lanes,
    };
    if is_of_rival(cell, &figure) {
        return Some(1.0 / figure.ratio);
    }
    let rivals = cells().flat_map(|cell| of_workload(cell).into_iter().map(move |f| (cell, f)));
    let rivals = rivals.filter(|(cell, figure)| is_of_rival(cell, figure));
    // A median, as two cells may be of two days.
    let mut times: Vec<f64> = rivals
        .map(|(_, figure)| figure.time * figure.ratio)
        .collect();
    times.sort_by(f64::total_cmp);
    let time = times.get(times.len() / 2)?;
    Some(figure.time / time)
}

#[test]
fn hand_over_where_plonky3_is_faster() {
    let tables = tables();
    let (mut kept, mut handed_over) = (0, 0);
    for resolved in resolve(&tables, &asked()) {
        // What a table lacks is its default's, or else another's.
        let own = |table: &&TuningTable| table.cpu == resolved.cpu;
        let same_architecture = |table: &&TuningTable| table.arch == resolved.arch;
        let default = |table: &&TuningTable| table.default && same_architecture(table);
        let sources = tables
            .iter()
            .filter(own)
            .chain(tables.iter().filter(default))
            // Of several others the last one counts.
            .chain(tables.iter().rev().filter(same_architecture));
        for choice in &resolved.choices {
            let servers = choice
                .beside
                .iter()
                .map(|(lanes, servers)| (*lanes, servers.clone()));
            let ours = || choice.steps.iter().cloned().map(Server::Kernel).collect();
            let stands = choice.stands.iter().map(|lanes| (*lanes, ours()));
            for (lanes, servers) in stands.chain(servers) {
                for server in servers {
                    let Server::Kernel(step) = server else {
                        handed_over += 1;
                        continue;
                    };
                    let slower = |table| slower_than_stock(table, choice, &step, lanes);
                    let slower = sources.clone().find_map(slower);
                    let slower = slower.unwrap_or_else(|| panic!("{choice:?}, {lanes} lanes"));
                    assert!(slower <= 1.0, "{}, {lanes} lanes: {choice:?}", resolved.cpu);
                    kept += 1;
                }
            }
        }
    }
    assert!(
        kept > 100 && handed_over > 10,
        "{kept} kept, {handed_over} handed over"
    );
}

/// What was measured with Plonky3 beside us, by name.
#[test]
fn koala_bear_is_handed_over_where_it_was_slower() {
    let resolved = resolve(&tables(), &asked());
    let stock = |server: &Server| matches!(server, Server::Stock { .. });
    let packed =
        |server: &Server, lanes| matches!(server, Server::Stock { states, .. } if *states == lanes);
    let measured = |cpu: &str| {
        let table = resolved.iter().find(|one| one.cpu == cpu).unwrap();
        let mut choices = table.choices.clone();
        choices.retain(|choice| (&*choice.key.field, choice.key.width) == ("koala-bear", 16));
        choices
    };
    // Nobody has timed these kernels on Zen 5, so other tables decide. Ours serve some states in every build.
    for choice in measured("zen5") {
        let ours = |servers: &[Server]| !servers.iter().all(stock);
        assert!(
            choice.beside.iter().all(|(_, servers)| ours(servers)),
            "{choice:?}"
        );
    }
    // On Golden Cove nodes of trees without multiplications of 52 bits are Plonky3's, and ours serve else.
    for choice in measured("golden-cove") {
        let in_avx512_builds = choice.beside.iter().any(|(lanes, servers)| {
            let many = *lanes == 16 && choice.workload.is_some();
            many && packed(&servers[0], 16)
        });
        let nodes = choice.workload == Some(Workload::Merkle);
        assert_eq!(
            in_avx512_builds,
            nodes && choice.key.isa == Isa::Avx512,
            "{choice:?}"
        );
    }
}

#[test]
fn serve_every_architecture_and_every_permutation() {
    let names = unpackaged();
    let mut kernels = candidates();
    kernels.retain(|kernel| names.contains(&kernel.name));
    let resolved = resolve(&tables(), &names);
    for arch in ["x86_64", "aarch64", "riscv32"] {
        let tables = || resolved.iter().filter(|table| table.arch == arch);
        assert!(tables().any(|table| table.default), "no default of {arch}");
        for kernel in &kernels {
            let here = kernel.target_arch.as_deref().is_none_or(|of| of == arch);
            let key = Key::of(kernel).unwrap();
            // Where the default has no figures for it, because it is younger, another table has.
            let mut choices = tables().flat_map(|table| &table.choices);
            let chosen = choices.any(|choice| choice.key == key);
            assert!(chosen || !here, "{arch}: nothing for {}", kernel.name);
        }
    }
}

/// What was counted on RV32IM: an architecture without an instruction set of ours, and without vectors.
#[test]
fn plain_rust_has_a_table_of_its_own_on_riscv32() {
    let resolved = resolve(&tables(), &asked());
    let table = resolved.iter().find(|one| one.arch == "riscv32").unwrap();
    assert!(table.default && table.modelled);
    let choices = |width: usize| {
        let of =
            move |choice: &&Choice| (&*choice.key.field, choice.key.width) == ("goldilocks", width);
        table.choices.iter().filter(of)
    };
    for choice in choices(8) {
        let kernels = choice.steps.iter().map(|step| &*step.kernel);
        assert!(kernels.eq(["plonky3/goldilocks/w8_scalar_radix48_b1"]));
        assert_eq!(
            (&choice.stands[..], &choice.beside[..]),
            (&[1][..], &[][..])
        );
    }
    let stock = Server::Stock {
        states: 1,
        least: 1,
    };
    for choice in choices(12) {
        assert_eq!(choice.beside, [(1, vec![stock.clone()])], "{choice:?}");
    }
    assert_eq!(choices(8).count() + choices(12).count(), 8);
}
