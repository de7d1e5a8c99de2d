//! `cargo run -p stage07-many`: runs, checks and measures strategies to share work among GPUs.

use std::process::ExitCode;

fn main() -> ExitCode {
    stage07_many::run()
}
