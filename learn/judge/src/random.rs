//! Random numbers that are the same on every machine.

/// The generator SplitMix64.
pub(crate) struct SplitMix {
    seed: u64,
    index: u64,
}

impl SplitMix {
    /// Returns the generator with this seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self { seed, index: 0 }
    }

    /// Returns the next 64 random bits.
    pub(crate) fn next(&mut self) -> u64 {
        let bits = emulator::split_mix(self.seed, self.index);
        self.index += 1;
        bits
    }
}
