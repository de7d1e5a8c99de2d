//! Reads and queries of textures, and loads and stores of surfaces: the objects of the host, whose handles are addresses of descriptors
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
    /// Reads one channel of the four elements between which linear filtering interpolates.
    Gather {
        channel: u8,
    },
    /// Returns the size along an axis.
    Query {
        axis: u8,
        of_surface: bool,
    },
    Load(Accessed),
    Store(Accessed),
}

/// A texture instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Texture {
    /// The number of axes: two of a face of a cube, none of a query.
    pub(crate) dimensions: u8,
    /// Whether the first coordinate is the number of a layer.
    pub(crate) layered: bool,
    /// Whether the coordinates are a direction, in which a face of a cube is.
    pub(crate) cube: bool,
    /// The number of values in each operand behind the coordinates: a level, or two gradients.
    pub(crate) behind: &'static [u8],
    pub(crate) access: Access,
}

impl Texture {
    /// Returns the number of coordinates in the instruction. Of three, the last is repeated.
    pub(crate) fn coordinates(self) -> u8 {
        match (self.dimensions, self.layered) {
            (0, _) => 0,
            (3, _) | (2, true) => 4,
            _ if self.cube => 4,
            (dimensions, layered) => dimensions + u8::from(layered),
        }
    }

    /// Returns whether the operand behind the coordinates is a level.
    pub(crate) fn has_level(self) -> bool {
        self.behind == [1]
    }

    /// Returns the number of values and the bytes of each.
    pub(crate) fn values(self) -> (u8, u8) {
        match self.access {
            Access::Read { .. } | Access::Gather { .. } => (4, 4),
            Access::Query { .. } => (1, 4),
            Access::Load(accessed) | Access::Store(accessed) => (accessed.lanes, accessed.bytes),
        }
    }
}

/// The rows of the table.
pub(crate) const FORMS: &[Form<Texture>] = &[
    row("tex.{1d|2d|3d|a1d|a2d}.v4.{f32|s32|u32}.{s32|f32}", "d = texture a at the coordinates b", read),
    row("tex.{cube|acube}.v4.{f32|s32|u32}.f32", "d = cube a in the direction b", read),
    row(
        "tex.level.{1d|2d|3d|a1d|a2d}.v4.{f32|s32|u32}.{s32|f32}",
        "d = texture a at the coordinates b: its only level, but zeros for integers b if c is not 0",
        |m| Texture { behind: &[1], ..read(m) },
    ),
    row(
        "tex.level.{cube|acube}.v4.{f32|s32|u32}.f32",
        "d = cube a in the direction b: its only level, whatever c is",
        |m| Texture { behind: &[1], ..read(m) },
    ),
    row(
        "tex.grad.{1d|2d|3d|a1d|a2d|cube|acube}.v4.{f32|s32|u32}.f32",
        "d = texture or cube a at b: its only level, whatever the gradients c and e are",
        |m| Texture { behind: gradients(read(m)), ..read(m) },
    ),
    row(
        "tld4.{r|g|b|a}.{2d|a2d|cube|acube}.v4.{f32|s32|u32}.f32",
        "d = one channel of the four elements of texture or cube a around b, from the lower left one counterclockwise",
        |m| {
            let channel = ["r", "g", "b", "a"].iter().position(|name| m.0[0] == *name);
            texture(m, Access::Gather { channel: channel.unwrap_or(0) as u8 })
        },
    ),
    row("txq.{width|height|depth}.b32", "d = the size of texture a", |m| query(m, false)),
    row("txq.level.{width|height|depth}.b32", "d = the size of level b of texture a: 0 unless b is 0", |m| Texture {
        behind: &[1],
        ..query(m, false)
    }),
    row("suq.{width|height|depth}.b32", "d = the size of surface a", |m| query(m, true)),
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

fn read(modifiers: &Modifiers<'_>) -> Texture {
    texture(modifiers, Access::Read { integers: modifiers.last() == "s32" })
}

fn texture(modifiers: &Modifiers<'_>, access: Access) -> Texture {
    let has_part = |end: &str| modifiers.0.iter().any(|part| part.ends_with(end));
    let dimensions = ["1d", "2d", "3d"].iter().position(|name| has_part(name)).map_or(2, |index| index as u8 + 1);
    let layered = ["a1d", "a2d", "acube"].iter().any(|name| modifiers.has(name));
    Texture { dimensions, layered, cube: has_part("cube"), behind: &[], access }
}

fn query(modifiers: &Modifiers<'_>, of_surface: bool) -> Texture {
    let axis = ["width", "height", "depth"].iter().position(|name| modifiers.has(name)).unwrap_or(0);
    Texture { dimensions: 0, ..texture(modifiers, Access::Query { axis: axis as u8, of_surface }) }
}

/// Returns the numbers of values of both gradients. Of three, the last is repeated.
fn gradients(texture: Texture) -> &'static [u8] {
    match texture.dimensions {
        1 => &[1, 1],
        2 if !texture.cube => &[2, 2],
        _ => &[4, 4],
    }
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
