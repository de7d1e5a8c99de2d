//! Reports notice what is wrong, and only that.

use super::report::EXAMPLES;
use super::*;

fn expected() -> Vec<Expected> {
    [1.0, -2.0, 0.0].map(|value| Expected { value, magnitude: 4.0, tolerance: 0.25 }).to_vec()
}

fn compared(got: &[f32]) -> Report {
    let mut report = Report::default();
    report.compare("f", got, &expected());
    report
}

#[test]
fn values_within_the_tolerance_pass_and_give_the_largest_error() {
    let report = compared(&[1.0, -2.25, 0.125]);
    assert!(report.passed());
    assert_eq!(report.max_relative_error, 0.0625);
    assert_eq!(report.worst_share_of_tolerance, 1.0);
}

#[test]
fn a_value_just_beyond_the_tolerance_fails() {
    let report = compared(&[1.0, -2.250_001, 0.0]);
    assert_eq!(report.failed, 1);
    assert!(report.examples[0].to_string().starts_with("f[1] is -2.25"), "{}", report.examples[0]);
}

#[test]
fn nan_and_infinity_are_failures_of_their_own() {
    let report = compared(&[f32::NAN, f32::INFINITY, f32::NEG_INFINITY]);
    assert_eq!(report.failed, 3);
    assert_eq!(report.examples[0].to_string(), "f[0] is NaN");
    assert_eq!(report.examples[2].to_string(), "f[2] is -inf");
}

#[test]
fn an_infinite_tolerance_does_not_let_nan_pass() {
    let mut report = Report::default();
    report.compare("f", &[f32::NAN], &[Expected { value: 0.0, magnitude: 1.0, tolerance: f64::INFINITY }]);
    assert!(!report.passed());
}

#[test]
fn a_nan_tolerance_lets_nothing_pass() {
    let mut report = Report::default();
    report.compare("f", &[0.0], &[Expected { value: 0.0, magnitude: 1.0, tolerance: f64::NAN }]);
    assert!(!report.passed());
}

#[test]
fn unwritten_values_are_named() {
    let report = compared(&[1.0, poison_f32(), 0.0]);
    assert_eq!(report.examples, [Failure::Unwritten { output: "f".into(), index: 1 }]);
}

#[test]
fn short_and_empty_outputs_fail() {
    assert_eq!(compared(&[1.0, -2.0]).examples[0].to_string(), "f has 2 values instead of 3");
    assert!(!compared(&[]).passed());
    assert!(!Report::default().passed());
}

#[test]
fn a_sample_is_compared_and_the_rest_must_be_finite() {
    let sampled = |got: &[f32]| {
        let mut report = Report::default();
        report.compare_sample(("f", "values"), got, 4, &[1, 3], &expected()[..2]);
        report
    };
    let good = sampled(&[9.0, 1.0, 9.0, -2.0]);
    assert!(good.passed());
    assert_eq!((good.compared, good.sample), (2, Some(Sample { compared: 2, of: 4, unit: "values" })));
    assert_eq!(sampled(&[9.0, 1.0, 9.0, -3.0]).examples[0].to_string().split(' ').next(), Some("f[3]"));
    assert_eq!(sampled(&[f32::NAN, 1.0, poison_f32(), -2.0]).failed, 2);
    assert!(!sampled(&[9.0, 1.0, 9.0]).passed());
    assert!(!sampled(&[9.0, 1.0, 9.0, -2.0, 9.0]).passed());
}

#[test]
fn threads_report_the_same_as_a_comparison_of_each_value_in_order() {
    let count = 20_000;
    let expected: Vec<_> =
        (0..count).map(|place| Expected { tolerance: 0.5, ..Expected::exact(place as f64) }).collect();
    // A fifth wrong value is in the last part, and the largest error in one between.
    let wrong = [(3, 1.0), (4, 2.0), (9000, 40.0), (12_000, 1.0), (19_999, 3.0)];
    let mut got: Vec<f32> = (0..count).map(|place| place as f32 + 0.25).collect();
    wrong.iter().for_each(|&(place, error)| got[place] += error);
    let places: Vec<usize> = (0..count).collect();
    let [mut one_by_one, mut at_once] = [Report::default(), Report::default()];
    one_by_one.compare("f", &got, &expected);
    at_once.compare_sample(("f", "values"), &got, count, &places, &expected);
    assert_eq!((at_once.failed, at_once.compared, at_once.examples.len()), (5, count, 4));
    assert_eq!(at_once, one_by_one);
}

#[test]
fn integers_must_be_equal_and_written() {
    let mut report = Report::default();
    report.compare_integers("sum", &[3, 5, poison_i32()], &[3, 4, 0]);
    assert_eq!(report.failed, 2);
    assert_eq!(report.examples[1], Failure::Unwritten { output: "sum".into(), index: 2 });
}

#[test]
fn a_bias_within_every_tolerance_breaks_the_law_of_canceling() {
    let expected = vec![Expected { value: 0.0, magnitude: 1.0, tolerance: 0.1 }; 1000];
    let check = |values: &[f32]| {
        let mut report = Report::default();
        report.compare("f", values, &expected);
        report.cancels("sum of forces", values, &expected);
        report
    };
    assert!(check(&[0.05, -0.05].repeat(500)).passed());
    assert_eq!(check(&[0.05; 1000]).failed, 1);
}

#[test]
fn small_terms_beside_a_large_one_are_allowed_to_be_lost() {
    // 1 + 2^-24 is 1 in single precision, and so 1 + 1000 · 2^-24 is too, term by term.
    let mut terms = vec![UNIT_ROUNDOFF as f32; 1000];
    terms.insert(0, 1.0);
    let computed: f32 = terms.iter().sum();
    let exact: f64 = terms.iter().map(|&term| f64::from(term)).sum();
    assert_eq!(computed, 1.0);
    let error = exact - f64::from(computed);
    assert!(error > sum_tolerance(terms.len(), 0.0, exact));
    assert!(error <= Expected::sum(exact, exact, &terms, 0.0).tolerance);
}

#[test]
fn terms_of_like_size_are_not_allowed_to_be_lost() {
    assert_eq!(lost_terms(&[1.0; 16384], 16384.0), 0.0);
}

#[test]
fn of_many_failures_all_count_and_a_few_are_kept() {
    let mut report = Report::default();
    report.compare("f", &[9.0; 100], &[Expected::exact(1.0); 100]);
    assert_eq!((report.failed, report.examples.len()), (100, EXAMPLES));
}

/// Requires that a comparison of what a sample of the blocks wrote passes for an honest output with only these places written,
/// and notices one value that is wrong, missing, or written elsewhere.
pub fn require_written(honest: &[f32], part: &[usize], check: impl Fn(&[f32], usize) -> Report) {
    let mut written = vec![poison_f32(); honest.len()];
    part.iter().for_each(|&place| written[place] = honest[place]);
    let wrong = |place: usize| 1.01 * honest[place].abs() + 0.5;
    let inside = part[part.len() / 2];
    let outside = (0..honest.len()).find(|place| !part.contains(place)).expect("a part is not all");
    for (place, value, failed) in [
        (inside, honest[inside], 0),
        (inside, wrong(inside), 1),
        (inside, poison_f32(), 1),
        (outside, wrong(outside), 2),
        (outside, honest[outside], 1),
    ] {
        let mut got = written.clone();
        got[place] = value;
        let report = check(&got, part.len());
        assert!(report.failed == failed && report.sample.is_some(), "{value} at {place}: {report:?}");
    }
}

#[test]
fn of_far_too_many_written_values_the_first_are_compared() {
    let compared = |count: usize| {
        let mut report = Report::default();
        report.compare_written(("f", "values"), &[1.0; 9], count, |indices| vec![Expected::exact(1.0); indices.len()]);
        (report.failed, report.compared)
    };
    assert_eq!([9, 5, 2].map(compared), [(0, 9), (1, 9), (1, 4)]);
    let mut report = Report::default();
    report.compare_written(("f", "values"), &[poison_f32(); 3], 1, |_| Vec::new());
    let expected = "f: the blocks that ran wrote 0 values instead of 1 (--all-blocks runs all)";
    assert_eq!(report.examples[0].to_string(), expected);
}

#[test]
fn expectations_are_computed_once_for_the_same_places() {
    let last = LastWritten::default();
    assert_eq!(*last.get(&[1, 2], || vec![3, 4]), [3, 4]);
    assert_eq!(*last.get(&[1, 2], || unreachable!("they are known")), [3, 4]);
    assert_eq!(*last.get(&[1, 3], || vec![5, 6]), [5, 6]);
}
