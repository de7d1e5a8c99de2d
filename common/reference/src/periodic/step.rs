//! The reference of problem B: accelerations and one step in double precision, with their tolerances.

use crate::parallel::{self, LANES};
use crate::verify::{Expected, Failure, RSQRT_ROUNDINGS, Report, UNIT_ROUNDOFF};

/// Floats per body: x, y, vx, vy, ax, ay.
pub const RECORD: usize = 6;

/// A body in its canonical form.
pub type Body = [f32; RECORD];

/// A body as a rung returns it, whose position may be finer than single precision.
pub type Found = [f64; RECORD];

/// Converts bodies to double precision.
#[must_use]
pub fn found(bodies: &[Body]) -> Vec<Found> {
    bodies.iter().map(|body| body.map(f64::from)).collect()
}

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
    let wraps = (exact as f32).abs() > 0.5;
    // Without a branch, which would be mispredicted for a fourth of the bodies.
    (exact - if wraps { 1.0_f64 } else { 0.0 }.copysign(exact), wraps)
}

/// The distance from ½ within which single precision cannot distinguish which of two images is nearer.
const AS_NEAR: f64 = UNIT_ROUNDOFF / 2.0;

/// Returns whether the next image is equally near.
fn is_as_near(displacement: f64) -> bool {
    (displacement.abs() - 0.5).abs() <= AS_NEAR
}

/// x and y of all bodies, padded to whole lanes.
struct Places {
    coordinates: [Vec<[f64; LANES]>; 2],
    bodies: usize,
}

/// Memory for the magnitudes of one target's terms, by axis.
type Scratch = [Vec<f32>; 2];

/// Sums over the sources, by lane.
#[derive(Default)]
struct Sums {
    value: [[f64; LANES]; 2],
    magnitude: [[f64; LANES]; 2],
    /// The weights of terms that have either sign, because two images are equally near.
    either: [[f64; LANES]; 2],
    /// The weights of terms of an image.
    wrapped: [f64; LANES],
}

/// Returns the accelerations of all bodies in double precision.
pub fn accelerations(bodies: &[Found]) -> Vec<[Expected; 2]> {
    let places = Places::new(bodies);
    let scratch = || [0, 1].map(|_| vec![0.0; bodies.len().next_multiple_of(LANES)]);
    parallel::map_with(bodies.len(), scratch, |scratch, target| places.acceleration(target, scratch))
}

impl Places {
    fn new(bodies: &[Found]) -> Self {
        let lanes = |bodies: &[Found], axis: usize| -> [f64; LANES] {
            std::array::from_fn(|lane| bodies.get(lane).map_or(0.0, |body| body[axis]))
        };
        let coordinates = [0, 1].map(|axis| bodies.chunks(LANES).map(|bodies| lanes(bodies, axis)).collect());
        Self { coordinates, bodies: bodies.len() }
    }

    /// A wrapped displacement has an error of up to √2 [`WRAP_ERROR`], which changes its term r⃗ / |r⃗|³ by at most
    /// 2 √2 [`WRAP_ERROR`] / |r⃗|³ to first order; half as much again covers the rest. If two images are equally near, either
    /// is correct, and the term's component has either sign.
    fn acceleration(&self, target: usize, scratch: &mut Scratch) -> [Expected; 2] {
        let sums = simd::vectorize!(self.sums(target, scratch));
        let total = |lanes: [f64; LANES]| lanes.iter().sum::<f64>();
        let of_images = 3.0 * std::f64::consts::SQRT_2 * WRAP_ERROR * total(sums.wrapped);
        [0, 1].map(|axis| {
            let value = total(sums.value[axis]);
            let magnitude = total(sums.magnitude[axis]);
            let mut expected = Expected::sum(value, magnitude, &scratch[axis][..self.bodies], ROUNDINGS);
            expected.tolerance += of_images + total(sums.either[axis]);
            expected
        })
    }

    /// Returns the sums over all sources, and writes the magnitudes of the terms to `scratch`.
    #[inline(always)]
    fn sums(&self, target: usize, scratch: &mut Scratch) -> Sums {
        let mut sums = Sums::default();
        let [xs, ys] = &self.coordinates;
        let [x, y] = [xs, ys].map(|places| places[target / LANES][target % LANES]);
        // The groups with a lane that is no other body.
        let own = target / LANES;
        let last = xs.len() - 1;
        let [out_x, out_y] = scratch;
        let out = out_x.chunks_exact_mut(LANES).zip(out_y.chunks_exact_mut(LANES));
        for (group, ((xs, ys), (out_x, out_y))) in xs.iter().zip(ys).zip(out).enumerate() {
            let dx = xs.map(|source| displacement(x, source));
            let dy = ys.map(|source| displacement(y, source));
            let mut weight: [f64; LANES] = std::array::from_fn(|lane| {
                let squared = dx[lane].0 * dx[lane].0 + dy[lane].0 * dy[lane].0;
                1.0 / (squared * squared.sqrt())
            });
            for (lane, weight) in weight.iter_mut().enumerate().filter(|_| group == own || group == last) {
                let source = LANES * group + lane;
                *weight = if source == target || source >= self.bodies { 0.0 } else { *weight };
            }
            for lane in 0..LANES {
                sums.wrapped[lane] += if dx[lane].1 | dy[lane].1 { weight[lane] } else { 0.0 };
            }
            for (axis, (r, out)) in [(dx, out_x), (dy, out_y)].into_iter().enumerate() {
                for lane in 0..LANES {
                    let term = weight[lane] * r[lane].0;
                    sums.value[axis][lane] += term;
                    sums.magnitude[axis][lane] += term.abs();
                    sums.either[axis][lane] += if is_as_near(r[lane].0) { weight[lane] } else { 0.0 };
                    out[lane] = term.abs() as f32;
                }
            }
        }
        sums
    }
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
        let dx = nearest(body[0] - x);
        let dy = nearest(body[1] - y);
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
