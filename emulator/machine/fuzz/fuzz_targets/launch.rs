//! Loads the input as a module and launches its kernels.
#![no_main]

#[path = "../../tests/hostile/mod.rs"]
#[allow(dead_code, reason = "each target uses only a part of it")]
mod hostile;

use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};

fuzz_target!(|text: &str| hostile::targets::run(text));

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    if seed % 4 == 0 {
        return fuzzer_mutate(data, size, max_size);
    }
    let damaged = hostile::mutate::mutate(&data[..size], u64::from(seed));
    let length = damaged.len().min(max_size);
    data[..length].copy_from_slice(&damaged[..length]);
    length
});
