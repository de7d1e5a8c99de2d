use super::*;
use common::problem::Size;
use common::verify::LAMBDA;

const N: usize = 100;
const RANKS: usize = 3;

/// Returns the bodies and the exact forces on them, rounded, in three rows.
fn case() -> (Bodies, Vec<f32>) {
    let bodies = Bodies::with_sample(&Size::new(N), 0);
    let all: Vec<usize> = (0..N).collect();
    let forces = bodies.expected_of(&all).into_iter().flatten().map(|force| force.value as f32).collect();
    (bodies, forces)
}

/// Returns a rank's part of these forces, padded to its room.
fn sums(forces: &[f32], share: &Share) -> Vec<f32> {
    let filled = |row: &[f32]| {
        let mut own = row[share.own.clone()].to_vec();
        own.resize(share.room, 0.0);
        own
    };
    forces.chunks_exact(N).flat_map(filled).collect()
}

/// Returns the report of rank 1 on correct forces modified by `change`, and by `alone` on one GPU.
fn report_of(change: impl FnOnce(&mut [f32], &Share), alone: impl FnOnce(&mut [f32])) -> String {
    let (bodies, mut forces) = case();
    let share = Share::new(N, 1, RANKS, 1);
    let mut own = sums(&forces, &share);
    change(&mut own, &share);
    alone(&mut forces);
    let comparison = Comparison::new(&bodies, &share, 1);
    let report = comparison.report(&comparison.rows(&own), &forces);
    assert_eq!(report.compared, 3 * share.own.len());
    report.examples.iter().map(|failure| format!("{failure}\n")).collect()
}

#[test]
fn right_forces_pass_on_every_rank_and_their_momentum_is_nothing() {
    let (bodies, forces) = case();
    let mut all = vec![0.0; 6];
    for rank in 0..RANKS {
        let share = Share::new(N, rank, RANKS, 1);
        let own = sums(&forces, &share);
        let comparison = Comparison::new(&bodies, &share, 1);
        let rows = comparison.rows(&own);
        assert!(comparison.is_of_all_ranks() && comparison.report(&rows, &forces).passed());
        all.iter_mut().zip(comparison.momentum(&rows)).for_each(|(sum, own)| *sum += own);
    }
    let mut report = Report::default();
    require_momentum(&mut report, &all);
    assert_eq!(report.failed, 0);
    all[1] += 2.0 * LAMBDA * all[4].sqrt();
    require_momentum(&mut report, &all);
    assert_eq!((report.failed, report.examples[0].to_string().contains("sum of fy of all ranks")), (1, true));
}

#[test]
fn a_wrong_force_is_named_by_its_body_among_all() {
    let text = report_of(|own, share| own[share.room + 5] *= 1.001, |_| ());
    assert!(text.contains("fy[39] is "), "{text}");
}

#[test]
fn a_body_to_which_no_kernel_has_added_is_noticed_also_outside_of_a_sample() {
    let text = report_of(|own, share| (0..3).for_each(|row| own[row * share.room + 2] = 0.0), |_| ());
    assert!(text.contains("the force on body 36 was not computed") || text.contains("fx[36]"), "{text}");
    let (bodies, forces) = case();
    let share = Share::new(N, 1, RANKS, 1);
    let mut own = sums(&forces, &share);
    (0..3).for_each(|row| own[row * share.room + 2] = 0.0);
    let comparison =
        Comparison { sampled: Sampled::new(share.own.clone(), 0, 1), ..Comparison::new(&bodies, &share, 1) };
    assert_eq!(comparison.report(&comparison.rows(&own), &forces).failed, 1);
}

#[test]
fn forces_that_one_gpu_computes_otherwise_are_noticed() {
    let text = report_of(|_, _| (), |alone| alone[40] = -alone[40]);
    assert!(text.contains("fx of body 40 must be as on one GPU"), "{text}");
}

#[test]
fn large_numbers_of_bodies_are_compared_in_part() {
    assert_eq!((bodies_to_compare(1 << 20), bodies_to_compare(1 << 24)), (64, 64));
    let share = Share::new(1 << 20, 0, 2, 1);
    assert!(bodies_to_compare(1 << 20) < share.room);
}
