//! Honest accelerations pass, wrong ones fail.

use super::*;
use crate::SIZES_AROUND_WARPS;

fn in_a_box(n: usize) -> BodiesInABox {
    BodiesInABox::new(&Size { seed: 7, ..Size::new(n) })
}

/// Accelerations in single precision, from the first `sources` bodies.
fn accelerated(problem: &BodiesInABox, sources: usize) -> Vec<Body> {
    let mut bodies = problem.bodies.clone();
    let (kept, left_out) = problem.bodies.split_at(sources);
    for (target, body) in bodies.iter_mut().enumerate() {
        let own = left_out.get(target.wrapping_sub(sources));
        let kept: Vec<Body> = kept.iter().chain(own).copied().collect();
        [body[4], body[5]] = acceleration_f32(&kept, target.min(kept.len() - 1));
    }
    bodies
}

#[test]
fn honest_accelerations_pass_at_every_size() {
    for n in SIZES_AROUND_WARPS {
        let problem = in_a_box(n);
        let report = problem.check_accelerations(&found(&accelerated(&problem, n)), true);
        assert!(report.passed(), "n = {n}: {report:?}");
    }
}

#[test]
fn accelerations_with_one_body_missing_fail_at_every_size() {
    for n in SIZES_AROUND_WARPS.into_iter().filter(|&n| n > 1) {
        let problem = in_a_box(n);
        assert!(!problem.check_accelerations(&found(&accelerated(&problem, n - 1)), true).passed(), "n = {n}");
    }
}

#[test]
fn unwritten_and_shifted_accelerations_fail() {
    let problem = in_a_box(33);
    assert_eq!(problem.check_accelerations(&found(&problem.bodies), true).failed, 66 + 2);
    let mut shifted = accelerated(&problem, 33);
    shifted.rotate_left(1);
    assert!(!problem.check_accelerations(&found(&shifted), true).passed());
}
