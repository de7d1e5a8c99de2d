//! The layouts of fragments: which lane holds which elements of a matrix.

/// The rows and columns of an 8×8 part of a matrix, whose 32 lanes hold one to four neighbors each.
pub(super) const PART: i64 = 8;

/// The type of the elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Element {
    F16,
    Bf16,
    /// An integer of 8 bits.
    Byte,
    Tf32,
    F32,
    S32,
    F64,
}

impl Element {
    pub(super) fn bytes(self) -> i64 {
        match self {
            Self::Byte => 1,
            Self::F16 | Self::Bf16 => 2,
            Self::Tf32 | Self::F32 | Self::S32 => 4,
            Self::F64 => 8,
        }
    }
}

/// The rows and columns of D, and the columns of A.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    rows: i64,
    columns: i64,
    depth: i64,
}

impl Shape {
    /// Returns the shape with a name such as `m16n16k16`.
    pub(super) fn parse(name: &str) -> Option<Self> {
        let (rows, rest) = name.strip_prefix('m')?.split_once('n')?;
        let (columns, depth) = rest.split_once('k')?;
        Some(Self { rows: rows.parse().ok()?, columns: columns.parse().ok()?, depth: depth.parse().ok()? })
    }

    /// Returns whether the transposed product is computed, because `mma` has more rows than columns.
    pub(super) fn is_transposed(self) -> bool {
        self.rows == 8 && self.columns == 32
    }

    fn has(self, factor: Element) -> bool {
        let shape = (self.rows, self.columns, self.depth);
        match factor {
            Element::F16 | Element::Bf16 | Element::Byte => {
                matches!(shape, (16, 16, 16) | (32, 8, 16) | (8, 32, 16))
            }
            Element::Tf32 => shape == (16, 16, 8),
            Element::F64 => shape == (8, 8, 4),
            Element::F32 | Element::S32 => false,
        }
    }
}

/// The place of a matrix in an `mma`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    A,
    B,
    /// C or D.
    Sum,
}

/// A matrix in a fragment. Along one of its axes, *across*, elements are in different groups of four lanes. Along the other,
/// they are in the lanes of a group and in the registers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Matrix<'a> {
    pub(super) role: Role,
    /// The elements of the two axes.
    pub(super) across: i64,
    pub(super) along: i64,
    /// Whether neighbors along are neighbors in memory.
    pub(super) is_natural: bool,
    /// `.global`, `.shared`, or nothing for generic addresses.
    pub(super) space: &'a str,
    pub(super) element: Element,
}

impl<'a> Matrix<'a> {
    /// Returns the matrix of an opcode whose end, a space and a type, is `rest`.
    pub(super) fn parse(name: &str, layout: &str, shape: Shape, rest: &[&str]) -> Option<Self> {
        let (space, element) = match rest {
            [element] => ("", *element),
            ["global", element] => (".global", *element),
            ["shared" | "shared::cta", element] => (".shared", *element),
            _ => return None,
        };
        let role = match name {
            "a" => Role::A,
            "b" => Role::B,
            "c" | "d" => Role::Sum,
            _ => return None,
        };
        let element = match (role, element) {
            (_, "f16") => Element::F16,
            (_, "f64") => Element::F64,
            (Role::Sum, "f32") => Element::F32,
            (Role::Sum, "s32") => Element::S32,
            (Role::A | Role::B, "bf16") => Element::Bf16,
            (Role::A | Role::B, "s8" | "u8") => Element::Byte,
            (Role::A | Role::B, "tf32") => Element::Tf32,
            _ => return None,
        };
        // A and sums have rows across, and B has columns.
        let by_rows = match layout {
            "row" => true,
            "col" => false,
            _ => return None,
        };
        let is_natural = by_rows != (role == Role::B);
        let role = match role {
            Role::A if shape.is_transposed() => Role::B,
            Role::B if shape.is_transposed() => Role::A,
            role => role,
        };
        let is_natural = is_natural != (shape.is_transposed() && role == Role::Sum);
        Some(Self { is_natural, space, ..Self::in_registers(role, shape, element)? })
    }

    /// Returns a matrix with a role in the computed product; `None` if the shape does not exist for this type.
    pub(super) fn in_registers(role: Role, shape: Shape, element: Element) -> Option<Self> {
        let is_known = match (role, element) {
            (Role::Sum, Element::F16) => shape.has(Element::F16),
            (Role::Sum, Element::F32) => shape.has(Element::F16) || shape.has(Element::Tf32),
            (Role::Sum, Element::S32) => shape.has(Element::Byte),
            (_, factor) => shape.has(factor),
        };
        let (rows, columns) =
            if shape.is_transposed() { (shape.columns, shape.rows) } else { (shape.rows, shape.columns) };
        let (across, along) = match role {
            Role::A => (rows, shape.depth),
            Role::B => (columns, shape.depth),
            Role::Sum => (rows, columns),
        };
        is_known.then_some(Self { role, across, along, is_natural: true, space: "", element })
    }

    /// Returns the neighbors along that a lane holds of each part.
    pub(super) fn neighbors(self) -> i64 {
        if self.role == Role::Sum { 2 } else { (4 / self.element.bytes()).max(1) }
    }

    /// Returns the registers of a part in each lane.
    pub(super) fn registers_of_part(self) -> usize {
        if self.role == Role::Sum && self.element != Element::F16 { 2 } else { 1 }
    }

    /// Returns the elements across of a matrix of `mma`.
    pub(super) fn block(self) -> i64 {
        if self.role == Role::B { PART } else { self.across.min(2 * PART) }
    }

    /// Returns the first element of each part, across and along, in the order of the registers.
    pub(super) fn parts(self) -> Vec<(i64, i64)> {
        let mut parts = Vec::new();
        for block in (0..self.across).step_by(self.block() as usize) {
            for along in (0..self.along).step_by(4 * self.neighbors() as usize) {
                parts.extend((block..block + self.block()).step_by(PART as usize).map(|across| (across, along)));
            }
        }
        parts
    }

    /// Returns the registers with different elements.
    pub(super) fn held_registers(self) -> usize {
        self.parts().len() * self.registers_of_part()
    }

    /// Returns the registers in each lane. A or B of `f16` always has eight, which repeat if there are fewer elements.
    pub(super) fn declared_registers(self) -> usize {
        if self.role != Role::Sum && self.element == Element::F16 { 8 } else { self.held_registers() }
    }
}
