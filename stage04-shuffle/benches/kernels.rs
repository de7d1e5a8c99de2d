//! `cargo bench -p stage04-shuffle`: device-event times of the kernels, and the CPU's own loops.

use std::process::ExitCode;

fn main() -> ExitCode {
    common::bench::run(&stage04_shuffle::STAGE)
}
