//! Sums and products with directed rounding, or with saturation to [0, 1].

use super::class::Class;
use super::direction::Rounding;
use super::exact::Exact;
use super::float::flush;
use super::form::{Form, Modifiers};
use crate::vector::apply::{Handler, lanes2, lanes3};
use crate::vector::registers::OperandKind::{self, Narrow, Wide};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sum {
    Add,
    Subtract,
    Multiply,
    MultiplyAdd,
}

/// A sum or product with its modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rounded {
    sum: Sum,
    double: bool,
    rounding: Rounding,
    flush: bool,
    saturate: bool,
}

/// The rows with modifiers that [`super::float`] does not implement.
pub(crate) const FORMS: &[Form<Rounded>] = &[
    row("add.{rz|rm|rp}[.ftz][.sat].f32", "d = a + b", &[Narrow; 2], |m| rounded(m, Sum::Add)),
    row("add[.rn][.ftz].sat.f32", "d = a + b, in [0, 1]", &[Narrow; 2], |m| rounded(m, Sum::Add)),
    row("add.{rz|rm|rp}.f64", "d = a + b", &[Wide; 2], |m| rounded(m, Sum::Add)),
    row("sub.{rz|rm|rp}[.ftz][.sat].f32", "d = a - b", &[Narrow; 2], |m| rounded(m, Sum::Subtract)),
    row("sub[.rn][.ftz].sat.f32", "d = a - b, in [0, 1]", &[Narrow; 2], |m| rounded(m, Sum::Subtract)),
    row("sub.{rz|rm|rp}.f64", "d = a - b", &[Wide; 2], |m| rounded(m, Sum::Subtract)),
    row("mul.{rz|rm|rp}[.ftz][.sat].f32", "d = a * b", &[Narrow; 2], |m| rounded(m, Sum::Multiply)),
    row("mul[.rn][.ftz].sat.f32", "d = a * b, in [0, 1]", &[Narrow; 2], |m| rounded(m, Sum::Multiply)),
    row("mul.{rz|rm|rp}.f64", "d = a * b", &[Wide; 2], |m| rounded(m, Sum::Multiply)),
    row("fma.{rz|rm|rp}[.ftz][.sat].f32", "d = a * b + c", &[Narrow; 3], |m| rounded(m, Sum::MultiplyAdd)),
    row("fma.rn[.ftz].sat.f32", "d = a * b + c, in [0, 1]", &[Narrow; 3], |m| rounded(m, Sum::MultiplyAdd)),
    row("fma.{rz|rm|rp}.f64", "d = a * b + c", &[Wide; 3], |m| rounded(m, Sum::MultiplyAdd)),
    row("mad.{rz|rm|rp}[.ftz][.sat].f32", "d = a * b + c", &[Narrow; 3], |m| rounded(m, Sum::MultiplyAdd)),
    row("mad.rn[.ftz].sat.f32", "d = a * b + c, in [0, 1]", &[Narrow; 3], |m| rounded(m, Sum::MultiplyAdd)),
    row("mad.{rz|rm|rp}.f64", "d = a * b + c", &[Wide; 3], |m| rounded(m, Sum::MultiplyAdd)),
];

const fn row(
    pattern: &'static str,
    equation: &'static str,
    sources: &'static [OperandKind],
    build: fn(&Modifiers<'_>) -> Rounded,
) -> Form<Rounded> {
    Form::in_one_file(pattern, Class::Float, equation, sources, build)
}

fn rounded(modifiers: &Modifiers<'_>, sum: Sum) -> Rounded {
    Rounded {
        sum,
        double: modifiers.last() == "f64",
        rounding: Rounding::from(modifiers),
        flush: modifiers.has("ftz"),
        saturate: modifiers.has("sat"),
    }
}

impl Rounded {
    /// Returns the function that executes the instruction.
    pub(crate) fn handler(self) -> Handler {
        match (self.double, self.sum == Sum::MultiplyAdd) {
            (false, false) => lanes2(move |a, b| self.single(a, b, 0.0)),
            (false, true) => lanes3(move |a, b, c| self.single(a, b, c)),
            (true, false) => lanes2(move |a, b| self.double(a, b, 0.0)),
            (true, true) => lanes3(move |a, b, c| self.double(a, b, c)),
        }
    }

    fn single(self, a: f32, b: f32, c: f32) -> f32 {
        let [a, b, c] = if self.flush { [flush(a), flush(b), flush(c)] } else { [a, b, c] };
        let x = f64::from(a);
        let y = f64::from(b);
        let z = f64::from(c);
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
            Sum::MultiplyAdd => (libm::fma(a, b, c), [a * b, c]),
        };
        let product = || Exact::from(a).times(Exact::from(b));
        let finite = a.is_finite() && b.is_finite() && (self.sum != Sum::MultiplyAdd || c.is_finite());
        let exact = match self.sum {
            // The result is an infinity or a NaN.
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

    /// Returns -0 for a sum that is exactly zero when rounding down, unless both terms are +0.
    fn zero_sum(self, a: f64, b: f64) -> Option<f64> {
        let positive = a.to_bits() == 0 && b.to_bits() == 0;
        (self.rounding == Rounding::Down && a + b == 0.0 && !positive).then_some(-0.0)
    }
}

/// Clamps the value to [0, 1]. A NaN becomes 0.
pub(crate) fn saturate(value: f64) -> f64 {
    if value > 0.0 { value.min(1.0) } else { 0.0 }
}

/// Returns the rounded sum and its error (Knuth's two-sum).
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
    // Whether the exact value is above or below `nearest`.
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

/// Rounds the exact value `sum + error` to the nearest single.
fn round_nearest(sum: f64, error: f64) -> f32 {
    to_odd(sum, error) as f32
}

/// Returns the sum in double precision, rounded to odd, so only a later rounding to fewer bits affects the result.
pub(crate) fn sum_to_odd(a: f64, b: f64) -> f64 {
    let (sum, error) = two_sum(a, b);
    to_odd(sum, error)
}

/// Rounds the exact value `sum + error` to odd.
fn to_odd(sum: f64, error: f64) -> f64 {
    let bits = sum.to_bits();
    if error == 0.0 || bits & 1 == 1 || !sum.is_finite() || error.is_nan() {
        return sum;
    }
    let away = (error > 0.0) == (sum > 0.0);
    f64::from_bits(if away { bits + 1 } else { bits - 1 })
}
