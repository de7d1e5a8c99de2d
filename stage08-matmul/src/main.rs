//! `cargo run -p stage08-matmul`: runs, checks and measures the kernels of stage 8.

use std::process::ExitCode;

fn main() -> ExitCode {
    common::run(&stage08_matmul::STAGE)
}
