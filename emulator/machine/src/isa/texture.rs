//! Reads of textures: the objects of the host, whose handles are addresses of descriptors ([`super::texel`]).

use super::form::Form;

/// A read of four values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Texture {
    /// The number of axes.
    pub(crate) dimensions: u8,
    /// Whether the coordinates are integers, and not floats.
    pub(crate) integers: bool,
}

impl Texture {
    /// Returns the number of coordinates in the instruction. Of three, the last is repeated.
    pub(crate) fn coordinates(self) -> u8 {
        if self.dimensions == 3 { 4 } else { self.dimensions }
    }
}

/// The rows of the table.
pub(crate) const FORMS: &[Form<Texture>] =
    &[Form::memory("tex.{1d|2d|3d}.v4.{f32|s32|u32}.{s32|f32}", "d = texture a at the coordinates b", |m| Texture {
        dimensions: m.dimensions(),
        integers: m.last() == "s32",
    })];
