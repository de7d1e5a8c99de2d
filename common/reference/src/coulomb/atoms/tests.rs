//! Honest potentials pass, wrong ones fail.

use super::*;
use crate::verify::poison_f32;
use crate::verify::tests::require_written;

const PLANE: Points = Points { width: 33, height: 7, spacing: 0.1 };
const COUNTS: [usize; 6] = [1, 31, 33, 1000, 4096, 4097];

fn atoms(n: usize, points: Points) -> Atoms {
    let parameters = Points::parameters(points.width, points.height);
    let spacing = serde_json::Number::from_f64(points.spacing.into()).expect("a finite spacing");
    Atoms::new(&Size { seed: 7, parameters: parameters.with("spacing", spacing), ..Size::new(n) })
}

fn potential(atoms: &Atoms) -> Vec<f32> {
    (0..atoms.points.count()).map(|point| atoms.potential_f32(point)).collect()
}

#[test]
fn an_honest_single_precision_result_passes_at_every_number_of_atoms_and_spacing() {
    for n in COUNTS {
        for spacing in [1e-3, 0.1, 1e3] {
            let atoms = self::atoms(n, Points { spacing, ..PLANE });
            let report = atoms.check(&potential(&atoms), 0.0);
            assert!(report.passed(), "n = {n}, spacing {spacing}: {report:?}");
            assert_eq!(report.compared, 33 * 7);
        }
    }
}

#[test]
fn an_honest_result_far_from_the_origin_passes() {
    let atoms = self::atoms(100, Points { width: 16384, height: 2, spacing: 0.3 });
    let report = atoms.check(&potential(&atoms), 0.0);
    assert!(report.passed(), "{report:?}");
}

#[test]
fn a_unit_charge_at_distance_two_gives_a_half() {
    let mut atoms = self::atoms(1, Points { width: 3, height: 5, spacing: 1.0 });
    atoms.atoms = vec![[2.0, 4.0, 4.0, -1.0]];
    let values = reference(&atoms.atoms, &atoms.points, &[14, 0]);
    assert_eq!(values[0].value, -0.5);
    assert_eq!(values[1].value, -1.0 / 24.0_f64.sqrt());
}

#[test]
fn a_result_with_one_atom_missing_fails_at_every_number_of_atoms() {
    for n in COUNTS.into_iter().filter(|&n| n > 1) {
        let right = self::atoms(n, PLANE);
        let mut short = self::atoms(n, PLANE);
        short.atoms.pop();
        assert!(!right.check(&potential(&short), 0.0).passed(), "n = {n}");
    }
}

#[test]
fn another_spacing_shifted_zero_and_unwritten_results_fail() {
    let right = self::atoms(1000, PLANE);
    let mut wider = self::atoms(1000, PLANE);
    wider.points.spacing *= 1.01;
    assert!(!right.check(&potential(&wider), 0.0).passed());
    let mut shifted = potential(&right);
    shifted.rotate_left(1);
    assert!(!right.check(&shifted, 0.0).passed());
    assert!(!right.check(&[0.0; 33 * 7], 0.0).passed());
    assert_eq!(right.check(&[poison_f32(); 33 * 7], 0.0).failed, 33 * 7);
    assert!(!right.check(&potential(&right)[1..], 0.0).passed());
}

#[test]
fn a_sample_has_a_point_of_each_run_and_no_fewer_than_the_fewest() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    assert_eq!(compared(100, REFERENCE_TERMS), 100);
    assert_eq!(compared(1 << 18, REFERENCE_TERMS), MIN_POINTS);
    assert_eq!(compared(1 << 18, REFERENCE_TERMS / 5000), 5000);
    let points = sample(&mut rng, 1 << 18, MIN_POINTS);
    assert!(points.iter().enumerate().all(|(run, point)| point / 64 == run));
}

#[test]
fn seeds_give_the_same_atoms_on_every_machine() {
    let atoms = Atoms::new(&Size::new(2));
    assert_eq!(atoms.atoms[0][0], 42.294_78);
    let charges: Vec<f32> = self::atoms(1000, PLANE).atoms.iter().map(|atom| atom[3]).collect();
    assert!(charges.iter().any(|&charge| charge > 0.5) && charges.iter().any(|&charge| charge < -0.5));
}

#[test]
fn the_points_that_were_written_or_added_to_are_compared() {
    let atoms = self::atoms(1000, PLANE);
    let part: Vec<usize> = (0..7).flat_map(|row| row * 33 + 16..row * 33 + 32).collect();
    for unwritten in [poison_f32(), NO_POTENTIAL] {
        require_written(&potential(&atoms), &part, |potential, count| {
            let is_written = |value: f32| value.to_bits() != poison_f32().to_bits();
            let value = |&value: &f32| if is_written(value) { value } else { unwritten };
            atoms.check_written(&potential.iter().map(value).collect::<Vec<f32>>(), 0.0, count)
        });
    }
}

#[test]
fn a_sum_that_is_added_to_no_potential_keeps_its_bits_and_leaves_a_mark() {
    for sum in [0.0_f32, 1.5, -1e-30, f32::from_bits(1)] {
        let added = (NO_POTENTIAL + sum).to_bits();
        assert!(added == sum.to_bits() && added != NO_POTENTIAL.to_bits());
    }
}
