//! Who is timed against whom: every kernel that can run here, in every shape, against the peer.

use std::rc::Rc;

use p3_field::{Field, PackedValue, PrimeCharacteristicRing, PrimeField64};
use p3_symmetric::Permutation;
use poseidon2_generated::{Constants, Kernel};
use poseidon2_kernels::field;
use poseidon2_kernels::plonky3::Peer;

use crate::cell::{Cell, Filter};
use crate::contestant::{Contestant, Permuter, Words};
use crate::ours::Ours;
use crate::peer::{All, SharedField, Theirs};
use crate::phases;
use crate::shape::{Part, Shape};

/// A kernel and the peer in one shape, not yet set up.
pub struct Match {
    /// Who and what.
    pub cell: Cell,
    /// Permutations in one run, of ours and of the peer.
    pub permutations: (u64, u64),
    /// States in one of the peer's calls.
    pub peer_states: usize,
    /// Sets up both sides with states made from a seed, and checks that they come to the same: none,
    /// if they do not.
    pub set_up: Box<dyn Fn(u64) -> Option<Pair>>,
}

/// Two that have done the same work with the same outcome.
pub struct Pair {
    /// Ours.
    pub ours: Contestant,
    /// The peer.
    pub peer: Contestant,
}

impl Pair {
    fn new(mut ours: Contestant, mut peer: Contestant, seed: u64) -> Option<Self> {
        for side in [&mut ours, &mut peer] {
            side.fill(seed);
            side.run(1);
        }
        let outcomes = (ours.outcome(), peer.outcome());
        let common = outcomes.0.len().min(outcomes.1.len());
        let same = common > 0 && outcomes.0[..common] == outcomes.1[..common];
        same.then_some(Self { ours, peer })
    }
}

/// Everything that can be timed in this build on this CPU, for kernels of the instruction set
/// `isa` that `filter` lets through.
#[must_use]
pub fn matches(isa: &str, filter: &Filter) -> Vec<Match> {
    let mut all = Vec::new();
    #[cfg(not(target_arch = "aarch64"))]
    macro_rules! peer_phases {
        ($field:ident, $peer:ident, $constants:expr) => {
            Some(layers::<field::$field, _, _, _, _, _, _>(
                &$peer, $constants,
            ))
        };
    }
    // There, Goldilocks permutations are of one piece.
    #[cfg(target_arch = "aarch64")]
    macro_rules! peer_phases {
        ($field:ident, $peer:ident, $constants:expr) => {
            None
        };
    }
    // With a macro, because the peer's types differ from architecture to architecture.
    macro_rules! instances {
        ($(Plonky3 $field:ident $width:literal {
            rounds: $rounds:tt,
            module: ($($module:ident)::+ $kernels:ident),
            plonky3: ($krate:ident $own:ident $default:ident),
        })*) => {$({
            let peer = $krate::$default();
            let constants = &poseidon2_generated::$($module)::+::CONSTANTS;
            let phases = peer_phases!($field, peer, constants);
            let instance = Instance::<field::$field, _, _, _, _> {
                peer,
                phases,
                parameter_set: "plonky3",
                constants,
            };
            instance.add(&mut all, isa, filter);
        })*};
    }
    poseidon2_generated::each_permutation!(instances);
    // Of sets of one's own, the peer has those that are its own Poseidon1.
    macro_rules! own_sets {
        (peer Goldilocks 8) => { p3_goldilocks::poseidon1::default_goldilocks_poseidon1_8() };
        (peer Goldilocks 12) => { p3_goldilocks::poseidon1::default_goldilocks_poseidon1_12() };
        (peer KoalaBear 16) => { p3_koala_bear::default_koalabear_poseidon1_16() };
        (peer KoalaBear 24) => { p3_koala_bear::default_koalabear_poseidon1_24() };
        (peer BabyBear 16) => { p3_baby_bear::default_babybear_poseidon1_16() };
        (peer BabyBear 24) => { p3_baby_bear::default_babybear_poseidon1_24() };
        ($(Plonky3Poseidon1 $name:literal {
            $($field:ident $width:tt $rounds:tt ($($module:ident)::+))+
        })*) => {$($({
            let instance = Instance::<field::$field, _, _, _, _> {
                peer: own_sets!(peer $field $width),
                phases: None,
                parameter_set: $name,
                constants: &poseidon2_generated::$($module)::+::CONSTANTS,
            };
            instance.add(&mut all, isa, filter);
        })+)*};
        ($($other:tt)*) => {};
    }
    poseidon2_generated::each_own_set!(own_sets);
    all.sort_by_key(|one| one.cell.shape.rank());
    all
}

fn cell<T>(kernel: &Kernel<T>, shape: Shape) -> Cell {
    Cell {
        kernel: kernel.name.to_owned(),
        field: kernel.field.to_owned(),
        width: kernel.width,
        isa: kernel.isa.name().to_owned(),
        layout: kernel.layout.to_owned(),
        strategy: kernel.strategy.to_owned(),
        batch: kernel.batch,
        shape,
    }
}

/// The type that the peer packs elements in, in this build.
type Packing<F> = <<F as Peer>::Element as Field>::Packing;

/// Makes the contestant for a phase of the peer, of one state or packed.
type Phases = Rc<dyn Fn(usize, bool, Shape) -> Contestant>;

/// The peer's permutation of one instance, and our kernels of the field.
struct Instance<F: SharedField, P, const W: usize, const RF: usize, const RP: usize> {
    peer: P,
    phases: Option<Phases>,
    parameter_set: &'static str,
    constants: &'static Constants<F::Word, W, RF, RP>,
}

impl<F, P, const W: usize, const RF: usize, const RP: usize> Instance<F, P, W, RF, RP>
where
    F: SharedField,
    P: Permutation<[F::Element; W]> + Permutation<[Packing<F>; W]> + 'static,
{
    fn add(self, all: &mut Vec<Match>, isa: &str, filter: &Filter) {
        let Constants { external, internal } = self.constants;
        let table: Vec<F::Word> = external.iter().flatten().chain(internal).copied().collect();
        let kernels = F::KERNELS.iter().filter(|kernel| {
            let instance = (kernel.parameter_set, kernel.width, kernel.isa.name());
            instance == (self.parameter_set, W, isa)
        });
        for kernel in kernels {
            let Some(ours) = Ours::new(kernel, &table) else {
                continue;
            };
            for shape in Shape::ALL {
                let cell = cell(kernel, shape);
                let ours = match shape.part() {
                    Part::Whole => Some(ours.clone()),
                    Part::Phase(index) => phases::of(ours.clone(), kernel.name, index),
                };
                let packed = cell.peer_is_packed(kernel.lanes);
                let peer_states = if packed { Packing::<F>::WIDTH } else { 1 };
                let peer = self.peer(packed, shape);
                if let (Some(ours), Some(peer), true) = (ours, peer, filter.admits(&cell)) {
                    let words = Words {
                        of: F::word,
                        residue: F::residue,
                    };
                    let set_up = move |seed| {
                        let ours = Contestant::new(ours.clone(), shape, words);
                        Pair::new(ours, peer(), seed)
                    };
                    all.push(Match {
                        cell,
                        permutations: (
                            shape.permutations(kernel.states()) as u64,
                            shape.permutations(peer_states) as u64,
                        ),
                        peer_states,
                        set_up: Box::new(set_up),
                    });
                }
            }
        }
    }

    fn peer(&self, packed: bool, shape: Shape) -> Option<Box<dyn Fn() -> Contestant>> {
        let whole = self.peer.clone();
        match shape.part() {
            Part::Phase(index) => {
                let phases = self.phases.clone()?;
                Some(Box::new(move || phases(index, packed, shape)))
            }
            Part::Whole if packed => Some(Box::new(move || {
                peer(Theirs::<_, Packing<F>, W>::new(All(whole.clone())), shape)
            })),
            Part::Whole => Some(Box::new(move || {
                peer(Theirs::<_, F::Element, W>::new(All(whole.clone())), shape)
            })),
        }
    }
}

fn peer<F: PrimeField64, P: Permuter<F> + 'static>(permuter: P, shape: Shape) -> Contestant {
    let words = Words {
        of: F::from_u64,
        residue: |element| element.as_canonical_u64(),
    };
    Contestant::new(permuter, shape, words)
}

/// The phases of a permutation of the peer that is made of layers.
#[cfg(not(target_arch = "aarch64"))]
fn layers<F, E, I, const W: usize, const RF: usize, const RP: usize, const D: u64>(
    whole: &p3_poseidon2::Poseidon2<F::Element, E, I, W, D>,
    constants: &Constants<F::Word, W, RF, RP>,
) -> Phases
where
    F: SharedField,
    E: p3_poseidon2::ExternalLayerConstructor<F::Element, W>
        + p3_poseidon2::ExternalLayer<F::Element, W, D>
        + p3_poseidon2::ExternalLayer<Packing<F>, W, D>
        + 'static,
    I: p3_poseidon2::InternalLayerConstructor<F::Element>
        + p3_poseidon2::InternalLayer<F::Element, W, D>
        + p3_poseidon2::InternalLayer<Packing<F>, W, D>
        + 'static,
{
    use crate::peer::phases::Phase;

    let element = |word: F::Word| F::Element::from_u64(F::residue(word));
    let external = constants.external.map(|round| round.map(element));
    let internal = constants.internal.map(element);
    let phases = [0, 1, 2].map(|index| Phase::like(whole, &external, &internal, index));
    Rc::new(move |index, packed, shape| {
        let phase = phases[index].clone();
        if packed {
            peer(Theirs::<_, Packing<F>, W>::new(phase), shape)
        } else {
            peer(Theirs::<_, F::Element, W>::new(phase), shape)
        }
    })
}

/// Instruction sets whose kernels are on a par with the peer in this build: those that its packed
/// types are made of, and what both have where there is nothing better.
#[must_use]
pub fn native() -> Vec<&'static str> {
    if cfg!(target_feature = "avx512f") {
        vec!["avx512", "avx512ifma"]
    } else if cfg!(target_feature = "avx2") {
        vec!["avx2"]
    } else if cfg!(target_arch = "aarch64") {
        vec!["scalar", "neon"]
    } else if cfg!(target_arch = "x86_64") {
        vec!["scalar", "x86_64"]
    } else {
        vec!["scalar"]
    }
}

/// States that the peer's packed types hold in this build, by field.
#[must_use]
pub fn packed_states() -> Vec<(String, usize)> {
    macro_rules! fields {
        ($($field:ident {
            field: ($family:ident $name:literal $($row:tt)+),
            names: $names:tt,
            plonky3: ($krate:ident),
        })+) => {
            vec![$(($name.to_owned(), <$krate::$field as Field>::Packing::WIDTH)),+]
        };
    }
    poseidon2_generated::each_field!(fields)
}
