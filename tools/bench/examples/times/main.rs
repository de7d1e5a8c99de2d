//! `cargo run -p bench --example times`: how long the kernels of stages 1 to 6 take with the PTX of three compilers.
//!
//! `-- write FOLDER` compiles every kernel with clang and writes the PTX of LLVM's back end and of `ir-ptx`; it needs
//! clang and no GPU. `-- time FOLDER` runs them on a GPU beside the PTX of NVRTC, which is part of the stages, and prints
//! a table. A kernel has its size and shape of the stages' tables. All results are verified.

mod table;
mod timing;
mod write;

use common::stage::{Rung, Stage};
use std::path::Path;
use std::process::ExitCode;

static STAGES: [&Stage; 6] = [
    &stage01_naive::STAGE,
    &stage02_shared::STAGE,
    &stage03_unroll::STAGE,
    &stage04_shuffle::STAGE,
    &stage05_coulomb::STAGE,
    &stage06_limit::STAGE,
];

/// A compiler, in the order of the table.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Compiler {
    /// NVIDIA's, whose PTX is part of the stages.
    Nvrtc,
    /// clang with LLVM's back end.
    Llvm,
    /// clang with `ir-ptx`.
    Ours,
}

impl Compiler {
    const ALL: [Self; 3] = [Self::Nvrtc, Self::Llvm, Self::Ours];

    /// Returns the file of a kernel's PTX.
    fn file(self, stage: &str, kernel_file: &str) -> String {
        let name = match self {
            Self::Nvrtc => "nvrtc",
            Self::Llvm => "llvm",
            Self::Ours => "ours",
        };
        format!("{stage}-{kernel_file}.{name}.ptx")
    }
}

/// Returns the kernels that a stage adds.
fn own_rungs(stage: &'static Stage) -> impl Iterator<Item = &'static Rung> {
    stage.rungs.iter().copied().filter(|rung| !stage.is_baseline(rung))
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words[..] {
        ["write", folder] => write::all(Path::new(folder)),
        ["time", folder] => timing::all(Path::new(folder)),
        _ => Err("the arguments are: write FOLDER, or time FOLDER".into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
