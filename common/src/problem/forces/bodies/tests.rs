//! Honest results pass, wrong ones fail.

use super::*;
use crate::problem::SIZES_AROUND_WARPS;
use crate::verify::poison_f32;

fn forces(bodies: &Bodies) -> [Vec<f32>; 3] {
    let forces: Vec<_> = (0..bodies.mass.len()).map(|body| bodies.force_f32(body)).collect();
    [0, 1, 2].map(|axis| forces.iter().map(|force| force[axis]).collect())
}

fn bodies(n: usize) -> Bodies {
    Bodies::new(&Size { seed: 7, ..Size::of(n) })
}

#[test]
fn an_honest_single_precision_result_passes_at_every_size() {
    for n in SIZES_AROUND_WARPS {
        let bodies = self::bodies(n);
        let report = bodies.check(&forces(&bodies), 0.0);
        assert!(report.passed(), "n = {n}: {report:?}");
    }
}

#[test]
fn the_reference_of_two_bodies_is_newtons_formula() {
    let mut bodies = self::bodies(2);
    bodies.coordinates = [vec![0.0, 1.0], vec![0.0, 0.0], vec![0.0, 0.0]];
    bodies.mass = vec![0.5, 0.25];
    let force = bodies.reference()[0].clone();
    assert!((force[0].value / (6.67e-11 * 0.125) - 1.0).abs() < 1e-7, "{force:?}");
    assert_eq!(force[0].value, -force[1].value);
}

#[test]
fn a_result_with_one_body_missing_fails_at_every_size() {
    for n in SIZES_AROUND_WARPS.into_iter().filter(|&n| n > 1) {
        let bodies = self::bodies(n);
        let forces = [0, 1, 2].map(|axis| {
            let of = |body| {
                let position = bodies.position(body);
                let pull = pull_f32(position, bodies.all().take(n - 1), SOFTENING);
                GRAVITY * bodies.mass[body] * pull[axis]
            };
            (0..n).map(of).collect::<Vec<f32>>()
        });
        assert!(!bodies.check(&forces, 0.0).passed(), "n = {n}");
    }
}

#[test]
fn outputs_shifted_by_one_zero_or_unwritten_fail() {
    let bodies = self::bodies(33);
    let mut shifted = forces(&bodies);
    shifted.iter_mut().for_each(|values| values.rotate_left(1));
    assert!(!bodies.check(&shifted, 0.0).passed());
    assert!(!bodies.check(&[0, 1, 2].map(|_| vec![0.0; 33]), 0.0).passed());
    assert_eq!(bodies.check(&[0, 1, 2].map(|_| vec![poison_f32(); 33]), 0.0).failed, 99 + 3);
}

#[test]
fn seeds_give_the_same_bodies_on_every_machine() {
    let bodies = Bodies::new(&Size::of(2));
    assert_eq!(bodies.coordinates[0][0], 0.826_069_95);
}
