//! Child processes: their end, their limits, and the exchange of text with them. The children are this program itself, which
//! runs the same test again with an environment variable that names the child's part in it.

use learn::worker::confinement::{confine, new_group, stop_group};
use learn::worker::conversation::{KEPT_ERROR_BYTES, Transcript, converse};
use std::io::{BufRead, BufReader, Read, Write, stderr};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const PART: &str = "COALESCED_TEST_PART";

/// Returns the command that starts this program again, for the same test.
fn again(test: &str, part: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", &format!("worker::{test}"), "--nocapture"]);
    command.env(PART, part).stdin(Stdio::null());
    command
}

fn is_child() -> bool {
    std::env::var_os(PART).is_some()
}

#[test]
fn stopping_a_process_stops_those_it_has_started() {
    let again = |part| again("stopping_a_process_stops_those_it_has_started", part);
    match std::env::var(PART).as_deref() {
        Ok("process") => {
            confine(100, None);
            again("started by it").status().unwrap();
        }
        Ok(_) => {
            println!("is running");
            std::thread::sleep(Duration::from_secs(20));
            println!("outlived it");
        }
        Err(_) => {
            let mut process = again("process");
            new_group(process.stdout(Stdio::piped()));
            let mut process = process.spawn().unwrap();
            let mut lines = BufReader::new(process.stdout.take().unwrap());
            let mut line = String::new();
            while !line.contains("is running") {
                line.clear();
                assert!(lines.read_line(&mut line).unwrap() > 0, "it ended before it was stopped");
            }
            stop_group(&mut process);
            let mut rest = String::new();
            lines.read_to_string(&mut rest).unwrap();
            assert!(!rest.contains("outlived it"), "{rest}");
        }
    }
}

#[test]
fn memory_beyond_the_limit_is_refused() {
    const TEST: &str = "memory_beyond_the_limit_is_refused";
    if is_child() {
        confine(100, Some(1 << 30));
        let refused = Vec::<u8>::new().try_reserve_exact(2 << 30).is_err();
        println!("{}", if refused { "refused" } else { "given" });
        return;
    }
    if cfg!(windows) && std::env::var_os("WINEPREFIX").is_some() {
        let _ = writeln!(stderr(), "skipped: {TEST}: Wine ignores a job's memory limit; use Windows");
        return;
    }
    let output = again(TEST, "process").output().unwrap();
    let output = String::from_utf8_lossy(&output.stdout);
    assert!(output.lines().any(|line| line.ends_with("refused")), "{output}");
}

fn spawn(test: &str) -> Child {
    let mut command = again(test, "child");
    new_group(command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()));
    command.spawn().unwrap()
}

#[test]
fn a_child_may_write_more_errors_than_a_pipe_holds() {
    if is_child() {
        eprint!("{}the end of the errors", " ".repeat(1 << 20));
        println!("the answer");
        return;
    }
    let mut child = spawn("a_child_may_write_more_errors_than_a_pipe_holds");
    let Transcript { output, errors, is_late } = converse(&mut child, Vec::new(), Duration::from_secs(20));
    assert!(!is_late && output.contains("the answer"), "late: {is_late}, {output}");
    assert!(errors.len() == KEPT_ERROR_BYTES && errors.contains("the end of the errors"), "{errors}");
}

#[test]
fn a_child_that_does_not_read_its_input_is_stopped_in_time() {
    if is_child() {
        std::thread::sleep(Duration::from_secs(20));
        return;
    }
    let start = Instant::now();
    let mut child = spawn("a_child_that_does_not_read_its_input_is_stopped_in_time");
    let transcript = converse(&mut child, vec![b' '; 1 << 20], Duration::from_secs(1));
    assert!(transcript.is_late && start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}
