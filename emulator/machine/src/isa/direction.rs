//! Rounding modes.

use super::form::Modifiers;

/// A rounding mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rounding {
    /// To nearest, ties to even.
    Nearest,
    /// Toward zero.
    Zero,
    /// Toward negative infinity.
    Down,
    /// Toward positive infinity.
    Up,
}

impl Rounding {
    /// Returns the mode of an opcode with `.rn`, `.rz`, `.rm`, `.rp`, or `.rni` and so on. The default is nearest.
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

    /// Rounds `value` to an integer.
    pub(crate) fn to_integral(self, value: f64) -> f64 {
        match self {
            Self::Nearest => value.round_ties_even(),
            Self::Zero => value.trunc(),
            Self::Down => value.floor(),
            Self::Up => value.ceil(),
        }
    }

    /// Returns whether an inexact result is less than the exact value, given the sign of the value.
    pub(super) fn goes_down(self, positive: bool) -> bool {
        self == Self::Down || (self == Self::Zero && positive)
    }
}
