//! `--counters`: the table, and the counts that a run on a GPU takes from another process.

use common::device::DeviceChoice;
use common::options::Options;
use common::report::counts::count;
use common::session::Session;
use stage_tests::turn;
use stage02_shared::STAGE;
use std::path::Path;
use std::process::Command;

const PROGRAM: &str = env!("CARGO_BIN_EXE_stage02-shared");

#[test]
fn another_process_counts_what_this_one_does() {
    let _turn = turn();
    let mut session = Session::open(DeviceChoice::Emulator, None).unwrap();
    let options = Options::parse_for(&STAGE, ["", "--n", "1025", "--steps", "1"].map(Into::into)).unwrap();
    for plan in options.plans(&STAGE, session.device.backend).unwrap() {
        let here = session.run(&plan, 1).unwrap().counters;
        assert_eq!(Some(count(Path::new(PROGRAM), &plan, &options).unwrap()), here, "{}", plan.rung.kernel);
    }
}

#[test]
fn a_process_without_a_record_is_an_error_with_its_words() {
    let options = Options::parse_for(&STAGE, [""].map(Into::into)).unwrap();
    let plan = options.plans(&STAGE, common::device::Backend::Emulator).unwrap().remove(0);
    let error = count(Path::new("/bin/false"), &plan, &options).unwrap_err().to_string();
    assert!(error.starts_with("no counters: computeForces on the emulator:"), "{error}");
}

#[test]
fn the_table_says_conflicts_marks_what_is_of_the_ptx_and_keeps_within_a_hundred_columns() {
    let output = Command::new(PROGRAM)
        .args(["--device", "emulator", "--counters", "--n", "1024", "--steps", "1"])
        .output()
        .unwrap();
    let words = String::from_utf8(output.stdout).unwrap();
    let rung = |kernel: &str| words.lines().find(|line| line.starts_with(kernel)).unwrap().to_owned();
    assert!(rung("periodicSharedStrided ").contains(" 3.0 "), "a thread stores four bodies side by side: {words}");
    assert!(rung("computeForces_Shared ").contains(" ~0.0 "), "{words}");
    assert!(words.lines().any(|line| line.starts_with("~ not exact: ptxas reads several words")), "{words}");
    assert_eq!(rung("reduceSmem ").matches('~').count(), 1, "the estimated time alone: {words}");
    let long: Vec<&str> = words.lines().filter(|line| line.chars().count() > 110).collect();
    assert!(long.is_empty(), "{long:?}");
}
