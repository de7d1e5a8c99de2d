//! Hostile input, the same every time: damaged modules, random instructions, what the fuzzer found, and what is too
//! large or too deep. None of it may panic, hang, or be refused without a line.

mod hostile;

use hostile::{mutate::mutate, targets};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

/// What one input may take; most take a thousandth of it, and other tests run at the same time.
const LIMIT: Duration = Duration::from_secs(20);

/// Runs `target` on a thread of its own; says why it failed if it panics or does not come back.
fn survives(limit: Duration, target: impl FnOnce() + Send + 'static) -> Result<(), String> {
    let (sender, receiver) = mpsc::channel();
    // Without a join: a thread that hangs ends with the process.
    std::thread::spawn(move || {
        let _late = sender.send(catch_unwind(AssertUnwindSafe(target)).map_err(text_of));
    });
    receiver.recv_timeout(limit).unwrap_or_else(|_| Err(format!("not done after {limit:?}")))
}

fn text_of(payload: Box<dyn Any + Send>) -> String {
    let text = payload.downcast_ref::<String>().cloned();
    text.or_else(|| payload.downcast_ref::<&str>().map(|text| (*text).to_owned())).unwrap_or_default()
}

fn files(folder: &str, extension: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut list: Vec<PathBuf> = paths.filter(|path| path.extension().is_some_and(|ext| ext == extension)).collect();
    list.sort();
    list
}

/// Modules small enough to be damaged often.
fn seeds() -> Vec<Vec<u8>> {
    let paths = ["tests/programs", "tests/faults", "tests/fixtures"].map(|folder| files(folder, "ptx"));
    let texts = paths.iter().flatten().map(|path| std::fs::read(path).unwrap());
    texts.filter(|text| text.len() < 40_000).collect()
}

#[test]
fn the_watch_sees_a_panic_and_a_hang() {
    assert_eq!(survives(LIMIT, || panic!("planted {}", 1)), Err("planted 1".to_owned()));
    let hang = survives(Duration::from_millis(50), || {
        loop {
            std::thread::park();
        }
    });
    assert_eq!(hang, Err("not done after 50ms".to_owned()));
    assert_eq!(survives(LIMIT, || ()), Ok(()));
}

#[test]
fn a_module_cut_off_anywhere_is_refused_or_loads() {
    let text = hostile::generate::module(&[7; 64]);
    targets::run(&text);
    for length in 0..text.len() {
        let part = text[..length].to_owned();
        if let Err(why) = survives(LIMIT, move || targets::parse(part.as_bytes())) {
            panic!("cut off at byte {length}: {why}");
        }
    }
}

/// Runs `count` inputs that `make` gives for the numbers from 0 on.
fn all(count: u64, make: impl Fn(u64) -> Vec<u8>, target: fn(&[u8])) {
    for number in 0..count {
        let input = make(number);
        let copy = input.clone();
        if let Err(why) = survives(LIMIT, move || target(&copy)) {
            let text: String = String::from_utf8_lossy(&input).chars().take(8000).collect();
            panic!("input {number}: {why}\n{text}");
        }
    }
}

fn run(bytes: &[u8]) {
    match std::str::from_utf8(bytes) {
        Ok(text) => targets::run(text),
        Err(_) => targets::parse(bytes),
    }
}

#[test]
fn damaged_modules_are_refused_or_run() {
    let seeds = seeds();
    assert!(seeds.len() > 30, "{} modules", seeds.len());
    all(600, |number| mutate(&seeds[number as usize % seeds.len()], number), run);
}

#[test]
fn random_instructions_are_refused_or_run() {
    use rand::{Rng, SeedableRng};
    let bytes = |seed| {
        let mut bytes = vec![0; 8 + seed as usize % 320];
        rand_chacha::ChaCha8Rng::seed_from_u64(seed).fill_bytes(&mut bytes);
        bytes
    };
    all(400, bytes, targets::instructions);
}

/// Inputs on which an earlier version panicked, hung or took too much memory.
#[test]
fn what_was_found_stays_repaired() {
    let found = files("tests/hostile/found", "ptx");
    assert!(!found.is_empty());
    for path in found {
        let input = std::fs::read(&path).unwrap();
        if let Err(why) = survives(LIMIT, move || run(&input)) {
            panic!("{}: {why}", path.display());
        }
    }
}
