//! Contents of buffers: indices and random bits, at the speed of memory. Programs that call this are compiled without optimization.

/// The bits of the elements of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    /// The index of each element.
    Index,
    /// Random bits of the generator SplitMix64 (Steele, Lea, Flood 2014) with this seed: for floats, numbers in [0, 1).
    Random(u64),
}

/// The form of the elements of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberFormat {
    /// Integers of so many bytes, 1 to 8, which wrap.
    Integer(usize),
    /// Floats of 32 bits.
    Single,
    /// Floats of 64 bits.
    Double,
}

impl Numbers {
    /// Returns the first `count` elements.
    #[must_use]
    pub fn bytes(self, count: usize, format: NumberFormat) -> Vec<u8> {
        match (self, format) {
            (Self::Index, NumberFormat::Integer(bytes)) => integers(count, bytes, |index| index),
            (Self::Index, NumberFormat::Single) => singles(count, |index| index as f32),
            (Self::Index, NumberFormat::Double) => doubles(count, |index| index as f64),
            (Self::Random(seed), NumberFormat::Integer(bytes)) => {
                integers(count, bytes, |index| split_mix(seed, index))
            }
            // As many digits as the types have, so that no number rounds to 1.
            (Self::Random(seed), NumberFormat::Single) => {
                singles(count, |index| (split_mix(seed, index) >> 40) as f32 / (1_u32 << 24) as f32)
            }
            (Self::Random(seed), NumberFormat::Double) => {
                doubles(count, |index| (split_mix(seed, index) >> 11) as f64 / (1_u64 << 53) as f64)
            }
        }
    }
}

/// Returns `count` elements of 16 bits, each of them one of `all`, 2 to 2^32 and a power of two, by the highest random bits.
#[must_use]
pub fn random_choices(seed: u64, count: usize, all: &[[u8; 2]]) -> Vec<u8> {
    let unused = 64 - all.len().ilog2();
    filled(count, |index| all[(split_mix(seed, index) >> unused) as usize])
}

fn integers(count: usize, bytes: usize, value: impl Fn(u64) -> u64) -> Vec<u8> {
    match bytes {
        1 => (0..count as u64).map(|index| value(index) as u8).collect(),
        2 => filled(count, |index| (value(index) as u16).to_le_bytes()),
        4 => filled(count, |index| (value(index) as u32).to_le_bytes()),
        _ => filled(count, |index| value(index).to_le_bytes()),
    }
}

fn singles(count: usize, value: impl Fn(u64) -> f32) -> Vec<u8> {
    filled(count, |index| value(index).to_le_bytes())
}

fn doubles(count: usize, value: impl Fn(u64) -> f64) -> Vec<u8> {
    filled(count, |index| value(index).to_le_bytes())
}

fn filled<const BYTES: usize>(count: usize, value: impl Fn(u64) -> [u8; BYTES]) -> Vec<u8> {
    let mut bytes = vec![0; count * BYTES];
    bytes.as_chunks_mut().0.iter_mut().zip(0..).for_each(|(chunk, index)| *chunk = value(index));
    bytes
}

/// Returns the random bits with an index, counted from 0, of the generator with a seed.
#[must_use]
pub fn split_mix(seed: u64, index: u64) -> u64 {
    let state = seed.wrapping_add(0x9E37_79B9_7F4A_7C15_u64.wrapping_mul(index.wrapping_add(1)));
    let mixed = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}
