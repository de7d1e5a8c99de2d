//! `cargo run -p stage09-patterns`: runs, checks and measures the kernels of stage 9.

use std::process::ExitCode;

fn main() -> ExitCode {
    common::run(&stage09_patterns::STAGE)
}
