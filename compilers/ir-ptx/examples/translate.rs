//! `cargo run -p ir-ptx --example translate FILE.ll`: prints the PTX of a module.

use std::process::ExitCode;

fn main() -> ExitCode {
    let Some(path) = std::env::args().nth(1) else {
        eprintln!("name a file with LLVM IR");
        return ExitCode::FAILURE;
    };
    let text = std::fs::read_to_string(&path).map_err(|error| error.to_string());
    match text.and_then(|text| ir_ptx::translate(&text).map_err(|refusals| refusals.to_string())) {
        Ok(ptx) => {
            print!("{ptx}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{path}: {error}");
            ExitCode::FAILURE
        }
    }
}
