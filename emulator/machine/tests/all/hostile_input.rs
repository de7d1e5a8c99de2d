//! Hostile input, the same in every run: damaged modules, random instructions, and the findings of the fuzzer. No input may
//! panic, hang, or be refused without the number of a line.

use crate::hostile::{generate, mutate::mutate, targets};
use crate::support;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;
use std::time::Duration;

/// The time limit of one input. Most take a thousandth of it, but other tests run at the same time.
const LIMIT: Duration = Duration::from_secs(20);

/// Runs `target` on another thread. Returns why it failed if it panics or exceeds the limit.
fn survives(limit: Duration, target: impl FnOnce() + Send + 'static) -> Result<(), String> {
    let (sender, receiver) = mpsc::channel();
    // Never joined: a thread that hangs ends with the process.
    std::thread::spawn(move || {
        let _late = sender.send(catch_unwind(AssertUnwindSafe(target)).map_err(text_of));
    });
    receiver.recv_timeout(limit).unwrap_or_else(|_| Err(format!("not done after {limit:?}")))
}

fn text_of(payload: Box<dyn Any + Send>) -> String {
    let text = payload.downcast_ref::<String>().cloned();
    text.or_else(|| payload.downcast_ref::<&str>().map(|text| (*text).to_owned())).unwrap_or_default()
}

/// Returns the modules of the other tests that are small enough to be damaged often.
fn seeds() -> Vec<Vec<u8>> {
    let texts = support::modules().into_iter().map(String::into_bytes);
    texts.filter(|text| text.len() < 40_000).collect()
}

#[test]
fn a_panic_and_a_hang_are_noticed() {
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
    let text = generate::module(&[7; 64]);
    targets::run(&text);
    for length in 0..text.len() {
        let part = text[..length].to_owned();
        if let Err(why) = survives(LIMIT, move || targets::parse(part.as_bytes())) {
            panic!("cut off at byte {length}: {why}");
        }
    }
}

/// Runs `target` on the inputs that `make` returns for the numbers from 0 to `count - 1`.
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
#[ignore = "slow: run by cargo x ci"]
fn damaged_modules_are_refused_or_run() {
    let seeds = seeds();
    assert!(seeds.len() > 30, "{} modules", seeds.len());
    all(600, |number| mutate(&seeds[number as usize % seeds.len()], number), run);
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn random_instructions_are_refused_or_run() {
    use rand::{Rng, SeedableRng};
    let bytes = |seed| {
        let mut bytes = vec![0; 8 + seed as usize % 320];
        chacha20::ChaCha8Rng::seed_from_u64(seed).fill_bytes(&mut bytes);
        bytes
    };
    all(400, bytes, targets::instructions);
}

/// Inputs on which an earlier version panicked, hung or used too much memory.
#[test]
fn findings_of_the_fuzzer_stay_fixed() {
    let found = support::files("hostile/found", "ptx");
    assert!(!found.is_empty());
    for (name, text) in found {
        if let Err(why) = survives(LIMIT, move || run(text.as_bytes())) {
            panic!("{name}.ptx: {why}");
        }
    }
}
