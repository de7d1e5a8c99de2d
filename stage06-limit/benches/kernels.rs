//! `cargo bench -p stage06-limit`: device-event times of the kernels, and the CPU's own loops.

use std::process::ExitCode;

fn main() -> ExitCode {
    common::bench::run(&stage06_limit::STAGE)
}
