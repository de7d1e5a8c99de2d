//! `cargo bench -p stage05-coulomb`: device-event times of the kernels, and the CPU's own loops.

use std::process::ExitCode;

fn main() -> ExitCode {
    common::bench::run(&stage05_coulomb::STAGE)
}
