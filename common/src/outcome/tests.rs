//! Times and counts: measured, recorded or estimated.

use super::*;
use crate::report::samples::{estimate, outcome, timing, with_record};

/// An outcome with a record of 1 ms, of this version of the kernel.
fn recorded(is_edited: bool) -> Outcome<'static> {
    let mut outcome = with_record(outcome(None, None), Some(timing(0.9, 1.0, 1.1)), None);
    outcome.run.is_edited = is_edited;
    outcome
}

#[test]
fn a_kernel_as_shipped_has_its_recorded_time_and_an_edited_one_an_estimate() {
    let time = recorded(false).time().expect("a time");
    assert_eq!((time.source, time.milliseconds, time.gpu.as_deref()), (TimeSource::Recorded, 1.0, Some("NVIDIA H200")));
    let mut edited = recorded(true);
    assert_eq!(edited.time(), None);
    edited.estimate = Some(Ok(estimate(Way::Ptx, [3_000_000, 4_000_000])));
    let time = edited.time().expect("an estimate");
    assert_eq!((time.source, time.low, time.high), (TimeSource::Estimated, 3.0, 4.0));
    let json = serde_json::to_value(&time).expect("JSON");
    assert_eq!(json["source"], "estimated");
}

#[test]
fn an_edit_multiplies_the_recorded_time_by_the_ratio_of_two_machine_codes() {
    let edited = |way| {
        let mut edited = recorded(true);
        edited.shipped = Some(Ok(estimate(Way::MachineCode, [200_000; 2])));
        edited.estimate = Some(Ok(estimate(way, [100_000; 2])));
        edited.time().expect("a time")
    };
    let time = edited(Way::MachineCode);
    assert_eq!((time.source, time.milliseconds), (TimeSource::Estimated, 0.5));
    assert!(time.low < 0.5 && time.high > 0.5);
    // PTX does not show what ptxas makes of an edit.
    assert_eq!(edited(Way::Ptx).milliseconds, 0.1);
}

#[test]
fn counts_of_one_step_are_those_of_each() {
    let mut record = recorded(false).recorded.expect("a record");
    let mut plan = outcome(None, None).run.plan;
    (plan.size.steps, record.steps, record.time_ms) = (Some(1000), Some(1), None);
    assert!(record.is_of(&plan));
    record.time_ms = Some(timing(1.0, 1.0, 1.0));
    assert!(!record.is_of(&plan));
}

#[test]
fn wrong_results_have_no_time() {
    let mut wrong = recorded(false);
    wrong.run.report.failed = 1;
    assert_eq!(wrong.time(), None);
}
