//! Honest steps pass, wrong ones fail.

use super::*;
use crate::inputs::Inputs;
use crate::periodic::{BodiesInABox, TIME_STEP, found};
use crate::size::Size;

fn stepped(bodies: &[Body]) -> Vec<Body> {
    let wrap = |x: f32| if x - x.floor() < 1.0 { x - x.floor() } else { 0.0 };
    let step = |(target, body): (usize, &Body)| {
        let [x, y, vx, vy, ..] = *body;
        let [ax, ay] = acceleration_f32(bodies, target);
        let vx = vx + ax * TIME_STEP;
        let vy = vy + ay * TIME_STEP;
        [wrap(x + vx * TIME_STEP), wrap(y + vy * TIME_STEP), vx, vy, ax, ay]
    };
    bodies.iter().enumerate().map(step).collect()
}

#[test]
fn an_honest_step_passes_and_stays_in_the_box_after_many() {
    let mut before = BodiesInABox::new(&Size { seed: 7, ..Size::new(100) }).bodies;
    for step in 0..200 {
        let after = stepped(&before);
        let report = check_step(&found(&before), &found(&after), TIME_STEP);
        assert!(report.passed(), "step {step}: {report:?}");
        before = after;
    }
}

#[test]
fn a_step_with_a_body_that_stands_still_or_leaves_the_box_fails() {
    let before = stepped(&BodiesInABox::new(&Size { seed: 7, ..Size::new(100) }).bodies);
    let mut after = stepped(&before);
    after[3] = before[3];
    assert!(!check_step(&found(&before), &found(&after), TIME_STEP).passed());
    let mut after = stepped(&before);
    after[3][0] += 1.0;
    let report = check_step(&found(&before), &found(&after), TIME_STEP);
    assert_eq!(report.failed, 1, "{report:?}");
    assert!(report.examples[0].to_string().starts_with("the box"), "{report:?}");
}

#[test]
fn the_nearest_image_may_lie_across_an_edge() {
    assert_eq!(displacement(0.125, 0.875), (-0.25, true));
    assert_eq!(displacement(0.875, 0.125), (0.25, true));
    assert_eq!(displacement(0.25, 0.75), (0.5, false));
}

#[test]
fn of_two_images_that_are_as_near_either_will_do() {
    let mut before: Vec<Body> = [[0.25, 0.5], [0.75, 0.5]].map(|[x, y]| [x, y, 0.0, 0.0, 0.0, 0.0]).into();
    let mut after = stepped(&before);
    assert!(check_step(&found(&before), &found(&after), TIME_STEP).passed());
    for (body, sign) in after.iter_mut().zip([1.0, -1.0]) {
        body[4] *= -1.0;
        body[2] *= -1.0;
        body[0] -= 2.0 * sign * 4.0 * TIME_STEP * TIME_STEP;
    }
    assert!(check_step(&found(&before), &found(&after), TIME_STEP).passed());
    // A little apart from the middle only one will.
    before[1][0] = 0.7499;
    let mut after = stepped(&before);
    after[0][4] *= -1.0;
    assert!(!check_step(&found(&before), &found(&after), TIME_STEP).passed());
}
