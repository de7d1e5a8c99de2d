//! The workspace's own commands, run as `cargo x COMMAND`.

mod ci;
mod command;
mod ptx;
mod wasm;
mod workspace;

use anyhow::Result;
use clap::{Parser, Subcommand};
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
    /// Run what a change must pass: format, lints, documentation, prebuilt PTX, tests
    ///
    /// The steps run in this order and stop at the first that fails. Needs neither a GPU nor NVRTC.
    Ci {
        /// Leave out the last step, `cargo test --workspace`
        #[arg(long)]
        no_test: bool,
    },
    /// Compile every stage's kernels/*.cu to ptx/*.ptx with the pinned NVRTC
    ///
    /// Run it after editing a kernel, and commit both files. The pinned NVRTC is fetched once, by pip, into
    /// target/nvrtc (24 MB); it needs x86-64 Linux and python3, but no GPU.
    Ptx {
        /// Write nothing; fail where a file on disk differs from what would be written, is missing, or has no kernel
        #[arg(long)]
        check: bool,
        /// Use this libnvrtc instead of fetching one; it must be of the pinned version
        #[arg(long, value_name = "FILE")]
        nvrtc: Option<PathBuf>,
        /// Only these stages, such as stage01-naive [default: all]
        #[arg(value_name = "STAGE")]
        stages: Vec<String>,
    },
    /// Build the emulator for wasm32-unknown-unknown, without threads
    ///
    /// Uses rustup's target where it is installed, and otherwise Debian's packages rustc-web, cargo-web,
    /// rust-web-src and lld-16.
    Wasm,
}

fn main() -> ExitCode {
    let options = Options::parse();
    match run(options.task) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(task: Task) -> Result<()> {
    let workspace = Workspace::this();
    match task {
        Task::Ci { no_test } => ci::run(&workspace, no_test),
        Task::Ptx { check, nvrtc, stages } => {
            let kernels = workspace.kernel_folders(&stages)?;
            ptx::run(&workspace, &kernels, nvrtc.as_deref(), check)
        }
        Task::Wasm => wasm::run(&workspace),
    }
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
