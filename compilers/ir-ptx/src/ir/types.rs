//! Types and their layout in memory.

use crate::space::Space;
use std::fmt;

/// A type of the IR.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Type {
    Void,
    /// An integer of this many bits.
    Integer(u32),
    Half,
    Float,
    Double,
    Pointer(Space),
    Array(u64, Box<Self>),
    Vector(u64, Box<Self>),
    /// The fields, each with its offset in bytes, then size and alignment.
    Structure(Vec<(u64, Self)>, u64, u64),
}

impl Type {
    /// Lays out a structure; the fields of a packed one have no gaps.
    pub(crate) fn structure(fields: Vec<Self>, packed: bool) -> Self {
        let mut end = 0_u64;
        let mut align = 1;
        let mut placed = Vec::new();
        for field in fields {
            let of_field = if packed { 1 } else { field.align() };
            let at = end.next_multiple_of(of_field);
            end = at + field.bytes();
            align = align.max(of_field);
            placed.push((at, field));
        }
        Self::Structure(placed, end.next_multiple_of(align), align)
    }

    /// Returns the size in an array, in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        match self {
            Self::Void => 0,
            Self::Integer(bits) => u64::from(bits.div_ceil(8)).next_power_of_two(),
            Self::Half => 2,
            Self::Float => 4,
            Self::Double | Self::Pointer(_) => 8,
            Self::Array(count, of) => of.bytes() * count,
            Self::Vector(count, of) => (of.bytes() * count).next_power_of_two(),
            Self::Structure(_, bytes, _) => *bytes,
        }
    }

    /// Returns the alignment in bytes that the target prescribes.
    pub(crate) fn align(&self) -> u64 {
        match self {
            Self::Array(_, of) => of.align(),
            Self::Structure(_, _, align) => *align,
            Self::Void => 1,
            scalar => scalar.bytes().max(1),
        }
    }

    /// Returns the scalars that a value consists of, each with its offset in memory.
    pub(crate) fn parts(&self) -> Vec<(u64, Self)> {
        let repeated = |count: u64, of: &Self, step: u64| {
            let inner = of.parts();
            let placed = |index: u64| inner.iter().map(move |(at, ty)| (index * step + at, ty.clone()));
            (0..count).flat_map(placed).collect()
        };
        match self {
            Self::Void => Vec::new(),
            Self::Array(count, of) | Self::Vector(count, of) => repeated(*count, of, of.bytes()),
            Self::Structure(fields, ..) => {
                let placed = |(at, field): &(u64, Self)| {
                    field.parts().into_iter().map(|(inner, ty)| (at + inner, ty)).collect::<Vec<_>>()
                };
                fields.iter().flat_map(placed).collect()
            }
            scalar => vec![(0, scalar.clone())],
        }
    }

    /// Returns the scalars that a value consists of.
    pub(crate) fn scalars(&self) -> impl Iterator<Item = Self> + use<> {
        self.parts().into_iter().map(|(_, part)| part)
    }

    /// Returns the element or field with this index, and its offset.
    pub(crate) fn element(&self, index: u64) -> Option<(u64, Self)> {
        match self {
            Self::Array(_, of) | Self::Vector(_, of) => Some((index * of.bytes(), (**of).clone())),
            Self::Structure(fields, ..) => fields.get(index as usize).cloned(),
            _ => None,
        }
    }

    /// Returns how many scalars come before the element or field with this index.
    pub(crate) fn parts_before(&self, index: u64) -> usize {
        (0..index).filter_map(|at| self.element(at)).map(|(_, ty)| ty.parts().len()).sum()
    }

    /// Returns the width of a scalar in bits.
    pub(crate) fn bits(&self) -> u32 {
        match self {
            Self::Integer(bits) => *bits,
            _ => self.bytes() as u32 * 8,
        }
    }

    pub(crate) fn is_real(&self) -> bool {
        matches!(self, Self::Half | Self::Float | Self::Double)
    }

    pub(crate) fn is_pointer(&self) -> bool {
        matches!(self, Self::Pointer(_))
    }
}

/// The type of conditions.
pub(crate) const BIT: Type = Type::Integer(1);

/// As in the IR.
impl fmt::Display for Type {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Void => formatter.write_str("void"),
            Self::Integer(bits) => write!(formatter, "i{bits}"),
            Self::Half => formatter.write_str("half"),
            Self::Float => formatter.write_str("float"),
            Self::Double => formatter.write_str("double"),
            Self::Pointer(_) => formatter.write_str("ptr"),
            Self::Array(count, of) => write!(formatter, "[{count} x {of}]"),
            Self::Vector(count, of) => write!(formatter, "<{count} x {of}>"),
            Self::Structure(..) => formatter.write_str("a structure"),
        }
    }
}
