//! Honest steps pass, wrong ones fail.

use super::*;
use crate::SIZES_AROUND_WARPS;
use crate::galaxy::state::TIME_STEP;
use crate::verify::Sample;

fn disc(n: usize) -> Disc {
    Disc::new(&Size { seed: 7, ..Size::new(n) })
}

/// One step in single precision, from the first `sources` bodies.
fn stepped_f32(state: &State, sources: usize) -> State {
    let dt = TIME_STEP;
    let mut new = state.clone();
    for body in 0..state.position.len() {
        let a = pull_f32(state.place(body), state.bodies().take(sources), EPSILON_SQUARED);
        for (axis, a) in a.into_iter().enumerate() {
            let x = state.position[body][axis];
            let v = state.velocity[body][axis];
            new.position[body][axis] = x + v * dt + 0.5 * a * dt * dt;
            new.velocity[body][axis] = v + a * dt;
        }
    }
    new
}

#[test]
fn an_honest_step_passes_at_every_size() {
    for n in SIZES_AROUND_WARPS {
        let Disc { state, expected } = disc(n);
        let report = expected.check(&state, &stepped_f32(&state, n), 0.0);
        assert!(report.passed(), "n = {n}: {report:?}");
    }
}

#[test]
fn a_step_with_one_body_missing_fails_at_every_size() {
    for n in SIZES_AROUND_WARPS.into_iter().filter(|&n| n > 1) {
        let Disc { state, expected } = disc(n);
        assert!(!expected.check(&state, &stepped_f32(&state, n - 1), 0.0).passed(), "n = {n}");
    }
}

#[test]
fn a_step_that_changes_a_mass_or_nothing_at_all_fails() {
    let Disc { state, expected } = disc(33);
    let mut heavier = stepped_f32(&state, 33);
    heavier.position[5][3] *= 1.001;
    assert_eq!(expected.check(&state, &heavier, 0.0).failed, 1);
    assert!(!expected.check(&state, &state, 0.0).passed());
    let mut shifted = stepped_f32(&state, 33);
    shifted.position.rotate_left(1);
    assert!(!expected.check(&state, &shifted, 0.0).passed());
}

#[test]
fn speeds_of_the_disc_are_bounded() {
    let state = disc(1000).state;
    assert!(state.velocity.iter().all(|v| v[0].hypot(v[1]) <= 1.0 + DISPERSION * 6.0_f32.sqrt()));
    let turning = state.position.iter().zip(&state.velocity).filter(|(p, v)| p[0] * v[1] > p[1] * v[0]).count();
    assert!(turning > 950, "{turning}");
    let mass: f32 = state.position.iter().map(|p| p[3]).sum();
    assert!((0.9..1.1).contains(&mass), "{mass}");
}

#[test]
fn of_a_sample_a_wrong_body_is_found_and_others_are_not_said_to_be_compared() {
    let Disc { state, expected } = Disc::with_sample(&Size { seed: 7, ..Size::new(100) }, 10);
    let outside = (0..100).find(|body| !expected.sample.contains(body)).expect("a tenth is compared");
    let mut moved = stepped_f32(&state, 100);
    moved.velocity[outside][1] += 0.01;
    let report = expected.check(&state, &moved, 0.0);
    assert!(report.passed(), "{report:?}");
    assert_eq!((report.compared, report.sample), (80, Some(Sample { compared: 10, of: 100, unit: "bodies" })));
    moved.velocity[expected.sample[3]][1] += 0.01;
    assert_eq!(expected.check(&state, &moved, 0.0).failed, 1);
    moved.velocity[outside][1] = f32::NAN;
    assert_eq!(expected.check(&state, &moved, 0.0).failed, 2);
}
