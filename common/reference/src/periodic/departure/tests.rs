//! A run that is right departs late, and a wrong body at once.

use super::*;
use crate::inputs::Inputs;
use crate::periodic::step::{acceleration_f32, check_step};
use crate::periodic::{BodiesInABox, Body, found};
use crate::size::Size;

fn bodies(n: usize) -> Vec<Body> {
    BodiesInABox::new(&Size { seed: 7, ..Size::new(n) }).bodies
}

fn stepped(bodies: &[Body]) -> Vec<Body> {
    let step = |(target, body): (usize, &Body)| {
        let [x, y, vx, vy, ..] = *body;
        let [ax, ay] = acceleration_f32(bodies, target);
        let vx = vx + ax * TIME_STEP;
        let vy = vy + ay * TIME_STEP;
        let [x, y] = [x + vx * TIME_STEP, y + vy * TIME_STEP].map(|place| place - place.floor());
        [x, y, vx, vy, ax, ay]
    };
    bodies.iter().enumerate().map(step).collect()
}

#[test]
fn a_step_is_that_of_the_reference() {
    let before = bodies(100);
    let mut exact = Exact::new(&found(&before));
    exact.step();
    let mut after = found(&stepped(&before));
    for (body, exact) in after.iter_mut().zip(&exact.0) {
        let [x, y, vx, vy, ..] = body;
        [*x, *y] = exact.place;
        [*vx, *vy] = exact.velocity;
    }
    let report = check_step(&found(&before), &after, TIME_STEP);
    assert!(report.passed(), "{report:?}");
}

#[test]
fn honest_steps_stay_close_until_chaos_takes_over() {
    let mut single = bodies(64);
    let mut exact = Exact::new(&found(&single));
    let mut departure = Departure::default();
    for _ in 0..600 {
        single = stepped(&single);
        exact.step();
        departure.add(&exact, &found(&single));
    }
    let first = departure.first().expect("chaos");
    let half = departure.half();
    assert!(first > 10 && half.is_none_or(|half| half > first), "{first} {half:?}");
    let words = departure.describe();
    assert!(words.contains(&format!("the first body after step {first}, half")), "{words}");
}

#[test]
fn a_body_that_is_elsewhere_has_departed_and_so_has_one_that_is_nowhere() {
    for (place, expected) in [(0.011, 0.01), (f64::NAN, 0.01), (0.009, 0.0), (0.999, 0.0), (0.989, 0.01)] {
        let still = vec![[0.0; 6]; 100];
        let mut moved = still.clone();
        moved[5][0] = place;
        let mut departure = Departure::default();
        departure.add(&Exact::new(&still), &moved);
        assert_eq!(departure.0[0].departed, expected, "{place}");
    }
}

#[test]
fn the_steps_of_departure_are_counted_from_one() {
    let line = |departed| Line { median: 0.0, largest: 0.0, departed };
    let departure = Departure([0.0, 0.01, 0.49, 0.5, 0.3].map(line).into());
    assert_eq!(departure.measured(), [("first_departure", 2.0), ("half_departed", 4.0)]);
    assert_eq!(Departure(vec![line(0.0)]).measured(), []);
    assert!(Departure(vec![line(0.0)]).describe().contains("the first body in no step, half of them in no step"));
}
