//! The channels of the elements of textures.

use super::half::Format;

/// The type of a channel of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are those of the types")]
pub enum Channel {
    Unsigned8,
    Unsigned16,
    Unsigned32,
    Signed8,
    Signed16,
    Signed32,
    Half,
    Single,
}

impl Channel {
    pub(super) const ALL: [Self; 8] = [
        Self::Unsigned8,
        Self::Unsigned16,
        Self::Unsigned32,
        Self::Signed8,
        Self::Signed16,
        Self::Signed32,
        Self::Half,
        Self::Single,
    ];

    /// Returns the size in bytes.
    #[must_use]
    pub fn bytes(self) -> u64 {
        match self {
            Self::Unsigned8 | Self::Signed8 => 1,
            Self::Unsigned16 | Self::Signed16 | Self::Half => 2,
            Self::Unsigned32 | Self::Signed32 | Self::Single => 4,
        }
    }

    /// Returns the register with a color of the border, as on an H200: normalized integers are the nearest ones, of two the upper one;
    /// others are the low bits of the color.
    pub(super) fn border(self, color: f32, normalized: bool) -> u32 {
        let nearest = |least: f32, most: f32| ((color.clamp(least, 1.0) * most + 0.5).floor() / most).to_bits();
        match self {
            Self::Single => color.to_bits(),
            Self::Half => color.clamp(-65504.0, 65504.0).to_bits(),
            Self::Unsigned8 if normalized => nearest(0.0, 255.0),
            Self::Unsigned16 if normalized => nearest(0.0, 65535.0),
            Self::Signed8 if normalized => nearest(-1.0, 127.0),
            Self::Signed16 if normalized => nearest(-1.0, 32767.0),
            _ => self.register(color.to_bits() & u32::MAX >> (32 - 8 * self.bytes()), false),
        }
    }

    /// Returns the register with a value of this type. With `normalized`, integers of at most 16 bits become floats from -1 or 0
    /// to 1.
    pub(super) fn register(self, bits: u32, normalized: bool) -> u32 {
        let unsigned = |most: f32| if normalized { (bits as f32 / most).to_bits() } else { bits };
        let signed =
            |value: i32, most: f32| if normalized { (value as f32 / most).max(-1.0).to_bits() } else { value as u32 };
        match self {
            Self::Unsigned8 => unsigned(255.0),
            Self::Unsigned16 => unsigned(65535.0),
            Self::Signed8 => signed((bits as i8).into(), 127.0),
            Self::Signed16 => signed((bits as i16).into(), 32767.0),
            Self::Half => (Format::F16.decode(bits as u16) as f32).to_bits(),
            Self::Unsigned32 | Self::Signed32 | Self::Single => bits,
        }
    }
}
