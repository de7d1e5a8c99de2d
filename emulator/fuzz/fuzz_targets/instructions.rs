//! Bytes that choose the instructions of a kernel, which is launched.
#![no_main]

#[path = "../../tests/hostile/mod.rs"]
#[allow(dead_code, reason = "this target uses a part of it")]
mod hostile;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| hostile::targets::instructions(bytes));
