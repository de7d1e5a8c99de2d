//! Softened gravity in double precision, for the references of problems A and D.

use crate::verify::Expected;

/// Operations counted for one interaction, the field's convention since GPU Gems 3, chapter 31.
pub(in crate::problem) const FLOPS_PER_INTERACTION: f64 = 20.0;

/// Accumulators beside each other, so that the compiler uses vector instructions without reordering a sum.
const LANES: usize = 4;

/// Sources of gravity in double precision, one array a coordinate, filled up with massless ones to whole lanes.
pub(in crate::problem) struct Sources {
    coordinates: [Vec<f64>; 3],
    mass: Vec<f64>,
}

/// Memory for the magnitudes of one target's terms, by component.
pub(in crate::problem) type Scratch = [Vec<f32>; 3];

impl Sources {
    pub fn new(bodies: impl Iterator<Item = ([f32; 3], f32)>) -> Self {
        let mut sources = Self { coordinates: Default::default(), mass: Vec::new() };
        for (position, mass) in bodies {
            sources.push(position.map(f64::from), f64::from(mass));
        }
        while !sources.mass.len().is_multiple_of(LANES) {
            sources.push([0.0; 3], 0.0);
        }
        sources
    }

    fn push(&mut self, position: [f64; 3], mass: f64) {
        for (coordinate, value) in self.coordinates.iter_mut().zip(position) {
            coordinate.push(value);
        }
        self.mass.push(mass);
    }

    /// Memory for [`Sources::pull`], one for each thread.
    pub fn scratch(&self) -> Scratch {
        std::array::from_fn(|_| vec![0.0; self.mass.len()])
    }

    /// Σ mⱼ r⃗ / (|r⃗|² + softening)^(3/2) at `target`, by component; softening > 0 makes the term of a body on itself
    /// zero. `roundings` is how often a kernel rounds inside a term, at most.
    pub fn pull(&self, target: [f32; 3], softening: f64, roundings: f64, scratch: &mut Scratch) -> [Expected; 3] {
        let (sum, magnitude) = self.sums(target.map(f64::from), softening, scratch);
        [0, 1, 2].map(|axis| Expected::sum(sum[axis], magnitude[axis], &scratch[axis], roundings))
    }

    /// The sums of the terms and of their magnitudes; the single magnitudes go to `scratch`.
    fn sums(&self, target: [f64; 3], softening: f64, scratch: &mut Scratch) -> ([f64; 3], [f64; 3]) {
        let (mut sum, mut magnitude) = ([[0.0; LANES]; 3], [[0.0; LANES]; 3]);
        let [x, y, z] = &self.coordinates;
        let (x, y, z) = (x.chunks_exact(LANES), y.chunks_exact(LANES), z.chunks_exact(LANES));
        let [out_x, out_y, out_z] = scratch;
        let out_xy = out_x.chunks_exact_mut(LANES).zip(out_y.chunks_exact_mut(LANES));
        let out = out_xy.zip(out_z.chunks_exact_mut(LANES));
        for ((((x, y), z), mass), ((out_x, out_y), out_z)) in
            x.zip(y).zip(z).zip(self.mass.chunks_exact(LANES)).zip(out)
        {
            for lane in 0..LANES {
                let r = [x[lane] - target[0], y[lane] - target[1], z[lane] - target[2]];
                let squared = r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + softening;
                let weight = mass[lane] / (squared * squared.sqrt());
                let terms = r.map(|r| weight * r);
                for axis in 0..3 {
                    sum[axis][lane] += terms[axis];
                    magnitude[axis][lane] += terms[axis].abs();
                }
                out_x[lane] = terms[0].abs() as f32;
                out_y[lane] = terms[1].abs() as f32;
                out_z[lane] = terms[2].abs() as f32;
            }
        }
        (sum.map(|lanes| lanes.iter().sum()), magnitude.map(|lanes| lanes.iter().sum()))
    }
}

/// The same in single precision, in the order of the tutorials' loops.
pub(in crate::problem) fn pull_f32(
    target: [f32; 3],
    bodies: impl Iterator<Item = ([f32; 3], f32)>,
    softening: f32,
) -> [f32; 3] {
    let mut sum = [0.0_f32; 3];
    for (position, mass) in bodies {
        let r = [position[0] - target[0], position[1] - target[1], position[2] - target[2]];
        let inverse = 1.0 / (r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + softening).sqrt();
        let weight = mass * inverse * inverse * inverse;
        for axis in 0..3 {
            sum[axis] += weight * r[axis];
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pull(bodies: &[([f32; 3], f32)]) -> [Expected; 3] {
        let sources = Sources::new(bodies.iter().copied());
        sources.pull([0.0; 3], 1e-30, 0.0, &mut sources.scratch())
    }

    #[test]
    fn a_unit_mass_at_distance_two_pulls_with_a_quarter() {
        let pull = pull(&[([0.0, 0.0, 0.0], 1.0), ([0.0, -2.0, 0.0], 1.0)]);
        assert_eq!(pull.map(|component| component.value), [0.0, -0.25, 0.0]);
        assert_eq!(pull.map(|component| component.magnitude), [0.0, 0.25, 0.0]);
    }

    #[test]
    fn opposite_pulls_cancel_in_the_sum_and_add_in_the_magnitude() {
        let [x, ..] = pull(&[([1.0, 0.0, 0.0], 3.0), ([-1.0, 0.0, 0.0], 3.0)]);
        assert_eq!((x.value, x.magnitude), (0.0, 6.0));
    }

    /// What a large number of bodies around a close pair does to single precision.
    #[test]
    fn an_honest_sum_with_a_close_neighbour_among_many_passes() {
        let golden = |i: usize, step: f64| (i as f64 * step).fract() as f32;
        let mut bodies: Vec<([f32; 3], f32)> = (0..131_072)
            .map(|i| ([golden(i, 0.754_877_67), golden(i, 0.569_840_3), golden(i, 0.438_579_2)], 0.5))
            .collect();
        bodies.insert(0, ([1e-4, 1e-4, 1e-4], 1.0));
        let computed = pull_f32([0.0; 3], bodies.iter().copied(), 1e-9);
        let sources = Sources::new(bodies.iter().copied());
        let expected = sources.pull([0.0; 3], 1e-9, 23.0, &mut sources.scratch());
        for (computed, expected) in computed.into_iter().zip(expected) {
            let difference = (f64::from(computed) - expected.value).abs();
            assert!(difference <= expected.tolerance, "{difference:e} {expected:?}");
            let without_lost_terms = crate::verify::sum_tolerance(bodies.len(), 23.0, expected.magnitude);
            assert!(difference > without_lost_terms, "the case is too easy: {difference:e}");
        }
    }
}
