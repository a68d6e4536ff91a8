//! Compression of the nodes of a tree.

#[cfg(feature = "alloc")]
use alloc::{vec, vec::Vec};

use poseidon2_generated::Shape;

use crate::field::Field;
use crate::length::LengthMismatch;
use crate::modes::{Mode, Resumed, State};
use crate::poseidon2::Poseidon2;

/// Compresses `N` nodes of `CHUNK` words to one, many groups at a time. The new node is the digest, in the mode
/// `M`, of the nodes one after the other.
///
/// `M` must take messages of `N * CHUNK` words; anything else does not compile. Modes have type aliases for it,
/// such as [`Compression`](crate::Compression). With the feature `plonky3` it implements Plonky3's
/// `PseudoCompressionFunction`.
#[derive(Clone, Copy, Debug)]
pub struct Compressor<P, M, const N: usize, const CHUNK: usize, const W: usize> {
    permutation: P,
    mode: M,
}

impl<P, M: Default, const N: usize, const CHUNK: usize, const W: usize>
    Compressor<P, M, N, CHUNK, W>
{
    /// A compressor on `permutation`.
    #[must_use]
    pub fn new(permutation: P) -> Self {
        let mode = M::default();
        Self { permutation, mode }
    }
}

impl<P, M, const N: usize, const CHUNK: usize, const W: usize> Compressor<P, M, N, CHUNK, W> {
    /// The permutation.
    #[must_use]
    pub const fn permutation(&self) -> &P {
        &self.permutation
    }

    /// The mode.
    #[must_use]
    pub const fn mode(&self) -> &M {
        &self.mode
    }

    /// The same compressor, starting from `state` instead of zeros.
    ///
    /// Nodes overwrite the front of the state. In [`Truncated`](crate::modes::Truncated) and
    /// [`FeedForward`](crate::modes::FeedForward), nodes that fill the state would leave nothing of it, so these
    /// modes then take at most `W - 1` words; more do not compile:
    ///
    /// ```compile_fail
    /// use poseidon2_kernels::{Compression, Poseidon2KoalaBear, modes::State};
    ///
    /// let two_to_one = Compression::<_, 2, 8, 16>::new(Poseidon2KoalaBear::<16>::plonky3());
    /// let in_domain = two_to_one.starting_from(State::new([5; 16]));
    /// let _ = in_domain.compress_group([[1; 8], [2; 8]]);
    /// ```
    #[must_use]
    pub fn starting_from<F: Field>(
        self,
        state: State<F, W>,
    ) -> Compressor<P, Resumed<F, M, W>, N, CHUNK, W> {
        let Self { permutation, mode } = self;
        let mode = Resumed { state, mode };
        Compressor { permutation, mode }
    }
}

impl<F: Field, S, M: Mode<F, W>, const N: usize, const CHUNK: usize, const W: usize>
    Compressor<Poseidon2<F, W, S>, M, N, CHUNK, W>
{
    /// Compresses one group. To compress many groups, use [`compress_layer_into`](Self::compress_layer_into).
    #[must_use]
    pub fn compress_group(&self, group: [[F::Word; CHUNK]; N]) -> [F::Word; CHUNK] {
        let mut node = [F::Word::default(); CHUNK];
        self.compress_words(&[group], core::slice::from_mut(&mut node));
        node
    }

    /// Compresses each group, and writes the new node to the same place in `nodes`.
    ///
    /// # Errors
    /// If the numbers of groups and nodes differ.
    pub fn compress_layer_into(
        &self,
        groups: &[[[F::Word; CHUNK]; N]],
        nodes: &mut [[F::Word; CHUNK]],
    ) -> Result<(), LengthMismatch> {
        if groups.len() != nodes.len() {
            return Err(LengthMismatch::Nodes {
                groups: groups.len(),
                nodes: nodes.len(),
            });
        }
        self.compress_words(groups, nodes);
        Ok(())
    }

    /// Compresses each group.
    #[cfg(feature = "alloc")]
    #[must_use]
    pub fn compress_layer(&self, groups: &[[[F::Word; CHUNK]; N]]) -> Vec<[F::Word; CHUNK]> {
        let mut nodes = vec![[F::Word::default(); CHUNK]; groups.len()];
        self.compress_words(groups, &mut nodes);
        nodes
    }

    /// The lengths are checked.
    fn compress_words(&self, groups: &[[[F::Word; CHUNK]; N]], nodes: &mut [[F::Word; CHUNK]]) {
        self.compress_by(groups, nodes, F::from_residue, F::to_residue);
    }

    pub(crate) fn compress_by(
        &self,
        groups: &[[[F::Word; CHUNK]; N]],
        nodes: &mut [[F::Word; CHUNK]],
        load: impl Fn(F::Word) -> F::Word + Copy,
        store: impl Fn(F::Word) -> F::Word + Copy,
    ) {
        const {
            assert!(
                0 < N && 0 < CHUNK && M::LENGTHS.contain(N * CHUNK),
                "the mode does not take `N` nodes of `CHUNK` words"
            );
        };
        let words = groups.as_flattened().as_flattened();
        let engine = self.permutation.engine();
        engine.digest(&self.mode, Shape::Merkle, words, nodes, load, store);
    }
}
