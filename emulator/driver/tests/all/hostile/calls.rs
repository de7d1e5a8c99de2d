//! Hostile calls return the same status as an NVIDIA driver. `data/hostile_calls.json` contains the statuses of its driver;
//! intended differences are in [`DIFFERENCES`] with their reasons. Every case runs in its own process, because it may crash.
//!
//! `COALESCED_TEST_DRIVER=cuda COALESCED_TEST_RECORD=1 cargo test -p emulator-driver --test all -- --include-ignored
//! --nocapture all_hostile_calls` prints the statuses of the machine's own driver.

use super::cases;
use super::driver::Driver;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The environment variable with the name of the case for which a process was started.
const CASE: &str = "COALESCED_HOSTILE_CASE";

/// If this environment variable is set, the statuses are printed instead of compared.
const RECORD: &str = "COALESCED_TEST_RECORD";

/// The time limit of a case, most of which the initialization of a real driver may take.
const LIMIT: Duration = Duration::from_secs(60);

/// The number of concurrent processes.
const PROCESSES: usize = 4;

/// One case in so many is part of every test run.
const SAMPLE: usize = 12;

/// The cases with an intended difference: the emulator's status, and the reason.
const DIFFERENCES: &[(&str, &str, &str)] = &[
    (
        "destroyed: cuCtxSetCurrent",
        "CUDA_ERROR_INVALID_CONTEXT",
        "a destroyed handle is reported immediately, not by the next call",
    ),
    ("destroyed: cuCtxPushCurrent", "CUDA_ERROR_INVALID_CONTEXT", "as above"),
    (
        "destroyed: cuStreamSynchronize of a destroyed context's",
        "CUDA_ERROR_INVALID_HANDLE",
        "it was destroyed with its context",
    ),
    ("destroyed: a stream taken for an event", "CUDA_ERROR_INVALID_HANDLE", "the driver reads the wrong structure"),
    ("launch: a parameter buffer too small", "CUDA_ERROR_INVALID_VALUE", "the driver reads past its end"),
    ("module: a folder", "CUDA_ERROR_FILE_NOT_FOUND", "the driver uses the size of a folder as that of a file"),
    ("module: an ELF header alone", "CUDA_ERROR_NO_BINARY_FOR_GPU", "machine code is unsupported, malformed or not"),
    ("module: cuModuleGetGlobal of a kernel", "CUDA_ERROR_NOT_FOUND", "as for every other name"),
    ("size: cuDeviceGetName of -1 bytes", "CUDA_ERROR_INVALID_VALUE", "the driver does not detect a negative length"),
    ("size: cuMemsetD8 of 2^64 - 1", "CUDA_ERROR_INVALID_VALUE", "the driver does nothing and reports success"),
    ("size: cuMemsetD32 of 2^62 elements", "CUDA_ERROR_INVALID_VALUE", "as above"),
    (
        "size: cuMemcpy2D with a pitch of 2^64 - 1",
        "CUDA_ERROR_INVALID_VALUE",
        "the driver does not detect that the address of the second row wraps around",
    ),
];

/// The status of each case.
type Statuses = BTreeMap<String, String>;

/// Starts a process for one case: the test [`one_case`], with the name of the case in the environment.
fn start(case: &str) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "hostile::calls::one_case", "--nocapture", "--test-threads=1"]).env(CASE, case);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Waits for a process. Returns the status that it printed, or how it ended without one.
fn status(mut child: Child, limit: Duration) -> String {
    let started = Instant::now();
    let status = loop {
        match child.try_wait().unwrap() {
            Some(status) => break status,
            None if started.elapsed() < limit => std::thread::sleep(Duration::from_millis(2)),
            None => {
                child.kill().unwrap();
                child.wait().unwrap();
                return "hang".to_owned();
            }
        }
    };
    let mut printed = String::new();
    let mut errors = String::new();
    child.stdout.take().unwrap().read_to_string(&mut printed).unwrap();
    child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
    match printed.lines().find_map(|line| line.split_once("status: ")) {
        Some((_, status)) => status.to_owned(),
        None if errors.contains("panicked") => format!("failed: {}", errors.trim()),
        None => format!("crash: {status}"),
    }
}

/// Returns the status of every `step`th case.
fn statuses(step: usize) -> Statuses {
    let mut rest: Vec<&str> = cases::all().map(|case| case.0).step_by(step).collect();
    let mut statuses = Statuses::new();
    while !rest.is_empty() {
        let some = rest.split_off(rest.len().saturating_sub(PROCESSES));
        let running: Vec<(&str, Child)> = some.into_iter().map(|case| (case, start(case))).collect();
        statuses.extend(running.into_iter().map(|(case, child)| (case.to_owned(), status(child, LIMIT))));
    }
    statuses
}

/// Runs one case, in a process that another test has started for it.
#[test]
fn one_case() {
    let Ok(wanted) = std::env::var(CASE) else { return };
    const PLANTED: [cases::Case; 3] = [
        ("planted: crash", |_| std::process::abort()),
        ("planted: hang", |_| {
            loop {
                std::thread::park();
            }
        }),
        ("planted: panic", |_| panic!("planted")),
    ];
    let (_, run) = cases::all().chain(&PLANTED).find(|case| case.0 == wanted).unwrap();
    let driver = Driver::open();
    println!("status: {}", driver.name(run(&driver)));
    // Without the driver's own clean-up, which a case may have made impossible.
    std::process::exit(0);
}

#[test]
fn a_crash_a_hang_and_a_panic_are_detected() {
    // Windows ends a process that aborts with STATUS_STACK_BUFFER_OVERRUN.
    let aborted = if cfg!(windows) { "crash: exit code: 0xc0000409" } else { "crash: signal: 6" };
    assert!(status(start("planted: crash"), LIMIT).starts_with(aborted));
    assert_eq!(status(start("planted: hang"), Duration::from_millis(300)), "hang");
    assert!(status(start("planted: panic"), LIMIT).starts_with("failed: "));
}

/// Returns the statuses of an H200.
fn hardware() -> Statuses {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/hostile_calls.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// Fails if a status differs from that of an H200 without being in [`DIFFERENCES`].
fn compare(ours: &Statuses) {
    let hardware = hardware();
    let mut wrong = Vec::new();
    for (case, status) in ours {
        let difference = DIFFERENCES.iter().find(|row| row.0 == case).map(|row| row.1);
        let right = match (difference, hardware[case].as_str()) {
            // A difference that no longer exists has to be removed from the list.
            (Some(expected), theirs) => status == expected && theirs != expected,
            // Where a real driver crashes, the emulator reports an invalid call.
            (None, theirs) if theirs.starts_with("crash") => status.starts_with("CUDA_ERROR_INVALID"),
            (None, theirs) => status == theirs,
        };
        if !right {
            wrong.push(format!("{case}: {status}, and on hardware {}", hardware[case]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_sample_of_hostile_calls_behaves_as_on_an_h200() {
    assert!(cases::all().map(|case| case.0.to_owned()).collect::<BTreeSet<_>>().iter().eq(hardware().keys()));
    assert!(DIFFERENCES.iter().all(|row| hardware().contains_key(row.0)));
    compare(&statuses(SAMPLE));
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn all_hostile_calls_behave_as_on_an_h200() {
    let ours = statuses(1);
    match std::env::var_os(RECORD) {
        Some(_) => println!("{}", serde_json::to_string_pretty(&ours).unwrap()),
        None => compare(&ours),
    }
}
