//! Honest steps pass, wrong ones fail.

use super::*;
use crate::verify::poison_f32;

const SIZES: [usize; 8] = [1, 2, 3, 4, 5, 32, 33, 100];

/// Returns a plate after one step in single precision.
fn stepped(plate: &Plate) -> Plate {
    let mut cells = vec![0.0; plate.cells.len()];
    cells.chunks_mut(plate.n).enumerate().for_each(|(row, to)| plate.step(row, to));
    Plate { n: plate.n, cells, compared: Vec::new(), expected: OnceLock::new() }
}

/// Returns a plate, and its cells after two steps.
fn both(n: usize) -> (Plate, Vec<f32>) {
    let plate = Plate::new(&Size::new(n));
    let cells = stepped(&stepped(&plate)).cells;
    (plate, cells)
}

#[test]
fn honest_steps_pass_at_every_size() {
    for n in SIZES {
        let (plate, cells) = both(n);
        let report = plate.check(&cells);
        assert!(report.passed() && report.compared == n * n, "n = {n}: {report:?}");
    }
}

#[test]
fn one_hot_cell_spreads_as_on_paper() {
    let mut cells = vec![0.0; 49];
    cells[3 * 7 + 3] = 1.0;
    let plate = Plate { n: 7, cells, compared: (0..49).collect(), expected: OnceLock::new() };
    let rate = f64::from(RATE);
    let at = |row: usize, column: usize| plate.expected()[row * 7 + column].value;
    let rest = 1.0 - 4.0 * rate;
    assert!((at(3, 3) - (rest * rest + 4.0 * rate * rate)).abs() < 1e-15);
    assert!((at(3, 4) - 2.0 * rest * rate).abs() < 1e-15);
    assert!((at(2, 4) - 2.0 * rate * rate).abs() < 1e-15);
    assert!((at(1, 3) - rate * rate).abs() < 1e-15);
    assert_eq!((at(1, 2), at(0, 3)), (0.0, 0.0));
}

#[test]
fn one_step_three_steps_and_a_border_that_moves_fail() {
    let (plate, cells) = both(33);
    let once = stepped(&plate);
    assert!(!plate.check(&once.cells).passed());
    let after_two = Plate { cells: cells.clone(), ..stepped(&once) };
    assert!(!plate.check(&stepped(&after_two).cells).passed());
    let mut moved = cells;
    moved[32] = moved[31];
    assert_eq!(plate.check(&moved).failed, 1);
}

#[test]
fn a_value_just_beyond_the_bound_a_missing_one_and_a_missing_row_fail() {
    let (plate, cells) = both(33);
    let place = 40;
    let beyond = 1.01 * f64::from(STEPS) * ROUNDINGS * UNIT_ROUNDOFF;
    for direction in [1.0, -1.0] {
        let mut wrong = cells.clone();
        wrong[place] = (plate.expected()[place].value + direction * beyond) as f32;
        let off = (f64::from(wrong[place]) - plate.expected()[place].value).abs();
        assert_eq!(plate.check(&wrong).failed, usize::from(off > plate.expected()[place].tolerance));
        wrong[place] += 1e-6 * direction as f32;
        assert_eq!(plate.check(&wrong).failed, 1);
    }
    let mut missing = cells.clone();
    missing[place] = poison_f32();
    assert_eq!(plate.check(&missing).failed, 1);
    assert!(!plate.check(&cells[..32 * 33]).passed());
}

#[test]
fn a_large_plate_is_compared_in_some_rows_and_at_its_border() {
    let n = 1025;
    let (plate, cells) = both(n);
    let report = plate.check(&cells);
    assert!(report.passed(), "{report:?}");
    let rows: Vec<usize> = plate.compared.iter().step_by(n).map(|place| place / n).collect();
    assert!((SAMPLED_ROWS..=SAMPLED_ROWS + 2).contains(&rows.len()));
    assert_eq!((rows[0], rows[rows.len() - 1]), (0, n - 1));
    // a row that is not compared must be written
    let other = (0..n).find(|row| !rows.contains(row)).expect("a sample");
    let mut missing = cells;
    missing[other * n + 7] = poison_f32();
    assert_eq!(plate.check(&missing).failed, 1);
}
