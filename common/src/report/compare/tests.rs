//! Each verdict, by handmade records.

use super::rows::{COLUMNS_OF_COUNTS, COLUMNS_OF_ESTIMATES, COLUMNS_OF_TIMES, verdict};
use super::*;
use crate::format::WIDTH;
use crate::outcome::Outcome;
use crate::report::print::Table;
use crate::report::samples::RUNG;
use crate::report::samples::{STAGE, estimate, outcome, timing};
use crate::stage::Shape;
use emulator::Counters;
use predict::Way;

/// A record as `--json` prints it, with this time and these counters.
fn record(kernel: &str, size: usize, block: u32, time: &str, counters: &str) -> String {
    format!(
        r#"{{"kernel": "{kernel}", "size": {size}, "steps": null, "grid": [{}, 1, 1], "block": [{block}, 1, 1],
        "device": "NVIDIA H200", "backend": "cuda", "date": "2026-11-20T23:08:43Z", "time_ms": {time},
        "counters": {counters}, "a field of a later version": 1}}"#,
        size.div_ceil(block as usize)
    )
    .replace('\n', " ")
}

fn recording(records: &[String]) -> Recording {
    Recording { file: "results/x/stage01.json".into(), records: parse(&records.join("\n")).expect("records") }
}

const ONE_MS: &str = r#"{"median": 1.0, "low": 0.95, "high": 1.05, "runs": 20}"#;

#[test]
fn times_apart_from_each_other_are_faster_or_slower() {
    let recording = recording(&[record("computeForces", 1024, 128, ONE_MS, "null")]);
    let matching = recording.matching(&outcome(None, None).run.plan, false).expect("recorded");
    let cells = |now| Row { name: "x".into(), outcome: &outcome(Some(now), None), record: matching }.cells().1;
    assert_eq!(cells(timing(0.4, 0.5, 0.6))[3..], ["1.00 ms", "2.00x", "faster"]);
    assert_eq!(cells(timing(1.9, 2.0, 2.1))[3..], ["1.00 ms", "0.50x", "slower"]);
}

#[test]
fn times_whose_spreads_overlap_are_the_same_whatever_their_medians() {
    let then = timing(0.95, 1.0, 1.05);
    assert_eq!(verdict(&timing(0.80, 0.85, 0.96), &then), "same within noise");
    assert_eq!(verdict(&timing(1.04, 1.2, 1.3), &then), "same within noise");
    assert_eq!(verdict(&timing(0.80, 0.85, 0.94), &then), "faster");
    assert_eq!(verdict(&timing(1.06, 1.2, 1.3), &then), "slower");
}

#[test]
fn times_within_a_hundredth_are_the_same_however_narrow_their_spreads() {
    let then = timing(1.0, 1.0, 1.0);
    assert_eq!(verdict(&timing(1.004, 1.004, 1.004), &then), "same");
    assert_eq!(verdict(&timing(0.993, 0.993, 0.993), &then), "same");
    assert_eq!(verdict(&timing(1.011, 1.011, 1.011), &then), "slower");
    assert_eq!(verdict(&timing(0.989, 0.989, 0.989), &then), "faster");
}

#[test]
fn the_record_of_the_same_shape_is_taken_else_the_fastest() {
    let fast = r#"{"median": 0.5, "low": 0.5, "high": 0.5, "runs": 3}"#;
    let [slow_64, fast_256, own] = [(64, ONE_MS), (256, fast), (128, ONE_MS)]
        .map(|(block, time)| record("computeForces", 1024, block, time, "null"));
    let shape =
        |records: &[String]| recording(records).matching(&outcome(None, None).run.plan, false).map(Recorded::shape);
    assert_eq!(shape(&[slow_64.clone(), fast_256.clone(), own]), Ok("8 x 128".into()));
    assert_eq!(shape(&[slow_64, fast_256]), Ok("4 x 256".into()));
}

#[test]
fn kernels_and_sizes_that_are_not_recorded_are_named() {
    let of = |record: String| recording(&[record]).render(&[outcome(Some(timing(1.0, 1.0, 1.0)), None)]);
    let other_kernel = of(record("reduceGmem", 1024, 128, ONE_MS, "null"));
    assert!(other_kernel.contains("Not recorded:\n  computeForces\n"), "{other_kernel}");
    let other_size = of(record("computeForces", 2048, 128, ONE_MS, "null"));
    assert!(
        other_size.contains("Not recorded at 1,024 bodies, but at 2,048 bodies:\n  computeForces\n"),
        "{other_size}"
    );
}

#[test]
fn counts_are_compared_with_counts_and_never_with_times() {
    let now = Counters { warp_instructions: 50, global_load_sectors: 10, ..Counters::default() };
    let cells = |counters: &str| {
        let recording = recording(&[record("computeForces", 1024, 128, ONE_MS, counters)]);
        let outcome = outcome(None, Some(now));
        let record = recording.matching(&outcome.run.plan, true).expect("recorded");
        Row { name: "x".into(), outcome: &outcome, record }.cells().1
    };
    let same = cells(r#"{"warp_instructions": 50, "global_load_sectors": 10}"#);
    assert_eq!(same[2..], ["1.00x", "1.00x", "1.00 ms", "same counts"]);
    let more = cells(r#"{"warp_instructions": 100, "global_load_sectors": 40}"#);
    assert_eq!(more[2..], ["4.00x", "2.00x", "1.00 ms", "counts differ"]);
    assert_eq!(cells("null")[2..], ["-", "1.00 ms", "-"], "no estimate");
}

#[test]
fn a_record_without_a_time_gives_a_gpu_no_ratio() {
    let text = record("computeForces", 1024, 128, "null", "{}");
    let text = recording(&[text]).render(&[outcome(Some(timing(1.0, 1.0, 1.0)), None)]);
    assert!(text.contains("recorded without time"), "{text}");
}

#[test]
fn an_array_and_a_record_a_line_read_the_same() {
    let records = [1024, 2048].map(|size| record("computeForces", size, 128, ONE_MS, "null"));
    let lines = parse(&records.join("\n\n")).expect("records");
    assert_eq!(parse(&format!("[\n{}\n]\n", records.join(",\n"))).expect("records"), lines);
    assert_eq!(lines.len(), 2);
    let error = parse(&format!("{}\n{{\"kernel\": 5}}", records[0])).unwrap_err();
    assert!(error.starts_with("line 2 is not a record"), "{error}");
}

#[test]
fn a_file_and_a_device_that_are_not_there_are_named() {
    let error = Recording::open(&STAGE, "nowhere.json").unwrap_err().to_string();
    assert!(error.starts_with("--compare nowhere.json: there is no such file"), "{error}");
}

#[test]
fn the_widest_lines_keep_within_the_width() {
    let line = |cells: &[&str]| cells.iter().map(|cell| (*cell).to_owned()).collect::<Vec<_>>();
    let name = "computeForces_Tiling_Shuffle";
    let times = line(&[name, "131,072 x 128", "12.3 ms", "12.3 ms at 131,072 x 1024", "0.12x", "same within noise"]);
    let then = "12.3 ms at 131,072 x 1024";
    let counts = line(&[name, "131,072 x 128", "12,345x", "12,345x", then, "counts differ"]);
    let then = "359 ms a step at 131,072 x 1024";
    let estimates = line(&[name, "131,072 x 128", "12-16 ms a step", then, "another shape"]);
    let all: [(&[&str], _); 3] =
        [(&COLUMNS_OF_TIMES, times), (&COLUMNS_OF_COUNTS, counts), (&COLUMNS_OF_ESTIMATES, estimates)];
    for (columns, line) in all {
        let widest = Table::from_rows("", columns, &[line]).render().lines().map(|line| line.chars().count()).max();
        assert!(widest <= Some(WIDTH), "{widest:?}");
    }
}

#[test]
fn a_twin_is_compared_with_the_record_of_a_twin_below_its_kernel() {
    let own = record("computeForces", 1024, 128, ONE_MS, "null");
    let in_rust = own.replacen('{', "{\"in_rust\": true, ", 1);
    let now = outcome(Some(timing(1.0, 1.0, 1.0)), None);
    let mut twin = now.clone();
    twin.run.plan.in_rust = true;
    let both = [now, twin];
    let lines = |text: String| text.lines().filter(|line| line.starts_with("  in Rust ")).count();
    assert_eq!(lines(recording(&[own.clone(), in_rust]).render(&both)), 1);
    let text = recording(&[own]).render(&both);
    assert!(text.contains("Not recorded:\n  computeForces in Rust\n"), "{text}");
}

/// An emulated run of so many steps, whose time is estimated.
fn estimated(steps: u32, microseconds: [u64; 2]) -> Outcome<'static> {
    let mut outcome = outcome(None, Some(Counters::default()));
    outcome.run.plan.size.steps = Some(steps);
    outcome.estimate = Some(Ok(estimate(Way::Ptx, microseconds.map(|time| 1000 * time))));
    outcome
}

#[test]
fn recorded_times_are_set_beside_estimates_of_as_many_steps() {
    // 1 ms for 10 steps is 100 µs a step; the run has 2
    let steps = |steps: &str| {
        let record = record("computeForces", 1024, 128, ONE_MS, "null");
        recording(&[record.replace("\"steps\": null", &format!("\"steps\": {steps}"))])
    };
    let cells = |recording: &Recording, outcome: &Outcome| {
        let record = recording.matching(&outcome.run.plan, true).expect("recorded");
        Row { name: "x".into(), outcome, record }.cells().1[2..].to_vec()
    };
    let ten = steps("10");
    assert_eq!(cells(&ten, &estimated(2, [150, 300])), ["75-150 µs a step", "0.100 ms a step", "in the estimate"]);
    assert_eq!(cells(&ten, &estimated(2, [220, 300])), ["110-150 µs a step", "0.100 ms a step", "below the estimate"]);
    assert_eq!(cells(&ten, &estimated(10, [150, 300])), ["150-300 µs", "1.00 ms", "above the estimate"]);
    let mut other = estimated(2, [150, 300]);
    other.run.plan = Plan::new(&RUNG, other.run.plan.size, Shape::block(64)).expect("an accepted size");
    assert_eq!(cells(&ten, &other)[1..], ["0.100 ms a step at 8 x 128", "another shape"]);
    let text = ten.render(&[estimated(2, [150, 300])]);
    assert!(text.contains("--compare emulator compares counts"), "{text}");
}

#[test]
fn kernels_with_one_reason_share_its_line() {
    let records = [4096, 2048, 4096].map(|size| record("computeForces", size, 128, ONE_MS, "null"));
    let text = recording(&records).render(&[estimated(2, [1, 2]), estimated(2, [1, 2])]);
    assert!(text.ends_with("2,048 bodies; 4,096 bodies:\n  computeForces\n"), "{text}");
}
