//! Bodies in the box, as arrays of numbers.

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
