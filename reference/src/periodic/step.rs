//! The reference of problem B: accelerations and one step in double precision, with their tolerances.

use super::body::{Body, Found};
use crate::verify::{Expected, Failure, RSQRT_ROUNDINGS, Report, UNIT_ROUNDOFF};
use rayon::prelude::*;

/// At most, in units of u: 5 in |r⃗|² (2 from the differences, 1 from a square, 1 from the sum, and 1 to spare),
/// halved by the root, which adds its own; three times that and 3 products for the cube; 1 difference and 1 product.
const ROUNDINGS: f64 = 3.0 * (2.5 + RSQRT_ROUNDINGS) + 3.0 + 2.0;

/// A difference of coordinates in (½, 1) is rounded to a multiple of 2⁻²⁴; taking 1 from it is exact, and leaves an
/// error that is large in relation to a small rest.
const WRAP_ERROR: f64 = UNIT_ROUNDOFF / 2.0;

/// Returns one field of each body, in single precision.
#[must_use]
pub fn column(bodies: &[Found], field: usize) -> Vec<f32> {
    bodies.iter().map(|body| body[field] as f32).collect()
}

pub fn axis_of(pairs: &[[Expected; 2]], axis: usize) -> Vec<Expected> {
    pairs.iter().map(|pair| pair[axis]).collect()
}

/// Returns the displacement from `from` to the nearest image of `to`, and whether that is another image. The difference in
/// single precision decides which image is nearest, as in most kernels: at ½ both are equally near.
fn displacement(from: f64, to: f64) -> (f64, bool) {
    let exact = to - from;
    let rounded = exact as f32;
    if rounded > 0.5 {
        (exact - 1.0, true)
    } else if rounded < -0.5 {
        (exact + 1.0, true)
    } else {
        (exact, false)
    }
}

/// The distance from ½ within which single precision cannot distinguish which of two images is nearer.
const AS_NEAR: f64 = UNIT_ROUNDOFF / 2.0;

/// Returns whether the next image is equally near.
fn is_as_near(displacement: f64) -> bool {
    (displacement.abs() - 0.5).abs() <= AS_NEAR
}

/// Returns the accelerations of all bodies in double precision.
pub fn accelerations(bodies: &[Found]) -> Vec<[Expected; 2]> {
    let scratch = || [vec![0.0; bodies.len()], vec![0.0; bodies.len()]];
    let of = |scratch: &mut [Vec<f32>; 2], target| acceleration(bodies, target, scratch);
    (0..bodies.len()).into_par_iter().map_init(scratch, of).collect()
}

/// A wrapped displacement has an error of up to √2 [`WRAP_ERROR`], which changes its term r⃗ / |r⃗|³ by at most
/// 2 √2 [`WRAP_ERROR`] / |r⃗|³ to first order; half as much again covers the rest. If two images are equally near, either is
/// correct, and the term's component has either sign.
fn acceleration(bodies: &[Found], target: usize, scratch: &mut [Vec<f32>; 2]) -> [Expected; 2] {
    let (mut sum, mut magnitude, mut wrapped_weight, mut either) = ([0.0; 2], [0.0; 2], 0.0, [0.0; 2]);
    let [x, y, ..] = bodies[target];
    for (source, body) in bodies.iter().enumerate() {
        let ((dx, wrapped_x), (dy, wrapped_y)) = (displacement(x, body[0]), displacement(y, body[1]));
        let squared = dx * dx + dy * dy;
        let weight = if source == target { 0.0 } else { 1.0 / (squared * squared.sqrt()) };
        wrapped_weight += if wrapped_x || wrapped_y { weight } else { 0.0 };
        for (axis, r) in [dx, dy].into_iter().enumerate() {
            sum[axis] += weight * r;
            magnitude[axis] += (weight * r).abs();
            either[axis] += if is_as_near(r) { weight } else { 0.0 };
            scratch[axis][source] = (weight * r).abs() as f32;
        }
    }
    [0, 1].map(|axis| {
        let mut expected = Expected::sum(sum[axis], magnitude[axis], &scratch[axis], ROUNDINGS);
        expected.tolerance += 3.0 * std::f64::consts::SQRT_2 * WRAP_ERROR * wrapped_weight + either[axis];
        expected
    })
}

/// Returns the acceleration of one body as the tutorial's CPU loop computes it.
pub fn acceleration_f32(bodies: &[Body], target: usize) -> [f32; 2] {
    let nearest = |d: f32| {
        if d > 0.5 {
            d - 1.0
        } else if d < -0.5 {
            d + 1.0
        } else {
            d
        }
    };
    let [x, y, ..] = bodies[target];
    let mut sum = [0.0_f32; 2];
    for (source, body) in bodies.iter().enumerate() {
        if source == target {
            continue;
        }
        let (dx, dy) = (nearest(body[0] - x), nearest(body[1] - y));
        let inverse = 1.0 / (dx * dx + dy * dy).sqrt();
        let weight = inverse * inverse * inverse;
        sum[0] += weight * dx;
        sum[1] += weight * dy;
    }
    sum
}

/// Compares one step with a reference step from the state `before`. Positions are compared on a circle.
pub fn check_step(before: &[Found], after: &[Found], dt: f32) -> Report {
    let dt = f64::from(dt);
    let accelerations = accelerations(before);
    let mut report = Report::default();
    for axis in 0..2 {
        let acceleration = axis_of(&accelerations, axis);
        let velocity = moved(&acceleration, &column(before, 2 + axis), dt);
        let mut position = moved(&velocity, &column(before, axis), dt);
        let got = column(after, axis);
        for (expected, &got) in position.iter_mut().zip(&got) {
            let image = (f64::from(got) - expected.value).round();
            if image.is_finite() {
                expected.value += image;
            }
            // Wrapping rounds once more, at most to the spacing of numbers below 1.
            expected.tolerance += UNIT_ROUNDOFF;
        }
        report.compare(["ax", "ay"][axis], &column(after, 4 + axis), &acceleration);
        report.compare(["vx", "vy"][axis], &column(after, 2 + axis), &velocity);
        report.compare(["x", "y"][axis], &got, &position);
        check_box(&mut report, ["x", "y"][axis], after.iter().map(|body| body[axis]));
    }
    report
}

/// Returns the expectation of old + rate · dt: a product and a sum, each rounded once.
fn moved(rate: &[Expected], old: &[f32], dt: f64) -> Vec<Expected> {
    let moved = |(rate, &old): (&Expected, &f32)| {
        let old = f64::from(old);
        let magnitude = old.abs() + rate.magnitude.max(rate.value.abs()) * dt;
        let rounding = 2.0 * UNIT_ROUNDOFF * (old.abs() + (rate.value.abs() + rate.tolerance) * dt);
        Expected { value: old + rate.value * dt, magnitude, tolerance: rate.tolerance * dt + rounding }
    };
    rate.iter().zip(old).map(moved).collect()
}

fn check_box(report: &mut Report, name: &str, values: impl Iterator<Item = f64>) {
    let outside = values.enumerate().find(|(_, value)| !(0.0..1.0).contains(value));
    if let Some((index, value)) = outside {
        let law = format!("the box: every {name} must be in [0, 1)");
        report.fail(Failure::Law { law, found: format!("{name}[{index}] is {value}") });
    }
}

#[cfg(test)]
mod tests;
