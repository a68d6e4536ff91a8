//! The `[[kernel]]` tables.

use std::collections::{BTreeMap, HashMap};

use super::KernelSpec;
use super::proofs::ProofSet;
use super::reader::Item;
use crate::diag::{Diagnostic, Diagnostics, UnknownName};
use crate::names::{BATCHES, Core, Isa, Layout, Strategy};
use crate::params::Field;

pub(super) const KEYS: &[&str] = &[
    "isa", "layout", "batch", "ship", "packaged", "strategy", "sboxes", "overlap", "general",
    "order", "proof",
];

/// The greatest number of S-boxes that a kernel interleaves: more would only spill.
pub const SBOXES: usize = 16;

/// What the tables ask for.
#[derive(Default)]
pub(super) struct Requests<'v> {
    /// Every kernel that could be read.
    pub(super) kernels: Vec<KernelSpec>,
    /// Every proof set that is named, also by a kernel that could not be read, and where.
    pub(super) proofs: Vec<(&'v str, Item<'v>)>,
    /// Whether a name may be missing from `proofs`.
    pub(super) unsure: bool,
}

impl Requests<'_> {
    /// Of tables of which nothing could be read.
    pub(super) fn unreadable() -> Self {
        Self {
            unsure: true,
            ..Self::default()
        }
    }

    /// A set without claims for each name.
    pub(super) fn empty_sets(&self) -> BTreeMap<String, ProofSet> {
        let empty = |item: Item<'_>| ProofSet {
            claims: Vec::new(),
            span: item.span(),
        };
        let proofs = self.proofs.iter();
        proofs
            .map(|(name, item)| ((*name).to_owned(), empty(*item)))
            .collect()
    }
}

/// The tables; `field` is the permutation's, if it could be read.
pub(super) fn read<'v>(
    item: Item<'v>,
    field: Option<&'static Field>,
) -> Result<Requests<'v>, Diagnostic> {
    let mut requests = Requests::default();
    for item in item.tables("kernel")? {
        let kernel = read_one(item, field, &mut requests);
        requests.kernels.extend(kernel);
    }
    refuse_duplicates(item, &requests.kernels);
    Ok(requests)
}

fn read_one<'v>(
    item: Item<'v>,
    field: Option<&'static Field>,
    requests: &mut Requests<'v>,
) -> Option<KernelSpec> {
    let table = item.report.keep(item.table("[[kernel]]", KEYS));
    requests.unsure |= table.is_none();
    let table = table?;
    // Each key is read before the first `?`, so that every error shows.
    let isa = table.required("isa", Item::name::<Isa>);
    let default_layout = isa.map_or(Layout::Lanes, |isa| usual_layout(isa, field));
    let layout = table.or("layout", default_layout, |item| read_layout(item, isa));
    let batches = table.required("batch", |item| read_batches_of(item, layout));
    let ship = table.or("ship", Vec::new(), |item| {
        read_some("ship", item, batches.as_deref())
    });
    let packaged = table.or("packaged", Vec::new(), |item| {
        let packaged = read_some("packaged", item, batches.as_deref())?;
        let mut ship = ship.iter().flatten();
        let Some(both) = ship.find(|batch| packaged.contains(batch)) else {
            return Ok(packaged);
        };
        let message = format!("`ship` and `packaged` both list batch {both}");
        let error = item.error(message, "what ships is in `generated/`");
        let help = format!("`packaged` keeps it out of there: take {both} out of one of the two");
        Err(Diagnostics::from(error.help(help)))
    });
    let place = isa.zip(layout);
    let usual = match place {
        Some((isa, layout @ (Layout::Across | Layout::Staggered))) => {
            let mut strategies = Strategy::ALL.into_iter();
            let suits = strategies.find(|strategy| strategy.suits(isa, layout));
            suits.unwrap_or(Strategy::DEFAULT)
        }
        _ => usual(isa.unwrap_or(Isa::Scalar), field),
    };
    let strategy = table.or("strategy", usual, |item| read_strategy(item, place));
    let least = layout.map_or(1, fewest_sboxes);
    let sboxes = table.or("sboxes", least, |item| read_sboxes(item, least, strategy));
    let overlap = table.or("overlap", Vec::new(), |item| {
        let overlap = read_some("overlap", item, batches.as_deref())?;
        refuse_overlap(item, layout, strategy).map(|()| overlap)
    });
    // Only vectors whose lanes are read as cheaply as NEON's have something to gain.
    let takes = |key: &str, strategies: &[Strategy], item: Item<'_>| match (isa, layout, strategy) {
        (Some(isa), Some(layout), Some(strategy))
            if (isa, layout) != (Isa::Neon, Layout::Lanes) || !strategies.contains(&strategy) =>
        {
            let names: Vec<String> = strategies.iter().map(|s| format!("`{s}`")).collect();
            let names = names.join(" or ");
            let message = format!("`{key}` is for strategy {names} in the lanes of `neon`");
            let error = item.error(message, "not for this kernel");
            Err(error.help(format!("drop `{key}`")))
        }
        _ => Ok(()),
    };
    let general = table.or("general", 0, |item| {
        let general = item.size()?;
        takes("general", &[Strategy::Columns], item)?;
        match sboxes {
            Some(sboxes) if general > sboxes => {
                let message = format!("`general` is {general}, `sboxes` is {sboxes}");
                let help = "so many of the interleaved S-boxes run on general registers";
                Err(item.error(message, "more than there are").help(help))
            }
            _ => Ok(general),
        }
    });
    let order = table.or("order", None, |item| {
        let core = read_core(item)?;
        let strategies = [Strategy::Columns, Strategy::Long];
        takes("order", &strategies, item).map(|()| Some(core))
    });
    if strategy == Some(Strategy::Long) && order == Some(None) {
        let error = item.error("strategy `long` needs `order`", "in this kernel");
        let help = "the compiler would make other products of its instructions; name a core, as in \
                    `order = \"neoverse-n1\"`";
        item.report.push(error.help(help));
    }
    if let (Some(Some(_)), Some([_, ..])) = (order, overlap.as_deref()) {
        let error = item.error("`overlap` and `order`", "in this kernel");
        item.report
            .push(error.help("internal rounds have one order; drop one of the two"));
    }
    let proof = table.or("proof", None, |item| {
        let name = item.text()?;
        requests.proofs.push((name, item));
        if let Some(strategy) = strategy.filter(|strategy| !strategy.takes_proofs()) {
            let message = format!("strategy `{strategy}` takes no proof set");
            let error = item.error(message, "nothing to claim");
            item.report
                .push(error.help("it canonicalises nowhere; drop `proof`"));
        }
        Ok::<_, Diagnostic>(Some(name.to_owned()))
    });
    requests.unsure |= proof.is_none();
    Some(KernelSpec {
        isa: isa?,
        layout: layout?,
        batches: batches?,
        ship: ship?,
        packaged: packaged?,
        strategy: strategy?,
        sboxes: sboxes?,
        overlap: overlap?,
        general: general?,
        order: order?,
        proof: proof?,
        span: item.span(),
    })
}

/// The strategy of a kernel that names none: one that is for every permutation, as far as the
/// instruction set has one.
fn usual(isa: Isa, field: Option<&'static Field>) -> Strategy {
    let montgomery = field.is_some_and(Field::is_montgomery);
    match (isa, montgomery) {
        (Isa::X86_64, false) => Strategy::Redc,
        (Isa::Avx512Ifma, false) => Strategy::Limbs,
        (Isa::Neon | Isa::Avx512, true) => Strategy::Signed,
        (Isa::Avx512Ifma, true) => Strategy::Radix52,
        _ => Strategy::DEFAULT,
    }
}

/// The layout of a kernel that names none: on NEON's general registers 31-bit fields gain nothing.
fn usual_layout(isa: Isa, field: Option<&'static Field>) -> Layout {
    match (isa, field.is_some_and(Field::is_montgomery)) {
        (Isa::Neon, true) => Layout::Lanes,
        _ => isa.default_layout(),
    }
}

fn read_layout(item: Item<'_>, isa: Option<Isa>) -> Result<Layout, Diagnostic> {
    let layout = item.name::<Layout>()?;
    let Some(isa) = isa.filter(|isa| !isa.layouts().contains(&layout)) else {
        return Ok(layout);
    };
    let valid: Vec<_> = isa.layouts().iter().map(|layout| layout.name()).collect();
    let message = format!("ISA `{isa}` has no layout `{layout}`");
    let help = format!("valid for `{isa}`: `{}`", valid.join("`, `"));
    Err(item.error(message, "not for this ISA").help(help))
}

fn read_strategy(item: Item<'_>, place: Option<(Isa, Layout)>) -> Result<Strategy, Diagnostic> {
    let strategy = item.name::<Strategy>()?;
    let Some((isa, layout)) = place.filter(|(isa, layout)| !strategy.suits(*isa, *layout)) else {
        return Ok(strategy);
    };
    let message = format!("strategy `{strategy}` is not for layout `{layout}` of `{isa}`");
    let valid = Strategy::ALL
        .iter()
        .filter(|valid| valid.suits(isa, layout));
    let valid: Vec<_> = valid.map(|strategy| strategy.name()).collect();
    let help = format!("valid there: `{}`", valid.join("`, `"));
    Err(item.error(message, "not for this layout").help(help))
}

/// Groups of states; where a state lies across lanes, one, and where they are staggered, two.
fn read_batches_of(item: Item<'_>, layout: Option<Layout>) -> Result<Vec<usize>, Diagnostics> {
    let batches = read_batches(item)?;
    let (message, label, help) = match layout {
        Some(Layout::Across) if batches != [1] => (
            "layout `across` is for one state at a time",
            "more than one",
            "write `batch = [1]`; for many states, layout `lanes` is faster",
        ),
        Some(Layout::Staggered) if batches != [2] => (
            "layout `staggered` is for two groups of states",
            "not two",
            "write `batch = [2]`; layout `lanes` has one group, and four",
        ),
        _ => return Ok(batches),
    };
    Err(item.error(message, label).help(help).into())
}

fn read_batches(item: Item<'_>) -> Result<Vec<usize>, Diagnostics> {
    let array = item.array()?;
    if array.is_empty() {
        let error = item.error("`batch` is empty", "no kernel is asked for");
        return Err(error.help("write `[1]`, for example").into());
    }
    let (mut batches, mut errors) = (Vec::new(), Diagnostics::new());
    for item in array {
        let Some(batch) = errors.keep(item.size()) else {
            continue;
        };
        if !BATCHES.contains(&batch) {
            let valid = BATCHES.iter().map(ToString::to_string);
            let unknown = UnknownName::new("batch", batch.to_string(), valid);
            errors.push(item.unknown(&unknown));
        } else if batches.contains(&batch) {
            let message = format!("batch {batch} is listed twice");
            errors.push(item.error(message, "again here").help("drop one"));
        } else {
            batches.push(batch);
        }
    }
    errors.into_result().map(|()| batches)
}

/// Some of the batches that are asked for.
fn read_some(
    key: &str,
    item: Item<'_>,
    batches: Option<&[usize]>,
) -> Result<Vec<usize>, Diagnostics> {
    let some = read_batches(item)?;
    let asked = |batch: &usize| batches.is_none_or(|batches| batches.contains(batch));
    let Some(other) = some.iter().find(|batch| !asked(batch)) else {
        return Ok(some);
    };
    let message = format!("`{key}` lists batch {other}, which `batch` does not");
    let help = format!("add {other} to `batch`, or take it out of `{key}`");
    Err(item.error(message, "no such kernel").help(help).into())
}

/// The fewest S-boxes that external rounds interleave: names of values in a text of one alone are those of the linear
/// layer, too.
fn fewest_sboxes(layout: Layout) -> usize {
    match layout {
        Layout::Staggered => 2,
        _ => 1,
    }
}

fn read_sboxes(
    item: Item<'_>,
    least: usize,
    strategy: Option<Strategy>,
) -> Result<usize, Diagnostic> {
    let sboxes = item.size()?;
    if !(least..=SBOXES).contains(&sboxes) {
        let error = item.error(format!("`sboxes` is {sboxes}"), "out of range");
        return Err(error.help(format!(
            "from {least} to {SBOXES}: S-boxes that an external round interleaves"
        )));
    }
    if let Some(strategy) = strategy.filter(|strategy| !strategy.takes_sboxes()) {
        let message = format!("strategy `{strategy}` takes no `sboxes`");
        let error = item.error(message, "nothing to interleave");
        return Err(error.help("one S-box of a group at a time; drop `sboxes`"));
    }
    Ok(sboxes)
}

/// Refuses `overlap` where the kernel template lays internal rounds out in another way.
fn refuse_overlap(
    item: Item<'_>,
    layout: Option<Layout>,
    strategy: Option<Strategy>,
) -> Result<(), Diagnostics> {
    let layout = layout.filter(|layout| matches!(layout, Layout::Across | Layout::Staggered));
    let strategy = strategy.filter(|strategy| !strategy.takes_sboxes());
    let whose = match (layout, strategy) {
        (Some(layout), _) => format!("layout `{layout}`"),
        (_, Some(strategy)) => format!("strategy `{strategy}`"),
        _ => return Ok(()),
    };
    let message = format!("internal rounds of {whose} do not overlap");
    let error = item.error(message, "not for this kernel");
    Err(error.help("drop `overlap`").into())
}

fn read_core(item: Item<'_>) -> Result<&'static Core, Diagnostic> {
    let name = item.text()?;
    Core::by_name(name).ok_or_else(|| item.unknown(&UnknownName::new("core", name, Core::names())))
}

fn refuse_duplicates(item: Item<'_>, kernels: &[KernelSpec]) {
    let mut first = HashMap::new();
    for kernel in kernels {
        for &batch in &kernel.batches {
            let key = (kernel.isa, kernel.layout, kernel.strategy, batch);
            let Some(before) = first.insert(key, kernel.span.clone()) else {
                continue;
            };
            let message = format!(
                "kernel asked for twice: {}, {}, {}, batch {batch}",
                kernel.isa, kernel.layout, kernel.strategy
            );
            let error = item.report.twice(message, kernel.span.clone(), before);
            let help = format!("take batch {batch} out of one of the two tables");
            item.report.push(error.help(help));
        }
    }
}
