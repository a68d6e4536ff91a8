//! Modes of use: constructions around a permutation that hash or compress.
//!
//! [`Hasher`] hashes rows in a mode, [`Compressor`] compresses the nodes of a tree. Both take many messages of
//! one length at a time, so that the lanes of kernels are full. Their usual forms are type aliases:
//!
//! | name | mode | absorbed | read |
//! |---|---|---|---|
//! | [`Sponge`] | [`Overwrite`] | from the left, in place of the front | the front |
//! | [`RightToLeftSponge`] | [`RightToLeft`] | from the right, in place of the back | the front |
//! | [`MmoSponge`] | [`MatyasMeyerOseas`] | from the right, added to the back | the front |
//! | [`ZeroPaddedSponge`] | [`ZeroPadded`] | from the left, in place of the front | the front |
//! | [`LinearHash`] | [`Linear`] | from the left, before the last digest | the front |
//! | [`Compression`] | [`Truncated`] | all at once | the front of P(x) |
//! | [`FeedForwardCompression`] | [`FeedForward`] | all at once | the front of P(x) + x |
//!
//! A mode implements [`Mode`]: a few steps on [`States`], one state for each message, written once for kernels
//! of any number of lanes and for Plonky3's types. A mode of your own works with [`Hasher`] and [`Compressor`]
//! in the same way.
//!
//! States start as zeros. To separate domains, as Miden and leanSig do by the words that they put into the
//! capacity, pass another [`State`] to start from ([`Hasher::starting_from`], [`Compressor::starting_from`]).
//! A compressor whose nodes fill the state would leave nothing of it, and does not compile.
//! Do the same to hash many rows that have words in common, such as zeros at their end: [`Hasher::state_after`]
//! computes the state after these words. (For sponges, see Bertoni, Daemen, Peeters, Van Assche, *Cryptographic
//! sponge functions* (2011), 3.1, on domain separation and state precomputation.)
//!
//! This crate claims nothing about the security of a mode. The documentation of each names projects that use
//! it, and papers on modes of its kind; if you choose a mode, check that you meet their conditions.

mod batch;
mod feed_forward;
mod linear;
mod overwrite;
mod resumed;
mod right_to_left;
mod sum;
mod truncated;
mod zero_padded;

use core::fmt;
use core::ops::Range;

use crate::field::Field;
use crate::length::LengthMismatch;

pub use crate::compression::Compressor;
pub use crate::sponge::Hasher;
pub use feed_forward::{FeedForward, FeedForwardCompression};
pub use linear::{Linear, LinearHash};
pub use overwrite::{Overwrite, Sponge};
pub use resumed::{Resumed, State};
pub use right_to_left::{MatyasMeyerOseas, MmoSponge, RightToLeft, RightToLeftSponge};
pub use truncated::{Compression, Truncated};
pub use zero_padded::{ZeroPadded, ZeroPaddedSponge};

/// A construction that makes a digest of a message with a permutation of `W` elements.
///
/// ```
/// use poseidon2_kernels::Poseidon2KoalaBear;
/// use poseidon2_kernels::field::Field;
/// use poseidon2_kernels::modes::{Hasher, Lengths, Mode, Order, States};
///
/// /// P(x) + x, over and over, each time with eight new words in the back of x: `poseidon_compress_slice`
/// /// of leanVM, where it begins with zeros.
/// #[derive(Clone, Copy, Debug, Default)]
/// struct Chain;
///
/// impl<F: Field> Mode<F, 16> for Chain {
///     const ORDER: Order = Order::LeftToRight;
///     const LENGTHS: Lengths = Lengths { step: 8, ..Lengths::ANY };
///     const BLOCK: usize = 8;
///     const READABLE: usize = 8;
///
///     fn absorb(&self, states: &mut impl States<F, 16>) {
///         while states.overwrite(8..16) > 0 {
///             states.feed_forward();
///         }
///     }
/// }
///
/// let chain = Hasher::<_, Chain, 16, 8>::new(Poseidon2KoalaBear::<16>::plonky3());
/// # #[cfg(feature = "alloc")]
/// assert_eq!(chain.hash_rows(&[7; 2400], 24)?.len(), 100);
/// # Ok::<(), poseidon2_kernels::LengthMismatch>(())
/// ```
pub trait Mode<F: Field, const W: usize> {
    /// The end from which messages are read.
    const ORDER: Order;

    /// The lengths that messages may have.
    const LENGTHS: Lengths;

    /// The lengths that messages may have when hashing starts from a given state.
    const MORE: Lengths = Self::LENGTHS;

    /// How many words the mode absorbs between two permutations. If messages may be longer than one block,
    /// [`absorb`](Self::absorb) may get any number of blocks of a message, and the rest in a later call.
    const BLOCK: usize;

    /// How many elements of the final state may be read, from its front. Put assertions on a mode's sizes here,
    /// too: the compiler evaluates this constant wherever the mode is used.
    const READABLE: usize;

    /// The first step, on states of zeros; skipped when a starting state is given.
    fn start(&self, _states: &mut impl States<F, W>) {}

    /// Absorbs all remaining words of the messages; the caller panics if any are left. After that, the fronts of
    /// the states are the digests. If no words remain, states must stay unchanged, unless messages have at most one
    /// block.
    fn absorb(&self, states: &mut impl States<F, W>);
}

/// The states that a mode works on: one for each message, all treated alike.
///
/// All functions panic if `elements` are not within the state.
pub trait States<F: Field, const W: usize> {
    /// Sets every state to `state`.
    fn set(&mut self, state: &State<F, W>);

    /// Replaces `elements` of each state by the next words of its message, in the order of the message,
    /// whichever end is read. If fewer words are left, they replace the first of `elements`. Returns the number
    /// of words.
    fn overwrite(&mut self, elements: Range<usize>) -> usize;

    /// Like [`overwrite`](Self::overwrite), but adds the words to the elements.
    fn add(&mut self, elements: Range<usize>) -> usize;

    /// Sets `elements` to zero.
    fn clear(&mut self, elements: Range<usize>);

    /// Copies `elements` so that the first becomes element number `element`. Source and destination may
    /// overlap.
    fn copy(&mut self, elements: Range<usize>, element: usize);

    /// Replaces each state x by P(x).
    fn permute(&mut self);

    /// Replaces each state x by P(x) + x, added element by element.
    fn feed_forward(&mut self);
}

/// The end from which a message is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Order {
    /// The first words come first.
    LeftToRight,
    /// The last words come first.
    RightToLeft,
}

/// Permitted lengths of messages: `least` plus any multiple of `step`, up to `most`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lengths {
    /// The smallest length.
    pub least: usize,
    /// The distance between a length and the next.
    pub step: usize,
    /// An upper bound on the length.
    pub most: usize,
}

/// The rate of a sponge, which leaves at least a word of the state as its capacity.
const fn rate(rate: usize, width: usize) -> usize {
    assert!(
        0 < rate && rate < width,
        "the rate must be at least 1 and less than the width"
    );
    rate
}

/// A digest must depend on every word.
#[inline]
pub(crate) fn assert_absorbed(left: usize) {
    assert!(left == 0, "the mode left {left} words of a message unread");
}

/// Refuses elements that a state of so many does not have.
#[inline]
fn within(elements: &Range<usize>, width: usize) {
    assert!(
        elements.start <= elements.end && elements.end <= width,
        "elements {elements:?} of a state of {width}"
    );
}

impl Lengths {
    /// Any length.
    pub const ANY: Self = Self {
        least: 0,
        step: 1,
        most: usize::MAX,
    };

    /// Whether `length` is permitted.
    #[must_use]
    pub const fn contain(&self, length: usize) -> bool {
        self.least <= length
            && length <= self.most
            && (length - self.least).is_multiple_of(self.step)
    }

    /// Whether they are the same.
    pub(crate) const fn are(&self, other: Self) -> bool {
        self.least == other.least && self.step == other.step && self.most == other.most
    }

    /// Refuses any other length.
    pub(crate) const fn check(self, words: usize) -> Result<(), LengthMismatch> {
        if self.contain(words) {
            return Ok(());
        }
        let takes = self;
        Err(LengthMismatch::Message { words, takes })
    }
}

impl fmt::Display for Lengths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { least, step, most } = *self;
        match (least, step) {
            (0, 1) => write!(f, "any number")?,
            (0, step) => write!(f, "a multiple of {step}")?,
            (least, 1) => write!(f, "{least} or more")?,
            (least, step) => write!(f, "{least} and a multiple of {step} more")?,
        }
        if most < usize::MAX {
            write!(f, ", at most {most}")?;
        }
        Ok(())
    }
}
