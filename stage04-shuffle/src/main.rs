//! `cargo run -p stage04-shuffle`: runs, checks and measures the kernels of stage 4.

use std::process::ExitCode;

fn main() -> ExitCode {
    common::run(&stage04_shuffle::STAGE)
}
