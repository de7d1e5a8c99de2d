//! Hostile calls get what an NVIDIA driver answers: `data/hostile_calls.json` has its answers, and each of ours is one
//! of them or is in [`OTHERWISE`] with its reason. Every case runs in a process of its own, which may crash.
//!
//! With `COALESCED_TEST_DRIVER=cuda` the ignored test `record` prints what the machine's own driver answers.

mod hostile;

use hostile::cases;
use hostile::driver::Driver;
use std::collections::BTreeMap;
use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Names the case that a process is for.
const CASE: &str = "COALESCED_HOSTILE_CASE";

/// What a case may take; most of it is the start of a real driver.
const LIMIT: Duration = Duration::from_secs(60);

/// Processes at a time.
const PROCESSES: usize = 4;

/// Cases that the emulator answers otherwise than the driver whose answers are kept, and why.
const OTHERWISE: &[(&str, &str, &str)] = &[
    (
        "destroyed: cuCtxSetCurrent",
        "CUDA_ERROR_INVALID_CONTEXT",
        "a destroyed handle is told at once, not at the next call",
    ),
    ("destroyed: cuCtxPushCurrent", "CUDA_ERROR_INVALID_CONTEXT", "as before"),
    (
        "destroyed: cuStreamSynchronize of a destroyed context's",
        "CUDA_ERROR_INVALID_HANDLE",
        "it ended with its context",
    ),
    ("destroyed: a stream taken for an event", "CUDA_ERROR_INVALID_HANDLE", "the driver reads the wrong structure"),
    ("launch: a parameter buffer too small", "CUDA_ERROR_INVALID_VALUE", "the driver reads past its end"),
    ("module: a folder", "CUDA_ERROR_FILE_NOT_FOUND", "the driver takes the size of a folder for that of a file"),
    (
        "module: an ELF header alone",
        "CUDA_ERROR_NO_BINARY_FOR_GPU",
        "machine code is named as what it is, broken or not",
    ),
    ("module: an unknown instruction", "CUDA_SUCCESS", "its kernel is refused when it is asked for, and others run"),
    ("module: cuModuleGetGlobal of a kernel", "CUDA_ERROR_NOT_FOUND", "as for every other name"),
    (
        "size: cuDeviceGetName of -1 bytes",
        "CUDA_ERROR_INVALID_VALUE",
        "a negative length, which the driver does not see",
    ),
    ("size: cuMemsetD8 of 2^64 - 1", "CUDA_ERROR_INVALID_VALUE", "the driver does nothing and calls it success"),
    ("size: cuMemsetD32 of 2^62 elements", "CUDA_ERROR_INVALID_VALUE", "as before"),
    ("size: cuMemsetD2D8 of 2^64 - 1 rows", "CUDA_ERROR_INVALID_VALUE", "as before"),
    (
        "size: cuMemcpy2D with a pitch of 2^64 - 1",
        "CUDA_ERROR_INVALID_VALUE",
        "the address of its second row wraps around, which the driver does not see",
    ),
];

type Answers = BTreeMap<String, String>;

/// Runs one case in a process of its own: this test with the name of the case in its environment.
fn start(case: &str) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "one_case", "--ignored", "--nocapture"]).env(CASE, case);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// What a process answered: a status, or how it ended without one.
fn answer(mut child: Child, limit: Duration) -> String {
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
    let (mut said, mut complaint) = (String::new(), String::new());
    child.stdout.take().unwrap().read_to_string(&mut said).unwrap();
    child.stderr.take().unwrap().read_to_string(&mut complaint).unwrap();
    match said.lines().find_map(|line| line.split_once("answer: ")) {
        Some((_, answer)) => answer.to_owned(),
        None if complaint.contains("panicked") => format!("failed: {}", complaint.trim()),
        None => format!("crash: {status}"),
    }
}

/// The answers of the driver to all cases.
fn answers() -> Answers {
    let mut rest: Vec<&str> = cases::all().map(|case| case.0).collect();
    let mut answers = Answers::new();
    while !rest.is_empty() {
        let some = rest.split_off(rest.len().saturating_sub(PROCESSES));
        let running: Vec<(&str, Child)> = some.into_iter().map(|case| (case, start(case))).collect();
        answers.extend(running.into_iter().map(|(case, child)| (case.to_owned(), answer(child, LIMIT))));
    }
    answers
}

#[test]
#[ignore = "one case, for a process of its own"]
fn one_case() {
    let wanted = std::env::var(CASE).unwrap();
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
    println!("answer: {}", driver.name(run(&driver)));
    // Without the driver's own clean-up, which a case may have made impossible.
    std::process::exit(0);
}

#[test]
#[ignore = "prints what a driver answers, to be kept in data/hostile_calls.json"]
fn record() {
    println!("{}", serde_json::to_string_pretty(&answers()).unwrap());
}

#[test]
fn a_crash_a_hang_and_a_panic_are_seen() {
    // Windows ends a process that aborts with STATUS_STACK_BUFFER_OVERRUN.
    let aborted = if cfg!(windows) { "crash: exit code: 0xc0000409" } else { "crash: signal: 6" };
    assert!(answer(start("planted: crash"), LIMIT).starts_with(aborted));
    assert_eq!(answer(start("planted: hang"), Duration::from_millis(300)), "hang");
    assert!(answer(start("planted: panic"), LIMIT).starts_with("failed: "));
}

#[test]
fn hostile_calls_get_what_an_h200_answers() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/hostile_calls.json");
    let hardware: Answers = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let ours = answers();
    assert!(ours.keys().eq(hardware.keys()), "record the answers again");
    let mut wrong = Vec::new();
    for (case, answer) in &ours {
        let otherwise = OTHERWISE.iter().find(|row| row.0 == case).map(|row| row.1);
        let right = match (otherwise, hardware[case].as_str()) {
            // The reason has to hold: what became the same is taken off the list.
            (Some(expected), theirs) => answer == expected && theirs != expected,
            // Where a driver crashes, ours says that the call was wrong.
            (None, theirs) if theirs.starts_with("crash") => answer.starts_with("CUDA_ERROR_INVALID"),
            (None, theirs) => answer == theirs,
        };
        if !right {
            wrong.push(format!("{case}: {answer}, and hardware {}", hardware[case]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(OTHERWISE.iter().all(|row| ours.contains_key(row.0)));
}
