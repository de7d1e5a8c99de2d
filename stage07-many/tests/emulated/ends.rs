//! The ends of jobs: by a parent that is killed, by the time limit, and by options that cannot be met.

use super::{program, run};
use std::io::Read;
use std::process::Stdio;
use std::sync::mpsc;
use std::time::Duration;

/// A job that runs for many seconds.
pub const LONG: [&str; 6] = ["--ranks", "3", "--kernel", "all_gather", "--n", "400000"];

#[test]
fn ranks_end_with_a_killed_parent() {
    let mut parent = program(&LONG).stdin(Stdio::null()).stdout(Stdio::piped()).spawn().expect("the program starts");
    let mut output = parent.stdout.take().expect("a pipe");
    // Waits until the ranks run, even on a slow machine.
    std::thread::sleep(Duration::from_secs(3));
    parent.kill().expect("it still runs");
    // The ranks share the output, which therefore ends with the last of them.
    let (sender, ended) = mpsc::channel();
    std::thread::spawn(move || sender.send(output.read_to_end(&mut Vec::new())));
    assert!(ended.recv_timeout(Duration::from_secs(5)).is_ok(), "a rank is left");
    parent.wait().expect("it has ended");
}

#[test]
fn a_job_ends_at_its_time_limit() {
    let output = run(&[&LONG[..], &["--limit", "1"]].concat());
    let words = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{words}");
    assert!(words.contains("3 of 3 ranks still run after 1 s"), "{words}");
}

#[test]
fn messages_about_invalid_options_name_valid_ones() {
    for (options, words) in [
        (&["--kernel", "rings"][..], "available are host_staged, all_gather"),
        (&["--n", "4000000000"], "1..=1073741824"),
        (&["--n", "200000", "--kernel", "by_points"], "by_points accepts 1 to 131072"),
        (&["--ranks", "0"], "0 is not in 1..=4096"),
    ] {
        let output = run(options);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{options:?}: {said}");
        assert!(said.contains(words), "{options:?}: {said}");
    }
}
