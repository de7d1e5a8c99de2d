//! The programs of the exercises: each reports its mistake. The corresponding strategies are correct.

use std::path::PathBuf;
use std::process::{Command, Output};

/// Runs an example, which cargo builds with the tests.
fn run(name: &str) -> Output {
    let folder = PathBuf::from(env!("CARGO_BIN_EXE_stage07-many")).with_file_name("examples");
    let mut command = Command::new(folder.join(name));
    command.args(["--device", "emulator", "--n", "400", "--brief"]).env("COALESCED_NCCL_TIMEOUT", "10");
    command.output().unwrap()
}

/// Requires that the exercise fails, and that its two output streams together contain all of these words.
fn fails_with(name: &str, words: &[&str]) {
    let output = run(name);
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{text}");
    for word in words {
        assert!(text.contains(word), "no `{word}` in:\n{text}");
    }
}

#[test]
fn room_for_as_many_floats_as_bodies_is_too_little() {
    fails_with("bodies_or_floats", &["it receives 6400 bytes, and the allocation has 1600"]);
}

#[test]
fn sends_without_receives_deadlock() {
    fails_with("lonely_sends", &["deadlock: rank", "rank 3 in ncclSend(count 400, f32, to rank 0)", "one group"]);
}

#[test]
fn collectives_in_another_order_are_named_on_both_sides() {
    fails_with(
        "order_of_calls",
        &["rank 0 called ncclAllReduce(count 1, f32, sum)", "called ncclAllGather(count 400, f32)"],
    );
}

#[test]
fn a_kernel_beside_the_gather_that_it_reads_is_a_race_though_results_are_right() {
    let words = ["race between streams", "ncclAllGather(count 400, f32)", "kernels/01_forces_of.cu:", "WRONG"];
    fails_with("read_too_early", &words);
}

#[test]
fn exposed_bytes_are_counted() {
    fails_with(
        "hide_the_gather",
        &["4800 bytes are exposed: no kernel can run during their transfer; at most 0 may be"],
    );
}
