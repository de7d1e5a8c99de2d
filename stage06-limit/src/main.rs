//! `cargo run -p stage06-limit`: runs, checks and measures the kernels of stage 6.

use std::process::ExitCode;

fn main() -> ExitCode {
    common::run(&stage06_limit::STAGE)
}
