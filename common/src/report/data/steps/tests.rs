//! Steps are compared only with their rungs below.

use super::*;
use crate::format::WIDTH;
use crate::report::samples::{RUNG, outcome, timing};
use crate::stage::Rung;

static UPPER: Rung = Rung { kernel: "computeForces_Shared", below: Some(&RUNG), ..RUNG };

/// Returns the outcome of the upper rung, with this time.
fn upper(median: f64) -> Outcome<'static> {
    let mut outcome = outcome(Some(timing(median, median, median)), None);
    outcome.run.plan.rung = &UPPER;
    outcome
}

#[test]
fn a_step_is_compared_with_the_fastest_shape_of_its_rung_below() {
    let [slow, fast] = [6.0, 5.0].map(|median| outcome(Some(timing(median, median, median)), None));
    let below = compare(&upper(2.0), &[slow, fast]).expect("a rung below");
    assert_eq!(below, Below { kernel: "computeForces".into(), ratio: 2.5, of: Quantity::Time });
    let record = serde_json::to_string(&below).expect("JSON");
    assert_eq!(record, r#"{"kernel":"computeForces","ratio":2.5,"of":"time"}"#);
}

#[test]
fn counts_are_compared_by_global_bytes() {
    let counted = |global_load_sectors| Some(Counters { global_load_sectors, ..Counters::default() });
    let below = outcome(None, counted(60));
    let mut own = outcome(None, counted(20));
    own.run.plan.rung = &UPPER;
    let below = compare(&own, &[below]).expect("a rung below");
    assert_eq!((below.ratio, below.of), (3.0, Quantity::GlobalBytes));
}

#[test]
fn copies_to_shared_memory_are_global_traffic() {
    let copies = Counters { async_copy_sectors: 10, bulk_copy_bytes: 320, ..Counters::default() };
    assert_eq!((loaded_sectors(&copies), global_bytes(&copies)), (20, 640));
    let loads = Counters { global_load_requests: 8, ..Counters::default() };
    let copies = Counters { async_copy_requests: 2, bulk_copies: 2, ..Counters::default() };
    assert_eq!(gains(&loads, &copies)[0], "2.00x");
}

#[test]
fn another_size_wrong_results_and_a_rung_that_was_not_run_are_not_compared() {
    let right = outcome(Some(timing(5.0, 5.0, 5.0)), None);
    let mut wrong = right.clone();
    wrong.run.report.failed = 1;
    let mut larger = right.clone();
    larger.run.plan.size.n = 2048;
    assert_eq!(compare(&upper(2.0), &[wrong, larger, upper(1.0)]), None);
    assert_eq!(compare(&right, std::slice::from_ref(&right)), None);
}

#[test]
fn gains_are_ratios_and_what_is_new_or_gone_says_so() {
    assert_eq!(
        [(0, 0), (0, 3), (3, 0), (6, 3), (41, 50)].map(|(b, o)| gain(b, o)),
        ["-", "new", "gone", "2.00x", "0.82x"]
    );
}

#[test]
fn counts_of_two_rungs_are_set_beside_each_other() {
    let below = Counters { global_load_requests: 100, global_load_sectors: 400, barriers: 4, ..Counters::default() };
    let own = Counters { global_load_requests: 10, global_load_sectors: 80, shared_load_wavefronts: 5, ..below };
    assert_eq!(global_bytes(&own), 2560);
    assert_eq!(gains(&below, &own), ["10.0x", "5.00x", "new", "1.00x", "-"]);
}

#[test]
fn a_step_between_the_longest_names_keeps_within_the_width() {
    let name = "computeForces_Tiling_Shuffle";
    let cells = [step(name, name), "12,345x".into(), "12,345x".into(), "0.82x".into(), "gone".into()];
    let row: Vec<String> = cells.into_iter().chain(["1.31x".into()]).collect();
    let text = Table::from_rows("", &COLUMNS, &[row]).render();
    assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
    assert_eq!(step("nbody_sim", "nbody_sim_notile"), "nbody_sim from nbody_sim_notile");
}
