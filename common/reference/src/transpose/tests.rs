//! Honest transposes pass, wrong ones fail.

use super::*;
use crate::SIZES_AROUND_WARPS;
use crate::verify::poison_f32;
use crate::verify::tests::require_written;

/// A matrix, and its transpose by the definition.
fn both(n: usize) -> (Matrix, Vec<f32>) {
    let matrix = Matrix::new(&Size::new(n));
    let transpose = (0..n * n).map(|at| matrix.words[at % n * n + at / n]).collect();
    (matrix, transpose)
}

#[test]
fn honest_transposes_pass_at_every_size() {
    for n in SIZES_AROUND_WARPS {
        let (matrix, transpose) = both(n);
        let report = matrix.check(&transpose);
        assert!(report.passed() && report.compared == n * n, "n = {n}: {report:?}");
    }
}

#[test]
fn two_by_two_is_what_one_writes_down() {
    let matrix = Matrix::new(&Size::new(2));
    assert_eq!(matrix.words, [0.0, 1.0, 2.0, 3.0]);
    assert!(matrix.check(&[0.0, 2.0, 1.0, 3.0]).passed());
    assert_eq!(matrix.check(&matrix.words).failed, 2);
}

#[test]
fn a_word_is_its_place_up_to_the_prime() {
    let matrix = Matrix::new(&Size::new(4097));
    assert_eq!([0, 1, 4097, LARGEST_PRIME - 1].map(|place| matrix.words[place]), [0.0, 1.0, 4097.0, 16_777_212.0]);
    assert_eq!(matrix.words[LARGEST_PRIME], 0.0);
}

#[test]
fn a_copy_a_swapped_row_an_unwritten_word_and_a_short_output_fail() {
    let (matrix, good) = both(33);
    assert!(!matrix.check(&matrix.words).passed());
    let changed = |change: fn(&mut Vec<f32>)| {
        let mut wrong = good.clone();
        change(&mut wrong);
        matrix.check(&wrong)
    };
    assert!(changed(|_| ()).passed());
    assert_eq!(changed(|wrong| wrong[..66].rotate_left(33)).failed, 66);
    assert_eq!(changed(|wrong| wrong[40] = poison_f32()).failed, 1);
    assert_eq!(changed(|wrong| wrong[40] = f32::from_bits(wrong[40].to_bits() + 1)).failed, 1);
    assert!(!changed(|wrong| _ = wrong.pop()).passed());
}

#[test]
fn the_words_that_were_written_are_compared() {
    let (matrix, good) = both(33);
    let part: Vec<usize> = (0..33).flat_map(|row| row * 33 + 8..row * 33 + 16).collect();
    require_written(&good, &part, |output, count| matrix.check_written(output, count));
}
