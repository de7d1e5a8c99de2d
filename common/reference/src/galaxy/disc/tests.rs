//! Honest steps pass, wrong ones fail.

use super::*;
use crate::SIZES_AROUND_WARPS;
use crate::galaxy::state::TIME_STEP;
use crate::verify::tests::require_written;
use crate::verify::{Sample, poison_f32};

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
        let disc = disc(n);
        let report = disc.check(&stepped_f32(&disc.state, n), 0.0);
        assert!(report.passed(), "n = {n}: {report:?}");
    }
}

#[test]
fn a_step_with_one_body_missing_fails_at_every_size() {
    for n in SIZES_AROUND_WARPS.into_iter().filter(|&n| n > 1) {
        let disc = disc(n);
        assert!(!disc.check(&stepped_f32(&disc.state, n - 1), 0.0).passed(), "n = {n}");
    }
}

#[test]
fn a_step_that_changes_a_mass_or_nothing_at_all_fails() {
    let disc = disc(33);
    let mut heavier = stepped_f32(&disc.state, 33);
    heavier.position[5][3] *= 1.001;
    assert_eq!(disc.check(&heavier, 0.0).failed, 1);
    assert!(!disc.check(&disc.state, 0.0).passed());
    let mut shifted = stepped_f32(&disc.state, 33);
    shifted.position.rotate_left(1);
    assert!(!disc.check(&shifted, 0.0).passed());
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
    let disc = Disc::with_sample(&Size { seed: 7, ..Size::new(100) }, 10);
    let outside = (0..100).find(|body| !disc.sample.contains(body)).expect("a tenth is compared");
    let mut moved = stepped_f32(&disc.state, 100);
    moved.velocity[outside][1] += 0.01;
    let report = disc.check(&moved, 0.0);
    assert!(report.passed(), "{report:?}");
    assert_eq!((report.compared, report.sample), (80, Some(Sample { compared: 10, of: 100, unit: "bodies" })));
    moved.velocity[disc.sample[3]][1] += 0.01;
    assert_eq!(disc.check(&moved, 0.0).failed, 1);
    moved.velocity[outside][1] = f32::NAN;
    assert_eq!(disc.check(&moved, 0.0).failed, 2);
}

#[test]
fn of_the_bodies_that_were_written_each_component_is_compared() {
    let disc = disc(100);
    let honest = stepped_f32(&disc.state, 100);
    let part: Vec<usize> = (32..64).collect();
    let unwritten = |body: usize, value: Float4| if part.contains(&body) { value } else { [poison_f32(); 4] };
    let of_part = |all: &[Float4]| (0..100).map(|body| unwritten(body, all[body])).collect();
    for field in 0..4 {
        let of_field = |all: &[Float4]| all.iter().map(|value| value[field]).collect::<Vec<f32>>();
        let with = |values: &[f32], vectors: &mut [Float4]| {
            vectors.iter_mut().zip(values).for_each(|(vector, value)| vector[field] = *value);
        };
        let part_of_state = || State { position: of_part(&honest.position), velocity: of_part(&honest.velocity) };
        require_written(&of_field(&honest.position), &part, |positions, count| {
            let mut new = part_of_state();
            with(positions, &mut new.position);
            disc.check_written(&new, 0.0, count)
        });
        require_written(&of_field(&honest.velocity), &part, |velocities, count| {
            let mut new = part_of_state();
            with(velocities, &mut new.velocity);
            disc.check_written(&new, 0.0, count)
        });
    }
}
