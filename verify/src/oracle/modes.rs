//! Modes of use, from their descriptions, one state at a time and over any permutation.

/// Residues mod `modulus`, and a permutation of states of `width` of them.
#[derive(Clone, Copy)]
pub struct Modes<'a> {
    /// The prime.
    pub modulus: u64,
    /// Elements of a state.
    pub width: usize,
    /// The permutation. It is given residues below the prime.
    pub permute: &'a dyn Fn(&mut [u64]),
}

impl Modes<'_> {
    fn permuted(&self, state: &[u64]) -> Vec<u64> {
        let mut state: Vec<u64> = state.iter().map(|word| word % self.modulus).collect();
        (self.permute)(&mut state);
        state
    }

    fn sum(&self, a: &[u64], b: &[u64]) -> Vec<u64> {
        let sum =
            |(a, b): (&u64, &u64)| (u128::from(*a) + u128::from(*b)) % u128::from(self.modulus);
        a.iter().zip(b).map(|pair| sum(pair) as u64).collect()
    }

    /// The state of those words, and zeros.
    #[must_use]
    pub fn state(&self, words: &[u64]) -> Vec<u64> {
        let mut state = words.to_vec();
        state.resize(self.width, 0);
        state
    }

    /// P(x), where x ends in zeros.
    #[must_use]
    pub fn truncated(&self, words: &[u64]) -> Vec<u64> {
        self.permuted(&self.state(words))
    }

    /// P(x) + x, where x ends in zeros.
    #[must_use]
    pub fn feed_forward(&self, words: &[u64]) -> Vec<u64> {
        let x = self.state(words);
        self.sum(&self.permuted(&x), &x)
    }

    /// From the left, `rate` words overwrite the front.
    #[must_use]
    pub fn overwrite(&self, initial: &[u64], rate: usize, row: &[u64]) -> Vec<u64> {
        row.chunks(rate).fold(initial.to_vec(), |mut state, block| {
            state[..block.len()].copy_from_slice(block);
            self.permuted(&state)
        })
    }

    /// The same with zeros after the last words.
    #[must_use]
    pub fn zero_padded(&self, initial: &[u64], rate: usize, row: &[u64]) -> Vec<u64> {
        let mut row = row.to_vec();
        row.resize(row.len().next_multiple_of(rate), 0);
        self.overwrite(initial, rate, &row)
    }

    /// pil2-proofman's linear hash: each block, padded with zeros, stands before the digest of what went
    /// before. At first that is `digest`.
    #[must_use]
    pub fn linear(&self, digest: &[u64], rate: usize, row: &[u64]) -> Vec<u64> {
        row.chunks(rate).fold(digest.to_vec(), |digest, block| {
            let mut state = block.to_vec();
            state.resize(rate, 0);
            state.extend(digest);
            self.permuted(&state)[..self.width - rate].to_vec()
        })
    }

    /// From the right: the last words are a state, fed forward; then blocks of `rate` words overwrite its
    /// end, or are added to it, and it is fed forward.
    #[must_use]
    pub fn right_to_left(&self, rate: usize, adds: bool, row: &[u64]) -> Vec<u64> {
        let (blocks, last) = row.split_at(row.len() - self.width);
        self.right_to_left_from(&self.feed_forward(last), rate, adds, blocks)
    }

    /// The same from a state.
    #[must_use]
    pub fn right_to_left_from(
        &self,
        state: &[u64],
        rate: usize,
        adds: bool,
        blocks: &[u64],
    ) -> Vec<u64> {
        let blocks = blocks.chunks(rate).rev();
        blocks.fold(state.to_vec(), |mut state, block| {
            let end = &mut state[self.width - rate..];
            let absorbed = if adds {
                self.sum(end, block)
            } else {
                block.to_vec()
            };
            end.copy_from_slice(&absorbed);
            self.feed_forward(&state)
        })
    }
}
