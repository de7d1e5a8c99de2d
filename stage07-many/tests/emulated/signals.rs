//! The ends of jobs on Linux: by a rank that dies, and by a signal to their parent.

use super::ends::LONG;
use super::program;
use std::fs::read_dir;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

fn start() -> Child {
    let child = program(&LONG).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the program starts");
    let started = Instant::now();
    while ranks_of(child.id()).len() < 3 {
        assert!(started.elapsed() < Duration::from_secs(20), "the ranks do not start");
        std::thread::sleep(Duration::from_millis(20));
    }
    // Waits until the ranks have met, or are about to.
    std::thread::sleep(Duration::from_millis(500));
    child
}

/// Returns the processes with this parent.
fn ranks_of(parent: u32) -> Vec<u32> {
    let processes = read_dir("/proc").expect("Linux").flatten();
    let ids = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    ids.filter(|id| stat(*id).is_some_and(|(of, state)| of == parent && state != 'Z')).collect()
}

/// Returns the parent and state of a process.
fn stat(id: u32) -> Option<(u32, char)> {
    let text = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    let (_, fields) = text.rsplit_once(") ")?;
    let mut fields = fields.split(' ');
    let state = fields.next()?.chars().next()?;
    Some((fields.next()?.parse().ok()?, state))
}

fn is_running(id: u32) -> bool {
    stat(id).is_some_and(|(_, state)| state != 'Z')
}

fn signal(id: u32, signal: rustix::process::Signal) {
    let id = rustix::process::Pid::from_raw(i32::try_from(id).expect("an id")).expect("an id");
    rustix::process::kill_process(id, signal).expect("the process is there");
}

fn require_none_left(ranks: &[u32]) {
    let started = Instant::now();
    while ranks.iter().any(|&rank| is_running(rank)) {
        assert!(started.elapsed() < Duration::from_secs(5), "a rank is left");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_rank_that_dies_ends_all_others_within_five_seconds_and_is_named() {
    let child = start();
    let mut ranks = ranks_of(child.id());
    ranks.sort_unstable();
    let killed = Instant::now();
    signal(ranks[1], rustix::process::Signal::KILL);
    let output = child.wait_with_output().expect("it ends");
    assert!(killed.elapsed() < Duration::from_secs(5), "{:?}", killed.elapsed());
    let words = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{words}");
    assert!(words.contains("rank 1 ended prematurely") && words.contains("signal: 9"), "{words}");
    require_none_left(&ranks);
}

/// Returns whether this process ignores a signal, according to the mask in its status.
fn is_ignored(signal: rustix::process::Signal) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux has it");
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).expect("a mask");
    let mask = u64::from_str_radix(mask.trim(), 16).expect("in hexadecimal");
    mask >> (signal.as_raw() - 1) & 1 == 1
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn whatever_ends_the_parent_ends_its_ranks() {
    // the background job of a shell ignores the first, and so would its children
    let signals = [rustix::process::Signal::INT, rustix::process::Signal::TERM, rustix::process::Signal::KILL];
    for by in signals.into_iter().filter(|&signal| !is_ignored(signal)) {
        let mut child = start();
        let ranks = ranks_of(child.id());
        signal(child.id(), by);
        child.wait().expect("it ends");
        require_none_left(&ranks);
    }
}
