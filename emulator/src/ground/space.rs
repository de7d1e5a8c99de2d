//! State spaces, and the generic address space: where shared, local and parameter memory appear in it.
//!
//! Device memory (`.global`, `.const`) lies below [`SHARED`], at its own addresses.

/// State space of a variable or an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Space {
    /// Device memory, and addresses of unknown space.
    Generic,
    Global,
    Constant,
    Shared,
    Local,
    /// Kernel parameters, and the parameters of inlined calls.
    Parameter,
}

/// Generic address of byte 0 of the block's shared memory.
pub(crate) const SHARED: u64 = 1 << 48;

/// Generic address of byte 0 of the thread's local memory.
pub(crate) const LOCAL: u64 = 2 << 48;

/// Generic address of byte 0 of the parameter block.
pub(crate) const PARAMETER: u64 = 3 << 48;

impl Space {
    /// The space that a generic address points into.
    #[inline(always)]
    pub(crate) fn of(address: u64) -> Self {
        match address >> 48 {
            1 => Self::Shared,
            2 => Self::Local,
            3 => Self::Parameter,
            _ => Self::Global,
        }
    }

    /// Generic address of byte 0 of the space.
    pub(crate) fn base(self) -> u64 {
        match self {
            Self::Shared => SHARED,
            Self::Local => LOCAL,
            Self::Parameter => PARAMETER,
            Self::Generic | Self::Global | Self::Constant => 0,
        }
    }
}
