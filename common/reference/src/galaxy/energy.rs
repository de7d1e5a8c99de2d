//! The energy of a galaxy in double precision, with the kernels' softening, which a run of many steps should conserve.

use super::state::{EPSILON_SQUARED, State};
use crate::parallel;

/// Energy before and after a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Energy {
    /// Before the first step.
    pub first: f64,
    /// After the last step.
    pub last: f64,
}

impl Energy {
    /// Returns the relative change; `None` if the first energy is 0.
    pub fn drift(&self) -> Option<f64> {
        (self.first != 0.0).then(|| (self.last - self.first) / self.first.abs())
    }
}

/// Returns Σ ½ mᵢ vᵢ² − Σ over pairs mᵢ mⱼ / √(r² + ε²), with G = 1.
pub fn energy(State { position, velocity }: &State) -> f64 {
    let bodies: Vec<[f64; 4]> = position.iter().map(|body| body.map(f64::from)).collect();
    let of_body = |body: usize| {
        let [x, y, z, mass] = bodies[body];
        let [vx, vy, vz, _] = velocity[body].map(f64::from);
        let of_pair = |&[other_x, other_y, other_z, other_mass]: &[f64; 4]| {
            let dx = other_x - x;
            let dy = other_y - y;
            let dz = other_z - z;
            other_mass / (dx * dx + dy * dy + dz * dz + f64::from(EPSILON_SQUARED)).sqrt()
        };
        let potential: f64 = bodies[body + 1..].iter().map(of_pair).sum();
        mass * ((vx * vx + vy * vy + vz * vz) / 2.0 - potential)
    };
    // Collected before it is summed, so that the order of the sum does not depend on the number of threads.
    let energies = parallel::map(bodies.len(), of_body);
    energies.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_bodies_have_the_energy_of_the_formula() {
        let apart = (1.0 - EPSILON_SQUARED).sqrt();
        let position = vec![[0.0, 0.0, 0.0, 2.0], [0.0, apart, 0.0, 3.0]];
        let velocity = vec![[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, -2.0, 0.0]];
        let expected = 0.5 * 2.0 + 0.5 * 3.0 * 4.0 - 2.0 * 3.0;
        assert!((energy(&State { position, velocity }) - expected).abs() < 1e-6);
    }

    #[test]
    fn drift_is_in_relation_to_the_first_energy() {
        assert_eq!(Energy { first: -2.0, last: -1.5 }.drift(), Some(0.25));
        assert_eq!(Energy { first: 0.0, last: 1.0 }.drift(), None);
    }
}
