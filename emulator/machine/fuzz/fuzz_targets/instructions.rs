//! Launches kernels whose instructions are generated from the input.
#![no_main]

#[path = "../../tests/hostile/mod.rs"]
#[allow(dead_code, reason = "each target uses only a part of it")]
mod hostile;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| hostile::targets::instructions(bytes));
