//! Honest results pass, wrong ones fail.

use super::*;
use crate::SIZES_AROUND_WARPS;
use crate::verify::{Sample, poison_f32};

fn forces(bodies: &Bodies) -> [Vec<f32>; 3] {
    let forces: Vec<_> = (0..bodies.mass.len()).map(|body| bodies.force_f32(body)).collect();
    [0, 1, 2].map(|axis| forces.iter().map(|force| force[axis]).collect())
}

fn bodies(n: usize) -> Bodies {
    Bodies::new(&Size { seed: 7, ..Size::new(n) })
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
    let force = bodies.expected_of(&bodies.sample)[0].clone();
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
    let bodies = Bodies::new(&Size::new(2));
    assert_eq!(bodies.coordinates[0][0], 0.826_069_95);
}

/// The forces of 100 bodies, of which 10 are compared, and a body that is in the sample and one that is not.
fn sampled() -> (Bodies, [Vec<f32>; 3], [usize; 2]) {
    let bodies = Bodies::with_sample(&Size { seed: 7, ..Size::new(100) }, 10);
    let outside = (0..100).find(|body| !bodies.sample.contains(body)).expect("a tenth is compared");
    let forces = forces(&bodies);
    let places = [bodies.sample[3], outside];
    (bodies, forces, places)
}

#[test]
fn a_wrong_body_within_the_sample_is_found() {
    let (bodies, mut forces, [inside, _]) = sampled();
    let honest = bodies.check(&forces, 0.0);
    assert!(honest.passed(), "{honest:?}");
    forces[1][inside] *= 1.001;
    let report = bodies.check(&forces, 0.0);
    assert_eq!(report.failed, 1);
    assert!(report.examples[0].to_string().starts_with(&format!("fy[{inside}] is ")), "{report:?}");
}

#[test]
fn a_body_outside_of_the_sample_is_not_said_to_be_compared_but_must_be_written() {
    let (bodies, mut forces, [_, outside]) = sampled();
    forces[1][outside] *= 1.001;
    let report = bodies.check(&forces, 0.0);
    assert!(report.passed(), "{report:?}");
    assert_eq!((report.compared, report.sample), (30, Some(Sample { compared: 10, of: 100, unit: "bodies" })));
    forces[1][outside] = poison_f32();
    assert_eq!(bodies.check(&forces, 0.0).failed, 1);
}

#[test]
fn a_sample_has_the_bodies_and_forces_of_the_whole() {
    let (part, _, [inside, _]) = sampled();
    let whole = Bodies::with_sample(&Size { seed: 7, ..Size::new(100) }, 100);
    assert_eq!((&part.coordinates, &part.mass), (&whole.coordinates, &whole.mass));
    assert_eq!(part.expected_of(&part.sample)[2][3], whole.expected_of(&whole.sample)[2][inside]);
    assert_eq!(whole.check(&forces(&whole), 0.0).sample, None);
}

#[test]
fn the_error_of_momentum_is_the_sum_in_relation_to_the_lengths() {
    let error = |x: &[f32], y: &[f32]| momentum_error(&[x.to_vec(), y.to_vec(), vec![0.0; x.len()]]);
    assert_eq!(error(&[3.0, -3.0], &[4.0, -4.0]), Some(0.0));
    assert_eq!(error(&[3.0, 0.0], &[4.0, 5.0]), Some((9.0_f64 + 81.0).sqrt() / 10.0));
    assert_eq!(error(&[0.0], &[0.0]), None);
}

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

/// The effect of many bodies around a close pair on single precision.
#[test]
fn an_honest_sum_with_a_close_neighbor_among_many_passes() {
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
