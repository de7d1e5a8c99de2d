//! Honest softmaxes pass, wrong ones fail.

use super::*;
use crate::verify::poison_f32;
use crate::verify::tests::require_written;

fn size(n: usize, columns: usize) -> Size {
    Size { parameters: Parameters::default().with(COLUMNS, columns), ..Size::new(n) }
}

fn of_each_row(rows: &Rows, softmax: impl Fn(&[f32]) -> Vec<f32>) -> Vec<f32> {
    rows.elements.chunks_exact(rows.columns).flat_map(softmax).collect()
}

/// The largest element and the sum in one pass, in single precision.
fn online(row: &[f32]) -> Vec<f32> {
    let mut largest = f32::MIN;
    let mut sum = 0.0;
    for &x in row {
        let next = f32::max(largest, x);
        sum = sum * (largest - next).exp() + (x - next).exp();
        largest = next;
    }
    row.iter().map(|x| (x - largest).exp() / sum).collect()
}

#[test]
fn honest_softmaxes_pass_at_every_size() {
    for columns in [1, 2, 31, 33, 1000, 5000] {
        let rows = Rows::new(&size(9, columns));
        for softmax in [of_each_row(&rows, softmax), of_each_row(&rows, online)] {
            let report = rows.check(&softmax);
            assert!(report.passed() && report.compared == 9 * columns, "{columns} columns: {report:?}");
        }
    }
}

#[test]
fn the_softmax_of_two_elements_is_what_one_writes_down() {
    let expected = expected(&[0.0, 3.0_f32.ln()]);
    assert!((expected[0].value - 0.25).abs() < 1e-7 && (expected[1].value - 0.75).abs() < 1e-7, "{expected:?}");
}

#[test]
fn without_the_largest_element_half_of_the_rows_fail() {
    let rows = Rows::new(&size(8, 100));
    let without = |row: &[f32]| {
        let sum: f32 = row.iter().map(|x| x.exp()).sum();
        row.iter().map(|x| x.exp() / sum).collect()
    };
    let report = rows.check(&of_each_row(&rows, without));
    assert!(report.failed >= 4 * 100, "{report:?}");
}

#[test]
fn wrong_softmaxes_fail() {
    let rows = Rows::new(&size(4, 100));
    let good = of_each_row(&rows, softmax);
    let changed = |change: fn(&mut Vec<f32>)| {
        let mut wrong = good.clone();
        change(&mut wrong);
        rows.check(&wrong)
    };
    assert!(changed(|_| ()).passed());
    assert_eq!(changed(|wrong| wrong[40] = poison_f32()).failed, 1);
    assert_eq!(changed(|wrong| wrong[40] *= 1.0001).failed, 1);
    assert!(changed(|wrong| wrong.rotate_left(1)).failed > 200);
    assert!(!changed(|wrong| _ = wrong.pop()).passed());
}

#[test]
fn a_sum_without_its_last_term_fails() {
    let rows = Rows::new(&size(3, 100));
    let shorter = |row: &[f32]| {
        let mut all = softmax(&row[..99]);
        all.push(all[0]);
        all
    };
    assert!(rows.check(&of_each_row(&rows, shorter)).failed > 200);
}

#[test]
fn rows_beyond_a_sample_must_be_written_and_finite() {
    let rows = Rows::with_sample(&size(64, 10), 4);
    let mut softmax = of_each_row(&rows, softmax);
    let report = rows.check(&softmax);
    assert!(report.passed() && report.compared == 40 && report.sample.is_some(), "{report:?}");
    let beyond = (0..640).find(|place| !rows.sample.contains(place)).expect("most rows are not compared");
    softmax[beyond] = f32::NAN;
    assert_eq!(rows.check(&softmax).failed, 1);
}

#[test]
fn the_elements_that_were_written_are_compared() {
    let rows = Rows::with_sample(&size(64, 10), 4);
    let part: Vec<usize> = (50..70).chain(600..640).collect();
    require_written(&of_each_row(&rows, softmax), &part, |softmax, count| rows.check_written(softmax, count));
}
