//! Descriptors of textures: 128 bytes in memory, whose address is the handle of the object.
//!
//! Linear filtering follows "Texture Fetching" of the CUDA C++ Programming Guide: weights have 8 bits of fraction. On an H200, reads
//! of the nearest element have the same bits, and 99 percent of floats filtered along one axis or two; the others differ
//! in their last bits. How the weights of three axes are multiplied is not documented: see `corner_weights`. Filtered integers have
//! about 16 bits on the H200, and more here.

use super::channel::Channel;

/// The first bytes of a descriptor.
const MARK: [u8; 8] = *b"texture\0";

/// The steps from one texel to the next that weights of linear filtering distinguish.
const WEIGHT_STEPS: f32 = 256.0;

/// The treatment of coordinates outside of a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressMode {
    /// The texture is repeated. Without normalized coordinates, this is [`Self::Clamp`].
    Wrap,
    /// The nearest element is read.
    Clamp,
    /// The texture is repeated, mirrored each time. Without normalized coordinates, this is [`Self::Clamp`].
    Mirror,
    /// The color of the border is read.
    Border,
}

/// The arrangement of the elements of a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrangement {
    /// A row in linear memory.
    Linear,
    /// The row of an array of one dimension.
    Row,
    /// Rows, also those in pitched memory.
    Plane,
    /// Slices of rows.
    Volume,
}

impl Arrangement {
    const ALL: [Self; 4] = [Self::Linear, Self::Row, Self::Plane, Self::Volume];
}

/// A texture in device memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextureDescriptor {
    /// The address of the first element.
    pub address: u64,
    /// The type of the channels.
    pub channel: Channel,
    /// The number of channels of an element: 1, 2 or 4.
    pub channels: u32,
    /// The arrangement of the elements.
    pub arrangement: Arrangement,
    /// The number of elements of a row, of rows, and of slices, each at least 1.
    pub sizes: [u32; 3],
    /// The bytes from one row to the next, and from one slice to the next.
    pub pitches: [u64; 2],
    /// The treatment of coordinates outside, along each axis.
    pub modes: [AddressMode; 3],
    /// Whether floats are filtered linearly, and not read from the nearest element.
    pub linear: bool,
    /// Whether coordinates are parts of the size.
    pub normalized_coordinates: bool,
    /// Whether integers of at most 16 bits are read as floats.
    pub normalized_values: bool,
    /// The color of the border.
    pub border: [f32; 4],
}

/// Reads a value of 1, 2 or 4 bytes at an address. `None` is outside of memory.
pub(crate) type Fetch<'a> = &'a mut dyn FnMut(u64, u8) -> Option<u32>;

impl TextureDescriptor {
    /// The size of a descriptor in bytes.
    pub const BYTES: usize = 128;

    /// Returns the bytes in memory.
    #[must_use]
    pub fn encode(&self) -> [u8; Self::BYTES] {
        let flags = [self.linear, self.normalized_coordinates, self.normalized_values].map(u32::from);
        let words = [self.channel as u32, self.channels].into_iter().chain(self.sizes);
        let words = words.chain(self.modes.map(|mode| mode as u32)).chain(flags).chain(self.border.map(f32::to_bits));
        let wide = [self.address, self.pitches[0], self.pitches[1]].into_iter().flat_map(u64::to_le_bytes);
        let words = words.chain([self.arrangement as u32]);
        let all = MARK.into_iter().chain(wide).chain(words.flat_map(u32::to_le_bytes));
        let mut bytes = [0; Self::BYTES];
        bytes.iter_mut().zip(all).for_each(|(target, byte)| *target = byte);
        bytes
    }

    /// Returns the descriptor with these bytes, or `None` if they are something else.
    pub(crate) fn decode(bytes: &[u8; Self::BYTES]) -> Option<Self> {
        let words: Vec<u32> =
            bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect();
        let wide = |index: usize| u64::from(words[index + 1]) << 32 | u64::from(words[index]);
        let modes = [AddressMode::Wrap, AddressMode::Clamp, AddressMode::Mirror, AddressMode::Border];
        let mode = |index: usize| modes.get(words[index] as usize).copied();
        let texture = Self {
            address: wide(2),
            pitches: [wide(4), wide(6)],
            channel: *Channel::ALL.get(words[8] as usize)?,
            channels: words[9],
            arrangement: *Arrangement::ALL.get(words[23] as usize)?,
            sizes: [words[10], words[11], words[12]],
            modes: [mode(13)?, mode(14)?, mode(15)?],
            linear: words[16] != 0,
            normalized_coordinates: words[17] != 0,
            normalized_values: words[18] != 0,
            border: std::array::from_fn(|channel| f32::from_bits(words[19 + channel])),
        };
        let sound = [1, 2, 4].contains(&texture.channels) && texture.sizes.iter().all(|&size| size > 0);
        (bytes.starts_with(&MARK) && sound).then_some(texture)
    }

    fn element_bytes(&self) -> u64 {
        self.channel.bytes() * u64::from(self.channels)
    }

    /// Returns whether registers with values of this texture hold floats.
    fn is_float(&self) -> bool {
        match self.channel {
            Channel::Half | Channel::Single => true,
            channel => self.normalized_values && channel.bytes() < 4,
        }
    }

    /// Returns the index of an element along an axis, `None` for the border.
    fn index(&self, axis: usize, index: i64) -> Option<i64> {
        let size = i64::from(self.sizes[axis]);
        match self.modes[axis] {
            AddressMode::Wrap if self.normalized_coordinates => Some(index.rem_euclid(size)),
            AddressMode::Mirror if self.normalized_coordinates => {
                let place = index.rem_euclid(2 * size);
                Some(place.min(2 * size - 1 - place))
            }
            AddressMode::Border => (0..size).contains(&index).then_some(index),
            _ => Some(index.clamp(0, size - 1)),
        }
    }

    /// Returns the registers of an element, or the address that is outside of memory.
    fn element(&self, place: [i64; 3], fetch: Fetch<'_>) -> Result<[u32; 4], u64> {
        let mut indices = [0; 3];
        for axis in 0..3 {
            match self.index(axis, place[axis]) {
                Some(index) => indices[axis] = index,
                None => return Ok(self.border_values()),
            }
        }
        self.element_inside(indices, fetch)
    }

    /// Returns the registers of the border. Missing channels are 0.
    fn border_values(&self) -> [u32; 4] {
        std::array::from_fn(|number| {
            if number < self.channels as usize {
                self.channel.border(self.border[number], self.normalized_values)
            } else {
                0
            }
        })
    }

    fn element_inside(&self, indices: [i64; 3], fetch: Fetch<'_>) -> Result<[u32; 4], u64> {
        let [x, y, z] = indices.map(|index| index as u64);
        let start = self.address + x * self.element_bytes() + y * self.pitches[0] + z * self.pitches[1];
        // Missing channels are 0, as on an H200.
        let mut values = [0; 4];
        for (number, value) in (0..u64::from(self.channels)).zip(&mut values) {
            let address = start + number * self.channel.bytes();
            let bits = fetch(address, self.channel.bytes() as u8).ok_or(address)?;
            *value = self.channel.register(bits, self.normalized_values);
        }
        Ok(values)
    }

    /// Returns the registers of the element at integer coordinates, or the address that is outside of memory. The modes have no
    /// effect, and an H200 reads zeros from an array of one dimension.
    pub(crate) fn at(&self, place: [i64; 3], fetch: Fetch<'_>) -> Result<[u32; 4], u64> {
        let is_inside = (0..3).all(|axis| (0..i64::from(self.sizes[axis])).contains(&place[axis]));
        if is_inside && self.arrangement != Arrangement::Row { self.element_inside(place, fetch) } else { Ok([0; 4]) }
    }

    /// Returns whether reads interpolate between elements.
    fn is_filtered(&self) -> bool {
        self.linear && self.is_float()
    }

    /// Returns a coordinate in elements.
    fn position(&self, axis: usize, coordinate: f32) -> f32 {
        if self.normalized_coordinates { coordinate * self.sizes[axis] as f32 } else { coordinate }
    }

    /// Returns the registers of the texture at float coordinates along `dimensions` axes, and in the first row and slice along the others.
    pub(crate) fn sample(&self, coordinates: [f32; 3], dimensions: usize, fetch: Fetch<'_>) -> Result<[u32; 4], u64> {
        let position = |axis: usize| self.position(axis, coordinates[axis]);
        if !self.is_filtered() {
            let index = |axis| if axis < dimensions { position(axis).floor() as i64 } else { 0 };
            return self.element(std::array::from_fn(index), fetch);
        }
        // With a border, an H200 filters arrays of one dimension along the second axis, too: between the border and the row.
        let has_row = dimensions == 1 && self.arrangement == Arrangement::Row && self.modes[1] == AddressMode::Border;
        let dimensions = if has_row { 2 } else { dimensions };
        let steps: [i64; 3] = std::array::from_fn(|axis| steps(position(axis)));
        let fractions = steps.map(|steps| steps & 255);
        let mut sums = [0.0_f64; 4];
        for (corner, weight) in corner_weights(fractions, dimensions).into_iter().enumerate() {
            if weight != 0 {
                let index = |axis| if axis < dimensions { (steps[axis] >> 8) + (corner >> axis & 1) as i64 } else { 0 };
                let values = self.element(std::array::from_fn(index), fetch)?;
                let weight = weight as f64 / f64::from(WEIGHT_STEPS);
                sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += weight * f64::from(f32::from_bits(value)));
            }
        }
        Ok(sums.map(|sum| (sum as f32).to_bits()))
    }
}

/// Returns a position in elements as the distance from the center of the first one, in steps of weights.
fn steps(position: f32) -> i64 {
    ((position - 0.5) * WEIGHT_STEPS).round_ties_even() as i64
}

/// Returns the weights of the corners around a position, whose bits are the axes along which they are on the right, given
/// the fractions along the axes. All are in steps of weights.
///
/// Along two axes, an H200 rounds the product of the fractions, half up. The other weights follow: those on the right add up to
/// the fraction, along either axis. Along three, what is known to agree best is this for x and z, and then a part of each along y.
fn corner_weights([x, y, z]: [i64; 3], dimensions: usize) -> [i64; 8] {
    let one = WEIGHT_STEPS as i64;
    let second = [0, y, z][dimensions - 1];
    let both = (x * second + one / 2) / one;
    let pair = [one - x - second + both, x - both, second - both, both];
    std::array::from_fn(|corner| match dimensions {
        3 => {
            let whole = pair[corner & 1 | corner >> 1 & 2];
            let below = (whole as f64 * y as f64 / one as f64).round_ties_even() as i64;
            if corner & 2 != 0 { below } else { whole - below }
        }
        _ => pair.get(corner).copied().unwrap_or(0),
    })
}
