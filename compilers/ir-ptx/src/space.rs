//! State spaces of memory.

/// A state space of PTX.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub(crate) enum Space {
    Generic,
    Global,
    Shared,
    Constant,
    Local,
    Parameter,
}

impl Space {
    /// Returns the space with this number in LLVM's IR for NVPTX.
    pub(crate) fn from_number(number: u32) -> Option<Self> {
        Some(match number {
            0 => Self::Generic,
            1 => Self::Global,
            3 => Self::Shared,
            4 => Self::Constant,
            5 => Self::Local,
            101 => Self::Parameter,
            _ => return None,
        })
    }

    /// Returns the modifier of loads and stores, `.shared`; nothing for generic addresses.
    pub(crate) fn modifier(self) -> &'static str {
        match self {
            Self::Generic => "",
            Self::Global => ".global",
            Self::Shared => ".shared",
            Self::Constant => ".const",
            Self::Local => ".local",
            Self::Parameter => ".param",
        }
    }
}
