//! `cargo bench -p stage03-unroll`: device-event times of the kernels, and the CPU's own loops.

use std::process::ExitCode;

fn main() -> ExitCode {
    common::bench::run(&stage03_unroll::STAGE)
}
