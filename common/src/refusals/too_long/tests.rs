//! A kernel that takes long on a small GPU.

use super::*;
use crate::report::samples::{RUNG, outcome, timing, with_record};

fn split_with(milliseconds: f64, flops_per_second: Option<f64>) -> (usize, Vec<String>) {
    let time = timing(milliseconds, milliseconds, milliseconds);
    let sample = with_record(outcome(None, None), Some(time), None);
    let records = [sample.recorded.expect("a record")];
    let slowdown = slowdown(&predict::H200, flops_per_second);
    let (plans, lines) = split(vec![sample.run.plan], &records, slowdown);
    (plans.len(), lines)
}

#[test]
fn a_kernel_that_a_small_gpu_takes_seconds_for_is_left_out_with_how_to_run_it() {
    // a GTX 1650, with a 22nd of the rate of an H200
    let (runs, lines) = split_with(275.0, Some(2.98e12));
    let line = "computeForces is left out: one launch takes about 6.2 s here, by its recorded time, and a GPU with a display ends \
                it after 2 s. --kernel computeForces runs it, and a smaller --n takes less.";
    assert_eq!((runs, lines), (0, vec![line.to_owned()]));
    assert_eq!(RUNG.kernel, "computeForces");
}

#[test]
fn a_short_kernel_runs_and_so_does_one_without_a_record_or_a_rate() {
    assert_eq!(split_with(40.0, Some(2.98e12)), (1, vec![]));
    assert_eq!(split_with(275.0, Some(66.9e12)), (1, vec![]));
    assert_eq!(split_with(275.0, None), (1, vec![]));
    let plan = outcome(None, None).run.plan;
    assert_eq!(split(vec![plan], &[], Some(22.0)).0.len(), 1);
}
