//! The workspace's own commands, run as `cargo x COMMAND`.

mod ci;
mod clang_format;
mod command;
mod compiler;
mod compilers;
mod foreign;
mod forward;
mod instructions;
mod machine_code;
mod packed;
mod ptx;
mod record;
mod registers;
mod sanitizer;
mod tokens;
mod walks;
mod wasm;
mod workspace;

use anyhow::Result;
use ci::Suite;
use clap::{Parser, Subcommand};
use judge::kernel_file::{Language, Request};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use workspace::Workspace;

#[derive(Parser)]
#[command(
    name = "cargo x",
    bin_name = "cargo x",
    about = "The workspace's own commands",
    after_help = "`cargo learn` has the learner's commands: exercises, checks of any kernel, doctor, compilers",
    arg_required_else_help = true
)]
struct Options {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Compare the book with the repository: chapters, kernels' cards, tables, links, paths, records
    ///
    /// Prints one line per mistake: FILE:LINE, what is wrong, and how to correct it.
    CheckContent,
    /// Run everything that a change must pass: format, lints, documentation, prebuilt PTX, content, tests
    ///
    /// Runs the steps in this order and stops at the first failure. The tests include the slow ones, which a plain `cargo
    /// test` ignores. Needs neither a GPU nor NVRTC.
    Ci {
        /// Run only format, lints, documentation, content and the tests that are not slow
        #[arg(long, conflicts_with_all = ["full", "no_test"])]
        fast: bool,
        /// Run all steps, as without an option
        #[arg(long, conflicts_with = "no_test")]
        full: bool,
        /// Leave out the last steps, which run the programs: all tests, and the table of instructions
        #[arg(long)]
        no_test: bool,
    },
    /// Format the kernels: kernels/*.cu by clang-format, kernels/*.rs by rustfmt
    ///
    /// Needs clang-format 18.1.8: `python3 -m pip install --target target/clang-format clang-format==18.1.8`. Run `cargo x
    /// ptx` afterwards, because the PTX files contain line numbers of their kernels.
    ClangFormat {
        /// Write nothing, and fail if a file is not formatted
        #[arg(long)]
        check: bool,
    },
    /// Write the table that compares the counts of NVRTC's PTX with those of clang's: all kernels of stages and exercises
    ///
    /// Compiles them with both, runs them on the emulator at small sizes, and writes compilers/cuda-cpp/COUNTS.md. Fails if a result is
    /// wrong, or if counts differ by more than 15 % without a reason in the table.
    Compilers {
        /// Write nothing, and fail if the table is out of date
        #[arg(long)]
        check: bool,
    },
    /// Compile the kernels of stages, exercises and tests to PTX with the pinned compilers
    ///
    /// Run it after editing a kernel, and commit the kernel with its PTX. Downloads the pinned NVRTC once, as `cargo learn nvrtc`
    /// does; this needs Linux on x86-64, and no GPU. Kernels in Rust need the rustc that made the committed files, with its
    /// source and LLVM's tools, which are Debian's packages rustc-web, rust-web-src and llvm-22; without it they are left out
    /// as long as they have not been edited.
    Ptx {
        /// Write nothing, and fail if a PTX file is missing, has no kernel, or differs from the compiler's output
        #[arg(long)]
        check: bool,
        /// Compile only kernels in this language [default: both]
        #[arg(long, value_enum)]
        language: Option<Language>,
        /// Use this libnvrtc instead of a downloaded one; it must be of the pinned version
        #[arg(long, value_name = "FILE")]
        nvrtc: Option<PathBuf>,
        /// Compile only the kernels in these folders, such as stage01-naive or emulator/machine/tests/faults [default: all]
        #[arg(value_name = "FOLDER")]
        stages: Vec<String>,
    },
    /// Write what ptxas makes of the stages' PTX, from which times are estimated: in results/machine-code
    ///
    /// Run it after `cargo x ptx`, and commit the files. Downloads the pinned ptxas and nvdisasm (44 MB) once, as `cargo learn nvrtc`
    /// does. Needs Linux on x86-64 or aarch64, or Windows on x86-64, and no GPU. Once they are there, the stages and `cargo learn check`
    /// also estimate edited kernels from their machine code.
    MachineCode {
        /// Write nothing, and fail if a file is missing, has no kernel, or differs from the assembler's output
        #[arg(long)]
        check: bool,
        /// Only download the programs, for estimates of edited kernels
        #[arg(long, conflicts_with = "check")]
        fetch: bool,
        /// Assemble only the kernels of these stages, such as stage01-naive [default: all]
        #[arg(value_name = "FOLDER")]
        stages: Vec<String>,
    },
    /// Compare the emulator's estimates of registers with what ptxas allocates, and the resident blocks that follow
    ///
    /// Prints a line for each kernel, and a summary. Downloads the pinned ptxas once, as `cargo x machine-code` does, and needs no
    /// GPU.
    Registers {
        /// Compare the kernels of these PTX files [default: those of stages, exercises and tests]
        #[arg(value_name = "FILE")]
        files: Vec<PathBuf>,
    },
    /// Record this machine's GPU in one file, in at most five minutes; or check such files
    ///
    /// The file has the rates of the GPU's units and each kernel at the tutorial's size, in its default launch. Kernels that the GPU
    /// cannot run are named in it with the reason. CONTRIBUTING.md says how to send it.
    ///
    /// With a DEVICE, write a folder instead: tables, launch shapes, the emulator's counts, limits. Each of its files is replaced
    /// when all of its runs have succeeded. If a run fails, its file stays unchanged and the other runs continue.
    ///
    /// Exit status: 0 if everything was recorded, and all files are accepted.
    #[command(after_help = record::EXAMPLE)]
    Record(record::Record),
    /// Write the table that compares PTX instructions with the machine instructions of a GPU
    ///
    /// Runs the kernels in results/nvidia-h200/opcodes.json on the emulator, with the options of the recording.
    Instructions {
        /// Write nothing, and fail if the table is out of date
        #[arg(long)]
        check: bool,
    },
    /// Run programs of CUDA Python and numba-cuda with the emulator as their CUDA driver
    ///
    /// Installs their packages once, by pip, in target/foreign (750 MB). Needs Linux on x86-64 and python3, and no GPU. If a
    /// program fails, its output and the driver's log are printed.
    Foreign {
        /// Run only these programs of emulator/driver/tests/foreign, such as numba_kernels [default: all]
        #[arg(value_name = "PROGRAM")]
        programs: Vec<String>,
    },
    /// Follow the walks of docs/walks: apply their diffs to a copy of the workspace and run their commands
    ///
    /// The copy and its build are in target/walks. A walk with a kernel needs the pinned NVRTC.
    Walks {
        /// Follow only walks with one of these words in their name [default: all]
        #[arg(value_name = "WORD")]
        words: Vec<String>,
    },
    /// Build the emulator and the editor as WebAssembly for the pages of the book, book/emulator.wasm.gz and
    /// book/editor.wasm.gz
    ///
    /// Run it for a release, or if a test says that the modules answer otherwise than the sources. Uses rustup's target
    /// wasm32-unknown-unknown if it is installed, and otherwise Debian's packages rustc-web, cargo-web, rust-web-src and
    /// lld-16.
    Wasm,
    /// Run the faulty kernels under compute-sanitizer on a GPU, and print the recording as JSON
    #[command(hide = true)]
    Sanitize {
        /// The folder of the collection
        #[arg(default_value = "emulator/machine/tests/faults")]
        folder: PathBuf,
    },
    /// Launch a kernel of a PTX file on the GPU, for compute-sanitizer to watch
    #[command(hide = true)]
    Launch {
        #[command(flatten)]
        request: Request,
    },
}

fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    let result = forward::run(&words).and_then(|status| match status {
        Some(status) => Ok(ExitCode::from(status)),
        None => run(Options::parse().task).map(|done| if done { ExitCode::SUCCESS } else { ExitCode::FAILURE }),
    });
    result.unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::FAILURE
    })
}

/// Runs a task. Returns false if the task was completed and its answer is no: a record could not
/// be made.
fn run(task: Task) -> Result<bool> {
    let workspace = Workspace::this();
    match task {
        Task::Record(options) => return record::run(&workspace, &options),
        Task::CheckContent => ci::check_content(&workspace),
        Task::Ci { fast: true, .. } => ci::run(&workspace, Suite::Fast),
        Task::Ci { no_test: true, .. } => ci::run(&workspace, Suite::NoTest),
        Task::Ci { .. } => ci::run(&workspace, Suite::Full),
        Task::ClangFormat { check } => clang_format::run(&workspace, check),
        Task::Compilers { check } => compilers::run(&workspace, check),
        Task::Ptx { check, language, nvrtc, stages } => {
            let kernels = workspace.kernel_folders(&stages)?;
            ptx::run(&kernels, language, nvrtc.as_deref(), check)
        }
        Task::MachineCode { fetch: true, .. } => command::run(forward::learn().arg("ptxas")),
        Task::MachineCode { check, stages, .. } => machine_code::run(&workspace.kernel_folders(&stages)?, check),
        Task::Registers { files } => registers::run(&workspace, &files),
        Task::Instructions { check } => instructions::run(&workspace, check),
        Task::Foreign { programs } => foreign::run(&workspace, &programs),
        Task::Walks { words } => walks::run(&workspace, &words),
        Task::Wasm => wasm::run(&workspace),
        Task::Sanitize { folder } => sanitizer::run(&workspace.root.join(folder)),
        Task::Launch { request } => sanitizer::launch::run(&request),
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
