//! `cargo run -p stage05-coulomb`: runs, checks and measures the kernels of stage 5.

use std::process::ExitCode;

fn main() -> ExitCode {
    common::run(&stage05_coulomb::STAGE)
}
