//! Something that permutes, driven through a shape: the same code for ours and for the peer.

use std::hint::black_box;

use cpu_time::ThreadTime;

use crate::shape::{CALLS, Shape};

/// Permutes the states of one call in place.
pub trait Permuter<T> {
    /// Elements in a state.
    fn width(&self) -> usize;

    /// States side by side: element `i` of state `(b, l)` is word `(b·width + i)·lanes + l`.
    fn lanes(&self) -> usize;

    /// States in a call.
    fn states(&self) -> usize;

    /// Permutes `states × width` words.
    fn permute(&self, words: &mut [T]);
}

/// Work to be timed.
pub struct Contestant {
    /// Permutations in one run.
    pub permutations: u64,
    work: Box<dyn Work>,
}

/// What a field's words are made of and read as.
#[derive(Clone, Copy, Debug)]
pub struct Words<T> {
    /// The word of a residue.
    pub of: fn(u64) -> T,
    /// The residue of a word.
    pub residue: fn(T) -> u64,
}

impl Contestant {
    /// Drives `permuter` through `shape`. State number `s` starts as the same residues whoever
    /// permutes it, so that two contestants that have run as often have the same outcome.
    pub fn new<T, P>(permuter: P, shape: Shape, words: Words<T>) -> Self
    where
        T: Copy + Default + 'static,
        P: Permuter<T> + 'static,
    {
        let (width, states) = (permuter.width(), permuter.states());
        let len = match shape {
            // All layers, one after the other, and then the states of one call.
            Shape::Merkle(log) => ((2 << log) - 1) * digest(width) + states * width,
            Shape::Independent => shape.permutations(states) * width,
            _ => states * width,
        };
        let mut work = Drive {
            buffer: Buffer::new(len),
            permuter,
            shape,
            words,
        };
        work.fill(0);
        Self {
            permutations: shape.permutations(states) as u64,
            work: Box::new(work),
        }
    }

    /// Makes the states that it begins with from a seed.
    pub fn fill(&mut self, seed: u64) {
        self.work.fill(seed);
    }

    /// Does the work this many times.
    pub fn run(&mut self, times: u64) {
        for _ in 0..times {
            self.work.run();
        }
    }

    /// Nanoseconds per permutation, over this many runs: of this thread's time on a processor, so
    /// that what else runs on the machine does not count.
    pub fn time(&mut self, times: u64) -> f64 {
        let start = ThreadTime::now();
        self.run(times);
        start.elapsed().as_nanos() as f64 / (times * self.permutations) as f64
    }

    /// The residues that it has come to: those of all states, or of the root.
    pub fn outcome(&mut self) -> Vec<u64> {
        self.work.outcome()
    }
}

trait Work {
    fn fill(&mut self, seed: u64);
    fn run(&mut self);
    fn outcome(&mut self) -> Vec<u64>;
}

struct Drive<T, P> {
    permuter: P,
    shape: Shape,
    words: Words<T>,
    buffer: Buffer<T>,
}

impl<T: Copy + Default, P: Permuter<T>> Drive<T, P> {
    /// Where element `i` of state `s` is.
    fn place(&self, s: usize, i: usize) -> usize {
        let (width, lanes) = (self.permuter.width(), self.permuter.lanes());
        (s / lanes * width + i) * lanes + s % lanes
    }

    fn tree(&mut self, leaves: usize) {
        let width = self.permuter.width();
        let digest = digest(width);
        let (mut rest, states) =
            black_box(self.buffer.words()).split_at_mut((2 * leaves - 1) * digest);
        let mut layer = leaves;
        while layer > 1 {
            let (below, above) = rest.split_at_mut(layer * digest);
            layer /= 2;
            compress(&self.permuter, states, below, &mut above[..layer * digest]);
            rest = above;
        }
    }
}

impl<T: Copy + Default, P: Permuter<T>> Work for Drive<T, P> {
    fn fill(&mut self, seed: u64) {
        let first = seed.wrapping_mul(0xd134_2543_de82_ef95);
        let word = |index: usize| {
            // Above the 31-bit moduli, so that `of` has something to reduce.
            let number = first.wrapping_add(index as u64 + 1);
            (self.words.of)(number.wrapping_mul(0x9e37_79b9_7f4a_7c15))
        };
        let width = self.permuter.width();
        if let Shape::Merkle(_) = self.shape {
            let words = self.buffer.words().iter_mut().enumerate();
            words.for_each(|(index, place)| *place = word(index));
            return;
        }
        for index in 0..self.buffer.len {
            let place = self.place(index / width, index % width);
            self.buffer.words()[place] = word(index);
        }
    }

    fn run(&mut self) {
        let group = self.permuter.states() * self.permuter.width();
        match self.shape {
            Shape::Merkle(log) => self.tree(1 << log),
            Shape::Independent => {
                for group in black_box(self.buffer.words()).chunks_exact_mut(group) {
                    self.permuter.permute(group);
                }
            }
            _ => {
                for _ in 0..CALLS {
                    self.permuter.permute(black_box(self.buffer.words()));
                }
            }
        }
    }

    fn outcome(&mut self) -> Vec<u64> {
        let width = self.permuter.width();
        let places: Vec<usize> = match self.shape {
            Shape::Merkle(log) => {
                let end = ((2 << log) - 1) * digest(width);
                (end - digest(width)..end).collect()
            }
            _ => {
                let places = 0..self.buffer.len;
                places
                    .map(|index| self.place(index / width, index % width))
                    .collect()
            }
        };
        let words = self.buffer.words();
        places
            .into_iter()
            .map(|place| (self.words.residue)(words[place]))
            .collect()
    }
}

/// Elements in a digest: half a state, but for the width that is not a power of two, where four
/// elements of the state are left as capacity.
fn digest(width: usize) -> usize {
    if width == 12 { 4 } else { width / 2 }
}

/// Compresses each two neighbours of a layer into one of the layer above. The last call may have
/// states without nodes.
fn compress<T, P>(permuter: &P, states: &mut [T], below: &[T], above: &mut [T])
where
    T: Copy + Default,
    P: Permuter<T>,
{
    // The same for each number of lanes, but compiled for it.
    match permuter.lanes() {
        1 => compress_lanes::<T, P, 1>(permuter, states, below, above),
        2 => compress_lanes::<T, P, 2>(permuter, states, below, above),
        4 => compress_lanes::<T, P, 4>(permuter, states, below, above),
        8 => compress_lanes::<T, P, 8>(permuter, states, below, above),
        16 => compress_lanes::<T, P, 16>(permuter, states, below, above),
        lanes => unreachable!("no kernel has {lanes} lanes"),
    }
}

#[inline(never)]
fn compress_lanes<T, P, const LANES: usize>(
    permuter: &P,
    states: &mut [T],
    below: &[T],
    above: &mut [T],
) where
    T: Copy + Default,
    P: Permuter<T>,
{
    let (width, digest) = (permuter.width(), digest(permuter.width()));
    let pairs = below.chunks(2 * digest * permuter.states());
    for (pairs, nodes) in pairs.zip(above.chunks_mut(digest * permuter.states())) {
        let groups = states.chunks_exact_mut(width * LANES);
        for (pairs, group) in pairs.chunks(2 * digest * LANES).zip(groups) {
            for (lane, pair) in pairs.chunks_exact(2 * digest).enumerate() {
                for (vector, word) in group.as_chunks_mut::<LANES>().0.iter_mut().zip(pair) {
                    vector[lane] = *word;
                }
            }
            group[2 * digest * LANES..].fill(T::default());
        }
        permuter.permute(black_box(&mut *states));
        let groups = states.chunks_exact(width * LANES);
        for (nodes, group) in nodes.chunks_mut(digest * LANES).zip(groups) {
            for (lane, node) in nodes.chunks_exact_mut(digest).enumerate() {
                for (word, vector) in node.iter_mut().zip(group.as_chunks::<LANES>().0) {
                    *word = vector[lane];
                }
            }
        }
    }
}

/// Words that start a cache line, so that chance does not decide how many lines a vector touches.
struct Buffer<T> {
    storage: Vec<T>,
    start: usize,
    len: usize,
}

impl<T: Copy + Default> Buffer<T> {
    fn new(len: usize) -> Self {
        const LINE: usize = 64;
        let storage = vec![T::default(); len + LINE / size_of::<T>()];
        let start = storage.as_ptr().align_offset(LINE);
        Self {
            storage,
            start,
            len,
        }
    }

    fn words(&mut self) -> &mut [T] {
        &mut self.storage[self.start..self.start + self.len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;
    use std::rc::Rc;

    /// Adds up each state into its first word, and keeps what it was given.
    #[derive(Clone)]
    struct Sum {
        lanes: usize,
        batch: usize,
        seen: Rc<RefCell<usize>>,
    }

    const WIDTH: usize = 8;

    impl Permuter<u64> for Sum {
        fn width(&self) -> usize {
            WIDTH
        }

        fn lanes(&self) -> usize {
            self.lanes
        }

        fn states(&self) -> usize {
            self.lanes * self.batch
        }

        fn permute(&self, words: &mut [u64]) {
            assert_eq!(words.len(), self.states() * WIDTH);
            *self.seen.borrow_mut() += self.states();
            for group in words.chunks_exact_mut(WIDTH * self.lanes) {
                for lane in 0..self.lanes {
                    let elements = group.iter().skip(lane).step_by(self.lanes);
                    group[lane] = elements.fold(0, |sum: u64, x| sum.wrapping_add(*x));
                }
            }
        }
    }

    fn sum(lanes: usize, batch: usize) -> Sum {
        let seen = Rc::default();
        Sum { lanes, batch, seen }
    }

    const WORDS: Words<u64> = Words {
        of: |residue| residue,
        residue: |word| word,
    };

    #[test]
    fn contestants_do_as_many_permutations_as_they_say() {
        for shape in [Shape::Chain, Shape::Independent] {
            for (lanes, batch) in [(1, 1), (4, 2), (8, 4)] {
                let permuter = sum(lanes, batch);
                let seen = permuter.seen.clone();
                let mut contestant = Contestant::new(permuter, shape, WORDS);
                contestant.run(3);
                let said = 3 * contestant.permutations;
                assert_eq!(*seen.borrow() as u64, said, "{shape}");
            }
        }
        let tree = Contestant::new(sum(1, 1), Shape::Merkle(5), WORDS);
        assert_eq!(tree.permutations, 31);
    }

    #[test]
    fn outcomes_do_not_depend_on_the_grouping() {
        for shape in [Shape::Chain, Shape::Independent, Shape::Merkle(6)] {
            let outcome = |lanes, batch| {
                let mut contestant = Contestant::new(sum(lanes, batch), shape, WORDS);
                contestant.run(2);
                contestant.outcome()
            };
            let expected = outcome(1, 1);
            assert!(!expected.is_empty());
            for (lanes, batch) in [(1, 4), (2, 2), (4, 1), (8, 2), (16, 1)] {
                let outcome = outcome(lanes, batch);
                assert_eq!(
                    outcome[..expected.len()],
                    expected,
                    "{shape} {lanes} × {batch}"
                );
            }
        }
    }

    #[test]
    fn layers_are_the_same_for_all_groupings() {
        // Eleven nodes: the last call of the larger groupings is not full.
        let below: Vec<u64> = (0..22 * 4).collect();
        let layer = |lanes: usize, batch: usize| {
            let permuter = sum(lanes, batch);
            let mut states = vec![0; permuter.states() * WIDTH];
            let mut above = vec![0; 11 * 4];
            compress(&permuter, &mut states, &below, &mut above);
            above
        };
        let expected = layer(1, 1);
        assert_eq!(expected[0], 28);
        assert_eq!(expected[1], 1);
        assert_eq!(expected[4], 92);
        for (lanes, batch) in [(1, 4), (2, 2), (4, 1), (8, 2), (16, 1)] {
            assert_eq!(layer(lanes, batch), expected, "{lanes} × {batch}");
        }
    }

    #[test]
    fn buffers_start_a_cache_line() {
        let mut buffer = Buffer::<u64>::new(5);
        assert_eq!(buffer.words(), [0; 5]);
        assert_eq!(buffer.words().as_ptr().align_offset(64), 0);
    }
}
