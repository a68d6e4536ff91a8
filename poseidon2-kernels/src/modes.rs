//! Modes of use: what becomes of a permutation around it.
//!
//! [`Hasher`] hashes rows in a mode, [`Compressor`] compresses the nodes of a tree. Both take whole runs of
//! messages of one length, so that the lanes of kernels are full. Their usual forms have names of their own:
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
//! A mode is a [`Mode`]: a few steps on [`States`], one state for each message, written once for kernels
//! of any number of lanes and for Plonky3's types. One of your own works with [`Hasher`] and
//! [`Compressor`] as these do.
//!
//! States are zero at first. Whoever separates domains, as Miden and leanSig do by what they put in the
//! capacity, gives another [`State`] to start from ([`Hasher::starting_from`],
//! [`Compressor::starting_from`]). So does whoever hashes many rows with words in common, such as zeros
//! at their end: [`Hasher::state_after`] makes the state that these lead to. (Bertoni, Daemen, Peeters, Van
//! Assche, *Cryptographic sponge functions* (2011), 3.1, has both of sponges: domain separation, and state
//! precomputation.)
//!
//! Nothing is claimed of a mode's security. Its documentation names who uses it, and papers on modes of
//! its kind; whether their conditions are met is for whoever chooses it to see.

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

/// A way to make a digest of a message with a permutation of `W` elements.
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
/// assert_eq!(chain.hash_rows(&[7; 2400], 24)?.len(), 100);
/// # Ok::<(), poseidon2_kernels::LengthMismatch>(())
/// ```
pub trait Mode<F: Field, const W: usize> {
    /// From which end messages are read.
    const ORDER: Order;

    /// The lengths that messages may have.
    const LENGTHS: Lengths;

    /// The lengths of what may be absorbed from a given state on.
    const MORE: Lengths = Self::LENGTHS;

    /// How many words are absorbed between two permutations. Where messages may be longer, what is
    /// [absorbed](Self::absorb) of a message may be any number of blocks, and the rest from then on.
    const BLOCK: usize;

    /// How many elements may be read, from the front of the state. Assertions on a mode's sizes belong
    /// here, too: this is evaluated where the mode is used.
    const READABLE: usize;

    /// What comes first, unless a state is given: states are zero.
    fn start(&self, _states: &mut impl States<F, W>) {}

    /// Absorbs what is left of the messages. Then the fronts of the states are the digests. Where nothing is
    /// left, states stay as they are, unless messages have one block at most.
    fn absorb(&self, states: &mut impl States<F, W>);
}

/// The states that a mode works on: one for each message, all treated alike.
///
/// All functions panic if elements are not within the state.
pub trait States<F: Field, const W: usize> {
    /// Makes all of them that one.
    fn set(&mut self, state: &State<F, W>);

    /// The next words of a message become elements of its state: as many as these, or as there are left,
    /// which then are the first of these. Words are in the order of the message, whichever end is read.
    /// Returns how many they are.
    fn overwrite(&mut self, elements: Range<usize>) -> usize;

    /// As [`overwrite`](Self::overwrite), but the words are added.
    fn add(&mut self, elements: Range<usize>) -> usize;

    /// Makes these elements zero.
    fn clear(&mut self, elements: Range<usize>);

    /// Copies elements to where the first of them becomes `element`. They may overlap.
    fn copy(&mut self, elements: Range<usize>, element: usize);

    /// x becomes P(x).
    fn permute(&mut self);

    /// x becomes P(x) + x, element by element.
    fn feed_forward(&mut self);
}

/// From which end a message is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The first words come first.
    LeftToRight,
    /// The last words come first.
    RightToLeft,
}

/// Lengths of messages: `least`, and any multiple of `step` more, up to `most`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lengths {
    /// The least.
    pub least: usize,
    /// How far the next one is.
    pub step: usize,
    /// None is greater.
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

    /// Whether that is one of them.
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
