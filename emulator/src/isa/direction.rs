//! Directions of rounding.

use super::form::Modifiers;

/// Direction of a rounding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rounding {
    /// To nearest, ties to even.
    Nearest,
    /// Towards zero.
    Zero,
    /// Towards negative infinity.
    Down,
    /// Towards positive infinity.
    Up,
}

impl Rounding {
    /// Reads `rn`, `rz`, `rm`, `rp`, or the integer roundings `rni` …; nearest when there is none.
    pub(crate) fn from(modifiers: &Modifiers<'_>) -> Self {
        let any = |names: [&str; 2]| names.iter().any(|name| modifiers.has(name));
        if any(["rz", "rzi"]) {
            Self::Zero
        } else if any(["rm", "rmi"]) {
            Self::Down
        } else if any(["rp", "rpi"]) {
            Self::Up
        } else {
            Self::Nearest
        }
    }

    /// The integer that `value` is rounded to.
    pub(crate) fn to_integral(self, value: f64) -> f64 {
        match self {
            Self::Nearest => value.round_ties_even(),
            Self::Zero => value.trunc(),
            Self::Down => value.floor(),
            Self::Up => value.ceil(),
        }
    }

    /// Whether a result that is not exact goes below the exact value, given its sign.
    pub(super) fn goes_down(self, positive: bool) -> bool {
        self == Self::Down || (self == Self::Zero && positive)
    }
}
