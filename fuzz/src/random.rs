//! A small generator of pseudo-random numbers, the same on every machine.

/// SplitMix64: fast, and good for any seed.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The sequence of a part of a run: `of(seed, [kernel, variant])` depends on all of them.
    pub fn of(seed: u64, parts: [u64; 2]) -> Self {
        let mut random = Self(seed);
        for part in parts {
            random = Self(random.next() ^ part.wrapping_mul(0xd6e8_feb8_6659_fd93));
        }
        random
    }

    /// The next 64 bits.
    #[allow(clippy::should_implement_trait, reason = "an endless source, not an iterator")]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`, which is not zero.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    /// A number from `low` to `high`, both included.
    pub fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high - low + 1)
    }

    /// True in `percent` of a hundred cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of the items.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// The index of one of the weights, each as likely as it weighs.
    pub fn weighted(&mut self, weights: &[usize]) -> usize {
        let mut at = self.below(weights.iter().sum());
        weights
            .iter()
            .position(|weight| {
                let here = at < *weight;
                at = at.saturating_sub(*weight);
                here
            })
            .unwrap_or(0)
    }
}
