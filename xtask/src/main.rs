//! The workspace's own commands, run as `cargo x COMMAND`.

mod check;
mod ci;
mod clang_format;
mod command;
mod compiler;
mod doctor;
mod foreign;
mod instructions;
mod ptx;
mod record;
mod sha256;
mod tokens;
mod walks;
mod wasm;
mod workspace;

use anyhow::Result;
use clap::{Parser, Subcommand};
use kernel_file::Language;
use std::path::PathBuf;
use std::process::ExitCode;
use workspace::Workspace;

#[derive(Parser)]
#[command(
    name = "cargo x",
    bin_name = "cargo x",
    about = "The workspace's own commands",
    arg_required_else_help = true
)]
struct Options {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Run any kernel on the emulator and say what it does wrong with memory and barriers
    ///
    /// Looks for what compute-sanitizer's memcheck, initcheck, racecheck and synccheck look for, in one run, and names
    /// tool, threads, source line and instruction. Needs neither a GPU nor, for PTX, a compiler.
    #[command(after_help = check::EXAMPLE)]
    Check(check::Check),
    /// Check the book against the repository: chapters, kernels' cards, tables, links, records, terms
    ///
    /// Prints everything that is wrong as FILE:LINE: what and what to do.
    CheckContent,
    /// Run what a change must pass: format, lints, documentation, prebuilt PTX, content, tests
    ///
    /// The steps run in this order and stop at the first that fails. Needs neither a GPU nor NVRTC.
    Ci {
        /// Leave out the last steps, which run the programs: `cargo test --workspace` and the table of instructions
        #[arg(long)]
        no_test: bool,
    },
    /// Lay out kernels/*.cu of the stages, and the faulty kernels, as .clang-format says, and kernels/*.rs by rustfmt
    ///
    /// Needs clang-format 18.1.8: `python3 -m pip install --target target/clang-format clang-format==18.1.8`. Afterwards
    /// `cargo x ptx`, since the PTX files name the lines of their kernels.
    ClangFormat {
        /// Write nothing; fail where a file would change
        #[arg(long)]
        check: bool,
    },
    /// Say what this machine has, which commands of the README work on it, and what makes the others work
    ///
    /// Builds and runs the first stage at a small size. Exit status: 0 if `cargo run -p stage01-naive` and `cargo test
    /// --workspace` work.
    Doctor {
        /// Print the report as JSON
        #[arg(long)]
        json: bool,
    },
    /// Fetch NVRTC, NVIDIA's compiler library for CUDA C++, which edited kernels are compiled with
    ///
    /// Fetches the pinned wheel (24 MB) by pip or uv, whichever is here, checks its SHA-256, and keeps it in
    /// ~/.cache/coalesced/nvrtc (or in XDG_CACHE_HOME), where every stage, `cargo x ptx` and `cargo x check` of every
    /// checkout find it. Does nothing where it is there already. Needs Linux on x86-64 or aarch64, and no GPU.
    Nvrtc {
        /// Fetch the oldest and newest releases of CUDA 12 and 13 too (260 MB), and compile and run a kernel with each
        #[arg(long)]
        every_release: bool,
    },
    /// Exercises: copy them, check each save, ask for hints, grade
    ///
    /// Without a command it watches your folder: each save of the current exercise is compiled and run on the emulator, under
    /// all checks, and the first check that fails is shown. Needs no GPU. Exit status: 0 where what was checked is solved, 1
    /// where it is not, 2 where nothing could be checked.
    Learn(learn::Learn),
    /// Compile kernels/*.cu and kernels/*.rs of the stages, and of the faulty kernels, to ptx/*.ptx with pinned compilers
    ///
    /// Run it after editing a kernel, and commit both files. The pinned NVRTC is fetched once, as by `cargo x nvrtc`; it
    /// needs x86-64 Linux, but no GPU. For kernels in Rust it takes the rustc that made the files, with its source and
    /// LLVM's tools: Debian's packages rustc-web, rust-web-src and llvm-22.
    Ptx {
        /// Write nothing; fail where a file on disk differs from what would be written, is missing, or has no kernel
        #[arg(long)]
        check: bool,
        /// Only kernels in this language [default: both]
        #[arg(long, value_enum)]
        language: Option<Language>,
        /// Use this libnvrtc instead of fetching one; it must be of the pinned version
        #[arg(long, value_name = "FILE")]
        nvrtc: Option<PathBuf>,
        /// Only these stages, such as stage01-naive, or emulator/tests/faults [default: all]
        #[arg(value_name = "STAGE")]
        stages: Vec<String>,
    },
    /// Record the stages on this machine's GPU into results/DEVICE: tables, launch shapes, the emulator's counts, limits
    ///
    /// Each file is written in one step when its runs have ended; a run that fails leaves its file as it was, and the
    /// others go on. Exit status: 0 if all was recorded.
    #[command(after_help = record::EXAMPLE)]
    Record(record::Record),
    /// Write the table of PTX instructions beside those that a GPU executes
    ///
    /// Runs the kernels in results/nvidia-h200/opcodes.json on the emulator, with the options of their recording.
    Instructions {
        /// Write nothing; fail where the table on disk differs from what would be written
        #[arg(long)]
        check: bool,
    },
    /// Run programs of CUDA Python and numba-cuda with the emulator as their driver
    ///
    /// Their packages are installed once, by pip, into target/foreign (750 MB); it needs x86-64 Linux and python3, but no
    /// GPU. A program that fails prints its output, and what the driver answered to it.
    Foreign {
        /// Only these programs of emulator-driver/tests/foreign, such as numba_kernels [default: all]
        #[arg(value_name = "PROGRAM")]
        programs: Vec<String>,
    },
    /// Do the walks of CONTRIBUTING.md as they are described: apply their diffs to a copy, run their commands
    ///
    /// The copy and what is built of it are in target/walks. A walk with a kernel needs the pinned NVRTC.
    Walks {
        /// Only walks whose headings contain one of these words [default: all]
        #[arg(value_name = "WORD")]
        words: Vec<String>,
    },
    /// Build the emulator for the pages of the book, as WebAssembly, and write book/emulator.wasm
    ///
    /// Run it after editing the emulator, and commit the file; comments, layout and tests may change without. Uses
    /// rustup's target wasm32-unknown-unknown where it is installed, and otherwise Debian's packages rustc-web,
    /// cargo-web, rust-web-src and lld-16.
    Wasm {
        /// Build nothing; fail where book/emulator.wasm is of other sources
        #[arg(long)]
        check: bool,
    },
}

fn main() -> ExitCode {
    let options = Options::parse();
    // Findings are a result of `check` and `learn`, not an error of them.
    let error_status = if matches!(options.task, Task::Check(_) | Task::Learn(_)) { 2 } else { 1 };
    match run(options.task) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(error_status)
        }
    }
}

/// Runs a task; false if it did its work and something is wrong with what it looked at.
fn run(task: Task) -> Result<bool> {
    let workspace = Workspace::this();
    match task {
        Task::Check(check) => return check::run(&check),
        Task::Learn(learn) => return Ok(learn::run(&learn, &workspace.root)?),
        Task::Doctor { json } => return doctor::run(&workspace, json),
        Task::Record(options) => return record::run(&workspace, &options),
        Task::CheckContent => ci::check_content(&workspace),
        Task::Ci { no_test } => ci::run(&workspace, no_test),
        Task::ClangFormat { check } => clang_format::run(&workspace, check),
        Task::Nvrtc { every_release } => compiler::run(every_release),
        Task::Ptx { check, language, nvrtc, stages } => {
            let kernels = workspace.kernel_folders(&stages)?;
            ptx::run(&kernels, language, nvrtc.as_deref(), check)
        }
        Task::Instructions { check } => instructions::run(&workspace, check),
        Task::Foreign { programs } => foreign::run(&workspace, &programs),
        Task::Walks { words } => walks::run(&workspace, &words),
        Task::Wasm { check } => wasm::run(&workspace, check),
    }
    .map(|()| true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn command_line_is_consistent() {
        Options::command().debug_assert();
    }
}
