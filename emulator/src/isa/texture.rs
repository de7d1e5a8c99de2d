//! Reads of textures, and loads and stores of surfaces: the objects of the host, whose handles are addresses of descriptors
//! ([`super::texel`]).

use super::class::Class;
use super::form::{Form, Modifiers};

/// What a surface access outside of the surface does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outside {
    /// It ends the launch.
    Trap,
    /// It accesses the nearest place.
    Clamp,
    /// It loads zeros, or stores nothing.
    Zero,
}

/// The accessed bytes of a surface: `lanes` values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Accessed {
    pub(crate) bytes: u8,
    pub(crate) lanes: u8,
    pub(crate) outside: Outside,
}

/// The action of a texture instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Reads four values at coordinates that are integers or floats.
    Read {
        integers: bool,
    },
    Load(Accessed),
    Store(Accessed),
}

/// A texture instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Texture {
    pub(crate) dimensions: u8,
    /// Whether the first coordinate is the number of a layer.
    pub(crate) layered: bool,
    pub(crate) access: Access,
}

impl Texture {
    /// Returns the number of coordinates in the instruction. Of three, the last is repeated.
    pub(crate) fn coordinates(self) -> u8 {
        match (self.dimensions, self.layered) {
            (3, _) | (2, true) => 4,
            (dimensions, layered) => dimensions + u8::from(layered),
        }
    }

    /// Returns the number of values and the bytes of each.
    pub(crate) fn values(self) -> (u8, u8) {
        match self.access {
            Access::Read { .. } => (4, 4),
            Access::Load(accessed) | Access::Store(accessed) => (accessed.lanes, accessed.bytes),
        }
    }
}

/// The rows of the table.
pub(crate) const FORMS: &[Form<Texture>] = &[
    row("tex.{1d|2d|3d|a1d|a2d}.v4.{f32|s32|u32}.{s32|f32}", "d = texture a at the coordinates b", |m| {
        texture(m, Access::Read { integers: m.last() == "s32" })
    }),
    row(
        "suld.b.{1d|2d|3d|a1d|a2d}[.v2|.v4].{b8|b16|b32|b64}.{trap|clamp|zero}",
        "d = surface a at byte and rows b",
        |m| texture(m, Access::Load(accessed(m))),
    ),
    row(
        "sust.b.{1d|2d|3d|a1d|a2d}[.v2|.v4].{b8|b16|b32|b64}.{trap|clamp|zero}",
        "surface a at byte and rows b = c",
        |m| texture(m, Access::Store(accessed(m))),
    ),
];

const fn row(pattern: &'static str, equation: &'static str, build: fn(&Modifiers<'_>) -> Texture) -> Form<Texture> {
    Form::row(pattern, Class::Memory, equation, &[], &[], build)
}

fn texture(modifiers: &Modifiers<'_>, access: Access) -> Texture {
    let dimensions = ["1d", "2d", "3d"].iter().position(|name| modifiers.0.iter().any(|part| part.ends_with(name)));
    let layered = ["a1d", "a2d"].iter().any(|name| modifiers.has(name));
    Texture { dimensions: dimensions.unwrap_or(0) as u8 + 1, layered, access }
}

fn accessed(modifiers: &Modifiers<'_>) -> Accessed {
    let bytes = ["b8", "b16", "b32", "b64"].iter().position(|name| modifiers.has(name)).unwrap_or(2);
    let lanes = match (modifiers.has("v2"), modifiers.has("v4")) {
        (true, _) => 2,
        (_, true) => 4,
        _ => 1,
    };
    let outside = match modifiers.last() {
        "clamp" => Outside::Clamp,
        "zero" => Outside::Zero,
        _ => Outside::Trap,
    };
    Accessed { bytes: 1 << bytes, lanes, outside }
}
