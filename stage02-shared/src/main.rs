//! `cargo run -p stage02-shared`: runs, checks and measures the kernels of stage 2.

use std::process::ExitCode;

fn main() -> ExitCode {
    common::run(&stage02_shared::STAGE)
}
