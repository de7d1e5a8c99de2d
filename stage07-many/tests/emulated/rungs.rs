//! Every rung is right with any number of ranks and any size, and moves what it should.

use super::{records, run};
use serde_json::Value;
use stage07_many::RUNGS;

/// The rungs that ran.
fn ran(records: &[Value]) -> Vec<&str> {
    records.iter().filter(|record| record["left_out"].is_null()).filter_map(|record| record["rung"].as_str()).collect()
}

fn of<'a>(records: &'a [Value], rung: &str) -> &'a Value {
    let found = records.iter().find(|record| record["rung"] == rung);
    &found.unwrap_or_else(|| panic!("no record of {rung}"))["counts"]
}

#[test]
fn all_rungs_are_right_with_one_to_eight_ranks() {
    for ranks in ["1", "2", "3", "4", "8"] {
        let records = records(&["--ranks", ranks, "--n", "601"]);
        assert_eq!(records.len(), RUNGS.len());
        assert_eq!(ran(&records).len(), RUNGS.len());
    }
}

#[test]
fn there_may_be_fewer_elements_than_ranks() {
    for (ranks, n) in [("8", "5"), ("4", "1"), ("3", "2")] {
        assert_eq!(ran(&records(&["--ranks", ranks, "--n", n])).len(), RUNGS.len(), "{ranks} ranks, {n}");
    }
}

#[test]
fn twins_in_rust_are_right_too() {
    assert_eq!(ran(&records(&["--ranks", "3", "--n", "601", "--language", "rust"])).len(), RUNGS.len());
}

#[test]
fn all_rungs_are_clean_under_the_checks() {
    records(&["--ranks", "3", "--n", "301", "--check"]);
}

#[test]
fn the_ladder_moves_the_same_bytes_and_exposes_fewer() {
    let records = records(&["--ranks", "4", "--n", "1024"]);
    let all_others = 3.0 * 256.0 * 16.0;
    for (rung, bytes, exposed) in [
        ("host_staged", all_others, all_others),
        ("all_gather", all_others, all_others),
        ("own_block_first", all_others, 0.0),
        ("ring", all_others, 0.0),
        ("third_law", 1.75 * all_others, 0.75 * all_others),
        ("two_level", all_others, all_others),
        ("by_points", 0.0, 0.0),
    ] {
        let counts = of(&records, rung);
        assert_eq!((&counts["bytes_received"], &counts["bytes_exposed"]), (&bytes.into(), &exposed.into()), "{rung}");
    }
    assert_eq!(
        of(&records, "third_law")["work"].as_f64(),
        of(&records, "all_gather")["work"].as_f64().map(|all| all / 2.0)
    );
}

#[test]
fn two_levels_bring_each_body_to_a_machine_once() {
    let records =
        records(&["--ranks", "4", "--n", "1024", "--machines", "2", "--rung", "all_gather", "--rung", "two_level"]);
    let from_machines = |rung| of(&records, rung)["bytes_from_machines"].as_f64().expect("a number");
    assert_eq!((from_machines("all_gather"), from_machines("two_level")), (2.0 * 256.0 * 16.0, 256.0 * 16.0));
}

#[test]
fn ranks_that_are_not_as_many_on_each_machine_leave_two_levels_out() {
    let records = records(&["--ranks", "3", "--n", "100", "--machines", "2", "--rung", "two_level"]);
    assert!(records[0]["left_out"].as_str().is_some_and(|reason| reason.contains("3 ranks")), "{}", records[0]);
}

#[test]
fn scaling_runs_each_rung_in_a_job_of_its_own() {
    let records = records(&["--ranks", "4", "--n", "64,256", "--scaling", "--rung", "ring", "--rung", "all_reduce"]);
    let jobs: Vec<(&str, u64, u64)> = records
        .iter()
        .map(|record| {
            let number = |name: &str| record[name].as_u64().expect("a number");
            (record["rung"].as_str().expect("a name"), number("ranks"), number("size"))
        })
        .collect();
    let ring =
        [("ring", 2, 64), ("ring", 2, 91), ("ring", 2, 256), ("ring", 4, 64), ("ring", 4, 128), ("ring", 4, 256)];
    assert_eq!(jobs[..6], ring);
    assert!(jobs[6..].iter().all(|(rung, ..)| *rung == "all_reduce"), "{jobs:?}");
}

#[test]
fn the_table_keeps_within_a_hundred_columns_and_says_what_to_read_next() {
    let output = run(&["--ranks", "4", "--n", "100"]);
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    for words in ["4 ranks", "own_block_first", "exposed", "Read on:"] {
        assert!(text.contains(words), "{words}: {text}");
    }
}
