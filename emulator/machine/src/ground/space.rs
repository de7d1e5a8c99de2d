//! State spaces, and the windows of the generic address space through which shared, local and parameter memory are accessed.
//!
//! Device memory (`.global`, `.const`) is below [`SHARED`]: its addresses are generic addresses.

/// The state space of a variable or an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Space {
    /// Any space, which the address determines at run time.
    Generic,
    Global,
    Constant,
    Shared,
    Local,
    /// Kernel parameters, and the parameters of inlined calls.
    Parameter,
}

/// The generic address of byte 0 of the block's shared memory.
pub(crate) const SHARED: u64 = 1 << 48;

/// The generic address of byte 0 of the thread's local memory.
pub(crate) const LOCAL: u64 = 2 << 48;

/// The generic address of byte 0 of the parameter block.
pub(crate) const PARAMETER: u64 = 3 << 48;

impl Space {
    /// Returns the space that a generic address refers to.
    #[inline(always)]
    pub(crate) fn from_address(address: u64) -> Self {
        match address >> 48 {
            1 => Self::Shared,
            2 => Self::Local,
            3 => Self::Parameter,
            _ => Self::Global,
        }
    }

    /// Returns the generic address of byte 0 of the space.
    pub(crate) fn base(self) -> u64 {
        match self {
            Self::Shared => SHARED,
            Self::Local => LOCAL,
            Self::Parameter => PARAMETER,
            Self::Generic | Self::Global | Self::Constant => 0,
        }
    }
}
