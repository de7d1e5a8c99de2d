//! `cargo bench -p stage02-shared`: device-event times of the kernels, and the CPU's own loops.

use std::process::ExitCode;

fn main() -> ExitCode {
    common::bench::run(&stage02_shared::STAGE)
}
