//! `cargo bench -p stage01-naive`: device-event times of the kernels, and the CPU's own loops.

use std::process::ExitCode;

fn main() -> ExitCode {
    common::bench::run(&stage01_naive::STAGE)
}
