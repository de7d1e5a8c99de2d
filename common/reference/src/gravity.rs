//! The pull of gravity on a body, in double and in single precision.

use crate::parallel::LANES;
use crate::verify::Expected;
use std::array::from_fn;

/// Sources of gravity in double precision, one array per coordinate, padded with massless ones to whole lanes.
pub struct Sources {
    coordinates: [Vec<f64>; 3],
    mass: Vec<f64>,
}

/// One number for each of a group of sources.
type Lane = [f64; LANES];

/// Memory for the magnitudes of one target's terms, by component.
pub type Scratch = [Vec<f32>; 3];

impl Sources {
    /// Returns the positions and masses in double precision.
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

    /// Returns memory for [`Sources::pull`], one per thread.
    pub fn scratch(&self) -> Scratch {
        std::array::from_fn(|_| vec![0.0; self.mass.len()])
    }

    /// Returns Σ mⱼ r⃗ / (|r⃗|² + softening)^(3/2) at `target`, by component. A softening above 0 makes the term of a body
    /// on itself zero. `roundings` is the largest number of roundings inside a term of a kernel.
    pub fn pull(&self, target: [f32; 3], softening: f64, roundings: f64, scratch: &mut Scratch) -> [Expected; 3] {
        let (sum, magnitude) = simd::vectorize!(self.sums(target.map(f64::from), softening, scratch));
        [0, 1, 2].map(|axis| Expected::sum(sum[axis], magnitude[axis], &scratch[axis], roundings))
    }

    /// Returns the sums of the terms and of their magnitudes, and writes the magnitudes one by one to `scratch`.
    #[inline(always)]
    fn sums(&self, target: [f64; 3], softening: f64, scratch: &mut Scratch) -> ([f64; 3], [f64; 3]) {
        let mut sum = [[0.0; LANES]; 3];
        let mut magnitude = [[0.0; LANES]; 3];
        let [x, y, z] = &self.coordinates;
        let x = x.chunks_exact(LANES);
        let y = y.chunks_exact(LANES);
        let z = z.chunks_exact(LANES);
        let [out_x, out_y, out_z] = scratch;
        let out_xy = out_x.chunks_exact_mut(LANES).zip(out_y.chunks_exact_mut(LANES));
        let out = out_xy.zip(out_z.chunks_exact_mut(LANES));
        for ((((x, y), z), mass), ((out_x, out_y), out_z)) in
            x.zip(y).zip(z).zip(self.mass.chunks_exact(LANES)).zip(out)
        {
            // A loop for each of these arrays, because the compiler uses vector instructions for none of one long loop.
            let r: [Lane; 3] =
                [from_fn(|i| x[i] - target[0]), from_fn(|i| y[i] - target[1]), from_fn(|i| z[i] - target[2])];
            let squared: Lane = from_fn(|i| r[0][i] * r[0][i] + r[1][i] * r[1][i] + r[2][i] * r[2][i] + softening);
            let weight: Lane = from_fn(|i| mass[i] / (squared[i] * squared[i].sqrt()));
            for (axis, out) in [out_x, out_y, out_z].into_iter().enumerate() {
                let term: Lane = from_fn(|i| weight[i] * r[axis][i]);
                for i in 0..LANES {
                    sum[axis][i] += term[i];
                    magnitude[axis][i] += term[i].abs();
                    out[i] = term[i].abs() as f32;
                }
            }
        }
        (sum.map(|lanes| lanes.iter().sum()), magnitude.map(|lanes| lanes.iter().sum()))
    }
}

/// Returns the same in single precision, in the order of the tutorials' loops.
pub fn pull_f32(target: [f32; 3], bodies: impl Iterator<Item = ([f32; 3], f32)>, softening: f32) -> [f32; 3] {
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
