//! `cargo run -p stage01-naive`: runs, checks and measures the kernels of stage 1.

use std::process::ExitCode;

fn main() -> ExitCode {
    common::run(&stage01_naive::STAGE)
}
