//! Strategies: correct with any number of ranks and at any size, and with the expected transfers.

use super::{program, records, run};
use serde_json::Value;
use stage07_many::STRATEGIES;

/// Returns the strategies that ran.
fn ran(records: &[Value]) -> Vec<&str> {
    records
        .iter()
        .filter(|record| record["left_out"].is_null())
        .filter_map(|record| record["kernel"].as_str())
        .collect()
}

fn of<'a>(records: &'a [Value], strategy: &str) -> &'a Value {
    let found = records.iter().find(|record| record["kernel"] == strategy);
    &found.unwrap_or_else(|| panic!("no record of {strategy}"))["counts"]
}

/// Requires that all strategies run, and are correct, with this number of ranks.
fn all_are_correct_with(ranks: &str) {
    let records = records(&["--ranks", ranks, "--n", "601"]);
    assert_eq!(records.len(), STRATEGIES.len());
    assert_eq!(ran(&records).len(), STRATEGIES.len());
}

#[test]
fn all_strategies_are_correct_with_two_ranks() {
    all_are_correct_with("2");
}

#[test]
fn all_strategies_run_on_small_and_old_cards() {
    let mut program = program(&["--ranks", "2", "--n", "601", "--json"]);
    let card = "capability=7.5,memory=64,multiprocessors=14,driver=12.1";
    let output = program.env("COALESCED_DEVICE_PROPERTIES", card).output().expect("the program starts");
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{words}");
    let correct = String::from_utf8_lossy(&output.stdout).matches("\"verified\":true").count();
    assert_eq!(correct, STRATEGIES.len(), "{words}");
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn all_strategies_are_correct_with_one_to_eight_ranks() {
    for ranks in ["1", "3", "4", "8"] {
        all_are_correct_with(ranks);
    }
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn there_may_be_fewer_elements_than_ranks() {
    for (ranks, n) in [("8", "5"), ("4", "1"), ("3", "2")] {
        assert_eq!(ran(&records(&["--ranks", ranks, "--n", n])).len(), STRATEGIES.len(), "{ranks} ranks, {n}");
    }
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn rust_versions_are_correct_too() {
    assert_eq!(ran(&records(&["--ranks", "3", "--n", "601", "--language", "rust"])).len(), STRATEGIES.len());
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn all_strategies_are_clean_under_the_checks() {
    records(&["--ranks", "3", "--n", "301", "--check"]);
}

#[test]
fn later_strategies_transfer_the_same_bytes_and_expose_fewer() {
    let records = records(&["--ranks", "4", "--n", "1024"]);
    let all_others = 3.0 * 256.0 * 16.0;
    for (strategy, bytes, exposed) in [
        ("host_staged", all_others, all_others),
        ("all_gather", all_others, all_others),
        ("own_block_first", all_others, 0.0),
        ("ring", all_others, 0.0),
        ("third_law", 1.75 * all_others, 0.75 * all_others),
        ("two_level", all_others, all_others),
        ("by_points", 0.0, 0.0),
    ] {
        let counts = of(&records, strategy);
        assert_eq!(
            (&counts["bytes_received"], &counts["bytes_exposed"]),
            (&bytes.into(), &exposed.into()),
            "{strategy}"
        );
    }
    assert_eq!(
        of(&records, "third_law")["work"].as_f64(),
        of(&records, "all_gather")["work"].as_f64().map(|all| all / 2.0)
    );
}

#[test]
fn two_levels_bring_each_body_to_a_machine_once() {
    let records =
        records(&["--ranks", "4", "--n", "1024", "--machines", "2", "--kernel", "all_gather", "--kernel", "two_level"]);
    let from_machines = |strategy| of(&records, strategy)["bytes_from_machines"].as_f64().expect("a number");
    assert_eq!((from_machines("all_gather"), from_machines("two_level")), (2.0 * 256.0 * 16.0, 256.0 * 16.0));
}

#[test]
fn two_levels_are_left_out_if_machines_have_different_numbers_of_ranks() {
    // `--rung`, the former name of `--kernel`, is still accepted
    let records = records(&["--ranks", "3", "--n", "100", "--machines", "2", "--rung", "two_level"]);
    assert!(records[0]["left_out"].as_str().is_some_and(|reason| reason.contains("3 ranks")), "{}", records[0]);
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn scaling_runs_each_strategy_in_a_separate_job() {
    let records =
        records(&["--ranks", "4", "--n", "64,256", "--scaling", "--kernel", "ring", "--kernel", "all_reduce"]);
    let jobs: Vec<(&str, u64, u64)> = records
        .iter()
        .map(|record| {
            let number = |name: &str| record[name].as_u64().expect("a number");
            (record["kernel"].as_str().expect("a name"), number("ranks"), number("size"))
        })
        .collect();
    let ring =
        [("ring", 2, 64), ("ring", 2, 91), ("ring", 2, 256), ("ring", 4, 64), ("ring", 4, 128), ("ring", 4, 256)];
    assert_eq!(jobs[..6], ring);
    assert!(jobs[6..].iter().all(|(strategy, ..)| *strategy == "all_reduce"), "{jobs:?}");
}

#[test]
fn the_table_is_at_most_a_hundred_columns_wide_and_names_what_to_read_next() {
    let output = run(&["--ranks", "4", "--n", "100"]);
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    for words in ["4 ranks", "own_block_first", "exposed", "Read on:"] {
        assert!(text.contains(words), "{words}: {text}");
    }
}

#[test]
fn times_are_those_of_the_recorded_gpus_or_there_is_a_reason() {
    let text = |arguments: &[&str]| {
        let output = run(&[&["--ranks", "2", "--n", "100", "--kernel", "ring"], arguments].concat());
        String::from_utf8(output.stdout).expect("text")
    };
    let recorded = text(&[]);
    for words in ["times of 131,072 bodies recorded on 2 x H200", "time   gain", "ring on 2 x H200 is "] {
        assert!(recorded.contains(words), "{words}: {recorded}");
    }
    for arguments in [["--on", "h100"], ["--language", "rust"]] {
        let text = text(&arguments);
        assert!(text.contains("\n- no time: not recorded on this GPU."), "{text}");
        assert!(!text.contains("gain") && !text.contains("as fast"), "{text}");
    }
    let checked = text(&["--check"]);
    assert!(checked.contains("times are not shown") && !checked.contains("recorded"), "{checked}");
}
