//! `cargo run -p stage03-unroll`: runs, checks and measures the kernels of stage 3.

use std::process::ExitCode;

fn main() -> ExitCode {
    common::run(&stage03_unroll::STAGE)
}
