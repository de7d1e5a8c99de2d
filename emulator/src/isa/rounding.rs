//! Sums and products in the directed roundings, and with saturation to [0, 1].

use super::exact::Exact;
use super::float::flush;
use super::{Arithmetic, Form, Modifiers, Operation};
use crate::lower::step::{Action, Step};
use crate::vector::apply::apply3;
use crate::vector::registers::OperandKind;
use crate::vector::registers::{Lanes, Registers};
use crate::vector::simd::Simd;

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
    fn goes_down(self, positive: bool) -> bool {
        self == Self::Down || (self == Self::Zero && positive)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sum {
    Add,
    Subtract,
    Multiply,
    MultiplyAdd,
}

/// A sum or product with everything that its modifiers say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rounded {
    sum: Sum,
    double: bool,
    rounding: Rounding,
    flush: bool,
    saturate: bool,
}

/// Rows for the modifiers that [`super::float`] leaves out.
pub(crate) const FORMS: &[Form] = &[
    Form::row("add.{rz|rm|rp}[.ftz][.sat].f32", "d = a + b", &SINGLE2, |m| rounded(m, Sum::Add)),
    Form::row("add[.rn][.ftz].sat.f32", "d = a + b, in [0, 1]", &SINGLE2, |m| rounded(m, Sum::Add)),
    Form::row("add.{rz|rm|rp}.f64", "d = a + b", &DOUBLE2, |m| rounded(m, Sum::Add)),
    Form::row("sub.{rz|rm|rp}[.ftz][.sat].f32", "d = a - b", &SINGLE2, |m| rounded(m, Sum::Subtract)),
    Form::row("sub[.rn][.ftz].sat.f32", "d = a - b, in [0, 1]", &SINGLE2, |m| rounded(m, Sum::Subtract)),
    Form::row("sub.{rz|rm|rp}.f64", "d = a - b", &DOUBLE2, |m| rounded(m, Sum::Subtract)),
    Form::row("mul.{rz|rm|rp}[.ftz][.sat].f32", "d = a * b", &SINGLE2, |m| rounded(m, Sum::Multiply)),
    Form::row("mul[.rn][.ftz].sat.f32", "d = a * b, in [0, 1]", &SINGLE2, |m| rounded(m, Sum::Multiply)),
    Form::row("mul.{rz|rm|rp}.f64", "d = a * b", &DOUBLE2, |m| rounded(m, Sum::Multiply)),
    Form::row("fma.{rz|rm|rp}[.ftz][.sat].f32", "d = a * b + c", &SINGLE3, |m| rounded(m, Sum::MultiplyAdd)),
    Form::row("fma.rn[.ftz].sat.f32", "d = a * b + c, in [0, 1]", &SINGLE3, |m| rounded(m, Sum::MultiplyAdd)),
    Form::row("fma.{rz|rm|rp}.f64", "d = a * b + c", &DOUBLE3, |m| rounded(m, Sum::MultiplyAdd)),
    Form::row("mad.{rz|rm|rp}[.ftz][.sat].f32", "d = a * b + c", &SINGLE3, |m| rounded(m, Sum::MultiplyAdd)),
    Form::row("mad.rn[.ftz].sat.f32", "d = a * b + c, in [0, 1]", &SINGLE3, |m| rounded(m, Sum::MultiplyAdd)),
    Form::row("mad.{rz|rm|rp}.f64", "d = a * b + c", &DOUBLE3, |m| rounded(m, Sum::MultiplyAdd)),
];

const SINGLE2: [OperandKind; 3] = [OperandKind::Narrow; 3];
const SINGLE3: [OperandKind; 4] = [OperandKind::Narrow; 4];
const DOUBLE2: [OperandKind; 3] = [OperandKind::Wide; 3];
const DOUBLE3: [OperandKind; 4] = [OperandKind::Wide; 4];

fn rounded(modifiers: &Modifiers<'_>, sum: Sum) -> Operation {
    Operation::Arithmetic(Arithmetic::Rounded(Rounded {
        sum,
        double: modifiers.last() == "f64",
        rounding: Rounding::from(modifiers),
        flush: modifiers.has("ftz"),
        saturate: modifiers.has("sat"),
    }))
}

/// Executes a sum or product. One without third operand has its place 3 at place 2, which is read and not used.
pub(crate) fn execute(_: Simd, step: &Step, registers: &mut Registers, lanes: &Lanes) {
    let Action::Arithmetic(Arithmetic::Rounded(rounded)) = step.action else { return };
    if rounded.double {
        apply3(registers, lanes, &step.places, |a, b, c| rounded.double(a, b, c));
    } else {
        apply3(registers, lanes, &step.places, |a, b, c| rounded.single(a, b, c));
    }
}

impl Rounded {
    fn single(self, a: f32, b: f32, c: f32) -> f32 {
        let [a, b, c] = if self.flush { [flush(a), flush(b), flush(c)] } else { [a, b, c] };
        let (x, y, z) = (f64::from(a), f64::from(b), f64::from(c));
        // A product of two singles is exact in double precision.
        let result = match self.sum {
            Sum::Add => self.single_sum(x, y),
            Sum::Subtract => self.single_sum(x, -y),
            Sum::Multiply => round_to_single(x * y, 0.0, self.rounding),
            Sum::MultiplyAdd => self.single_sum(x * y, z),
        };
        let result = if self.flush { flush(result) } else { result };
        if self.saturate { saturate(result.into()) as f32 } else { result }
    }

    fn single_sum(self, a: f64, b: f64) -> f32 {
        let (sum, error) = two_sum(a, b);
        self.zero_sum(a, b).map_or_else(|| round_to_single(sum, error, self.rounding), |zero| zero as f32)
    }

    fn double(self, a: f64, b: f64, c: f64) -> f64 {
        let (nearest, terms) = match self.sum {
            Sum::Add => (a + b, [a, b]),
            Sum::Subtract => (a - b, [a, -b]),
            Sum::Multiply => (a * b, [a, b]),
            Sum::MultiplyAdd => (a.mul_add(b, c), [a * b, c]),
        };
        let product = || Exact::from(a).times(Exact::from(b));
        let finite = a.is_finite() && b.is_finite() && (self.sum != Sum::MultiplyAdd || c.is_finite());
        let exact = match self.sum {
            // An infinity or a NaN: nothing to round.
            _ if !finite => return nearest,
            Sum::Add | Sum::Subtract => Exact::from(terms[0]).plus(Exact::from(terms[1])),
            Sum::Multiply => product(),
            Sum::MultiplyAdd => product().plus(Exact::from(c)),
        };
        match exact.is_zero() {
            true if self.sum == Sum::Multiply => nearest,
            true => self.zero_sum(terms[0], terms[1]).unwrap_or(nearest),
            false => exact.round(self.rounding),
        }
    }

    /// A sum that is exactly zero is negative when rounding down, unless both terms are +0.
    fn zero_sum(self, a: f64, b: f64) -> Option<f64> {
        let positive = a.to_bits() == 0 && b.to_bits() == 0;
        (self.rounding == Rounding::Down && a + b == 0.0 && !positive).then_some(-0.0)
    }
}

/// The value clamped to [0, 1]; a NaN becomes 0.
pub(crate) fn saturate(value: f64) -> f64 {
    if value > 0.0 { value.min(1.0) } else { 0.0 }
}

/// The sum and what rounding took from it (Knuth's two-sum).
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let part = sum - a;
    (sum, (a - (sum - part)) + (b - part))
}

/// Rounds the exact value `sum + error` to single precision.
pub(crate) fn round_to_single(sum: f64, error: f64, rounding: Rounding) -> f32 {
    if rounding == Rounding::Nearest {
        return round_nearest(sum, error);
    }
    let nearest = sum as f32;
    if sum.is_infinite() || sum.is_nan() {
        return nearest;
    }
    // Which side of `nearest` the exact value lies on.
    let above = f64::from(nearest) < sum || (f64::from(nearest) == sum && error > 0.0);
    let below = f64::from(nearest) > sum || (f64::from(nearest) == sum && error < 0.0);
    let down = rounding.goes_down(sum > 0.0 || (sum == 0.0 && error > 0.0));
    if below && down {
        nearest.next_down()
    } else if above && !down {
        nearest.next_up()
    } else {
        nearest
    }
}

/// Rounds to nearest once, by rounding the double to odd first.
fn round_nearest(sum: f64, error: f64) -> f32 {
    to_odd(sum, error) as f32
}

/// The sum in double precision, rounded to odd: rounding it to a type of fewer bits is then the only rounding that counts.
pub(crate) fn sum_to_odd(a: f64, b: f64) -> f64 {
    let (sum, error) = two_sum(a, b);
    to_odd(sum, error)
}

/// The exact value `sum + error`, rounded to odd.
fn to_odd(sum: f64, error: f64) -> f64 {
    let bits = sum.to_bits();
    if error == 0.0 || bits & 1 == 1 || !sum.is_finite() || error.is_nan() {
        return sum;
    }
    let away = (error > 0.0) == (sum > 0.0);
    f64::from_bits(if away { bits + 1 } else { bits - 1 })
}
